"""The overlays of a trial: each in an isolation of its own, stacked from the endpoint towards the harness."""

from __future__ import annotations

import asyncio
import logging
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from claw_adapter import plugins
from claw_adapter.drivers.waiting import timeout
from claw_adapter.errors import DeadlineExceeded, OverlayNotFound, Owner
from claw_adapter.folders import remove_tree
from claw_adapter.harness import Endpoint
from claw_adapter.overlay import Front, Overlay, OverlayContext
from claw_adapter.protocol import OverlaySpec, Session, TrialSpec
from claw_adapter.runner.bounds import OVERLAYS
from claw_adapter.runner.context import Address, RunnerContext

__all__ = ["OverlayStack", "Routing", "make_overlays"]

CLOSE_SECONDS = 15.0
CHECKPOINT_SECONDS = 60.0
log = logging.getLogger(__name__)


class Routing(Protocol):
    """What a stack asks of the endpoint; `claw_adapter.endpoint.ModelEndpoint` says what each does."""

    @property
    def url(self) -> str:
        """Where it listens."""

    @property
    def socket(self) -> Path:
        """The Unix socket by which it is reached out of a namespace."""

    async def open_route(self, trial: str, front: Front) -> str:
        """Open a proxy route to an overlay; returns the key for whatever is in front of it."""

    async def close_routes(self, trial: str) -> None:
        """Close all proxy routes of a trial."""

    async def settle(self, trial: str, seconds: float) -> None:
        """Wait until no overlay's own request is being answered."""


def make_overlays(specs: Sequence[OverlaySpec]) -> list[Overlay]:
    """The overlays of a trial, not started.

    Raises:
        PluginError: one has no plugin, or refuses its options.
        OverlayNotFound: one is not installed.
    """
    made: list[Overlay] = []
    for spec in specs:
        overlay: Overlay = plugins.create("overlay", spec.name, dict(spec.options))
        probe = overlay.probe()
        if not probe.ready:
            raise OverlayNotFound(f"overlay {spec.label!r} is not ready: {probe.reason}", remedy=probe.remedy)
        made.append(overlay)
    return made


class StackContext(RunnerContext, OverlayContext):
    """What one overlay of a trial may use; its children see nothing of harness and workspace."""

    def __init__(
        self,
        spec: TrialSpec,
        overlay: OverlaySpec,
        *,
        endpoint: Routing,
        inner: Endpoint,
        folder: Path,
        artefacts: Path,
        saved: Mapping[str, bytes],
        marker: str,
        hidden: tuple[Path, ...],
    ) -> None:
        super().__init__(
            spec,
            workspace=folder,
            state_dir=folder,
            main=Session(id=spec.id),
            histories=(),
            address=Address(endpoint.url, endpoint.socket),
            key=inner.key,
            marker=marker,
            hidden=hidden,
            named=False,
        )
        self.label = overlay.label
        self.options = overlay.options
        self.saved = saved
        self.endpoint = inner
        self._endpoint = endpoint
        self._artefacts = artefacts

    async def route(self, port: int, *, headers: Mapping[str, str] | None = None) -> Endpoint:
        """See `OverlayContext.route`."""
        socket = self.reach(port).socket
        front = Front(overlay=self.label, port=port, socket=socket, headers=dict(headers or {}))
        key = await self._endpoint.open_route(self.trial, front)
        return Endpoint(url=self.endpoint.url, key=key, model=self.endpoint.model, window=self.endpoint.window)

    async def settled(self, seconds: float) -> None:
        """See `OverlayContext.settled`."""
        await self._endpoint.settle(self.trial, seconds)

    async def keep(self, name: str, folder: Path) -> None:
        """See `OverlayContext.keep`."""
        target = self._artefacts / name
        remove_tree(target)
        await asyncio.to_thread(shutil.copytree, folder, target, symlinks=True, ignore=_special)


def _special(folder: str, names: list[str]) -> set[str]:
    """What is neither a file nor a folder nor a link, such as a socket."""
    paths = [(name, Path(folder, name)) for name in names]
    return {name for name, path in paths if not (path.is_symlink() or path.is_file() or path.is_dir())}


@dataclass(slots=True)
class OverlayStack:
    """The overlays of one trial; `folder` is for what only lives while they run, `artefacts` for what stays."""

    spec: TrialSpec
    endpoint: Routing
    folder: Path
    artefacts: Path
    marker: str
    hidden: tuple[Path, ...] = ()
    overlays: list[Overlay] = field(init=False)
    _started: list[Overlay] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        self.overlays = make_overlays(self.spec.overlays)

    @property
    def versions(self) -> dict[str, str]:
        """What was found of all of them."""
        return {name: version for overlay in self.overlays for name, version in overlay.probe().versions.items()}

    async def open(self, inner: Endpoint, saved: Mapping[str, Mapping[str, bytes]]) -> Endpoint:
        """Start all, the first nearest to the model; returns the address for the harness.

        Raises:
            OverlayError: one does not come up.
            DeadlineExceeded: not within the run's deadline.
        """
        for spec, overlay in self._pairs():
            folder = self.folder / spec.label
            remove_tree(folder)
            folder.mkdir(parents=True)
            context = StackContext(
                self.spec,
                spec,
                endpoint=self.endpoint,
                inner=inner,
                folder=folder,
                artefacts=self.artefacts / spec.label,
                saved=saved.get(spec.label, {}),
                marker=f"{self.marker}/{OVERLAYS}",
                hidden=self.hidden,
            )
            self._started.append(overlay)
            what = f"the overlay did not come up within {self.spec.settings.deadline:g} s"
            late = DeadlineExceeded(what, where=f"overlay {spec.label}", owner=Owner.OVERLAY)
            async with timeout(self.spec.settings.deadline, lambda late=late: late):  # type: ignore[misc]
                inner = await overlay.wrap(context, inner)
        return inner

    async def checkpoint(self) -> dict[str, dict[str, bytes]]:
        """State files by label, of those that have any."""
        found: dict[str, dict[str, bytes]] = {}
        for spec, overlay in self._pairs():
            async with asyncio.timeout(CHECKPOINT_SECONDS):
                found[spec.label] = dict(await overlay.checkpoint())
        return {label: files for label, files in found.items() if files}

    async def close(self) -> None:
        """End what was started, nearest to the harness first; failures are logged."""
        started, self._started = self._started, []
        for overlay in reversed(started):
            try:
                async with asyncio.timeout(CLOSE_SECONDS):
                    await overlay.close()
            except Exception:
                log.exception("closing overlay %s of trial %s", overlay.name, self.spec.id)
        if started:
            await self.endpoint.close_routes(self.spec.id)

    def _pairs(self) -> Iterator[tuple[OverlaySpec, Overlay]]:
        return zip(self.spec.overlays, self.overlays, strict=True)
