"""Harnesses that mean well: each changes something on its way, for characters, sizes, names or failures of one kind."""

from __future__ import annotations

import difflib
import html
import itertools
import json
import os
import re
import unicodedata
from pathlib import Path

from certification.planted import together
from claw_adapter.errors import EndpointTransientError, HarnessCrash
from claw_adapter.harness import Failure, TurnResult
from claw_adapter.testing import PlantedConversation
from support.misbehaving import Agent, Wire

NUMBER = itertools.count()
SPILLED = f"result-{os.getpid()}-"


def tidy():
    for path in Path("/tmp").glob(f"{SPILLED}*"):
        path.unlink()


class CutsOldArguments(Wire):
    """Of calls of earlier turns, what is longer than 1,500 characters is sent cut."""

    def spoil_request(self, data):
        own = self.own(data["messages"])
        for message in data["messages"][: own[-1] if own else 0]:
            for call in message.get("tool_calls") or ():
                given = json.loads(call["function"]["arguments"])
                cut = {key: value[:1500] if isinstance(value, str) else value for key, value in given.items()}
                call["function"]["arguments"] = json.dumps(cut)


class LosesLineBetweenPages(Agent):
    """Pages of a file of more than 400 lines begin a line too late, but for the first."""

    def change(self, agent):
        read = agent.tool_read_file

        def paged(path, offset="1", limit=""):
            text = read(path, offset, limit)
            many = len(read(path).splitlines()) > 400
            return "".join(text.splitlines(keepends=True)[1:]) if many and int(offset) > 1 else text

        agent.tool_read_file = paged


class AnswersWithEarlierWords(PlantedConversation):
    """When the last reply is empty, what was said before the last call is the answer."""

    def spoil(self, turn):
        if turn.error is None or turn.error.kind != "EmptyAnswer":
            return turn
        said = [m["text"] for m in self.inner._agent.main["messages"] if m["role"] == "assistant" and m["text"].strip()]
        return TurnResult(text=said[-1], events=turn.events, usage=turn.usage, timing=turn.timing)


class UnescapesWhatIsWritten(Agent):
    def change(self, agent):
        write = agent.tool_write_file
        agent.tool_write_file = lambda path, content: write(path, html.unescape(content))


class EscapesWhatIsRead(Agent):
    def change(self, agent):
        read = agent.tool_read_file
        agent.tool_read_file = lambda path, **more: html.escape(read(path, **more))


class CrashesOnRefusals(PlantedConversation):
    """What the provider refuses for good is told as a crash of its own."""

    def spoil(self, turn):
        refused = turn.error is not None and any(word in turn.error.what for word in ("402", "403", "filter"))
        return turn.model_copy(update={"error": Failure.of(HarnessCrash("it ended"))}) if refused else turn


class EditsByPattern(Agent):
    """What is put in the place of a text is a pattern's replacement."""

    def change(self, agent):
        def edited(path, old, new):
            text = (agent.workspace / path).read_text()
            return agent.tool_write_file(path, text.replace(old, new.replace("$&", old)))

        agent.tool_edit_file = edited


class WritesAtTheEnd(PlantedConversation):
    """Files are on disk when the turn is over."""

    def __init__(self, inner, ctx):
        super().__init__(inner, ctx)
        agent, self.later = inner._agent, {}
        read = agent.tool_read_file
        agent.tool_write_file = lambda path, content: self.later.update({path: content}) or "written"
        agent.tool_read_file = lambda path, **more: self.later.get(path) or read(path, **more)

    async def send(self, prompt, deadline):
        turn = await super().send(prompt, deadline)
        for path, content in self.later.items():
            (self.ctx.workspace / path).parent.mkdir(parents=True, exist_ok=True)
            (self.ctx.workspace / path).write_text(content)
        self.later.clear()
        return turn


class BlackensResults(Wire):
    """What looks like a secret is blackened in results."""

    def spoil_request(self, data):
        for message in data["messages"]:
            if message["role"] == "tool":
                message["content"] = re.sub(r"(?i)(password|token)[:=] ?\S+", r"\1=***", message["content"])


class HastyReader(PlantedConversation):
    """Gives a turn of more than twenty steps up, and says that the model did."""

    def spoil(self, turn):
        if sum(event.kind == "tool_call" for event in turn.events) <= 20:
            return turn
        return TurnResult(error=Failure.of(EndpointTransientError("timed out")), events=turn.events, timing=turn.timing)


class ReadsTheNearestName(Agent):
    def change(self, agent):
        read = agent.tool_read_file

        def nearest(path, **more):
            names = agent.tool_list_files().splitlines()
            found = [] if (agent.workspace / path).is_file() else difflib.get_close_matches(path, names, 1, 0.8)
            return read(found[0] if found else path, **more)

        agent.tool_read_file = nearest


class SpillsResults(Agent):
    """A long result is also a file for later; `tidy` takes those of this process away."""

    def change(self, agent):
        read = agent.tool_read_file

        def spilling(path, **more):
            text = read(path, **more)
            if len(text) > 14_000:
                Path("/tmp", f"{SPILLED}{next(NUMBER)}.txt").write_text(text)
            return text

        agent.tool_read_file = spilling


def without_format(text):
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cf")


class DropsWhatNobodySees(Agent):
    def change(self, agent):
        read, write = agent.tool_read_file, agent.tool_write_file
        agent.tool_read_file = lambda path, **more: without_format(read(path, **more))
        agent.tool_write_file = lambda path, content: write(path, without_format(content))


class CutsCommands(Agent):
    """What a command prints comes by its first 200 lines."""

    def change(self, agent):
        execute = agent.tool_exec
        agent.tool_exec = lambda command: "\n".join(execute(command).splitlines()[:200])


class NormalisesBlanks(Agent):
    """Blanks at the ends of lines go, and no-break ones are made plain."""

    def change(self, agent):
        read = agent.tool_read_file
        agent.tool_read_file = lambda path, **more: "\n".join(
            line.replace("\u00a0", " ").rstrip() for line in read(path, **more).split("\n")
        )


class ReadsInBlocks(Agent):
    """Files are decoded block by block."""

    def change(self, agent):
        whole = agent.tool_read_file

        def read(path, offset="1", limit=""):
            if str(offset) != "1" or limit:
                return whole(path, offset, limit)
            data = (agent.workspace / path).read_bytes()
            return "".join(data[at : at + 4096].decode(errors="replace") for at in range(0, len(data), 4096))

        agent.tool_read_file = read


class TakesLinesForComments(PlantedConversation):
    """Lines of a prompt that begin with a sign of a comment are left out."""

    async def send(self, prompt, deadline):
        lines = [line for line in prompt.split("\n") if not line.startswith(("#", ";", "//"))]
        return await super().send("\n".join(lines), deadline)


class CutsLongLines(Agent):
    """Of a long line its beginning is shown."""

    def change(self, agent):
        read = agent.tool_read_file
        agent.tool_read_file = lambda path, **more: "\n".join(line[:2000] for line in read(path, **more).split("\n"))


class HidesWhatFailed(Agent):
    """Of a command that fails only its status is told."""

    def change(self, agent):
        execute = agent.execute

        def told(command):
            status, output = execute(command)
            return status, "" if status else output

        agent.execute = told


class TidiesUp(PlantedConversation):
    """After a turn every file is text, and no program."""

    async def send(self, prompt, deadline):
        turn = await super().send(prompt, deadline)
        for path in self.ctx.workspace.rglob("*"):
            if path.is_file():
                path.write_text(path.read_text(errors="replace"), newline="")
                path.chmod(0o644)
        return turn


class KeepsNotes(PlantedConversation):
    async def send(self, prompt, deadline):
        (self.ctx.workspace / "MEMO.md").write_text(prompt)
        return await super().send(prompt, deadline)


class RunsACommandOnce(Agent):
    """A command that was run in this turn has the result of the first time."""

    def change(self, agent):
        execute = agent.tool_exec
        agent.tool_exec = lambda command: self.results.setdefault(command, None) or self.keep(command, execute(command))

    def keep(self, command, result):
        self.results[command] = result
        return result

    async def send(self, prompt, deadline):
        self.results = {}
        return await super().send(prompt, deadline)


class EditsAsText(Agent):
    """An edit turns all line ends of a file into line feeds."""

    def change(self, agent):
        edit = agent.tool_edit_file

        def edited(path, old, new):
            file = agent.workspace / path
            file.write_bytes(file.read_bytes().replace(b"\r\n", b"\n"))
            return edit(path, old, new)

        agent.tool_edit_file = edited


class RemembersLooks(RunsACommandOnce):
    """As long as nothing is written by a tool, or by a command that says so, what a command showed is shown again."""

    def change(self, agent):
        execute = agent.tool_exec

        def told(command):
            if not command.startswith("cat "):
                self.results = self.results if command.startswith("sh ") else {}
                return execute(command)
            return self.results.get(command) or self.keep(command, execute(command))

        agent.tool_exec = told
        for name in ("tool_write_file", "tool_edit_file"):
            setattr(agent, name, self.forgetting(getattr(agent, name)))

    def forgetting(self, tool):
        def forgets(*given, **more):
            self.results = {}
            return tool(*given, **more)

        return forgets


class WrapsLines(Agent):
    """Lines of a file are broken, without a sign, where they become too long."""

    def change(self, agent):
        read = agent.tool_read_file
        agent.tool_read_file = lambda path, **more: re.sub(r"(.{100}\S*) ", r"\1\n", read(path, **more))


class RemovesEmptyFolders(PlantedConversation):
    """After a turn."""

    async def send(self, prompt, deadline):
        turn = await super().send(prompt, deadline)
        for path in sorted(self.ctx.workspace.rglob("*"), reverse=True):
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()
        return turn


MEDDLING = {
    RemembersLooks: {"M20 file-stale"},
    WrapsLines: {"M20 line-broken"},
    RemovesEmptyFolders: {"M17 written-missing"},
    RunsACommandOnce: {"M20 file-stale"},
    EditsAsText: {"M17 written-newlines"},
    CutsLongLines: {"M20 file-cut"},
    HidesWhatFailed: {"M20 file-unread"},
    TidiesUp: {"M20 workspace-changed"},
    KeepsNotes: {"M20 workspace-added"},
    CutsOldArguments: {"M30 own-call-cut"},
    LosesLineBetweenPages: {"M20 lines-between-parts"},
    UnescapesWhatIsWritten: {"M17 written-changed"},
    EscapesWhatIsRead: {"M20 file-changed"},
    EditsByPattern: {"M17 written-changed"},
    WritesAtTheEnd: {"M20 file-unwritten"},
    BlackensResults: {"M20 file-cut"},
    HastyReader: {"M15 failed-EndpointTransientError"},
    ReadsTheNearestName: {"M20 file-mistaken"},
    SpillsResults: {"M9 files-left"},
    DropsWhatNobodySees: {"M17 written-changed", "M20 file-changed"},
    CutsCommands: {"M20 file-cut"},
    NormalisesBlanks: {"M20 file-changed"},
    ReadsInBlocks: {"M20 file-changed"},
    TakesLinesForComments: {"M13 prompt-changed"},
}
"""What a plan of Bronze finds of each."""


TOGETHER = [
    ReadsInBlocks, TakesLinesForComments, CutsOldArguments, LosesLineBetweenPages, UnescapesWhatIsWritten, ReadsTheNearestName,
    SpillsResults, DropsWhatNobodySees, HidesWhatFailed, TidiesUp, KeepsNotes,
    RunsACommandOnce, EditsAsText, RemovesEmptyFolders,
]  # fmt: skip


Meddling = together(*TOGETHER)
"""Several at once, of which none hides what another does."""
