"""Every rule of the validator finds its own breach, names file and line, and nothing else is found with it."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from claw_adapter.demo import DEMO
from claw_adapter.errors import ScenarioError
from claw_adapter.scenario import RULES, Finding, findings, load_gold, load_scenario, require_valid

ROUND = """
  - id: r12
    type: {type}
    question: One more.
"""
OPTIONS = "    options: {A: First., B: Second.}\n"


class Copy:
    """A copy of the demo that a case breaks in one way."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.root / file
        text = path.read_text("utf-8")
        assert text.count(old) >= 1, f"{old!r} is not in {file}"
        path.write_text(text.replace(old, new, 1), "utf-8")

    def add(self, file: str, text: str) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as out:
            out.write(text)

    def cut(self, file: str, first: str, last: str) -> None:
        """Remove the lines from the first that contains `first` to the next that contains `last`."""
        lines = (self.root / file).read_text("utf-8").split("\n")
        start = next(n for n, line in enumerate(lines) if first in line)
        end = next(n for n, line in enumerate(lines) if n >= start and last in line)
        (self.root / file).write_text("\n".join(lines[:start] + lines[end + 1 :]), "utf-8")

    def fragment(self, name: str, where: str, text: str, instead: str = "") -> None:
        """Add a fragment, as a further way to see r1/A."""
        self.edit(EVIDENCE, "  # r1\n", f"  # r1\n  {name}: {{where: {where}, text: '{text}'}}\n")
        if not instead:
            self.edit(EVIDENCE, "[[sensor-peak]]", f"[[sensor-peak], [{name}]]")

    def last_round(self, type_: str, answer: str, evidence: str) -> None:
        self.add("rounds.yaml", ROUND.format(type=type_) + OPTIONS)
        said = "{options: {A: x, B: x}}"
        self.add(ANSWERS, f"\n  r12: {{answer: {answer}, feedback: {said}}}\n")
        self.fragment("extra-one", "workspace/README.md", "dock logs of Harbour Street", instead="r12")
        self.fragment("extra-two", "workspace/README.md", "vehicle files and sensor logs", instead="r12")
        self.add(EVIDENCE, f"\n  r12: {{options: {evidence}}}\n")

    def find(self) -> list[Finding]:
        scenario = load_scenario(self.root)
        return findings(scenario, load_gold(scenario))

    def place(self, file: str, needle: str) -> str:
        path = self.root / file
        if not needle:
            return f"{path}:1"
        lines = path.read_text("utf-8").split("\n")
        return f"{path}:{next(n for n, line in enumerate(lines, start=1) if needle in line)}"


ANSWERS, EVIDENCE, ROUNDS = "gold/answers.yaml", "gold/evidence.yaml", "rounds.yaml"
U1, U2 = "updates/U1/update.yaml", "updates/U2/update.yaml"
MAIL = "sessions/claims-mail.jsonl"
LOG = "workspace/fleet/v2_sensor_log.csv"


@dataclass(frozen=True)
class Case:
    rule: str
    breach: Callable[[Copy], object]
    file: str
    needle: str = ""


def _one_option(copy: Copy) -> None:
    copy.last_round("multi_choice", "[A]", "{A: {supports: [[extra-one, extra-two]], hasty: false}}")
    copy.edit(ROUNDS, "{A: First., B: Second.}", "{A: First.}")
    copy.edit(ANSWERS, "{A: x, B: x}", "{A: x}")


def _wrong_letters(copy: Copy) -> None:
    copy.edit(ROUNDS, "F: V3 drove", "G: V3 drove")
    copy.edit(ANSWERS, "F: Wrong, Ruth", "G: Wrong, Ruth")
    copy.edit(EVIDENCE, "F: {refutes: [[replacement-van]]", "G: {refutes: [[replacement-van]]")


def _group(copy: Copy) -> None:
    copy.add("updates/G/update.yaml", "groups: [U1]\n")
    copy.edit(ROUNDS, "    updates: [U2]\n", "    updates: [U2, G]\n")


def _ghost_session(copy: Copy) -> None:
    copy.add("updates/U1/ghost.jsonl", '{"role": "user", "text": "hi"}\n{"role": "assistant", "text": "hello"}\n')
    copy.edit(U1, "tags:", "  - session: ghost\n    source: ghost.jsonl\ntags:")


def _no_evidence(copy: Copy) -> None:
    copy.cut(EVIDENCE, "sensor-peak: {where", "sensor-peak")
    copy.cut(EVIDENCE, "[[sensor-peak]]", "sensor-peak")


def _no_needs(copy: Copy) -> None:
    copy.cut(EVIDENCE, "date-first: {where", "date-first")
    copy.edit(EVIDENCE, "needs: [date-first]", "needs: []")


def _short(copy: Copy) -> None:
    copy.add("workspace/README.md", "\nzq  zq  zq  zq\n")
    copy.fragment("short", "workspace/README.md", "zq  zq  zq  zq")


def _same_artefacts(copy: Copy) -> None:
    shutil.rmtree(copy.root / "gold/hasty/r3")
    shutil.copytree(copy.root / "gold/oracle/r3", copy.root / "gold/hasty/r3")


CASES = [
    Case("SCN-001", lambda c: c.edit(ROUNDS, "updates: [U2]", "updates: [U2, U9]"), ROUNDS, "U9"),
    Case("SCN-002", lambda c: c.edit(U2, "tags:", "groups: [U9]\ntags:"), U2, "U9"),
    Case("SCN-003", lambda c: c.edit(U2, "tags:", "groups: [U2]\ntags:"), U2, "groups"),
    Case("SCN-004", _group, ROUNDS, "[U2, G]"),
    Case("SCN-005", lambda c: c.edit(U2, "action: append", "action: insert\n    after: 99"), U2, "v2_vehicle_file.md"),
    Case("SCN-005", lambda c: c.edit(U1, "action: append", "action: new"), U1, "fleet-slack"),
    Case("SCN-006", _ghost_session, U1, "session: ghost"),
    Case("SCN-010", _wrong_letters, ROUNDS, "options:"),
    Case("SCN-011", _one_option, ROUNDS, "{A: First.}"),
    Case("SCN-012", lambda c: c.add(ROUNDS, ROUND.format(type="other")), ROUNDS, "id: r12"),
    Case("SCN-013", lambda c: c.add(ANSWERS, "\n  r99: {feedback: {correct: x}}\n"), ANSWERS, "r99"),
    Case("SCN-014", lambda c: c.edit(ANSWERS, "[A, C, D]", "[A, C, D, Z]"), ANSWERS, "[A, C, D, Z]"),
    Case("SCN-014", lambda c: c.edit(ANSWERS, "[A, C, D]", "[A, C, D, D]"), ANSWERS, "[A, C, D, D]"),
    Case(
        "SCN-015",
        lambda c: c.last_round(
            "multi_choice", "[]", "{A: {refutes: [[extra-one]], hasty: true}, B: {refutes: [[extra-two]], hasty: true}}"
        ),
        ANSWERS,
        "r12",
    ),
    Case("SCN-016", lambda c: c.cut(ANSWERS, "F: Wrong, Ruth", "F: Wrong"), ANSWERS, "options:"),
    Case("SCN-017", lambda c: c.edit(ROUNDS, "Let us begin", "In ${workspace}, let us begin"), ROUNDS, "question:"),
    Case("SCN-020", lambda c: c.cut(ANSWERS, "check:", "timeout:"), ROUNDS, "type: exec_check"),
    Case("SCN-021", lambda c: c.edit(ANSWERS, "r3.json ${workspace}", "r3.json ${eval_dir}"), ANSWERS, "eval_dir"),
    Case("SCN-022", lambda c: c.edit(ANSWERS, "r3.json", "rX.json"), ANSWERS, "rX.json"),
    Case("SCN-023", lambda c: shutil.rmtree(c.root / "gold/oracle/r3"), ROUNDS, "id: r3"),
    Case("SCN-024", lambda c: shutil.rmtree(c.root / "gold/hasty/r3"), ROUNDS, "id: r3"),
    Case("SCN-024", _same_artefacts, "gold/hasty/r3"),
    Case("SCN-025", lambda c: c.add("gold/oracle/r99/x.txt", "x"), "gold/oracle/r99"),
    Case("SCN-030", lambda c: c.edit(ANSWERS, "exam: [dated-notes]", "exam: [dated-notes, ghost]"), ANSWERS, "ghost"),
    Case(
        "SCN-031",
        lambda c: c.edit(ANSWERS, "    answer: [A, C, D]", "    exam: [dated-notes]\n    answer: [A, C, D]"),
        ANSWERS,
        "exam: [dated",
    ),
    Case("SCN-032", lambda c: c.edit(ANSWERS, "exam: [dated-notes]", "exam: []"), ANSWERS, "r8:"),
    Case("SCN-033", lambda c: c.cut(ANSWERS, "    revision:", "cites:"), ANSWERS, "r6:"),
    Case("SCN-034", lambda c: c.edit(ANSWERS, "of: r2", "of: r7"), ANSWERS, "of: r7"),
    Case("SCN-035", lambda c: c.edit(ANSWERS, "stale: [A, C, E]", "stale: [A, C]"), ANSWERS, "stale: [A, C]"),
    Case("SCN-036", lambda c: c.edit(ANSWERS, "cites: [", "cites: [claims-mail, "), ANSWERS, "cites:"),
    Case("SCN-040", lambda c: c.edit(EVIDENCE, "[[sensor-peak]]", "[[sensor-peak], [ghost]]"), EVIDENCE, "ghost"),
    Case("SCN-040", lambda c: c.edit(EVIDENCE, "needs: [date-first]", "needs: [date-first, ghost]"), EVIDENCE, "ghost"),
    Case("SCN-041", lambda c: c.edit(EVIDENCE, "[[sensor-peak]]", "[[sensor-peak], []]"), EVIDENCE, "[[sensor-peak], []"),
    Case("SCN-042", _short, EVIDENCE, "short: {"),
    Case("SCN-043", lambda c: c.fragment("absent", LOG, "nobody ever wrote this"), EVIDENCE, "absent: {"),
    Case(
        "SCN-044",
        lambda c: c.add("workspace/README.md", "\nPier 9  moves from the last stop to the first\n"),
        EVIDENCE,
        "pier9-moved: {",
    ),
    Case(
        "SCN-045",
        lambda c: c.edit(ROUNDS, "B: It is settled", "B: It is so that we pin T2 to the old order and leave the rest, and"),
        EVIDENCE,
        "pinned: {",
    ),
    Case("SCN-046", lambda c: c.fragment("inner", LOG, "V2,rear,11.6,3.0,high"), EVIDENCE, "sensor-peak: {"),
    Case(
        "SCN-047",
        lambda c: c.add("gold/hasty/r3/notes/exposure.md", "Chilled dough is handed over at 7.0 °C or below.\n"),
        EVIDENCE,
        "limit: {",
    ),
    Case("SCN-050", _no_evidence, EVIDENCE, "options:"),
    Case("SCN-051", lambda c: c.add(EVIDENCE, "\n  r99: {answer: x}\n"), EVIDENCE, "r99"),
    Case(
        "SCN-052",
        lambda c: c.edit(EVIDENCE, "{refutes: [[dock-v2-closed]]", "{supports: [[dock-v2-closed]]"),
        EVIDENCE,
        "{supports: [[dock-v2-closed]]",
    ),
    Case("SCN-053", lambda c: c.edit(EVIDENCE, "needs: [count-", "needs: [u2-subtract, count-"), EVIDENCE, "needs: [u2-"),
    Case("SCN-053", _no_needs, EVIDENCE, "needs: []"),
    Case("SCN-060", lambda c: c.edit(MAIL, '"c03", "role": "user"', '"c03", "role": "assistant"'), MAIL, "c03"),
    Case("SCN-061", lambda c: c.edit(MAIL, '"c04", "role": "assistant"', '"c04", "role": "user"'), MAIL, "c04"),
    Case(
        "SCN-062",
        lambda c: c.edit(MAIL, '"id": "c04"', '"tool_calls": [{"id": "t1", "name": "read"}], "id": "c04"'),
        MAIL,
        "c04",
    ),
    Case("SCN-063", lambda c: c.add("workspace/message_logs/x.md", "x"), "workspace/message_logs/x.md"),
    Case("SCN-101", lambda c: c.add("updates/U3/update.yaml", "groups: [U1]\n"), "updates/U3/update.yaml", "groups"),
    Case("SCN-102", lambda c: c.add("updates/U1/left_over.txt", "x"), "updates/U1/left_over.txt"),
    Case("SCN-103", lambda c: c.add("workspace/Readme.md", "x"), "workspace/README.md"),
    Case("SCN-104", lambda c: c.edit(MAIL, "10T08:11", "10T08:09"), MAIL, "c04"),
    Case("SCN-141", lambda c: c.fragment("idle", "workspace/README.md", "Work products go to", "-"), EVIDENCE, "idle: {"),
    Case(
        "SCN-142",
        lambda c: c.edit(EVIDENCE, "[[core-probe-missing]]", "[[core-probe-missing], [dock-v2-closed]]"),
        EVIDENCE,
        "[[core-probe-missing], ",
    ),
    Case(
        "SCN-143",
        lambda c: c.fragment("numbered", "workspace/bakehouse/dock_log_2026-03-10.txt", "00:41] dock gate 2 sticks"),
        EVIDENCE,
        "numbered: {",
    ),
    Case(
        "SCN-144",
        lambda c: c.fragment("scolding", "feedback/r1", "the records made at the time decide"),
        EVIDENCE,
        "scolding: {",
    ),
    Case("SCN-151", lambda c: c.edit(EVIDENCE, "[[sensor-peak]], hasty: false", "[[sensor-peak]], hasty: true"), EVIDENCE,
         "[[sensor-peak]]"),
]  # fmt: skip


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    shutil.copytree(DEMO, tmp_path / "demo", ignore=shutil.ignore_patterns("__pycache__"))
    return Copy(tmp_path / "demo")


@pytest.mark.parametrize("case", CASES, ids=[f"{n}-{case.rule}" for n, case in enumerate(CASES)])
def test_a_breach_is_found_by_its_rule_alone_at_its_line(case: Case, copy: Copy):
    case.breach(copy)
    found = copy.find()
    assert {item.id for item in found} == {case.rule}, [str(item) for item in found]
    assert copy.place(case.file, case.needle) in {item.where for item in found}, [str(item) for item in found]
    assert {item.severity for item in found} == {RULES[case.rule].severity}


def test_every_rule_has_a_case():
    assert {case.rule for case in CASES} == set(RULES)


def test_errors_refuse_a_scenario_and_warnings_do_not(copy: Copy):
    copy.edit(EVIDENCE, "[[sensor-peak]], hasty: false", "[[sensor-peak]], hasty: true")
    scenario = load_scenario(copy.root)
    require_valid(scenario, load_gold(scenario))
    copy.edit(ANSWERS, "r3.json", "rX.json")
    with pytest.raises(ScenarioError, match="SCN-022") as caught:
        require_valid(scenario, load_gold(scenario))
    assert caught.value.where == copy.place(ANSWERS, "rX.json")


def test_a_revision_may_cite_a_conversation_by_its_title(copy: Copy):
    copy.edit(ANSWERS, "cites: [fleet-slack", "cites: [fleet-slack, fleet-night")
    assert copy.find() == []


def test_a_scenario_without_evidence_layer_has_no_findings_about_it(copy: Copy):
    shutil.move(copy.root / EVIDENCE, copy.root.parent / "evidence.yaml")
    assert {item.id for item in copy.find()} <= {"SCN-036"}  # a cited fragment id means nothing without fragments
