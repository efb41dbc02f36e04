"""The model that replays a recording: offline, no key, nothing but what was said before."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Iterable
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from claw_adapter import errors
from claw_adapter.endpoint.dialects.openai_chat import parse_call
from claw_adapter.endpoint.failures import CLIENT_CLOSED, BrokenWire, ProviderError
from claw_adapter.endpoint.replay.normal import BEGINS
from claw_adapter.endpoint.replay.recording import Miss, Recording, find_transcript
from claw_adapter.errors import EndpointError
from claw_adapter.model import CallDelta, Delta, Model, ModelRequest, TurnId
from claw_adapter.protocol.answer_key import AnswerKey
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.protocol.tokens import TokenCounts
from claw_adapter.runs.transcript import Exchange

__all__ = ["ReplayModel", "replay_model"]

_KINDS: Final = {
    kind.__name__: kind
    for kind in (
        errors.EndpointError, errors.EndpointAuthError, errors.EndpointQuotaError, errors.EndpointTransientError,
        errors.EndpointMalformedError, errors.EndpointFilteredError,
    )
}  # fmt: skip
_OURS: Final = frozenset({"role", "content", "tool_calls"})


def replay_model(spec: ModelSpec, run: Path, trials: Iterable[str] = ()) -> ModelSpec:
    """`spec`, answering from the recording in `run` instead of its provider.

    `trials` are ids of trials that must be in it. The name stays, since trials are named by it; a schedule of faults
    stays, since the recording leaves out its effects. ``options.kind`` says what kind of model was recorded.

    Raises:
        EndpointError: `run` is neither a run folder nor a transcript, or lacks a trial.
    """
    run = run.resolve()
    if not run.is_file() and not any(run.rglob("*.jsonl")):
        remedy = "give the folder of a run (it has trials/*/transcript.jsonl), or a transcript"
        raise EndpointError("there is no recording here", where=str(run), remedy=remedy)
    for trial in trials:
        find_transcript(run, trial)
    kind = spec.options.get("kind", "") if spec.kind == "replay" else spec.kind
    options: dict[str, JsonValue] = {"from": str(run), "kind": kind}
    if "faults" in spec.options:
        options["faults"] = spec.options["faults"]
    changes = {"kind": "replay", "base_url": "", "key_env": "", "script": (), "options": options}
    return spec.model_copy(update=changes)


class ReplayModel(Model):
    """Answers the requests of one trial from its recording.

    Raises:
        EndpointError: there is no recording of this trial.
        JournalError: the recording is damaged.
    """

    def __init__(self, spec: ModelSpec, trial: str) -> None:
        source = spec.options.get("from")
        self._where = f"model {spec.name}, replaying {source}"
        if not isinstance(source, str) or not Path(source).exists():
            raise EndpointError("options.from names no recording", where=self._where, remedy="give a run folder")
        self._root = ""
        self._recording = Recording.load(Path(source), trial)

    def begin(self, turn: TurnId, answer_key: AnswerKey | None) -> None:
        """Learn where the trial lives now, so that recorded tool calls go there."""
        del turn
        if answer_key is not None and answer_key.workspace:
            self._root = str(Path(answer_key.workspace).parent)
            self._recording.know(self._root)

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """What was said to an equal request; a failure of the provider fails again."""
        try:
            exchange = self._recording.take(request.messages, request.tool_json)
        except Miss as miss:
            remedy = "record anew, or find out why the harness asks something else now"
            raise ProviderError(400, EndpointError(str(miss), where=self._where, remedy=remedy)) from None
        _fail_again(exchange)
        for delta in _deltas(exchange):
            yield self._moved(delta)

    def _moved(self, delta: Delta) -> Delta:
        """A delta with the recorded trial's folder replaced by this one's."""
        if not self._root or not self._recording.roots:
            return delta
        calls = tuple(
            CallDelta(call.index, call.id, call.name, self._here(call.arguments, json.dumps(self._root)[1:-1]))
            for call in delta.calls
        )
        return Delta(self._here(delta.text, self._root), calls, delta.finish, delta.usage, delta.extra)

    def _here(self, text: str, root: str) -> str:
        for recorded in self._recording.roots:
            text = re.sub(rf"{BEGINS}{re.escape(recorded)}(?![\w.-])", lambda _: root, text)
        return text


def _fail_again(exchange: Exchange) -> None:
    failure = exchange.failure
    if failure is None or (exchange.status == 200 and exchange.reply is not None):
        return
    if exchange.status == CLIENT_CLOSED:
        raise BrokenWire("refused")
    if exchange.status == 200:
        raise BrokenWire("empty" if failure.what.endswith("empty") else "garbage")
    kind = _KINDS.get(failure.kind, EndpointError)
    raise ProviderError(exchange.status, kind(failure.what, where=failure.where, remedy=failure.remedy))


def _deltas(exchange: Exchange) -> list[Delta]:
    reply = exchange.reply or {}
    content, calls = reply.get("content"), reply.get("tool_calls")
    found = [Delta(text=content)] if isinstance(content, str) and content else []
    if extra := {name: value for name, value in reply.items() if name not in _OURS}:
        found.insert(0, Delta(extra=extra))
    for index, value in enumerate(calls if isinstance(calls, list) else []):
        call = parse_call(value)
        found.append(Delta(calls=(CallDelta(index, call.id, call.name, call.arguments),)))
    spent = TokenCounts.model_validate(exchange.usage).upstream
    return [*found, Delta(finish=exchange.finish or "stop", usage=spent)]
