"""Bytecode of a check's modules: made once, never out of date, and not what somebody else has put there."""

import shutil
import sys
from pathlib import Path

import pytest

from claw_adapter.protocol import Answers, Check, Gold
from claw_adapter.question import ScoringContext
from claw_adapter.questions.exec_check import decide_check
from claw_adapter.sandbox import IsolationLevel, detect, own_places, with_bytecode

LEVELS = [0, 1, pytest.param(2, marks=pytest.mark.skipif(detect().bwrap is None, reason="no isolation level 2 here"))]
SHOW = "import os\nfrom pack import inner\nprint(inner.WORD, os.path.isfile(inner.__cached__), inner.__file__)\n"


@pytest.fixture
def gold(tmp_path: Path) -> Gold:
    scripts = tmp_path / "gold" / "checks"
    (scripts / "pack").mkdir(parents=True)
    (scripts / "pack" / "__init__.py").touch()
    (scripts / "pack" / "inner.py").write_text("WORD = 'one'\n")
    (scripts / "check.py").write_text(SHOW)
    return Gold(root=tmp_path / "gold", answers=Answers(rounds={}))


async def said(gold: Gold, folder: Path, level: int) -> str:
    workspace = folder / "workspace"
    workspace.mkdir(exist_ok=True)
    check = Check(command="python ${checks}/check.py")
    done = await decide_check(check, ScoringContext(gold=gold, workspace=workspace, isolation=level))
    assert done.passed, done.stderr
    return done.stdout


@pytest.mark.parametrize("level", LEVELS)
async def test_a_check_imports_its_package_from_bytecode_until_the_sources_change(
    gold: Gold, tmp_path: Path, level: int
):
    word, cached, place = (await said(gold, tmp_path, level)).split()
    assert (word, cached) == ("one", "True")
    [checks] = own_places({"checks": with_bytecode(gold.checks).path}, IsolationLevel(level)).values()
    assert Path(place).is_relative_to(checks)
    (gold.checks / "pack" / "inner.py").write_text("WORD = 'two'\n")
    assert (await said(gold, tmp_path, level)).split()[0] == "two"
    assert not list(gold.checks.rglob("__pycache__"))


@pytest.mark.parametrize("name", ["pack/inner.py", f"pack/__pycache__/inner.{sys.implementation.cache_tag}.pyc"])
async def test_what_somebody_has_written_into_the_copy_is_not_run(gold: Gold, tmp_path: Path, name: str):
    copy = with_bytecode(gold.checks)
    (copy.path / name).write_bytes(b"raise SystemExit('planted')\n")
    assert (await said(gold, tmp_path, 1)).split()[0] == "one"
    shutil.rmtree(with_bytecode(gold.checks).path)
    assert (await said(gold, tmp_path, 1)).split()[0] == "one"


@pytest.mark.parametrize("level", LEVELS[2:])
async def test_a_check_cannot_write_into_the_copy(gold: Gold, tmp_path: Path, level: int):
    attack = "import pathlib, sys\nfrom pack import inner\ntry:\n    pathlib.Path(inner.__file__).write_text('')\n"
    (gold.checks / "check.py").write_text(f"{attack}except OSError as error:\n    print('refused', error.errno)\n")
    assert (await said(gold, tmp_path, level)).startswith("refused")


def test_scripts_without_a_package_are_used_where_they_are(gold: Gold):
    shutil.rmtree(gold.checks / "pack")
    assert with_bytecode(gold.checks) is None


def test_a_copy_that_nobody_holds_is_removed(gold: Gold):
    place = with_bytecode(gold.checks).path
    (gold.checks / "more.py").touch()
    assert with_bytecode(gold.checks).path != place
    assert not place.exists()
