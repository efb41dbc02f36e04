"""The router's backend for ``openclaw`` in real and hybrid modes, and the list of what only the world can do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from claw_adapter_forge.episodes.modes import Router
from claw_adapter_forge.real.layout import OFFICE
from claw_adapter_forge.real.program import Program
from claw_adapter_forge.real.reading import Reader, world_jobs
from claw_adapter_forge.surfaces.grammar import Refused
from claw_adapter_forge.surfaces.oc_config import MODEL_KEY
from claw_adapter_forge.surfaces.registry import programs
from claw_adapter_forge.surfaces.shell import Execution, execute_words, resolve
from claw_adapter_forge.world.difference import table_changes
from claw_adapter_forge.world.records import CronJob
from claw_adapter_forge.world.state import State, World

__all__ = ["NOT_COMPARABLE", "OnDemand", "RealWorld", "why_not"]

NOT_COMPARABLE: dict[str, str] = {
    "openclaw channels": "logging in and adding an account reach out to the channel's provider",
    "openclaw message": "posting needs a channel that is logged in, and a network",
    "openclaw cron (real mode)": "jobs are kept by the gateway, which real mode does not start; hybrid mode does",
    "openclaw cron by name": "the real program knows jobs by id only",
    "openclaw cron --schedule": "the real program calls it --cron; --message and --command are different payloads to it",
    "openclaw cron --command": "our --command is another word for --message; the real program makes a shell job of it",
    "openclaw config dump": "without a verb the real program opens a dialogue",
    "openclaw config, branches office, offices, user": "the real program checks keys against its schema; the world keeps these",
    "openclaw config agent.model": "our other name for agents.defaults.model.primary; not the real program's",
    "openclaw config set of a model without a provider": "the real program takes a bare name for openai's, and warns",
    "openclaw models set google/gemini-3-pro": "the real program writes the name it goes by today, gemini-3.1-pro-preview",
    "openclaw gateway": "the real program manages a system service; the runner starts and ends the gateway here",
    "openclaw security, agents, agent, plugins, configure": "other words, or installing from a network",
    "openclaw status, health, doctor, setup, logs, sessions, devices, webhooks, skills": "reports about this machine",
    "texts": "what is printed differs; states are compared, not texts",
}
"""What is not compared with the real program, and why. Such commands are executed by the world in real and hybrid mode."""

_CONFIG = {"get", "set", "unset"}
_CRON = {"list", "add", "rm", "delete", "enable", "disable"}


def why_not(words: list[str], *, gateway: bool) -> str:
    """The entry of `NOT_COMPARABLE` that keeps a command from the real program, or an empty string."""
    branch, verb, rest = (*words[1:3], "", "")[0], (*words[2:3], "")[0], words[3:]
    if branch == "config":
        return _config_reason(verb, [*rest, "", ""])
    if branch == "models" and verb in {"", "list", "set"}:
        return "openclaw models set google/gemini-3-pro" if "google/gemini-3-pro" in rest else ""
    if branch == "cron":
        if not gateway:
            return "openclaw cron (real mode)"
        flags = {word.partition("=")[0] for word in rest}
        odd = next((f"openclaw cron {flag}" for flag in ("--schedule", "--command") if flag in flags), "")
        return odd if verb in _CRON else "openclaw cron by name"
    return f"openclaw {branch}"


def _config_reason(verb: str, rest: list[str]) -> str:
    key, value = rest[:2]
    if verb not in _CONFIG:
        return "openclaw config dump"
    if key.partition(".")[0] in OFFICE:
        return "openclaw config, branches office, offices, user"
    if key == MODEL_KEY and value and "/" not in value:
        return "openclaw config set of a model without a provider"
    return "openclaw config agent.model" if key == "agent.model" else ""


class RealWorld:
    """A world whose ``openclaw`` is the real program; a context manager, and the backend of an `Episode`.

    Args:
        start: the world's first state; its settings and jobs are laid out for the program.
        folder: an empty folder that everything is kept in.
        gateway: hybrid mode.
        isolation: of the real program.
        marker: every process of it carries this mark.
    """

    def __init__(self, start: State, folder: Path, *, gateway: bool, isolation: int = 2, marker: str = "") -> None:
        self._world = World(start)
        self._program = Program(self._world, folder, gateway=gateway, isolation=isolation, marker=marker)
        self._reader = Reader(self._program.state, self._program.settings())
        self._router = Router({**dict.fromkeys(programs(), execute_words), "openclaw": self._openclaw})
        self.calls = 0

    def __enter__(self) -> RealWorld:  # noqa: PYI034  # nobody derives from it
        self._program.__enter__()
        # what it adds to its settings when it starts is nobody's doing
        self._reader = Reader(self._program.state, self._program.settings())
        if self._program.gateway:
            self._seed()
        return self

    def __exit__(self, *_: object) -> None:
        self._program.close()

    def __call__(self, world: World, words: list[str], line: str) -> Execution:
        """Execute a command on a world."""
        return self._router(world, words, line)

    def _seed(self) -> None:
        """Give the program the world's jobs."""
        for job in self._world.rows("cron", CronJob):
            every = not job.schedule.startswith("@") and " " not in job.schedule
            when = ("--every" if every else "--cron", job.schedule)
            paused = ("--disabled",) if job.status == "paused" else ()
            self._program.run(("cron", "add", "--name", job.name, *when, "--message", job.message, *paused))
            self._reader.adopt(self._world, job.id)

    def _openclaw(self, world: World, words: list[str], line: str) -> Execution:
        if words[1:] == [] or why_not(words, gateway=self._program.gateway):
            return execute_words(world, words, line)
        before = world.tables()
        try:
            found = resolve(words)
        except Refused:
            found = ""  # the real program has its own opinion of it
        said = self._program.run([self._reader.real_ids.get(word, word) for word in words[1:]])
        self.calls += 1
        self._reader.read(world, self._program.settings())
        if words[1:3] == ["cron", "list"] and not said.code:
            # its own listing has its own jobs and this machine's time, and no messages: the world lists what it keeps
            listed = execute_words(world, words[:3], line).output
            said = listed if "--json" not in words else replace(said, stdout=world_jobs(said.stdout))
        verb = None if isinstance(found, str) else found[0]
        return Execution(line, verb, said, table_changes(before, world.tables()))


class OnDemand:
    """The real program for an episode that may go back: begun with the first command, from the world as it is then.

    `folder` gets a folder for each beginning; the rest is as in `RealWorld`.
    """

    def __init__(self, folder: Path, *, gateway: bool, isolation: int, marker: str) -> None:
        self._folder = folder
        self._gateway = gateway
        self._isolation = isolation
        self._marker = marker
        self._begun = 0
        self._real: RealWorld | None = None

    def __call__(self, world: World, words: list[str], line: str) -> Execution:
        """Execute a command on a world."""
        if self._real is None:
            self._begun += 1
            folder = self._folder / f"openclaw-{self._begun}"
            self._real = RealWorld(
                world.state, folder, gateway=self._gateway, isolation=self._isolation, marker=self._marker
            )
            try:
                self._real.__enter__()
            except BaseException:
                self.close()
                raise
        return self._real(world, words, line)

    def close(self) -> None:
        """End the program; the next command begins it anew."""
        real, self._real = self._real, None
        if real is not None:
            real.__exit__()
