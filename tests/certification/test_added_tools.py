"""Tools that the reference has not, given to it: patches as diffs, texts behind a line, commands in the background."""

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


class Shells:
    """Commands in the background, each with a file that takes what it prints; `shown` is how much of that comes back."""

    def __init__(self, folder, shown):
        self.folder, self.shown, self.children, self.seen = folder, shown, {}, {}

    def run(self, agent, command, background=False):
        if not background:
            return agent.tool_plain(command)
        name = f"job-{len(self.children) + 7}"
        with (self.folder / name).open("w") as out:
            self.children[name] = subprocess.Popen(["sh", "-c", command], stdout=out, stderr=out, cwd=agent.workspace)
        self.seen[name] = 0
        return f"It goes on; shell_id: {name}"

    def output(self, shell_id):
        texts = {name: (self.folder / name).read_text() for name in self.children}
        shown = self.shown(texts, shell_id, self.seen[shell_id])
        self.seen[shell_id] = len(texts[shell_id])
        ended = self.children[shell_id].poll() is not None
        return f"{shown}\n({'ended' if ended else 'at work'})"


def as_it_comes(texts, mine, seen):
    return texts[mine][seen:]


def whole(texts, mine, seen):
    return texts[mine]


def its_end(texts, mine, seen):
    return texts[mine][seen:][-500:]


def only_once(texts, mine, seen):
    """What came behind the first look is thrown away."""
    return texts[mine] if not seen else ""


def says_how_many(texts, mine, seen):
    rows = texts[mine].splitlines()
    return "\n".join((f"[the last {min(len(rows), 20)} of {len(rows)} lines]", *rows[-20:]))


def says_where(texts, mine, seen):
    return f"all of it is in /tmp/{mine}.log"


def of_all(texts, mine, seen):
    return "".join(texts.values())


@pytest.mark.parametrize(
    ("shown", "key"),
    [
        (as_it_comes, ""),
        (whole, ""),
        (its_end, "M17 background-lost"),
        (only_once, "M17 background-lost"),
        (says_how_many, ""),
        (says_where, ""),
        (of_all, "M17 output-foreign"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
async def test_what_commands_print_in_the_background_comes_back(monkeypatch, tmp_path, shown, key):
    shells = Shells(tmp_path, shown)
    switch = {"command": TEXT, "background": {"type": "boolean"}}
    said = {"exec": ("Run a shell command.", switch), "shell_output": ("What a shell has printed.", {"shell_id": TEXT})}
    tools = [
        {"type": "function", "function": {"name": name, "description": about, "parameters": {
            "type": "object", "properties": takes, "required": [*takes][:1]}}}
        for name, (about, takes) in said.items()
    ]  # fmt: skip
    monkeypatch.setattr(agent, "TOOLS", [*(one for one in agent.TOOLS if one["function"]["name"] != "exec"), *tools])
    monkeypatch.setattr(agent.Agent, "tool_plain", agent.Agent.tool_exec, raising=False)
    monkeypatch.setattr(
        agent.Agent, "tool_exec", lambda self, command, background=False: shells.run(self, command, background)
    )
    monkeypatch.setattr(agent.Agent, "tool_shell_output", lambda _, shell_id: shells.output(shell_id), raising=False)
    drawn = only(draw("four", 0, "bronze"), lambda turn, _: any(use.kind == "begin" for use in uses_of(turn)))
    (found,) = await PlanRunner(ReferenceHarness(mode="in-process"), deadline=60).outcomes([drawn])
    assert len(shells.children) == 2
    assert (found.unjudged, found.keys) == ("", {key} - {""})
