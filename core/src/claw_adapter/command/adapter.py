r"""The adapter of a command-line agent, written as data: a subclass says how its program is called, and that is all.

    class MyAgent(CommandHarness):
        name = "my-agent"
        command = ("my-agent", "run", "--session", "{state}/session.json", "--model", "{model}")
        env = {"OPENAI_BASE_URL": "{openai}", "OPENAI_API_KEY": "{key}"}
        remedy = "npm install -g my-agent"

See docs/write-an-adapter.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar

from claw_adapter.command.answers import Answer, JsonUsage, Reported, Text
from claw_adapter.command.conversation import CommandConversation, ProcessConversation, Start
from claw_adapter.command.description import CommandOptions, Description, Terminal
from claw_adapter.command.failures import Failures
from claw_adapter.command.places import fill, folders_of, names_in, places_of
from claw_adapter.command.program import (
    Version,
    find_installed,
    find_program,
    installed_places,
    interpreters,
    probe_installed,
    probe_program,
)
from claw_adapter.command.state import State
from claw_adapter.command.store import JsonStore
from claw_adapter.command.terminal import TerminalConversation
from claw_adapter.errors import AdapterError, HarnessNotFound
from claw_adapter.frameworks import Framework
from claw_adapter.harness import Capabilities, Checkpoint, Conversation, Harness, Probe, Support, TrialContext
from claw_adapter.options import checked
from claw_adapter.protocol.capabilities import Dialect, HistoryRoute

__all__ = ["CommandHarness"]


class CommandHarness(Harness):
    """A harness that is described by class attributes, which are checked when the class is made.

    Texts may have places: ``{session}``, ``{state}``, ``{workspace}``, ``{model}``, ``{key}``, ``{url}``, ``{openai}``,
    ``{anthropic}``, ``{seed}``, ``{trial}``, and the fields of `options`.
    """

    command: ClassVar[Sequence[str]]
    """Program and arguments. Without ``{prompt}`` in it the prompt goes to standard input."""
    env: ClassVar[Mapping[str, str]] = {}
    """Environment variables; the key belongs here, or into `files`, never into `command`."""
    files: ClassVar[Mapping[str, Any]] = {}
    """Files that the program finds: path below the state directory (its HOME) → a text, or data to be written as JSON."""
    options: ClassVar[type[CommandOptions]] = CommandOptions
    """What an experiment may set: a dataclass whose fields are places, too."""
    dialects: ClassVar[Sequence[Dialect]] = ("openai-chat",)
    """How it speaks to the model."""
    answer: ClassVar[Answer] = Text()
    """Where the answer stands: `Text`, `LastLine`, `Json` or `Stored`."""
    usage: ClassVar[JsonUsage | None] = None
    """Where tokens are reported, if anywhere."""
    reported: ClassVar[Reported | None] = None
    """Where a failed turn is reported in JSON, if anywhere."""
    failures: ClassVar[Failures] = ()
    """Exit status, or pattern of what is said → class of the error (`claw_adapter.command.failures`)."""
    no_answers: ClassVar[Failures] = ()
    """Pattern of how an answer begins that is none of the model's → class of the error."""
    store: ClassVar[JsonStore | None] = None
    """Its session files. With them it can be given a past, and shows what it did."""
    keep: ClassVar[Sequence[str]] = ()
    """Patterns of files below the state directory that go into checkpoints, beside those of the store."""
    histories: ClassVar[HistoryRoute] = "files"
    """``native`` if the agent has tools for sessions that read the store."""
    terminal: ClassVar[Terminal | None] = None
    """For a program that speaks on a terminal only: how to type a prompt."""
    version: ClassVar[Version] = Version()
    """How its version is asked for, and which ones will do."""
    framework: ClassVar[Path | None] = None
    """``framework.toml`` of what ``claw frameworks install`` installs; `command` then begins with ``{bin}/my-agent``."""
    readable: ClassVar[Sequence[Path]] = ()
    """What it must be able to read beside itself, the virtual environment that it is in, and the system."""
    remedy: ClassVar[str] = ""
    """How to get the program."""
    declares: ClassVar[Mapping[str, Any]] = {}
    """Capabilities that are other than what follows from the rest, by field of `Capabilities`."""
    about: ClassVar[Description]
    """All this, checked."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        Description.check_names(cls)
        if hasattr(cls, "command") and hasattr(cls, "name"):
            cls.about = Description.of(cls)

    def __init__(self, **options: Any) -> None:
        if not hasattr(self, "about"):
            where = f"class {type(self).__name__}"
            raise AdapterError("it has no `name` or no `command`", where=where, remedy="Give it both.")
        self.given = checked(self.options, options, f"harness {self.name}")

    def capabilities(self) -> Capabilities:
        """What follows from the description, with what is declared in its place; how a store writes is added to that."""
        full, later = Support.full(), Support.not_implemented
        stored = full if self.store else later("no session store is described")
        resumes = full if self.store or self.keep else later("neither a session store nor files to keep are described")
        derived = Capabilities(
            turns=full, resume_after_restart=resumes, seed_main=stored, seed_history=self.histories, update_workspace=full,
            update_session=stored, cancel=full, stream_events=stored, usage=self.usage.kind if self.usage else "none",
            endpoint_override=tuple(self.dialects), concurrent=full, isolation_of_state=full,
            overlay_skills=later("no overlay has been tried with it"),
            deterministic_replay=later("nobody has looked whether its requests are equal in equal trials"),
            notes=("one process on a terminal" if self.terminal else "one process per turn",),
            renderings=("speaker_as",) if self.store else (),
        )  # fmt: skip
        renderings = dict.fromkeys((*derived.renderings, *self.declares.get("renderings", ())))
        return Capabilities.model_validate({**dict(derived), **self.declares, "renderings": tuple(renderings)})

    def probe(self) -> Probe:
        """Look for the program and ask its version: with those of `env` that hold for every trial, and a HOME of its own."""
        if self.framework is not None:
            return probe_installed(Framework.load(self.framework))
        try:
            program = find_program(self.command[0], self.given.program, self.remedy)
        except HarnessNotFound as error:
            return Probe(ready=False, reason=error.what, remedy=error.remedy)
        chosen = self._chosen()
        env = {name: fill(value, chosen) for name, value in self.env.items() if names_in(value) <= chosen.keys()}
        return probe_program(self.name, program, self.version, self.remedy, env)

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        """Lay out the state directory; the program starts with the first turn.

        Raises:
            HarnessNotFound: it is not installed.
            AdapterError: `session_key` gives two sessions one name.
        """
        sessions = checkpoint.sessions if checkpoint else (ctx.main, *ctx.histories)
        start = self.start(ctx, self.session_key(sessions[0].id))
        state = State(self.about, ctx.state_dir, start.places, sessions, self.session_key, folders_of(ctx))
        state.lay_out(checkpoint)
        kind: type[CommandConversation] = TerminalConversation if self.terminal else ProcessConversation
        return kind(self.about, ctx, start, state)

    def start(self, ctx: TrialContext, session: str) -> Start:
        """How the program is started in a trial; `session` is the key of the main session.

        Raises:
            HarnessNotFound: it is not installed.
        """
        places = places_of(ctx, session) | self._chosen()
        if self.framework is not None:
            there = find_installed(Framework.load(self.framework))
            places |= installed_places(there)
            argv, readable = fill(self.command, places), [*there.readable, *self.readable]
        else:
            program = find_program(self.command[0], self.given.program, self.remedy)
            argv = [str(program), *fill(self.command[1:], places)]
            readable = [*interpreters(program), *self.readable]
        return Start(argv, fill(self.env, places), readable, places)

    def _chosen(self) -> dict[str, str]:
        """The options as places."""
        return {item.name: str(getattr(self.given, item.name)) for item in fields(self.given)}
