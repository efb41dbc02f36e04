"""Incidents happen here; an ordinary run has none, and pays nothing for them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import time
from collections.abc import AsyncIterator

from claw_adapter.drivers import reaper
from claw_adapter.drivers.waiting import to_thread
from claw_adapter.harness import Conversation
from claw_adapter.runner.incident import Incident
from claw_adapter.runner.trial import Trial

__all__ = ["happening", "restarted"]

log = logging.getLogger(__name__)


def _here(trial: Trial, round_id: str, attempt: int, *, before: bool) -> list[Incident]:
    found = trial.incidents if attempt == 1 else ()
    return [one for one in found if one.round == round_id and (one.request == 0) is before]


async def restarted(trial: Trial, round_id: str, attempt: int) -> None:
    """What happens before a prompt: the conversation is closed, and the next step opens its checkpoint."""
    if trial.conversation is not None and _here(trial, round_id, attempt, before=True):
        await trial.drop()


@contextlib.asynccontextmanager
async def happening(trial: Trial, conversation: Conversation, round_id: str, attempt: int) -> AsyncIterator[None]:
    """What happens while a prompt is being answered."""
    incidents = _here(trial, round_id, attempt, before=False)
    if not incidents:
        yield
        return
    tasks = [asyncio.create_task(_happen(trial, conversation, one)) for one in incidents]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _happen(trial: Trial, conversation: Conversation, incident: Incident) -> None:
    seconds = trial.spec.settings.deadline
    if not await trial.services.endpoint.requested(trial.spec.id, incident.request, seconds):
        log.warning("%s: request %d of %s never came", trial.spec.id, incident.request, incident.round)
        return
    marker = f"{trial.services.marker}/{trial.spec.id}"
    match incident.kind:
        case "cancel":
            await conversation.cancel()
        case "kill" if trial.harness.runs_inside:
            await conversation.cancel()
        case "kill" | "restart":
            await to_thread(_signal, marker, signal.SIGKILL)
        case "pause":
            await to_thread(_pause, marker, incident.seconds)


def _pause(marker: str, seconds: float) -> None:
    """Stop and continue, in one thread: whoever waits for it may be cancelled, and nothing stays stopped."""
    _signal(marker, signal.SIGSTOP)
    time.sleep(seconds)
    _signal(marker, signal.SIGCONT)


def _signal(marker: str, number: int) -> None:
    reaper.send(reaper.find(marker), number)
