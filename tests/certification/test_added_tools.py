"""Tools that the reference has not, given to it: patches as diffs, and texts that are put behind a line."""

import re
import subprocess

import pytest

from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.trial import PlanRunner
from claw_adapter.reference import agent
from claw_adapter.reference.adapter import ReferenceHarness
from support.plans import only, uses_of

TEXT = {"type": "string"}
BEHIND = {"type": "integer", "description": "the line after which the text comes"}


def apply_diff(self, diff):
    """As `git apply` does it."""
    done = subprocess.run(
        ["git", "apply", "--verbose", "-"], input=diff, text=True, capture_output=True, cwd=self.workspace, check=False
    )
    return done.stderr


def applies_the_first_file(self, diff):
    first = re.split(r"(?m)^(?=--- )", diff)[1]
    return apply_diff(self, first)


def takes_lines_for_heads(self, diff):
    """A line that is put in, and begins like the head of a file, is left out."""
    lines = [line for line in diff.split("\n") if not re.match(r"\+\+\+ (?!b/)", line)]
    counted = re.sub(r"(?m)^@@ -(\d+),(\d+) \+(\d+),\d+ @@", r"@@ -\1,\2 +\3,9 @@", "\n".join(lines))
    done = subprocess.run(
        ["git", "apply", "--recount", "-"],
        input=counted,
        text=True,
        capture_output=True,
        cwd=self.workspace,
        check=False,
    )
    return done.stderr or "Applied."


def insert_lines(self, path, insert_line, text):
    rows = self._path(path).read_text("utf-8").removesuffix("\n").split("\n")
    rows[insert_line:insert_line] = [text]
    self._path(path).write_text("\n".join((*rows, "")), "utf-8")
    return "put in"


def glues_lines(self, path, insert_line, text):
    rows = self._path(path).read_text("utf-8").splitlines(keepends=True)
    rows[insert_line:insert_line] = [f"{text}\n"]
    self._path(path).write_text("".join(rows), "utf-8")
    return "put in"


def puts_lines_before(self, path, insert_line, text):
    return insert_lines(self, path, insert_line - 1, text)


@pytest.mark.parametrize(
    ("kind", "parameters", "does", "key"),
    [
        ("patch", {"diff": TEXT}, apply_diff, ""),
        ("patch", {"diff": TEXT}, applies_the_first_file, "M17 command-undone"),
        ("patch", {"diff": TEXT}, takes_lines_for_heads, "M17 written-changed"),
        ("insert", {"path": TEXT, "insert_line": BEHIND, "text": TEXT}, insert_lines, ""),
        ("insert", {"path": TEXT, "insert_line": BEHIND, "text": TEXT}, glues_lines, "M17 written-changed"),
        ("insert", {"path": TEXT, "insert_line": BEHIND, "text": TEXT}, puts_lines_before, "M17 written-changed"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
async def test_a_tool_that_changes_files_in_its_own_way_is_tried(monkeypatch, kind, parameters, does, key):
    said = "Apply a unified diff (--- a/x, +++ b/x, @@ hunks)." if kind == "patch" else "Put a text into a file."
    schema = {"type": "object", "properties": parameters, "required": [*parameters]}
    tool = {"type": "function", "function": {"name": f"{kind}_it", "description": said, "parameters": schema}}
    monkeypatch.setattr(agent, "TOOLS", [tool, *agent.TOOLS])
    monkeypatch.setattr(agent.Agent, f"tool_{kind}_it", does, raising=False)
    drawn = only(draw("four", 0, "bronze"), lambda turn, _: any(use.kind == kind for use in uses_of(turn)))
    (found,) = await PlanRunner(ReferenceHarness(mode="in-process"), deadline=60).outcomes([drawn])
    assert found.unjudged == ""
    assert found.keys == set() if not key else key in found.keys
