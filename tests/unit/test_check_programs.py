"""Programs that a check has run first: on inputs laid over a copy of the workspace, out of its sight; and its Python."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from claw_adapter.protocol import Answer, Answers, Check, Gold, Program
from claw_adapter.question import ScoringContext
from claw_adapter.questions.exec_check import decide_check
from claw_adapter.questions.programs import lay_over
from claw_adapter.sandbox import IsolationLevel, detect, run_check

FAULTS = ('{"fault": {"file": "a", "field": "b", "kind": "fact"}}', '{"fault": 1}')
COPY = f"cp ${{outputs}} ${{workspace}}/seen.json; printf '%s\\n' '{FAULTS[0]}' '{FAULTS[1]}'; false"


def context(folder: Path, check: Check, level: int) -> ScoringContext:
    gold = Gold(root=folder / "gold", answers=Answers(rounds={"r1": Answer(check=check)}))
    for path, text in (("gold/checks/secret.txt", "42"), ("gold/checks/other/in/n.txt", "8"), ("work/in/n.txt", "7")):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return ScoringContext(gold=gold, workspace=folder / "work", isolation=level)


async def run(folder: Path, programs: tuple[Program, ...], level: int = 1) -> list[dict[str, object]]:
    check = Check(command=COPY, programs=programs)
    result = await decide_check(check, context(folder, check, level))
    assert [(fault.file, fault.field, fault.kind) for fault in result.faults] == [("a", "b", "fact")]
    return json.loads((folder / "work" / "seen.json").read_text())


async def test_each_runs_in_a_copy_with_its_inputs(tmp_path: Path):
    seen = await run(
        tmp_path,
        (
            Program(command="cat in/n.txt; echo 9 > in/n.txt"),
            Program(command="cat in/n.txt", inputs="other"),
            Program(command="sleep 9", timeout=0.5),
            Program(command="exit 3"),
        ),
    )
    assert [(one["stdout"], one["exit"]) for one in seen[:2]] == [("7", 0), ("8", 0)]
    assert (seen[2]["timed_out"], seen[3]["exit"]) == (True, 3)
    assert (tmp_path / "work/in/n.txt").read_text() == "7"


@pytest.mark.skipif(detect().bwrap is None, reason="no namespaces here")
async def test_from_level_two_it_does_not_see_the_check(tmp_path: Path):
    look = f"cat {tmp_path}/gold/checks/secret.txt; cat /proc/*/environ /proc/*/cmdline | grep -a gold; find / -name secret.txt"
    seen = await run(tmp_path, (Program(command=f"({look}) 2>/dev/null; true"),), level=2)
    assert "42" not in str(seen[0]["stdout"]).splitlines()
    assert not [line for line in str(seen[0]["stdout"]).splitlines() if line.endswith("/secret.txt")]


def test_inputs_do_not_follow_links_out_of_the_copy(tmp_path: Path):
    (tmp_path / "from/in").mkdir(parents=True)
    (tmp_path / "from/in/n.txt").write_text("new")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/n.txt").write_text("kept")
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy/in").symlink_to(tmp_path / "outside")
    lay_over(tmp_path / "from", tmp_path / "copy")
    assert (tmp_path / "outside/n.txt").read_text() == "kept"
    assert (tmp_path / "copy/in/n.txt").read_text() == "new"


@pytest.mark.parametrize(
    "level", [1, pytest.param(2, marks=pytest.mark.skipif(detect().bwrap is None, reason="no namespaces here"))]
)
@pytest.mark.parametrize(
    ("changed", "text"),
    [(None, "null"), (frozenset(), "[]"), (frozenset({"b/it's $x.md", "a.md"}), '["a.md", "b/it\'s $x.md"]')],
)
async def test_a_check_is_told_what_the_round_has_changed(
    tmp_path: Path, level: int, changed: frozenset[str] | None, text: str
):
    check = Check(command="cat ${changed}; echo >> ${changed}")
    found = replace(context(tmp_path, check, level), changed=changed)
    result = await decide_check(check, found)
    assert result.stdout.strip() == text
    assert result.passed is (level < 2)  # what it is told cannot be written to from level 2
    assert not [path for path in found.workspace.rglob("*") if "changed" in path.name]


async def test_a_program_is_not_told_what_the_round_has_changed(tmp_path: Path):
    check = Check(command=COPY, programs=(Program(command="echo ${changed-none}"),))
    found = replace(context(tmp_path, check, 1), changed=frozenset({"secret.md"}))
    await decide_check(check, found)
    (seen,) = json.loads((tmp_path / "work" / "seen.json").read_text())
    assert seen["stdout"].strip() == "none"


async def test_what_goes_by_the_order_of_a_set_comes_out_the_same_when_it_is_run_again(tmp_path: Path):
    command = "python -c \"print(*set('abcdefghijkl'))\""
    once, again = [
        await run_check(command, workspace=tmp_path, level=IsolationLevel.PROCESS, deadline=20) for _ in range(2)
    ]
    assert sorted(once.stdout.text.split()) == list("abcdefghijkl")
    assert once.stdout.text == again.stdout.text


async def test_what_a_program_prints_is_shown_up_to_a_mebibyte_and_it_is_said_where_there_was_more(tmp_path: Path):
    sizes = (900_001, 1_048_577, 3_000_000)
    done = await run(tmp_path, tuple(Program(command=f"head -c {size} /dev/zero | tr '\\0' x") for size in sizes))
    assert [(len(str(one["stdout"])), one["cut"]) for one in done] == [(900_001, False), (2**20, True), (2**20, True)]
