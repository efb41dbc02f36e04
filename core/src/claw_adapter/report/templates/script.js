"use strict";
(function () {
  const controls = document.getElementById("controls");
  const rounds = Array.from(document.querySelectorAll("details.round"));
  const scenario = document.getElementById("pick-scenario");
  const differs = document.getElementById("pick-differs");
  const trouble = document.getElementById("pick-trouble");
  const shown = document.getElementById("shown");

  function filter() {
    let count = 0;
    for (const round of rounds) {
      const hide = (scenario.value !== "" && round.dataset.scenario !== scenario.value) ||
        (differs.checked && round.dataset.differs !== "1") || (trouble.checked && round.dataset.trouble !== "1");
      round.hidden = hide;
      if (!hide) count += 1;
    }
    shown.textContent = count + " of " + rounds.length + " rounds";
  }

  function fold(open) {
    for (const round of rounds) if (!round.hidden) round.open = open;
  }

  function reveal() {
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let node = target; node; node = node.parentElement) {
      if (node.tagName === "DETAILS") { node.hidden = false; node.open = true; }
    }
    target.scrollIntoView();
  }

  for (const control of [scenario, differs, trouble]) control.addEventListener("change", filter);
  document.getElementById("unfold").addEventListener("click", function () { fold(true); });
  document.getElementById("fold").addEventListener("click", function () { fold(false); });
  window.addEventListener("hashchange", reveal);
  controls.hidden = false;
  filter();
  reveal();
})();
