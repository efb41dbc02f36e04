"""Every cause that the audit knows has its line for the author, in the findings and in the documents."""

import ast
import importlib.util
import itertools
import re
from pathlib import Path

import pytest

import claw_adapter
from claw_adapter.audit.causes import usual, usual_of
from support.misbehaving import BROKEN

SOURCES = Path(claw_adapter.__file__).parent
DOCS = Path(__file__).parents[2] / "docs"


def causes() -> set[str]:
    """Those that stand in the sources as a word behind the number of a rule."""
    found = set[str]()
    for path in [*(SOURCES / "audit").glob("*.py"), *(SOURCES / "certify").rglob("*.py")]:
        for call in (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)):
            words = [one.value if isinstance(one, ast.Constant) else None for one in call.args]
            named = {one.arg: one.value.value for one in call.keywords if isinstance(one.value, ast.Constant)}
            pairs = [*itertools.pairwise(words), (named.get("must"), named.get("cause"))]
            found |= {
                cause
                for must, cause in pairs
                if isinstance(must, str) and isinstance(cause, str) and re.fullmatch(r"M\d+", must)
            }
    return found


def test_the_sources_name_causes():
    assert {"file-cut", "process-left", "verdict-differs", "answer-beside"} <= causes()


@pytest.mark.parametrize("cause", sorted(causes()))
def test_a_cause_says_what_is_usually_wrong(cause: str):
    assert usual_of(cause)


@pytest.mark.parametrize("key", sorted({key for _, key in BROKEN}))
def test_so_does_what_planted_bugs_are_found_by(key: str):
    assert usual_of(key.split()[1])


def test_no_row_is_behind_one_that_takes_all_of_it():
    names = [name.replace("*", "x") for name in usual()]
    assert [usual_of(name) for name in names] == [*usual().values()]


def test_the_documents_have_the_table():
    spec = importlib.util.spec_from_file_location("findings", DOCS.parent / "tools" / "findings.py")
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    page = (DOCS / "findings.md").read_text("utf-8")
    assert page == tool.written(page), "python tools/findings.py writes it"
