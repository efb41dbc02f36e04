"""Sessions: written loops, generated small talk and everyday work, times, replies, tool calls of the history."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Final

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Message, SessionEntry, ToolCall
from claw_adapter_scenarios.compiler.canon import Canon
from claw_adapter_scenarios.compiler.material import Material, Places, SessionGain, SpokenLoop
from claw_adapter_scenarios.compiler.timing import message_times, spaced
from claw_adapter_scenarios.language.draw import dice
from claw_adapter_scenarios.language.templates import Rendered
from claw_adapter_scenarios.language.wording import channel_name, dated, words_of
from claw_adapter_scenarios.spec.controls import PoolLine
from claw_adapter_scenarios.spec.load import Spec
from claw_adapter_scenarios.spec.sessions import Channel, Loop

__all__ = ["gather_sessions"]

MAIN: Final = "main"
TIER_WEIGHTS: Final = {1: 100.0, 2: 21.5, 3: 4.6, 4: 1.0}
"""Weight of a contact by Dunbar layer: equal steps on a logarithmic scale, 100 times between the first and the last."""
_SLOT: Final = re.compile(r"\{slot\.(\w+)\}")


@dataclass(slots=True)
class _Turn:
    """A loop before it becomes messages."""

    at: datetime
    sender: str
    say: Rendered
    reply: Rendered
    label: str
    source: str
    read: str = ""


def gather_sessions(spec: Spec, canon: Canon, places: Places, material: Material) -> None:
    """Build the main session, the channels, and what updates add to them.

    Raises:
        ScenarioError: with file and line of the loop.
    """
    _main(spec, canon, places, material)
    grown = {
        (update.id, growth.channel): (position, number)
        for position, update in enumerate(spec.updates.updates)
        for number, growth in enumerate(update.grow)
    }
    for position, channel in enumerate(spec.sessions.channels):
        people = tuple(canon.text(name, "") or name for name in channel.participants)
        material.entries.append(
            SessionEntry(
                id=channel.id,
                kind=channel.kind,
                channel=channel.channel,
                title=canon.render(channel.title).text,
                participants=people,
            )
        )
        writer = _Writer(spec, canon, places, material, channel)
        base = writer.written(("2-sessions", "channels", position))
        turns = [*base, *writer.generated(base)]
        if channel.arrives:
            messages = writer.messages(turns, channel.arrives)
            material.gains.append(SessionGain(channel.arrives, channel.id, messages, "new"))
        else:
            material.sessions[channel.id] = writer.messages(turns, "")
        for update in spec.updates.updates:
            if (update.id, channel.id) in grown:
                place, number = grown[update.id, channel.id]
                at: tuple[str | int, ...] = ("4-updates", "updates", place, "grow", number, "loops")
                more = [writer.turn(loop, (*at, n)) for n, loop in enumerate(update.grow[number].loops)]
                messages = writer.messages(more, update.id)
                material.gains.append(SessionGain(update.id, channel.id, messages, "append"))


def _main(spec: Spec, canon: Canon, places: Places, material: Material) -> None:
    main, user = spec.sessions.main, spec.truth.protagonist
    at = canon.value("now")
    roster = "${roster}"
    opening, words = canon.render(main.opening), words_of(canon.language)
    first = Rendered(f"{opening.text.strip()}\n\n{words['roster']}\n\n{roster}", opening.marks)
    turns = [(first, main.reply or words["opening"])]
    turns += [(canon.render(turn.say), turn.reply) for turn in main.turns]
    messages: list[Message] = []
    for number, (say, reply) in enumerate(turns, start=1):
        said = canon.render(reply)
        ids = (f"a{2 * number - 1:02d}", f"a{2 * number:02d}")
        speaker = canon.text(user, "")
        messages.append(Message(id=ids[0], role="user", text=say.text, time=_aware(canon, at), speaker=speaker))
        messages.append(
            Message(id=ids[1], role="assistant", text=said.text, time=_aware(canon, at + timedelta(seconds=40)))
        )
        for marks, name in ((say.marks, ids[0]), (said.marks, ids[1])):
            material.claims += places.claims(marks, f"session/{MAIN}#{name}", main.source)
        at += timedelta(minutes=4)
    material.main = tuple(messages)


def _aware(canon: Canon, at: datetime) -> datetime:
    return datetime.fromisoformat(at.isoformat() + canon.spec.truth.offset)


class _Writer:
    """Writes one channel."""

    def __init__(self, spec: Spec, canon: Canon, places: Places, material: Material, channel: Channel) -> None:
        self.spec, self.canon, self.places, self.material, self.channel = spec, canon, places, material, channel
        self.rng: Random = dice(canon.seed, spec.truth.id, "channel", channel.id)
        self._replies: list[str] = []

    def written(self, at: tuple[str | int, ...]) -> list[_Turn]:
        """The loops of the spec."""
        return [
            self.turn(loop, (*at, "phases", i, "loops", j))
            for i, phase in enumerate(self.channel.phases)
            for j, loop in enumerate(phase.loops)
        ]

    def turn(self, loop: Loop, at: tuple[str | int, ...]) -> _Turn:
        """One written loop."""
        layer, *rest = at
        try:
            when = self.canon.moment(loop.at)
            if when.second == 0:
                when += timedelta(seconds=self.rng.randint(0, 59))
            return _Turn(
                when,
                loop.sender,
                self.canon.render(loop.say),
                self.canon.render(loop.reply or self._reply()),
                loop.label,
                loop.source or self.channel.source,
                self.canon.render(loop.read).text,
            )
        except ScenarioError as error:
            raise ScenarioError(error.what, where=self.spec.where(str(layer), *rest), remedy=error.remedy) from None

    def _reply(self) -> str:
        """Replies in shuffled order, so that the same one comes back as late as possible."""
        if not self._replies:
            self._replies = list(self.spec.controls.replies)
            self.rng.shuffle(self._replies)
        return self._replies.pop()

    def generated(self, written: Sequence[_Turn]) -> list[_Turn]:
        """Small talk and everyday work."""
        pools = self.channel.pools or tuple(self.spec.controls.noise)
        noise = [line for pool in pools for line in self.spec.controls.noise.get(pool, ())]
        lines = [(line, "noise") for line in self._draw(noise, self.channel.noise)]
        lines += [(line, "near_signal") for line in self._draw(self.spec.controls.context, self.channel.context)]
        self.rng.shuffle(lines)
        start, until = self.canon.moment(self.channel.start), self.canon.moment(self.channel.until)
        truth = self.spec.truth
        wanted = (
            message_times(
                start,
                until,
                len(lines),
                hours=self.spec.controls.hours,
                domain=truth.domain,
                offset=truth.offset,
                rng=self.rng,
            )
            if lines
            else []
        )
        times = spaced(wanted, [turn.at for turn in written])
        return [
            _Turn(
                at,
                self._sender(),
                self._generate(line.say),
                self._generate(line.reply or self._reply()),
                label,
                self.channel.source,
            )
            for at, (line, label) in zip(times, lines, strict=True)
        ]

    def _draw(self, pool: Sequence[PoolLine], count: int) -> list[PoolLine]:
        """`count` lines, every line of the pool once before any comes again."""
        if count and not pool:
            written = "In the second edition every message is written: leave out 'noise' and 'context' there."
            raise ScenarioError(
                f"channel {self.channel.id!r} wants generated messages, and the pool is empty",
                where=self.spec.where("2-sessions", "channels", self.spec.sessions.channels.index(self.channel)),
                remedy=written if self.spec.truth.edition > 1 else "Fill a pool in 5-controls.yaml.",
            )
        found: list[PoolLine] = []
        while len(found) < count:
            deck = list(pool)
            self.rng.shuffle(deck)
            found += deck
        return found[:count]

    def _sender(self) -> str:
        names = self.channel.participants
        weights = [TIER_WEIGHTS[self.spec.truth.actors[name].tier] for name in names]
        return self.rng.choices(names, weights)[0]

    def _generate(self, template: str) -> Rendered:
        filled = _SLOT.sub(lambda found: self.rng.choice(self.spec.controls.slots[found[1]]), template)
        return self.canon.render(filled)

    def messages(self, turns: Sequence[_Turn], update: str) -> tuple[Message, ...]:
        """Messages of these loops in order of time; their claims and loops go into the material."""
        made: list[Message] = []
        prefix = f"{update}-{self.channel.id}-" if update else f"{self.channel.id}-"
        for turn in sorted(turns, key=lambda t: t.at):
            loop = self._messages(turn, prefix, len(made))
            made += loop
            for marks, message in ((turn.say.marks, loop[0]), (turn.reply.marks, loop[-1])):
                where = f"session/{self.channel.id}#{message.id}"
                self.material.claims += self.places.claims(marks, where, turn.source, update=update)
            self.material.loops.append(SpokenLoop(self.channel.id, turn.label, tuple(loop), update))
        return tuple(made)

    def _messages(self, turn: _Turn, prefix: str, count: int) -> list[Message]:
        def name() -> str:
            return f"{prefix}{count + len(made) + 1:03d}"

        made: list[Message] = []
        speaker = self.canon.text(turn.sender, "") or turn.sender
        text = f"{self._stamp(speaker, turn.at)}{turn.say.text.strip()}"
        made.append(Message(id=name(), role="user", text=text, time=_aware(self.canon, turn.at), speaker=speaker))
        at = turn.at + timedelta(seconds=self.rng.randint(9, 40))
        if turn.read:
            call = ToolCall(id=f"call_{made[0].id}", name="read", arguments={"path": turn.read})
            made.append(Message(id=name(), role="assistant", time=_aware(self.canon, at), tool_calls=(call,)))
            made.append(
                Message(
                    id=name(),
                    role="tool",
                    text=self._head(turn.read),
                    time=_aware(self.canon, at),
                    tool_call_id=call.id,
                )
            )
            at += timedelta(seconds=self.rng.randint(5, 30))
        made.append(Message(id=name(), role="assistant", text=turn.reply.text.strip(), time=_aware(self.canon, at)))
        return made

    def _stamp(self, speaker: str, at: datetime) -> str:
        if self.channel.kind == "direct":
            return ""
        title = self.canon.render(self.channel.title).text
        language = self.canon.language
        channel = channel_name(self.channel.channel, language)
        time = f"{dated(at, 'stamp', language)} {self.spec.truth.offset}"
        return f"[{channel[:1].upper()}{channel[1:]} {title} | {speaker} | {time}] "

    def _head(self, path: str) -> str:
        """The first lines of a file, up to one that is evidence: that stands in the file alone."""
        text = self.material.files.get(path)
        if text is None:
            raise ScenarioError(f"a loop of {self.channel.id!r} reads {path!r}, which is not there")
        evidence = [claim.text for claim in self.material.claims if claim.where == f"workspace/{path}"]
        lines = itertools.takewhile(lambda line: not any(part in line for part in evidence), text.splitlines()[:8])
        return "\n".join([*lines, words_of(self.canon.language)["lines"].format(count=len(text.splitlines()))])
