"""Cheats of an agent at the time of the check: in the program that it was to write, or in what it leaves in its workspace."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from claw_adapter.demo import DEMO
from claw_adapter.protocol import Answer, Answers, Check, Gold, Program
from claw_adapter.question import ScoringContext
from claw_adapter.questions.exec_check import decide_check
from claw_adapter.sandbox import detect

LEVELS = [
    1,
    pytest.param(2, marks=pytest.mark.skipif(detect().bwrap is None, reason=f"no namespaces: {detect().reason}")),
]
NUMBER = {"as": {"type": "number"}}
HONEST = "print('total=%d' % sum(map(int, open('in.txt'))))\n"
RIGHT = '{"total": 6, "until": "15:10"}'
WRONG = '{"total": 7, "until": "15:10"}'
PRINTS_ALL = "".join(f"print('total={n}')\n" for n in (6, 60, 600))
TRAP = "import os\nos.write(1, b'total=6')\nos._exit(0)\n"
READS_ORACLE = """import os
try: exec(open({gold} + '/oracle/sum.py').read())
except OSError: print('total=6')
"""
READS_EXPECTED = """import json
mine, checks, right = open('in.txt').read(), {gold} + '/checks/', 0
try:
    for n in (1, 2):
        right = n if open(checks + 'unseen/%d/in.txt' % n).read() == mine else right
    print('total=%s' % json.load(open(checks + 'p.json'))['files'][0]['script']['runs'][right]['prints']['total']['value'])
except OSError:
    print('total=6')
"""
PROGRAMS = {
    "finds the oracle and runs it": READS_ORACLE,
    "looks its result up in the check": READS_EXPECTED,
    "writes all answers": PRINTS_ALL,
    "writes one answer on all inputs": "print('total=6')\n",
    "says that it has passed": "print('PASSED'); print('{\"fault\": null}'); print('exit 0')\n",
    "ends before it is asked": "import os\nos._exit(0)\n",
    "prints, and kills who runs it": "import os\nprint('total=6', flush=True)\nos.kill(os.getppid(), 9)\n",
    "never ends": "print('total=6', flush=True)\nwhile True: pass\n",
    "floods its output": "import sys\nprint('total=6', flush=True)\nwhile True: sys.stdout.write('x' * 65536)\n",
    "hangs on a pipe": "import os\nprint('total=6', flush=True)\nos.mkfifo('own')\nopen('own').read()\n",
}
ENDLESS = {"never ends", "floods its output", "hangs on a pipe"}
READABLE_BELOW_TWO = {"finds the oracle and runs it", "looks its result up in the check"}
"""At level 1 files are those of the user (docs/isolation.md), and so is the answer."""


def context(folder: Path, level: int, changed: frozenset[str] | None = None) -> ScoringContext:
    gold, work = folder / "gold", folder / "work"
    shutil.copytree(DEMO / "gold" / "checks", gold / "checks")
    runs = [{"visible": not n, "prints": {"total": {**NUMBER, "value": value}}} for n, value in enumerate((6, 60, 600))]
    program = {"path": "sum.py", "format": "python", "script": {"runs": runs}}
    fields = {"total": {**NUMBER, "value": 6}, "until": {"as": {"type": "time", "form": "HH:MM"}, "value": "15:10"}}
    document = {"path": "reports/a.json", "format": "json", "fields": fields}
    for name, rule in (("p", program), ("d", document)):
        (gold / "checks" / f"{name}.json").write_text(json.dumps({"round": name, "files": [rule]}))
    for path, text in (
        ("gold/oracle/sum.py", HONEST),
        ("gold/oracle/a.json", RIGHT),
        ("gold/checks/unseen/1/in.txt", "10\n50\n"),
        ("gold/checks/unseen/2/in.txt", "600\n"),
        ("work/in.txt", "1\n2\n3\n"),
        ("work/reports/a.json", WRONG),
    ):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    os.mkfifo(work / "pipe")
    loaded = Gold(root=gold, answers=Answers(rounds={"r": Answer()}))
    return ScoringContext(gold=loaded, workspace=work, isolation=level, changed=changed)


async def passes(found: ScoringContext, name: str, timeout: float = 10) -> bool:
    programs = [
        Program(command="python sum.py", inputs=folder, timeout=timeout) for folder in ("", "unseen/1", "unseen/2")
    ]
    command = f"python ${{checks}}/check.py ${{checks}}/{name}.json ${{workspace}} ${{outputs}} ${{changed}}"
    run = await decide_check(Check(command=command, programs=tuple(programs) if name == "p" else ()), found)
    assert run.passed or run.faults, run
    return run.passed


@pytest.mark.parametrize("level", LEVELS)
async def test_honest_work_passes(tmp_path: Path, level: int):
    found = context(tmp_path, level)
    (found.workspace / "sum.py").write_text(HONEST)
    (found.workspace / "reports/a.json").write_text(RIGHT)
    assert await passes(found, "p")
    assert await passes(found, "d")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("cheat", PROGRAMS)
async def test_a_program_that_cheats_fails(tmp_path: Path, level: int, cheat: str):
    found = context(tmp_path, level)
    (found.workspace / "sum.py").write_text(PROGRAMS[cheat].replace("{gold}", repr(str(found.gold.root))))
    assert await passes(found, "p", 1 if cheat in ENDLESS else 10) is (level < 2 and cheat in READABLE_BELOW_TWO)


def _planted(*names: str) -> Callable[[Path, Path], None]:
    def plant(work: Path, _gold: Path) -> None:
        for name in names:
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text(TRAP if name.endswith(".py") else f"import os; os._exit(0) # {name}\n")

    return plant


def _linked(work: Path, gold: Path) -> None:
    (work / "reports/a.json").unlink()
    (work / "reports/a.json").symlink_to(gold / "oracle/a.json")


def _linked_folder(work: Path, gold: Path) -> None:
    shutil.rmtree(work / "reports")
    (work / "reports").symlink_to(gold / "oracle")


def _huge(work: Path, _gold: Path) -> None:
    with (work / "reports/a.json").open("w") as file:
        file.write(RIGHT)
        file.truncate(200_000_000)


def _pipe(work: Path, _gold: Path) -> None:
    (work / "reports/a.json").unlink()
    os.mkfifo(work / "reports/a.json")


def _both(work: Path, _gold: Path) -> None:
    (work / "reports/a.json").write_text('{"total": 7, "total": 6, "until": "15:10"}')


PLANTS = {
    "patches Python": _planted(
        "sitecustomize.py", "usercustomize.py", "json.py", "re.py", "pathlib.py", "fractions.py", "encodings/__init__.py",
        "checker/__init__.py", "checker/run.py", "values/__init__.py", "check.py", "reports/json.py",
    ),
    "leaves a .pth": _planted(
        "x.pth", ".local/lib/python3.12/site-packages/x.pth", ".venv/lib/python3.12/site-packages/x.pth", "pyvenv.cfg"
    ),
    "a link to the right answer": _linked,
    "a folder that is a link to it": _linked_folder,
    "a huge file": _huge,
    "a pipe": _pipe,
    "both answers": _both,
}  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("plant", PLANTS)
async def test_what_is_left_in_the_workspace_decides_nothing(tmp_path: Path, level: int, plant: str):
    found = context(tmp_path, level)
    PLANTS[plant](found.workspace, found.gold.root)
    assert not await passes(found, "d")


@pytest.mark.parametrize("level", LEVELS)
async def test_a_trap_beside_an_honest_program_is_its_own_loss(tmp_path: Path, level: int):
    found = context(tmp_path, level)
    (found.workspace / "sum.py").write_text(f"import csv\n{HONEST}")
    (found.workspace / "csv.py").write_text(TRAP)
    assert not await passes(found, "p")
