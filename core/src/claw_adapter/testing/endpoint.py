"""A model endpoint that plays a script: the product's own server, inside the test's process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from pydantic import JsonValue

from claw_adapter.endpoint import RoundMeter
from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.protocol import ModelSpec
from claw_adapter.runs.transcript import Exchange, read_transcript

__all__ = ["ScriptedEndpoint"]

TRIAL: Final = "scripted"


class ScriptedEndpoint:
    """One model that says what a script says, in all three dialects; an async context manager.

    Args:
        folder: gets the Unix socket and the transcript; made if need be.
        script: what the model says, in order, the last one again and again (`claw_adapter.endpoint.models.scripted`): a
            text, ``{"text": …, "tools": [{"name": …, "arguments": {…}}]}``, ``{"match": REGEX, "reply": …}``, or a fault.
        faults: requests that fail by their number or round (`claw_adapter.endpoint.faults`).

    Raises:
        EndpointError: on entering, if an item of the script or a fault has no known form.
    """

    def __init__(self, folder: Path, *script: Any, faults: Sequence[Mapping[str, JsonValue]] = ()) -> None:
        self._model = ModelSpec(
            name="the-model", kind="scripted", script=script, options={"faults": [dict(rule) for rule in faults]}
        )
        self._server = EndpointServer(folder)
        self._transcript = folder / "transcript.jsonl"
        self.key = ""

    @property
    def url(self) -> str:
        """``http://127.0.0.1:PORT``."""
        return self._server.url

    @property
    def socket(self) -> Path:
        """The Unix socket on which it listens too."""
        return self._server.socket

    async def begin_round(self, name: str = "round") -> None:
        """Requests belong to this round from now on."""
        await self._server.begin_round(TRIAL, name)

    async def end_round(self) -> RoundMeter:
        """What was metered since `begin_round`: requests, tokens, tool calls and results, the failure of the last request."""
        return await self._server.end_round(TRIAL)

    def exchanges(self) -> list[Exchange]:
        """The requests that have been answered, with their replies, in the OpenAI chat form whatever the dialect was."""
        return list(read_transcript(self._transcript)) if self._transcript.exists() else []

    async def __aenter__(self) -> Self:
        self.socket.parent.mkdir(parents=True, exist_ok=True)
        await self._server.start()
        try:
            self.key = await self._server.open_trial(TRIAL, self._model, self._transcript)
        except BaseException:
            await self._server.stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._server.stop()
