"""What a confined command may see, write, reach and use up."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Final, Literal

from claw_adapter.errors import SandboxError
from claw_adapter.sandbox.levels import IsolationLevel

__all__ = ["DOOR", "Confinement", "ResourceLimits"]

DOOR: Final = Path("/claw-check")
"""Where the things of a check are at level 2."""


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """Limits set by the system on every process of the command; None leaves one alone.

    Attributes:
        address_space: bytes of virtual memory per process (programs that reserve much of it, Node for one, need none).
        cpu_seconds: processor time per process.
        file_bytes: largest file that can be written.
        processes: processes and threads at once. Only at level 2 on Linux 5.14 or newer, where they are counted per
            namespace, and never for root, whom the kernel does not count.
    """

    address_space: int | None = None
    cpu_seconds: int | None = None
    file_bytes: int | None = None
    processes: int | None = None


@dataclass(frozen=True, slots=True)
class Confinement:
    """How one command is confined; at level 1 only `home` and `limits` have an effect, at level 0 nothing has.

    Attributes:
        level: the isolation level.
        home: HOME of the command; bound writable.
        writable: folders bound at the same path.
        readable: folders or files bound read-only at the same path.
        names: (folder, path) of what is bound writable at a path of its own, `home` or `writable` ones a second time. What the
            command is told of these is that path: its HOME, and where it starts.
        hidden: folders or files below a bound one that must not be seen: covered by an empty one. What is not bound
            needs no mention.
        places: (folder or file, path) of what is bound read-only at a path of its own. `DOOR` is a folder that opens only for
            who has the capability that the command is then born with; see `claw_adapter.sandbox.inside`.
        cwd: working folder inside; None means the first writable folder, else `home`.
        network: "none", or "endpoint": only the model endpoint, through `endpoint_socket`.
        endpoint_socket: Unix socket outside, on which the endpoint listens.
        endpoint_port: port on 127.0.0.1 inside, which leads to that socket.
        reverse: (port inside, Unix socket): what connects to the socket from outside reaches the port inside. The
            socket is made inside, so its folder must be writable.
        tmp: folder that becomes /tmp; None means a private one in memory of at most `tmp_bytes`.
        tmp_bytes: size of that private /tmp.
        shm_bytes: size of /dev/shm, at level 2.
        environment_prefix: also show `sys.prefix` (a virtual environment) and not only the interpreter it is made of.
        etc: a folder made by `host.write_etc` that becomes /etc: each thing shown for itself makes the start slower.
        limits: see `ResourceLimits`.
    """

    level: IsolationLevel
    home: Path
    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    names: tuple[tuple[Path, Path], ...] = ()
    hidden: tuple[Path, ...] = ()
    places: tuple[tuple[Path, Path], ...] = ()
    cwd: Path | None = None
    network: Literal["none", "endpoint"] = "none"
    endpoint_socket: Path | None = None
    endpoint_port: int | None = None
    reverse: tuple[int, Path] | None = None
    tmp: Path | None = None
    tmp_bytes: int = 256 * 1024 * 1024
    shm_bytes: int = 64 * 1024 * 1024
    environment_prefix: bool = False
    etc: Path | None = None
    limits: ResourceLimits = field(default_factory=ResourceLimits)

    @property
    def sees(self) -> bool:
        """Whether something is behind the door."""
        return any(name.is_relative_to(DOOR) for _, name in self.places)

    def inside(self, path: Path) -> Path:
        """What the command is told a path is, at level 2."""
        return next(
            (name / path.relative_to(folder) for folder, name in self.names if path.is_relative_to(folder)), path
        )

    def check(self) -> None:
        """Refuse a confinement that contradicts itself.

        Raises:
            SandboxError: a relative path, or an endpoint without socket and port.
        """
        paths = [
            self.home,
            *self.writable,
            *self.readable,
            *self.hidden,
            *chain.from_iterable((*self.names, *self.places)),
        ]
        paths += [path for path in (self.cwd, self.tmp, self.etc, self.endpoint_socket) if path is not None]
        for path in paths:
            if not path.is_absolute() or ".." in path.parts:
                raise SandboxError(f"not an absolute path without '..': {path}", remedy="Resolve it first.")
        if self.network == "endpoint" and (self.endpoint_socket is None or self.endpoint_port is None):
            raise SandboxError(
                "network 'endpoint' without a socket or a port", remedy="Give endpoint_socket and endpoint_port."
            )
