"""What a scenario shows of the quantities in the registry: times, replies, contacts, sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

from claw_adapter.protocol import Message, Scenario, Session
from claw_adapter.scenario.apply import source_messages, source_path
from claw_adapter.scenario.tree import regular_files

__all__ = ["Reply", "Shown", "observe"]

LONGEST = timedelta(days=7)
"""A later message is a new beginning, not a reply."""
AGENT_FILES = frozenset({"AGENTS.md", "IDENTITY.md", "SOUL.md", "TOOLS.md", "USER.md"})
"""The fixed agent files of ClawArena v2 §F.4: they set the agent up and are no documents."""
HELPERS = frozenset({"assistant", "agent", "tool", "system"})


@dataclass(frozen=True, slots=True)
class Reply:
    """Minutes between a person's message and the next one by another person, in a channel."""

    channel: str
    minutes: float


@dataclass(frozen=True, slots=True)
class Shown:
    """One scenario's observables.

    Attributes:
        times: local times of people's messages, with their channels.
        replies: see `Reply`.
        contacts: messages by person.
        messages: all messages of the histories, those of updates included, the assistant's too.
        files: documents of the workspace before any update, without the fixed agent files.
        options: statements per multi_choice round.
        noise: share of noise, where whoever built the scenario says it.
    """

    scenario: str
    domain: str
    times: tuple[tuple[datetime, str], ...]
    replies: tuple[Reply, ...]
    contacts: Mapping[str, int]
    channels: int
    messages: int
    files: int
    rounds: int
    options: tuple[int, ...] = ()
    noise: float | None = field(default=None)


def observe(scenario: Scenario, noise: float | None = None) -> Shown:
    """Observe a loaded scenario; messages that updates bring count with those they are appended to.

    Raises:
        ScenarioError: an update's file cannot be read.
    """
    sessions = [*scenario.histories, *_brought(scenario)]
    people = [(message, session.channel) for session in sessions for message in session.messages if _person(message)]
    return Shown(
        scenario=scenario.id,
        domain=scenario.manifest.domain,
        times=tuple((message.time, channel) for message, channel in people if message.time is not None),
        replies=tuple(reply for session in sessions for reply in _replies(session)),
        contacts=Counter(message.speaker for message, _ in people if message.speaker),
        channels=len({session.id for session in scenario.histories}),
        messages=sum(len(session.messages) for session in sessions),
        files=len(set(regular_files(scenario.workspace)) - AGENT_FILES),
        rounds=len(scenario.rounds),
        options=tuple(len(item.options) for item in scenario.rounds if item.type == "multi_choice"),
        noise=noise,
    )


def _brought(scenario: Scenario) -> Iterator[Session]:
    """Pieces of sessions that updates bring, under the channel of their session."""
    channels = {session.id: session.channel for session in scenario.sessions}
    main = scenario.main.id
    for update in scenario.updates.values():
        for action in update.actions:
            if action.session is not None and action.session != main and action.source is not None:
                messages = source_messages(source_path(scenario, update, action), update.id)
                yield Session(
                    id=action.session, channel=channels.get(action.session, action.session), messages=tuple(messages)
                )


def _person(message: Message) -> bool:
    return message.role == "user" and (message.speaker or "").casefold() not in HELPERS


def _replies(session: Session) -> Iterator[Reply]:
    people: Sequence[Message] = [message for message in session.messages if _person(message) and message.time]
    for before, after in pairwise(people):
        if before.time is None or after.time is None or before.speaker == after.speaker:
            continue
        apart = after.time - before.time
        if timedelta(0) < apart <= LONGEST:
            yield Reply(session.channel, apart.total_seconds() / 60)
