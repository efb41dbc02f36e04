"""The only file an adapter author must read: what a harness adapter implements, and what it is given.

An adapter is one small class around one agent program::

    class MyHarness(Harness):
        name = "my-agent"

        def capabilities(self) -> Capabilities: ...
        def probe(self) -> Probe: ...
        async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation: ...

Everything dangerous (starting processes, deadlines, isolation, the endpoint's key) belongs to the `TrialContext`, so that
the adapter only translates. Normative words are in docs/spec/claw-1.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from logging import Logger
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Final, Self

from pydantic import JsonValue

from claw_adapter.errors import SandboxError
from claw_adapter.protocol import (
    EVENT_CHARACTERS,
    Capabilities,
    Checkpoint,
    Event,
    Failure,
    Message,
    Probe,
    ReportedUsage,
    Session,
    SessionChange,
    SubAgent,
    Support,
    Timing,
    ToolCall,
    TurnResult,
)

if TYPE_CHECKING:
    from claw_adapter.drivers import Completed, LineChild, Process
    from claw_adapter.drivers.pty import PtyProcess
    from claw_adapter.environment import McpServer, Surroundings

__all__ = [
    "EVENT_CHARACTERS",
    "INSIDE",
    "Capabilities",
    "Checkpoint",
    "Conversation",
    "Endpoint",
    "Event",
    "Failure",
    "Harness",
    "Message",
    "Probe",
    "Reach",
    "ReportedUsage",
    "Session",
    "SessionChange",
    "SessionStore",
    "SubAgent",
    "Support",
    "Timing",
    "ToolCall",
    "TrialContext",
    "TurnResult",
]


INSIDE: Final = Path("/agent")
"""Where a harness's children find its folders inside a namespace: ``workspace`` and ``state``, in every trial of every run."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the harness must send its model requests, as seen from inside its isolation.

    `model` is the only model id there is. `key` is made for this trial and worth nothing elsewhere.
    """

    url: str
    """``http://127.0.0.1:PORT`` without a path; see the properties for what each dialect expects."""
    key: str = field(repr=False)
    model: str
    window: int | None = None
    """Tokens that a request may have, tool definitions included, where that is known and the harness is to be told."""

    def reply_tokens(self, most: int) -> int:
        """What is kept free for a reply: `most`, at most an eighth of a window that is told."""
        return min(most, max(self.window // 8, 1)) if self.window is not None else most

    @property
    def openai(self) -> str:
        """Base URL for OpenAI clients (ends in ``/v1``)."""
        return f"{self.url}/v1"

    @property
    def anthropic(self) -> str:
        """Base URL for Anthropic clients (they add ``/v1/messages``)."""
        return self.url


@dataclass(frozen=True, slots=True)
class Reach:
    """Where an adapter reaches a server that its harness runs: through a Unix socket if there is one, else over TCP."""

    port: int
    """The port on 127.0.0.1 on which the server listens, as seen by itself."""
    socket: Path | None = None
    """Leads to that port from outside its isolation; there once the server's process has started."""


class TrialContext(ABC):
    """What an adapter may use during one trial.

    Every path is valid inside and outside the isolation; `inside` says by which name the program should hear of it.
    """

    trial: str
    """Id of the trial."""
    scenario: str
    """Id of the scenario."""
    workspace: Path
    """The agent's working directory; workspace updates appear here by themselves."""
    state_dir: Path
    """The only other place the harness may write: configuration, session store, HOME. Empty when `open` is called."""
    main: Session
    """The main session as it stands when the conversation is opened."""
    histories: tuple[Session, ...]
    """The history sessions as they stand; empty when the harness gets them as files."""
    endpoint: Endpoint
    isolation: int
    seed: int
    options: Mapping[str, JsonValue]
    """The harness's options from the experiment."""
    deadline: float
    """Seconds that opening may take; turns bring their own."""
    log: Logger
    environment: Surroundings | None = None
    """What stands beside the workspace (`claw_adapter.environment`); None where the scenario names nothing."""

    def inside(self, path: Path) -> Path:
        """What to tell the program that a path of ours in one of the two folders is: in its configuration, in protocols.

        At isolation 2 these paths are the same in every trial of every run, and a child's HOME and working folder are among
        them; so what a harness says to its model of its folders does not vary. Elsewhere it is the path itself.
        """
        return path

    @property
    def mcp(self) -> tuple[McpServer, ...]:
        """MCP servers that the harness must start; none unless its adapter declares `Capabilities.mcp`."""
        return self.environment.attached.mcp if self.environment else ()

    @abstractmethod
    async def spawn(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
        cwd: Path | None = None,
        lines: bool = False,
        listens: int | None = None,
    ) -> Process:
        """Start a long-lived child inside the trial's isolation; it dies with the trial, its offspring included.

        The child sees PATH, LANG and HOME (`state_dir`, by the name that `inside` gives) plus `env`, and nothing else of our
        environment. `readable` are further folders it may read, such as the harness's installation. Standard streams are
        pipes; with `lines`, standard output is read line by line instead of being captured. `listens` is a port on 127.0.0.1
        on which the child will serve; `reach` says how to get there.

        Raises:
            HarnessNotFound: the program does not exist.
            SandboxError: the isolation level cannot be provided.
        """

    def reach(self, port: int) -> Reach:
        """How the adapter connects to a child that was started with ``listens=port``.

        Without a network of its own the child shares the machine's ports, so choose a free one with
        `claw_adapter.drivers.ports.free_port`.
        """
        return Reach(port)

    async def register_cleanup(self, path: Path) -> None:  # noqa: B027 - optional on purpose
        """Say that a child will leave a file outside of both folders, whatever it is told.

        It is removed when the run ends in any way, the runner's being killed included. For what an adapter cannot prevent;
        while all goes well it removes such files itself when it closes.
        """

    @abstractmethod
    async def lines(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
        cwd: Path | None = None,
    ) -> LineChild:
        """Like `spawn`, for a child that speaks our line-delimited JSON requests and replies."""

    async def terminal(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,  # noqa: ARG002  # the default refuses whatever it is asked
        readable: Sequence[Path] = (),  # noqa: ARG002
        cwd: Path | None = None,  # noqa: ARG002
        size: tuple[int, int] = (50, 200),  # noqa: ARG002
    ) -> PtyProcess:
        """Like `spawn`, for a child that speaks to people only: on a terminal of its own, of `size` rows and columns.

        Raises:
            SandboxError: this context has no terminals.
        """
        raise SandboxError("no terminals here", where=argv[0])

    @abstractmethod
    async def run(
        self,
        argv: Sequence[str],
        deadline: float,
        *,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
        cwd: Path | None = None,
    ) -> Completed:
        """Run a child to its end inside the trial's isolation; `deadline` seconds cover start, work and clean-up."""


class Conversation(ABC):
    """One conversation with a harness; lives for a whole scenario. Used as an async context manager."""

    @property
    def versions(self) -> Mapping[str, str]:
        """What the harness says of itself once it runs, by name; recorded with what `Harness.probe` found."""
        return {}

    @abstractmethod
    async def send(self, prompt: str, deadline: float) -> TurnResult:
        """Say `prompt`, wait at most `deadline` seconds, and return the **final** reply with its events.

        Failures of the harness or the provider come back as `TurnResult.error`; an exception means the adapter is broken.
        """

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        """Bring updated sessions into the harness's own store; workspace updates are on disk already.

        Called between turns, only when `Capabilities.seed_history` is ``native`` or the main session changed.
        """
        if changes:
            raise NotImplementedError(f"{type(self).__name__} declares native sessions but has no sync()")

    @abstractmethod
    async def checkpoint(self) -> Checkpoint:
        """The conversation after a finished turn, complete enough for `Harness.open` to go on from it."""

    async def cancel(self) -> None:  # noqa: B027 - optional on purpose
        """Stop the turn under way, if the harness can; the default does nothing."""

    @abstractmethod
    async def close(self) -> None:
        """End everything this conversation started. Called once, also after failures."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class Harness(ABC):
    """One agent program. The constructor takes the options of the experiment as keyword arguments and does no work."""

    name: ClassVar[str]
    api: ClassVar[str] = "claw/1"
    runs_inside: bool = False
    """True when the harness works inside the runner's own process: its isolation is then 0, whatever was asked for."""
    executes: bool = True
    """False when the harness itself starts no program and touches no file, and acts through `TrialContext.environment` alone:
    there is nothing to isolate."""

    @abstractmethod
    def capabilities(self) -> Capabilities:
        """What the harness can do through this adapter."""

    @abstractmethod
    def probe(self) -> Probe:
        """What is installed here, found without side effects."""

    def session_key(self, session_id: str) -> str:
        """The name under which the harness's own session tools know a session."""
        return session_id

    @abstractmethod
    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        """Open the conversation in `ctx.state_dir`, with `ctx.main` and `ctx.histories` as its past.

        With a `checkpoint` the past is the checkpoint's sessions instead. Recovery is always this call on a fresh state
        directory, never a second message into a half-dead session.

        Raises:
            HarnessNotFound, HarnessStartError: it is not installed, or does not come up.
        """


class SessionStore(ABC):
    """A harness's native session format. `read(write(sessions)) == sessions` for what the format can hold."""

    @abstractmethod
    def read(self, path: Path) -> list[Session]:
        """All sessions of a store."""

    @abstractmethod
    def write(self, sessions: Sequence[Session], path: Path) -> None:
        """Write sessions as the harness would have."""

    def append(self, changes: Sequence[SessionChange], path: Path) -> None:
        """Apply changes; the default rewrites what changed."""
        kept = {session.id: session for session in self.read(path)}
        for change in changes:
            if change.after is None:
                kept.pop(change.session, None)
            else:
                kept[change.session] = change.after
        self.write(list(kept.values()), path)
