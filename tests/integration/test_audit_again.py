"""`claw audit --again`: the calls of a run done once more; what comes out otherwise is shown, and is no violation."""

import json
import re

import pytest

from claw_adapter import open_run
from claw_adapter.audit import RunAudit
from claw_adapter.audit.again import _same_again
from claw_adapter.sandbox import detect
from claw_adapter.testing import PlantedConversation
from claw_adapter.workspace.tree import Entry
from support.misbehaving import kind
from support.running import claw, experiment, run_sync
from support.scenarios import write_scenario

pytestmark = pytest.mark.skipif(
    detect().bwrap is None, reason=f"isolation level 2 is not available here: {detect().reason}"
)

NAMES = "the harbour was moved\nthe ledger is kept\nthe depot waits\n"


class Shell(PlantedConversation):
    """Commands are run otherwise than they are written."""

    def other(self, command):
        return command

    def __init__(self, inner, ctx):
        super().__init__(inner, ctx)
        run = inner._agent.tool_exec
        inner._agent.tool_exec = lambda command, **more: run(self.other(command), **more)


class NoPatterns(Shell):
    """No pattern of names is expanded."""

    def other(self, command):
        return f"set -f; {command}"


class KeepsWhatIsRemoved(Shell):
    def other(self, command):
        return re.sub(r"\brm ", "true ", command)


class ShowsTheLastError(Shell):
    """What the last command that failed has said is shown again where one says nothing."""

    def other(self, command):
        said, self.said = getattr(self, "said", ""), "cat: gone.md: No such file or directory"
        return f"{command} || echo {said!r}" if said else command


class SearchesTheTop(PlantedConversation):
    """A search looks at no folder."""

    def __init__(self, inner, ctx):
        super().__init__(inner, ctx)
        agent = inner._agent
        found = agent.tool_search_files
        agent.tool_search_files = lambda **given: "\n".join(
            line for line in found(**given).splitlines() if "/" not in line
        )


class GoesOn(Shell):
    """One shell for the whole conversation, as it is after each command."""

    def other(self, command):
        self.before = [*getattr(self, "before", []), command]
        return "\n".join([*(f"{{ {one}; }} >/dev/null" for one in self.before[:-1]), command])


class SaysNoStatus(PlantedConversation):
    """What commands print, and not how they end."""

    def __init__(self, inner, ctx):
        super().__init__(inner, ctx)
        inner._agent.tool_exec = lambda command: inner._agent.execute(command)[1] or "(no output)"


def run(*commands):
    return {"tools": [{"name": "exec", "arguments": {"command": command}} for command in commands]}


def write(path, content):
    return {"tools": [{"name": "write_file", "arguments": {"path": path, "content": content}}]}


def again(root, *turns, harness=None):
    """What comes of the calls of such turns, done once more."""
    rounds = [
        {"id": f"r{at}", "question": f"Question number {at} of the inspector?"} for at in range(1, len(turns) + 1)
    ]
    folder = write_scenario(root / "scenario", rounds, name="market")
    (folder / "workspace/notes.md").write_text(NAMES)
    script = [item for turn in turns for item in (*turn, "That is all. \\bbox{A}")]
    asked = experiment(folder, models=[{"name": "model-seven", "kind": "scripted", "script": script}])
    run_sync(root / "run", asked, jobs=1, **({"harnesses": {"reference": kind(harness)()}} if harness else {}))
    (found,) = open_run(root / "run").run_again()
    return found


def test_what_prints_and_leaves_the_same_is_counted(tmp_path):
    found = again(
        tmp_path,
        [
            run("cat *.md; echo done >&2", "grep -c the notes.md"),
            write("a/b.md", "one\ntwo\n"),
            run("tac a/b.md > c.md && cat c.md"),
        ],
        [run("rm c.md; ls")],
    )
    assert (found.commands, found.same, found.turns, found.otherwise, found.left) == (4, 4, 2, (), {})


def test_a_shell_that_expands_no_names_is_seen(tmp_path):
    found = again(tmp_path, [run("ls *.md")], [run("cat notes.md")], harness=NoPatterns)
    assert (found.commands, found.same) == (2, 1)
    (one,) = found.otherwise
    assert (one.round, one.request) == ("r1", 1)
    assert "'ls *.md' prints 'notes.md' here" in one.what


def test_a_line_of_a_command_before_is_seen(tmp_path):
    found = again(tmp_path, [run("cat gone.md")], [run("grep -c xyzzy notes.md >/dev/null")], harness=ShowsTheLastError)
    assert ["does not print 'cat: gone.md: No such" in one.what for one in found.otherwise] == [True]


def test_a_file_that_stays_though_it_was_removed_is_seen(tmp_path):
    found = again(tmp_path, [run("cp notes.md old.md")], [run("rm old.md")], harness=KeepsWhatIsRemoved)
    assert [one.round for one in found.otherwise] == ["r2"]
    assert "leave old.md otherwise here: nothing; there, a file of" in found.otherwise[0].what


def test_a_file_that_a_search_does_not_name_is_seen(tmp_path):
    looks = {"tools": [{"name": "search_files", "arguments": {"query": "ledger"}}]}
    made = [run("mkdir deep; cp notes.md deep/more.md")]
    assert again(tmp_path / "sound", made, [looks]).otherwise == ()
    found = again(tmp_path / "broken", made, [looks], harness=SearchesTheTop)
    assert ["a search for 'ledger' does not name deep/more.md" in one.what for one in found.otherwise] == [True]


def test_a_command_that_fails_and_is_answered_like_one_that_works_is_seen(tmp_path):
    tries = [run("test -f notes.md", "test -f gone.md")], [run("cat notes.md"), run("cat notes.md; false")]
    assert again(tmp_path / "sound", *tries).otherwise == ()
    found = again(tmp_path / "broken", *tries, harness=SaysNoStatus)
    assert (found.same, [one.round for one in found.otherwise]) == (4, ["r1", "r2"])
    assert found.otherwise[0].what == (
        "'test -f gone.md' ends with status 1 here, and its result says nothing, besides '(no output)', "
        "that results of commands that work do not say"
    )


def test_a_shell_that_stays_where_it_is_is_another_way_and_no_fault(tmp_path):
    turns = [run("mkdir depot && cd depot && WORD=harbour && export WORD")], [run("pwd; echo word $WORD")]
    found = again(tmp_path, *turns, harness=GoesOn)
    assert (found.same, found.otherwise) == (2, ())


def test_what_differs_from_time_to_time_or_is_not_here_is_not_compared(tmp_path):
    found = again(
        tmp_path,
        [run("date +%s%N; echo $$", "nobody-has-this --version", "cat notes.md")],
        [run("date +%s%N > stamp.txt")],
    )
    assert found.otherwise == ()
    assert sum(found.left.values()) == 3
    assert set(found.left) == {
        "they print something else each time", "they need a program that is not here", "after a call of unknown effect",
    }  # fmt: skip


def test_the_command_line_says_so_and_blames_nobody(tmp_path):
    again(tmp_path, [run("ls *.md")], harness=NoPatterns)
    done = claw("audit", tmp_path / "run", "--again", env={"COLUMNS": "200"})
    assert "0 of 1 commands print the same here, files compared after 1 turns; 1 otherwise" in " ".join(
        done.stdout.split()
    )
    told = RunAudit.model_validate(json.loads(claw("audit", tmp_path / "run", "--again", "--json").stdout))
    assert [one.round for one in told.again[0].otherwise] == ["r1"]
    assert "once more" not in claw("audit", tmp_path / "run").stdout


@pytest.mark.parametrize(("there", "shown"), [(144, ["log.txt"]), (50, []), (20, ["log.txt"])])
def test_much_more_or_less_of_a_file_that_varies_is_shown(there, shown):
    def tree(size, sha):
        return {"log.txt": Entry(kind="file", sha=sha, size=size)}

    assert _same_again(["log.txt"], tree(48, "a"), tree(48, "b"), tree(there, "c")) == shown
    assert _same_again(["log.txt"], tree(48, "a"), tree(49, "b"), tree(144, "c")) == []
