"""A score comes from the scenario's check, whatever the agent planted, in bounded time, with only the scripts in reach."""

from __future__ import annotations

import os
import time

import pytest

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Answer, Answers, Check, Feedback, Gold, Preference, Round, TurnResult
from claw_adapter.question import ScoringContext
from claw_adapter.questions import builtin, teach, teaching_needs_workspace
from claw_adapter.questions.rules import decide_rules
from claw_adapter.sandbox import detect

LEVELS = [
    1,
    pytest.param(2, marks=pytest.mark.skipif(detect().bwrap is None, reason=f"no namespaces: {detect().reason}")),
]
pytestmark = pytest.mark.parametrize("level", LEVELS)
CHECKER = """
import json, sys, pathlib
data = json.loads(pathlib.Path(sys.argv[1], "out.json").read_text())
sys.exit(0 if data["n"] == 7 else 3)
"""
TRAP = "import os\nos.write(1, b'hijacked')\nos._exit(0)\n"


@pytest.fixture
def work(tmp_path):
    (tmp_path / "copy of work").mkdir()
    return tmp_path / "copy of work"


@pytest.fixture
def gold_root(tmp_path):
    (tmp_path / "gold" / "checks").mkdir(parents=True)
    (tmp_path / "gold" / "checks" / "check.py").write_text(CHECKER)
    (tmp_path / "gold" / "answers.yaml").write_text("the key: 7")
    return tmp_path / "gold"


async def score(kind, key, work, gold_root, level, text="done", preferences=None):
    gold = Gold(root=gold_root, answers=Answers(rounds={"r": key}, preferences=preferences or {}))
    context = ScoringContext(gold=gold, workspace=work, isolation=level)
    return await builtin()[kind].score(Round(id="r", type=kind, question="?"), TurnResult(text=text), context)


async def run(command, work, gold_root, level, **more):
    return await score("exec_check", Answer(check=Check(command=command, **more)), work, gold_root, level)


@pytest.mark.parametrize(
    ("written", "value", "status"), [('{"n": 7}', 1.0, 0), ('{"n": 8}', 0.0, 3), ("no json", 0.0, 1)]
)
async def test_the_check_decides(work, gold_root, level, written, value, status):
    (work / "out.json").write_text(written)
    found = await run("python ${checks}/check.py ${workspace}", work, gold_root, level)
    assert found.value == value
    assert (found.detail.check.exit, found.detail.check.level, found.detail.check.timed_out) == (status, level, False)


async def test_planted_modules_decide_nothing(work, gold_root, level):
    (work / "out.json").write_text('{"n": 8}')
    for name in (
        "json",
        "pathlib",
        "sys",
        "sitecustomize",
        "usercustomize",
        "encodings",
        "os",
        "check",
        "yaml",
        "re",
        "judge",
    ):
        (work / f"{name}.py").write_text(TRAP)
    found = await run("python ${checks}/check.py ${workspace}", work, gold_root, level)
    assert found.value == 0.0
    assert found.detail.check.exit == 3
    rule = Preference(dimension="output_format", rule="x", files="out.json", contains='"n": 7')
    assert not (await decide_rules({"p": rule}, answer="", workspace=work, isolation=level))["p"].passed


async def test_a_workspace_with_an_odd_path_is_only_a_path(tmp_path, gold_root, level):
    work = tmp_path / 'it\'s $(touch pwned); `x` "q"'
    work.mkdir()
    (work / "out.json").write_text('{"n": 7}')
    assert (await run("python ${checks}/check.py ${workspace} && cd ${workspace}", work, gold_root, level)).value == 1.0
    assert not list(tmp_path.rglob("pwned"))


async def test_an_endless_script_of_the_agent_scores_nothing_in_time(work, gold_root, level):
    (work / "run.sh").write_text("while :; do sleep 1; done & while :; do sleep 1; done\n")
    began = time.monotonic()
    found = await run("sh run.sh", work, gold_root, level, timeout=1.0)
    assert time.monotonic() - began < 30
    assert found.value == 0.0
    assert found.detail.check.timed_out is True
    assert "1 s" in str(found.detail.check.why)


@pytest.mark.parametrize(
    ("more", "value"),
    [
        ({"stdout": "passed"}, 1.0),
        ({"stdout": "failed"}, 0.0),
        ({"stdout_regex": r"^\d+ passed$"}, 1.0),
        ({"stdout_regex": r"^passed"}, 0.0),
        ({"exit": 4}, 0.0),
    ],
)
async def test_output_and_status_as_expected(work, gold_root, level, more, value):
    assert (await run("echo start; echo 12 passed", work, gold_root, level, **more)).value == value


async def test_a_pattern_that_explodes_on_agent_output_is_only_a_failure(work, gold_root, level):
    (work / "say.txt").write_text("a" * 60 + "!")
    began = time.monotonic()
    found = await run("cat say.txt", work, gold_root, level, stdout_regex="^(a+)+$")
    assert found.value == 0.0
    assert "not decided" in str(found.detail.check.why)
    assert time.monotonic() - began < 60


async def test_what_is_recorded_of_the_output_is_bounded(work, gold_root, level):
    found = await run(
        "head -c 5000000 /dev/zero | tr '\\0' x; head -c 5000000 /dev/zero | tr '\\0' y >&2", work, gold_root, level
    )
    assert len(str(found.detail.check.stdout)) <= 2000
    assert len(str(found.detail.check.stderr)) <= 2000
    found.model_dump_json()


async def test_a_check_at_level_two_sees_the_check_scripts_and_no_other_gold(work, gold_root, level):
    found = await run(f"ls {gold_root}; cat {gold_root}/answers.yaml; ls ${{checks}}", work, gold_root, level)
    assert "check.py" in str(found.detail.check.stdout)
    assert ("the key" in str(found.detail.check.stdout)) == (level < 2)


async def test_a_check_can_write_into_its_copy_and_at_level_two_not_into_the_scripts(work, gold_root, level):
    found = await run("echo x > ${workspace}/scratch && echo x > ${checks}/scratch", work, gold_root, level)
    assert (work / "scratch").exists()
    assert found.value == (1.0 if level < 2 else 0.0)


PREFERENCES = {
    "name": Preference(
        dimension="artefact_naming",
        rule="dates",
        files="docs/*.md",
        name=r"^\d{4}-\d\d-\d\d_",
        feedback=Feedback(correct="good name", incorrect="put the date first"),
    ),
    "tone": Preference(
        dimension="tone", rule="no hype", answer=True, lacks="(?i)amazing", feedback=Feedback(incorrect="keep it sober")
    ),
}


def write(work, name):
    (work / "docs").mkdir(exist_ok=True)
    (work / "docs" / name).write_text("# T\n")


@pytest.mark.parametrize(
    ("name", "text", "command", "value"),
    [
        ("2026-01-02_a.md", "Done.", None, 1.0),
        ("a.md", "Done.", None, 0.0),
        ("2026-01-02_a.md", "Amazing!", None, 0.0),
        ("2026-01-02_a.md", "Done.", "true", 1.0),
        ("2026-01-02_a.md", "Done.", "false", 0.0),
    ],
)
async def test_a_silent_exam_needs_every_rule_and_the_check(work, gold_root, level, name, text, command, value):
    write(work, name)
    key = Answer(exam=("name", "tone"), check=None if command is None else Check(command=command))
    found = await score("preference", key, work, gold_root, level, text, PREFERENCES)
    assert found.value == value
    assert set(found.detail.rules) == {"name", "tone"}


async def test_an_exam_of_an_unknown_preference_is_unscored(work, gold_root, level):
    found = await score("preference", Answer(exam=("nobody",)), work, gold_root, level)
    assert found.value is None
    assert found.cause is not None
    assert found.cause.owner == "scenario"


async def test_teaching_speaks_and_scores_nothing(work, gold_root, level):
    gold = Gold(root=gold_root, answers=Answers(rounds={}, preferences=PREFERENCES))
    write(work, "2026-01-02_a.md")
    key = Answer(teach=("name", "tone"))
    assert teaching_needs_workspace(gold, key)
    assert not teaching_needs_workspace(gold, Answer(teach=("tone",)))
    taught = await teach(gold, key, TurnResult(text="Amazing!"), work, isolation=level)
    assert taught == ({"name": True, "tone": False}, "good name\nkeep it sober")
    assert await teach(gold, Answer(), TurnResult(text="x"), None, isolation=level) == ({}, "")
    assert (await teach(gold, Answer(teach=("tone",)), TurnResult(text="x"), None, isolation=level))[0] == {
        "tone": True
    }
    with pytest.raises(ScenarioError, match="nobody"):
        await teach(gold, Answer(teach=("nobody",)), TurnResult(text="x"), work, isolation=level)


async def test_rules_are_decided_in_bounded_time_on_hostile_files(work, gold_root, level):
    write(work, "plain.md")
    (work / "docs" / "evil.md").write_text("a" * 100_000 + "!")
    (work / "bomb.yaml").write_text(
        "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(f"b{n}: &b{n} [{','.join(['*a'] * 9)}]\n" for n in range(9))
    )
    (work / "big.json").write_text("[" + "1," * 3_000_000 + "1]")
    os.mkfifo(work / "docs" / "pipe.md")
    rules = {
        "evil": Preference(dimension="tone", rule="x", files="docs/*.md", lacks="(a|a)*$b"),
        "bomb": Preference(dimension="output_format", rule="x", files="*.yaml", format="yaml"),
        "big": Preference(dimension="output_format", rule="x", files="*.json", format="json"),
    }
    began = time.monotonic()
    verdicts = await decide_rules(rules, answer="", workspace=work, isolation=level)
    assert time.monotonic() - began < 60
    assert not verdicts["evil"].passed
    assert verdicts["bomb"].passed
    assert verdicts["big"].passed


async def test_links_of_the_agent_are_no_evidence(work, tmp_path, gold_root, level):
    (tmp_path / "outside.md").write_text("# the right content\n")
    (work / "docs").mkdir()
    (work / "docs" / "a.md").symlink_to(tmp_path / "outside.md")
    rule = Preference(dimension="document_structure", rule="x", files="docs/*.md", contains="right")
    verdict = (await decide_rules({"p": rule}, answer="", workspace=work, isolation=level))["p"]
    assert not verdict.passed
    assert "no file matches" in verdict.why


async def test_an_undecodable_name_in_a_verdict_can_be_written_to_the_journal(work, gold_root, level):
    (work / "docs").mkdir()
    (work / "docs" / os.fsdecode(b"caf\xe9.md")).write_text("x")
    preferences = {"p": Preference(dimension="tone", rule="x", files="docs/*", contains="y")}
    found = await score("preference", Answer(exam=("p",)), work, gold_root, level, preferences=preferences)
    assert found.value == 0.0
    assert "does not contain" in found.model_dump_json()
