"use strict";
(function () {
  const STEP = 50, LONG = 20000;
  const find = function (id) { return document.getElementById(id); };
  const list = find("list"), shown = find("shown"), trouble = find("trouble");
  const scenario = find("pick-scenario"), row = find("pick-row"), wrong = find("pick-wrong"), early = find("pick-early");
  const waiting = new Map();
  let states = {}, trials = [], evidence = [], some = [], start = 0;

  window.claw = function (name, value) {
    const all = waiting.get(name) || [];
    waiting.delete(name);
    for (const then of all) then(value);
  };

  function load(name, then) {
    if (waiting.has(name)) { waiting.get(name).push(then); return; }
    waiting.set(name, [then]);
    const script = document.createElement("script");
    script.onload = function () { script.remove(); };
    script.onerror = function () {
      waiting.delete(name);
      script.remove();
      say(list.dataset.folder + "/" + name + ".js cannot be loaded: the folder belongs beside this page.");
    };
    script.src = list.dataset.folder + "/" + name + ".js";
    document.head.append(script);
  }

  function say(what) { trouble.textContent = what; trouble.hidden = false; }

  // Whatever a value holds, it becomes text: characters that are invisible or turn the text around by their number.
  function clean(value) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text.replace(/\r\n?/g, "\n").replace(
      /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
      function (one) { return "⟦U+" + one.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "⟧"; });
  }

  function make(name, kind, ...inside) {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    made.append(...inside.map(function (one) { return one instanceof Node ? one : clean(one); }));
    return made;
  }

  function block(into, title, value) {
    if (value === undefined || value === null || value === "") return;
    const text = typeof value === "string" ? value : JSON.stringify(value, null, 1);
    if (title) into.append(make("h4", "", title));
    into.append(make("pre", "", text.slice(0, LONG)));
    if (text.length > LONG) into.append(make("p", "soft small", text.length - LONG + " more characters: in the run folder."));
  }

  function facts(into, pairs) {
    const all = make("dl", "facts");
    for (const [name, value] of pairs) {
      if (value !== undefined && value !== null && value !== "") all.append(make("dt", "", name), make("dd", "", value));
    }
    into.append(all);
  }

  function folded(into, title, fill) {
    const box = make("details", "", make("summary", "", title));
    fill(box);
    into.append(box);
  }

  function failure(into, what, fault) {
    const said = [fault.kind + ": " + fault.what, fault.where ? "(" + fault.where + ")" : "", fault.remedy || ""];
    into.append(make("p", "notice", make("strong", "", what + fault.owner), ": " + said.filter(Boolean).join(" ")));
  }

  // Calls in order, each with the first result of its id that is not another call's.
  function steps(into, events) {
    if (typeof events === "string") { into.append(make("p", "notice", events)); return; }
    const items = make("ol", "steps"), open = [];
    for (const event of events) {
      const call = event.kind === "tool_result" ? open.findIndex(function (one) { return one.id === event.id; }) : -1;
      const item = call < 0 ? make("li", "", make("strong", "", event.name || event.kind), " ") : open.splice(call, 1)[0].item;
      if (call < 0) {
        item.append(make("span", "soft small", "at " + Number(event.at || 0).toFixed(2) + " s"));
        items.append(item);
      }
      if (event.kind === "tool_call") {
        open.push({ id: event.id, item });
        block(item, "", Object.keys(event.arguments || {}).length ? JSON.stringify(event.arguments) : "");
      }
      if (event.is_error) item.append(make("span", "mark bad", "error"));
      block(item, "", event.text);
    }
    into.append(items);
  }

  function changes(into, found) {
    if (found.note) into.append(make("p", "soft small", found.note));
    for (const file of found.files) {
      const note = file.kind + ", " + file.size + " bytes" + (file.note ? ", " + file.note : "");
      into.append(make("p", "", make("code", "", file.path), " ", make("span", "soft small", note)));
      block(into, "", file.lines.text);
    }
    if (found.left_out) into.append(make("p", "soft small", found.left_out + " more files."));
  }

  function seen(into, asked, texts) {
    const items = make("ul", "plain");
    for (const id of asked.needed || []) {
      const there = (asked.seen || []).includes(id);
      const mark = make("span", there ? "mark ok" : "mark bad", there ? "seen" : "not seen");
      items.append(make("li", "", mark, " ", make("code", "", id), " " + (Object.hasOwn(texts, id) ? texts[id] : "")));
    }
    if (items.childElementCount) into.append(make("h4", "", "Evidence needed and seen"), items);
  }

  function draw(into, record, events, changed, texts) {
    const score = record.score, usage = record.usage || {}, metered = usage.metered || {}, told = usage.reported;
    const cause = score.cause || record.error;
    if (cause) failure(into, "", cause);
    (record.earlier_failures || []).forEach(function (fault, n) { failure(into, "Attempt " + (n + 1) + " failed: ", fault); });
    if ((record.updates || []).length) into.append(make("p", "", "Updates before this round: " + record.updates.join(", ")));
    folded(into, "Prompt, as sent", function (box) { block(box, "", record.prompt); });
    block(into, "Answer", record.text);
    const { kind, ...detail } = score.detail || {};
    facts(into, [["Score", score.value ?? "unscored"], ["Letters read", score.answer && score.answer.join(", ")],
      ["Malformed", score.malformed], ["Pattern", score.pattern], ["Judged", kind],
      ...Object.entries(record.taught || {}).map(function ([name, kept]) { return ["Taught " + name, kept ? "kept" : "not kept"]; })]);
    for (const [name, value] of Object.entries(detail)) block(into, name, value);
    if (record.evidence) seen(into, record.evidence, texts);
    block(into, "Feedback for the next prompt", record.feedback);
    folded(into, "Tool calls: " + (record.tool_calls || 0), function (box) { steps(box, events); });
    const files = changed.known ? changed.files.length + changed.left_out : "not known";
    folded(into, "Files changed: " + files, function (box) { changes(box, changed); });
    facts(into, [["Rendered", usage.rendered], ["Reported", told && (told.input ?? 0) + " + " + (told.output ?? 0) + " (" + told.kind + ")"],
      ["Metered", (metered.input || 0) + " + " + (metered.output || 0) + ", requests: " + (metered.requests || 0)],
      ["Seconds", record.timing && record.timing.total]]);
  }

  function unfold(box, fill) {
    box.addEventListener("toggle", function () {
      if (box.open && !box.dataset.filled) { box.dataset.filled = "1"; fill(); }
    });
  }

  function rounds(into, trial, [id, failed, all]) {
    const fault = JSON.parse(failed);
    into.append(make("p", "soft small", "Every record and request: ", make("code", "", "trials/" + id), " in the run folder."));
    if (fault) failure(into, "The trial ended early: ", fault);
    for (const [written, events, changed] of all) {
      const record = JSON.parse(written), mark = trial[6][record.index];
      const head = make("summary", "", make("strong", "", record.index + 1 + ". " + record.round), " ",
        make("span", "soft", record.type), " ", make("span", "mark " + states[mark], mark));
      const body = make("div"), box = make("details", "round", head, body);
      unfold(box, function () { draw(body, record, JSON.parse(events), JSON.parse(changed), evidence[trial[2]]); });
      into.append(box);
    }
  }

  function entry(number) {
    const trial = trials[number], [id, config, place, seed, repeat, status, marks, chunk] = trial;
    const title = scenario.options[place + 1].text + " · " + row.options[config + 1].text;
    const head = make("summary", "", make("strong", "", title), " ", make("span", "soft", "seed " + seed + ", repeat " + repeat), " ");
    for (const mark of marks) head.append(make("span", "mark " + states[mark], mark));
    if (status !== "finished") head.append(" ", make("span", "mark none", status));
    const body = make("div"), box = make("details", "round", head, body);
    box.id = "t" + number;
    unfold(box, function () {
      load("trials-" + chunk, function (found) {
        const one = found.find(function (held) { return held[0] === id; });
        if (one) rounds(body, trial, one);
        else say("The files beside this page are of another report: make it again.");
      });
    });
    return box;
  }

  function show() {
    const end = Math.min(start + STEP, some.length);
    list.replaceChildren(...some.slice(start, end).map(entry));
    shown.textContent = (some.length ? start + 1 + " to " : "") + end + " of " + some.length + " trials";
    find("before").disabled = start === 0;
    find("after").disabled = end === some.length;
  }

  function filter() {
    some = [...trials.keys()].filter(function (number) {
      const [, config, place, , , status, marks] = trials[number];
      return (scenario.value === "" || place === Number(scenario.value)) && (row.value === "" || config === Number(row.value)) &&
        !(wrong.checked && /^✓*$/.test(marks)) && !(early.checked && status === "finished");
    });
    start = 0;
    show();
  }

  // #s3h1: the trials of a scenario under a harness; #t123: one trial, open.
  function reveal() {
    const cell = /^#s(\d+)h(\d+)$/.exec(location.hash), one = /^#t(\d+)$/.exec(location.hash);
    if (cell || one) {
      [scenario.value, row.value] = cell ? [cell[1], cell[2]] : ["", ""];
      wrong.checked = early.checked = false;
    }
    filter();
    if (cell) { find("trials").scrollIntoView(); list.querySelector("summary")?.focus({ preventScroll: true }); }
    if (one && Number(one[1]) < trials.length) {
      start = Number(one[1]) - Number(one[1]) % STEP;
      show();
      find(one[0].slice(1)).open = true;
      find(one[0].slice(1)).scrollIntoView();
    }
  }

  for (const control of [scenario, row, wrong, early]) control.addEventListener("change", filter);
  find("before").addEventListener("click", function () { start -= STEP; show(); });
  find("after").addEventListener("click", function () { start += STEP; show(); });
  window.addEventListener("load", function () {
    load("index", function (index) {
      ({ states, trials, evidence } = index);
      find("controls").hidden = false;
      window.addEventListener("hashchange", reveal);
      reveal();
    });
  });
})();
