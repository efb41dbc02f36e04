"""Promise: pages can be read on a desk and on a phone, by day and by night, with keys alone and by a screen reader."""

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.profile import read_profile
from claw_adapter.profile.page import write_html as write_profiles
from claw_adapter.report import summarise, write_html
from claw_adapter.runs.load import load_run
from support.browser import Browser, browser

ROOT = Path(__file__).parents[2]
make = SimpleNamespace(**runpy.run_path(str(ROOT / "tests" / "unit" / "report_runs.py")))

WIDER = "document.scrollingElement.scrollWidth - window.innerWidth"
SCROLLED = """[...document.querySelectorAll('body *')].filter(e => e.clientWidth && e.scrollWidth > e.clientWidth + 1
  && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX))"""
UNNAMED = """[...document.querySelectorAll('svg:not([aria-hidden])')].filter(e => e.getAttribute('role') != 'img'
  || !e.getAttribute('aria-label') || (e.closest('figure') && !e.querySelector('title')?.textContent)).length"""
FAINT = """(() => {
  const rgb = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [.2126, .7152, .0722][at], 0);
  const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
    if (c.length == 3 || c[3] == 1) return c; } return [255, 255, 255]; };
  return [...document.querySelectorAll('h1, h2, p, th, td, summary, figcaption, li, svg text')]
    .filter(e => e.getClientRects().length && e.textContent.trim()).filter(e => {
      const style = getComputedStyle(e), a = light(rgb(e.closest('svg') ? style.fill : style.color)), b = light(behind(e));
      return (Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5; })
    .map(e => e.tagName + ' ' + e.textContent.trim().slice(0, 40));
})()"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("chromium")) as found:
        yield found


@pytest.fixture(scope="module", params=["report", "profile"])
def page(request, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    if request.param == "report":
        run = load_run(make.small(folder / "run").root)
        write_html(run, summarise(run), folder / "page.html")
    else:
        kept = sorted((ROOT / "frameworks").glob("*/profiles/*.json"))
        write_profiles([read_profile(path) for path in kept], folder / "page.html")
    return folder / "page.html"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1100, 400])
def test_a_page_fits_and_can_be_read(shown: Browser, page: Path, width: int, dark: bool):
    shown.open(page, width, dark=dark)
    shown.ask("document.querySelectorAll('details').forEach(e => e.open = true)")
    assert shown.ask(WIDER) <= 0, "the page itself is never scrolled sideways"
    assert shown.ask(UNNAMED) == 0
    assert shown.ask(FAINT) == []


def test_what_scrolls_is_reached_with_the_tab_key(shown: Browser, page: Path):
    shown.open(page, 400)
    shown.ask("document.querySelectorAll('details').forEach(e => e.open = true)")
    shown.ask(f"window.left = new Set({SCROLLED})")
    assert shown.ask("left.size") > 0
    most = shown.ask("document.querySelectorAll('a, button, input, select, summary, [tabindex]').length") + 1
    for _ in range(most):
        shown.tab()
        if not shown.ask("left.delete(document.activeElement), left.size"):
            return
    pytest.fail(f"not reached: {shown.ask('[...left].map(e => e.outerHTML.slice(0, 80))')}")
