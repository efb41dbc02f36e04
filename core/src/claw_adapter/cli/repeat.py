"""``claw run RUN --trial T --round R --into DIR``: one round again, with its transcript on screen as it happens."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from claw_adapter.cli.common import FAILED, console, print_json
from claw_adapter.cli.process import finish_in_order

if TYPE_CHECKING:
    from rich.console import Console

    from claw_adapter.api.repeating import PreparedRound
    from claw_adapter.protocol import RoundRecord
    from claw_adapter.runs.transcript import Exchange

__all__ = ["repeat"]

LOOK_SECONDS = 0.2
SHOWN = 4000
"""Characters of one message on screen; the transcript in the folder has all of it."""


def repeat(run: Path, trial: str, round_: str, into: Path, *, as_json: bool, quiet: bool) -> int:
    """Repeat the round, and say what came of it beside what it was; returns the exit code."""
    from claw_adapter.api.repeating import prepare_round

    prepared = prepare_round(run, trial, round_, into)
    out = console(stderr=as_json)
    for line in prepared.changed:
        out.print(f"! the harness is not of the version that the run had: {line}", style="yellow", markup=False)
    try:
        record = finish_in_order(_run(prepared, None if quiet else out))
    except KeyboardInterrupt:
        console(stderr=True).print(f"interrupted; remove {prepared.prepared.root} before you repeat it", markup=False)
        raise
    if as_json:
        print_json(record.model_dump(mode="json"))
    else:
        _compare(prepared, record, out)
    return FAILED if record.score.value is None else 0


async def _run(prepared: PreparedRound, out: Console | None) -> RoundRecord:
    from claw_adapter.runs.folder import RunFolder

    path = RunFolder(prepared.prepared.root).transcript(prepared.past.spec.id)
    async with _shown(path, out) if out else contextlib.nullcontext():
        return await prepared.execute()


@contextlib.asynccontextmanager
async def _shown(path: Path, out: Console) -> AsyncIterator[None]:
    """Print what comes to a transcript, until the end of the block and what was written by then."""
    over = asyncio.Event()
    watching = asyncio.create_task(_follow(path, out, over))
    try:
        yield
    finally:
        over.set()
        await watching


async def _follow(path: Path, out: Console, over: asyncio.Event) -> None:
    from claw_adapter.runs.transcript import TranscriptReader

    reader, offset = TranscriptReader(path), 0
    before: Sequence[dict[str, Any]] = ()
    while True:
        last = over.is_set()
        if path.is_file():
            with path.open("rb") as file:
                file.seek(offset)
                for raw in file:
                    if not raw.endswith(b"\n"):
                        break
                    offset += len(raw)
                    if (exchange := reader.take(raw)) is not None:
                        _print(exchange, before, out)
                        before = exchange.messages
        if last:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await over.wait()


def _print(exchange: Exchange, before: Sequence[dict[str, Any]], out: Console) -> None:
    """One request and its reply: of its messages those that the request before it did not have."""
    who = "" if exchange.origin == "harness" else f", {exchange.origin}"
    out.print(
        f"── request {exchange.number}, attempt {exchange.attempt}{who}: status {exchange.status}, {exchange.seconds:.2f} s",
        style="bold",
        markup=False,
    )
    for message in _new(exchange.messages, before):
        _say(message, out)
    if exchange.reply:
        _say(exchange.reply, out)
    if exchange.failure:
        out.print(f"failed: {exchange.failure.what}", style="red", markup=False, soft_wrap=True)


def _new(messages: Sequence[dict[str, Any]], before: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    if before and list(messages[: len(before)]) == list(before):
        new = messages[len(before) :]
        return new[1:] if new and new[0].get("role") == "assistant" else new  # that is the reply, shown already
    users = [number for number, message in enumerate(messages) if message.get("role") == "user"]
    return messages[users[-1] :] if users else messages[-1:]


def _say(message: dict[str, Any], out: Console) -> None:
    from claw_adapter.report.clean import clip

    content = message.get("content")
    text = content if isinstance(content, str) else "" if content is None else json.dumps(content, ensure_ascii=False)
    role = str(message.get("role", ""))
    if text:
        shown = clip(text, SHOWN)
        more = f"\n… {shown.left_out:,} more characters" if shown.left_out else ""
        out.print(f"{role}: {shown.text}{more}", markup=False, soft_wrap=True)
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        shown = clip(f"{function.get('name')} {function.get('arguments')}", SHOWN)
        out.print(f"{role} → {shown.text}", style="cyan", markup=False, soft_wrap=True)


def _compare(prepared: PreparedRound, record: RoundRecord, out: Console) -> None:
    past = prepared.past.record
    for what, one in (("was", past), ("is now", record)):
        value = "unscored" if one.score.value is None else f"{one.score.value:g}"
        why = f" ({one.score.cause.owner}: {one.score.cause.what})" if one.score.cause else ""
        answer = f", answer {','.join(one.score.answer)}" if one.score.answer is not None else ""
        asked = f"{one.usage.metered.requests} requests, {one.tool_calls} tool calls"
        out.print(f"{record.round} {what}: {value}{answer}; {asked}{why}", markup=False, soft_wrap=True)
    out.print(f"kept in {prepared.prepared.root}", markup=False, soft_wrap=True)
