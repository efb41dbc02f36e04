"""The page shows, per round, what the issue promises: prompt, evidence needed and seen, answer, score, tool calls."""

import re
import runpy
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.protocol import CheckDetail, CheckRun, ChoiceDetail
from claw_adapter.questions.multi_choice import agreement
from claw_adapter.report import summarise, write_html
from claw_adapter.report.clean import clean, clip, one_line
from claw_adapter.report.html import page
from claw_adapter.runs.load import load_run

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "unit" / "report_runs.py")))


class Reader(HTMLParser):
    """Visible text by the id of the nearest element around it that has one."""

    def __init__(self, text):
        super().__init__()
        self.stack, self.by_id = [], {}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "input"):
            self.stack.append((tag, dict(attrs).get("id")))

    def handle_endtag(self, tag):
        self.stack.pop()

    def handle_data(self, data):
        if self.stack and self.stack[-1][0] in ("script", "style"):
            return
        for _, name in self.stack:
            if name:
                self.by_id[name] = f"{self.by_id.get(name, '')} {data}"


@pytest.fixture
def small(tmp_path):
    run = load_run(make.small(tmp_path / "run").root)
    return page(run, summarise(run), fragments={"demo": {"f2": "The budget is 40,000 euros."}})


def one(tmp_path, records, **start):
    trial = make.spec("demo", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 0})
    runs.write(trial, records(runs), **start)
    run = load_run(runs.root)
    return page(run, summarise(run))


def test_a_round_shows_prompt_evidence_answer_score_and_tool_calls(small):
    text = " ".join(Reader(small).by_id["r2"].split())
    for part in (
        "Prompt, as sent to all Question 3",
        "Answer Answer 3",
        "Score ✗ 0.0",
        "options A: rightly chosen, B: missed",
        "seen f1",
        "not seen f2 The budget is 40,000 euros.",
        "Decided: A supported",
        "Feedback for the next prompt Wrong: the budget changed.",
        "1 tool call",
        'read_file at 0.50 s {"path": "notes/plan.md"} The budget is 40,000 euros.',
        "3,000 + 40 in 2 requests",
        "9,000 + 120 (cumulative)",
    ):
        assert part in text, part


def test_earlier_failures_and_causes_are_shown(small):
    text = " ".join(Reader(small).by_id["r1t1"].split()).replace(" :", ":")
    assert "endpoint: EndpointQuotaError: the budget is used up Wait a day." in text
    assert "Attempt 1 of 2 failed: harness: HarnessCrash: ended with signal 11 (round r4)" in text


def test_a_round_that_was_not_reached_says_why(small):
    text = " ".join(Reader(small).by_id["r4t1"].split()).replace(" :", ":")
    assert "harness: HarnessCrash" in text
    assert "This round was not reached." in text


def test_what_a_round_changed_is_shown_line_by_line(small):
    text = Reader(small).by_id["r1t0"]
    assert "note.md" in text
    assert "-round 0\n+round 1" in text


def test_the_first_round_says_that_there_is_nothing_to_compare_with(small):
    text = Reader(small).by_id["r0t0"]
    assert "no snapshot from before this round" in text
    assert "Files changed: not known" in text


def test_changes_that_include_updates_say_so_and_memory_files_are_left_out(tmp_path):
    def records(runs):
        return [
            runs.record(0, 1.0, snapshot=runs.snapshot(note__md="a", MEMORY__md="a")),
            runs.record(1, 1.0, updates=("u1",), snapshot=runs.snapshot(note__md="b", MEMORY__md="b")),
        ]

    text = Reader(one(tmp_path, records, memory_files=("MEMORY*",))).by_id["r1t0"]
    assert "Includes what the updates changed: u1." in text
    assert "1 file changed" in text
    assert "MEMORY.md" not in text


def test_binary_and_long_files_are_listed_without_lines(tmp_path):
    def records(runs):
        return [
            runs.record(0, 1.0, snapshot=runs.snapshot()),
            runs.record(1, 1.0, snapshot=runs.snapshot(a__bin="\0x", b__txt="x\n" * 2000)),
        ]

    text = Reader(one(tmp_path, records)).by_id["r1t0"]
    assert text.count("not compared line by line: binary or long") == 2


def test_different_prompts_are_shown_per_trial(tmp_path):
    specs = [make.spec("demo", "left"), make.spec("demo", "right")]
    runs = make.Runs(tmp_path / "run", specs, {"demo": 1})
    for spec in specs:
        runs.write(spec, [runs.record(0, 1.0, prompt=f"for {spec.harness.label}")])
    run = load_run(runs.root)
    found = Reader(page(run, summarise(run))).by_id
    assert "as sent to all" not in found["r0"]
    assert "for left" in found["r0t0"]
    assert "for right" not in found["r0t0"]


def test_missing_events_and_snapshots_are_said_and_stop_nothing(tmp_path):
    def records(runs):
        lost = {"events": "e" * 64, "snapshot": "f" * 64}
        return [runs.record(0, 1.0), runs.record(1, 1.0).model_copy(update=lost)]

    text = Reader(one(tmp_path, records)).by_id["r1t0"]
    assert "The events cannot be read" in text
    assert "The snapshots cannot be compared" in text


def test_results_go_with_their_calls_even_when_ids_repeat(tmp_path):
    events = [
        {"kind": "tool_call", "id": "x", "name": "first"},
        {"kind": "tool_call", "id": "x", "name": "second"},
        {"kind": "tool_result", "id": "x", "text": "result one"},
        {"kind": "tool_result", "id": "x", "text": "result two"},
        {"kind": "tool_result", "id": "x", "text": "result three"},
    ]
    text = " ".join(Reader(one(tmp_path, lambda runs: [runs.record(0, 1.0, events=events)])).by_id["r0t0"].split())
    order = [text.index(part) for part in ("first", "result one", "second", "result two", "result three")]
    assert order == sorted(order)
    assert text.count("a result without a call") == 1


def test_every_mark_of_the_matrix_leads_to_its_round(small):
    ids = set(re.findall(r'id="([^"]+)"', small))
    links = re.findall(r'<td class="\w+"><a href="#([^"]+)"', small)
    assert len(links) == 10
    assert set(links) <= ids


def test_the_page_names_what_limits_it(small):
    text = " ".join(re.sub(r"<[^>]+>", " ", small).split())
    assert "not a language model" in text
    assert "Its memory file grows in the workspace." in text
    assert "1 scenario: no interval" in text
    assert "published: TCR, MC, EC pooled over all rounds" in text
    assert "harness 2, checks 2" in text


def test_long_texts_are_cut_with_a_note(tmp_path):
    text = one(tmp_path, lambda runs: [runs.record(0, 1.0, text="x" * 50_000)])
    assert "30,000 more characters: the full text is in the run folder" in text


def test_texts_are_cut_shorter_until_the_page_fits(tmp_path):
    trial = make.spec("demo", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 8})
    runs.write(trial, [runs.record(i, 1.0, text='"' * 30_000, prompt="<" * 30_000) for i in range(8)])
    run = load_run(runs.root)
    summary = summarise(run)
    wide, narrow = page(run, summary), page(run, summary, limit=100_000)
    assert len(wide.encode()) > 800_000
    assert len(narrow.encode()) <= 100_000


def test_the_page_is_written_whole_and_leaves_nothing_beside_it(tmp_path):
    run = load_run(make.small(tmp_path / "run").root)
    path = run.root / "report.html"
    path.write_text("old")
    before = set(run.root.iterdir())
    write_html(run, summarise(run), path)
    assert path.read_text("utf-8").rstrip().endswith("</html>")
    assert set(run.root.iterdir()) == before


def test_the_same_run_gives_the_same_page(tmp_path):
    run = load_run(make.small(tmp_path / "run").root)
    assert page(run, summarise(run)) == page(run, summarise(run))


def test_cleaning_removes_sequences_and_shows_the_rest():
    assert clean("\x1b[1;31mred\x1b[0m \x1b]0;t\x07ok\x1b(B") == "red ok"
    assert clean("a\x00b\x07c\x7f") == "a␀b␇c␡"
    assert clean("\x1b]0;unterminated") == "0;unterminated"
    assert clean("one\r\ntwo\rthree\n\tfour") == "one\ntwo\nthree\n\tfour"
    assert clean("\u202eabc\u2069\udc80") == "⟦U+202E⟧abc⟦U+2069⟧\ufffd"
    assert clean("日本語 عربى 👩\u200d💻") == "日本語 عربى 👩\u200d💻"


def test_cleaning_hostile_text_stays_fast():
    for unit in ("\x1b]", "\x1b[", "\x1b[1", "\x1bP" + "x" * 100, "\x1b"):
        clean(unit * 20_000)  # the suite's time limit is the assertion: a slow pattern would take minutes


def test_clipping_counts_what_is_left_out():
    assert (clip("abcdef", 4).text, clip("abcdef", 4).left_out) == ("abcd", 2)
    assert one_line("a\n b\tc", 10) == "a b c"
    assert one_line("x" * 50, 10) == "x" * 9 + "…"


def test_a_real_check_and_a_real_choice_are_shown_with_their_detail(tmp_path):
    check = CheckRun(why="exit status 1, expected 0", level=2, exit=1, stdout="one\ntwo", seconds=0.5)

    def records(runs):
        return [
            runs.record(0, 0.0, detail=CheckDetail(check=check)),
            runs.record(
                1,
                0.0,
                kind="multi_choice",
                detail=ChoiceDetail(statements=agreement(["A"], ["B"], {"A": "a", "B": "b", "C": "c"})),
            ),
        ]

    found = Reader(one(tmp_path, records)).by_id
    text = " ".join(found["r0t0"].split())
    for part in ("why exit status 1, expected 0", "exit 1", "signal –", "stderr (empty)", "stdout one two"):
        assert part in text, part
    assert "options A: wrongly chosen, B: missed, C: rightly left" in " ".join(found["r1t0"].split())
