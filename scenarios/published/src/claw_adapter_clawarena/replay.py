"""Rebuilding a workspace from a published trace: updates, then the recorded writes, edits, patches and commands, in order.

Files are written below the workspace whatever links are in it. Commands run in the sandbox, without a network; paths of the
recorded workspace become the new one's. What a trace says about the workspace (text that was read) is compared on the way.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from claw_adapter.errors import ClawError, ScenarioError
from claw_adapter.folders import opened
from claw_adapter.sandbox import IsolationLevel, run_check
from claw_adapter.workspace import FileChange
from claw_adapter.workspace.files import current, real_path, write_change
from claw_adapter_clawarena.patch import PatchedFile, apply_hunks, parse_patch
from claw_adapter_clawarena.results import RecordedCall, RecordedRound

__all__ = ["Replay", "ReplayLog", "Unreplayable"]

SECONDS: Final = 60.0
"""A recorded command's time, unless the call gave less."""
_NOTE: Final = re.compile(r"\n*\[[^\[\]]*\]\s*\Z")
"""What the read tool adds below a part of a file."""
_ADDED: Final = re.compile(r"\A\(no output\)\s*\Z|\n*\((?:Command exited with code \d+)\)\s*\Z")
"""What the exec tool adds to a command's output."""


class Unreplayable(ScenarioError):
    """A recorded call cannot be repeated here."""


@dataclass
class ReplayLog:
    """What a replay met in one scenario.

    Attributes:
        calls: replayed calls by tool.
        written: content per path as the calls left it; what commands or updates changed since is not among it.
        reads: reads whose recorded text stands in the rebuilt file, and all of them.
        outputs: commands whose output is the recorded one, and all of them.
        notes: what could not be replayed, one sentence each.
        verified: files found with their recorded content after the round that wrote them, over all rounds.
        kept: files that still have it at the end.
        missing: files not found so, at either time.
    """

    calls: Counter[str] = field(default_factory=Counter)
    written: dict[str, bytes] = field(default_factory=dict)
    reads: list[bool] = field(default_factory=list)
    outputs: list[bool] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    verified: int = 0
    kept: int = 0
    missing: list[str] = field(default_factory=list)


@dataclass
class Replay:
    """One scenario's workspace under reconstruction."""

    workspace: Path
    level: IsolationLevel
    log: ReplayLog = field(default_factory=ReplayLog)
    _touched: set[str] = field(default_factory=set)

    async def round(self, recorded: RecordedRound) -> None:
        """Repeat a round's calls, then look whether what it wrote is there."""
        self._touched.clear()
        for call in recorded.calls or ():
            try:
                await self._call(call, recorded.workspace)
            except (Unreplayable, ClawError) as error:
                self.log.notes.append(f"{recorded.scenario}/{recorded.round}: {call.name}: {error.what}")
        here = f"{recorded.scenario}/{recorded.round}"
        self.log.verified += self._verify(here, [path for path in self.log.written if path in self._touched])

    def forget(self, paths: Iterable[str]) -> None:
        """Something else, an update, has written these files."""
        for path in paths:
            self.log.written.pop(path, None)

    def finish(self, scenario: str) -> None:
        """Look once more at everything the calls wrote, after the last round."""
        self.log.kept = self._verify(f"{scenario}, at the end", list(self.log.written))

    async def _call(self, call: RecordedCall, recorded: str) -> None:
        if call.name == "read":
            self._compare_read(call, recorded)
            return
        if call.name not in ("write", "edit", "apply_patch", "exec", "bash"):
            return
        if call.refused or (call.failed and call.name not in ("exec", "bash")):
            return  # nothing was changed
        self.log.calls[call.name] += 1
        arguments = call.arguments
        if call.name == "write":
            self._put(self._path(arguments, recorded), str(arguments.get("content", "")).encode("utf-8"))
        elif call.name == "edit":
            self._edit(self._path(arguments, recorded), arguments)
        elif call.name == "apply_patch":
            for file in parse_patch(str(arguments.get("input", arguments.get("patch", "")))):
                self._patch(file, recorded)
        else:
            await self._exec(call, recorded)

    def _path(self, arguments: Mapping[str, Any], recorded: str) -> str:
        given = arguments.get("path") or arguments.get("file_path")
        if not isinstance(given, str):
            raise Unreplayable("the call names no file")
        return _relative(given, recorded)

    def _put(self, path: str, content: bytes | None) -> None:
        with opened(self.workspace) as root:
            inside = real_path(root, path)
            write_change(root, FileChange(inside, current(root, inside), content))
        if content is None:
            self.log.written.pop(path, None)
        else:
            self.log.written[path] = content
            self._touched.add(path)

    def _get(self, path: str) -> str:
        with opened(self.workspace) as root:
            content = current(root, real_path(root, path))
        if content is None:
            raise Unreplayable(f"{path!r} is not there")
        return content.decode("utf-8", "surrogateescape")

    def _edit(self, path: str, arguments: Mapping[str, Any]) -> None:
        text = self._get(path)
        edits = arguments.get("edits")
        for edit in edits if isinstance(edits, list) else [arguments]:
            old, new = edit.get("oldText", edit.get("old_string")), edit.get("newText", edit.get("new_string"))
            if not isinstance(old, str) or not isinstance(new, str) or not old:
                raise Unreplayable("an edit without old and new text")
            if text.count(old) == 0:
                raise Unreplayable(f"the text to replace is not in {path!r}")
            text = text.replace(old, new) if edit.get("replace_all") else text.replace(old, new, 1)
        self._put(path, text.encode("utf-8", "surrogateescape"))

    def _patch(self, file: PatchedFile, recorded: str) -> None:
        path = _relative(file.path, recorded)
        if file.kind == "add":
            self._put(path, "".join(f"{line}\n" for line in file.lines).encode("utf-8"))
        elif file.kind == "delete":
            self._put(path, None)
        else:
            text = apply_hunks(self._get(path), file.hunks)
            if file.target:
                self._put(path, None)
            self._put(
                _relative(file.target, recorded) if file.target else path, text.encode("utf-8", "surrogateescape")
            )

    async def _exec(self, call: RecordedCall, recorded: str) -> None:
        command = str(call.arguments.get("command", ""))
        folder = str(call.arguments.get("workdir") or recorded)
        inside = _relative(folder, recorded, folder=True)
        here = str(self.workspace)
        if recorded:
            command = command.replace(recorded, here)
        given = call.arguments.get("timeout")
        seconds = min(float(given), SECONDS) if isinstance(given, (int, float)) and given > 0 else SECONDS
        before = {path: self._content(path) for path in self.log.written}
        done = await run_check(
            f"cd {shlex.quote(posixpath.join(here, inside))} || exit 126\n{command}",
            workspace=self.workspace,
            level=self.level,
            deadline=seconds,
            env={"PYTHONSAFEPATH": ""},  # empty means off: an agent's scripts may import their neighbours
        )
        for path, content in before.items():  # what a command changes is no longer what the calls wrote
            if self._content(path) != content:
                self.log.written.pop(path, None)
        if call.output is not None:
            said = [done.stdout.text + done.stderr.text, done.stdout.text]
            wanted = _bare(_ADDED.sub("", call.output))
            self.log.outputs.append(any(_bare(text.replace(here, recorded)) == wanted for text in said))

    def _content(self, path: str) -> bytes | None:
        with opened(self.workspace) as root:
            return current(root, real_path(root, path))

    def _compare_read(self, call: RecordedCall, recorded: str) -> None:
        if call.failed or call.output is None:
            return
        try:
            text = self._get(self._path(call.arguments, recorded))
        except Unreplayable:
            self.log.reads.append(False)
            return
        shown = _NOTE.sub("", call.output).strip("\n")
        self.log.reads.append(shown in text)

    def _verify(self, where: str, paths: Sequence[str]) -> int:
        """How many of these files have the content they were given; the others are noted."""
        wrong = [path for path in paths if self._content(path) != self.log.written[path]]
        self.log.missing.extend(f"{where}: {path}" for path in wrong)
        return len(paths) - len(wrong)


def _bare(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


def _relative(given: str, recorded: str, *, folder: bool = False) -> str:
    """A recorded path below the workspace.

    Raises:
        Unreplayable: it lies outside.
    """
    path = posixpath.normpath(given)
    if path.startswith("/"):
        base = posixpath.normpath(recorded) if recorded else ""
        if not base or (path != base and not path.startswith(f"{base}/")):
            raise Unreplayable(f"{given!r} lies outside the workspace")
        path = posixpath.relpath(path, base)
    if path == ".." or path.startswith("../") or (path == "." and not folder):
        raise Unreplayable(f"{given!r} lies outside the workspace")
    return path
