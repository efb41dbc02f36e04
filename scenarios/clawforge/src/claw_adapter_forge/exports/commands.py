"""A published reference in the words of this world, and what it takes for granted.

The published parser takes the word after a flag for its value and passes over what it does not know; ours refuses. So flags and
words that mean nothing there are left out here, and what has another name here gets it. What is left unknown stays, and fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from claw_adapter_forge.proof.script import Line, parse_line
from claw_adapter_forge.surfaces.grammar import Refused, Verb
from claw_adapter_forge.surfaces.oc_config import MODEL_KEY
from claw_adapter_forge.surfaces.registry import find
from claw_adapter_forge.surfaces.words import join_words, split_words
from claw_adapter_forge.tasks.slots import CLOCK
from claw_adapter_forge.world.records import Channel, Mail, Message, Place, Room, WeatherDay
from claw_adapter_forge.world.state import World
from claw_adapter_forge.world.times import add_days

__all__ = ["fill_in", "lines_of", "plain_days", "translated"]

_VERBS: dict[tuple[str, ...], tuple[str, ...]] = {
    ("openclaw", "plugins", "enable"): ("openclaw", "plugins", "install"),
    ("openclaw", "models", "set"): ("openclaw", "config", "set", MODEL_KEY),  # there, any name will do
}
_FLAGS = {
    "poll-question": "question",
    "poll-option": "options",
    "message-id": "id",
    "agent": "name",
    "emoji": "identity",
}
_LISTS = ("options", "targets")
"""Flags with several words after them, or there several times; here they are separated by commas."""
_CHANNEL = "telegram"
"""Where messages go that name no channel."""


def translated(text: str) -> str:
    """One published command as this world has it; unchanged where it is no command here."""
    try:
        words = split_words(text)
    except Refused:
        return text
    words = [*_VERBS.get(tuple(words[:3]), words[:3]), *words[3:]]
    verb, size = find(words)
    if not isinstance(verb, Verb):
        return text
    flags, loose = _taken_apart(verb, words[size:])
    if "channel" in verb.index and verb.index["channel"].required:
        flags.setdefault("channel", [_CHANNEL])
    given = [part for arg in verb.args for part in flags.pop(arg.name, [])]
    loose = [*given, *loose]
    if not any(arg.rest for arg in verb.args):
        loose = loose[: len(verb.args)]
    made = [*words[:size], *loose]
    for name, values in flags.items():
        switch = verb.index[name].kind == "switch"
        made += [f"--{name}", *([] if switch else [",".join(values) if name in _LISTS else values[-1]])]
    return join_words(made)


def _taken_apart(verb: Verb, words: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """The values of the flags (and of arguments given as flags) that the verb has, and the other words."""
    flags: dict[str, list[str]] = {}
    loose: list[str] = []
    known = {*verb.index, *(arg.name for arg in verb.args)}
    at = 0
    while at < len(words):
        word = words[at]
        at += 1
        if not word.startswith("--"):
            loose.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        name = name if name in known else _FLAGS.get(name, name)
        values = [value] if equals else []
        while at < len(words) and not words[at].startswith("--") and not equals:
            values.append(words[at])
            at += 1
        kept = values if name in _LISTS else values[:1]
        if name in known and (kept or verb.index[name].kind == "switch"):
            flags.setdefault(name, []).extend(kept)
            loose += values[1:] if name in verb.index and verb.index[name].kind == "switch" else []
    return flags, loose


def lines_of(reference: tuple[str, ...]) -> Iterator[Line]:
    """The commands that can be taken apart."""
    for text in reference:
        try:
            line = parse_line(text)
        except Refused:
            continue
        if line.words:
            yield line


def plain_days() -> tuple[WeatherDay, ...]:
    """A week of weather that decides nothing."""
    return tuple(WeatherDay(add_days(CLOCK[:10], i), "cloudy", 10, 60) for i in range(7))


def fill_in(world: World, lines: list[Line], private: Mapping[str, Any]) -> None:
    """What the reference takes for granted: mails it names, channels and messages it uses, places whose weather it asks for.

    Mails have the words that the specification expects in them; channels that are posted to before any login are logged in.
    """
    told = [str(private.get(key, "")) for key in ("expected_query", "expected_body_snippet")]
    subject, body = str(private.get("expected_subject", "review budget")), " ".join(told).strip()
    for line in lines:
        key = line.flag("id")
        if line.words[0] == "email" and key and world.get("mails", key, Mail) is None:
            world.put("mails", Mail(key, "someone@example.com", ("me@example.com",), subject, body, CLOCK[:10]))
        if name := line.flag("channel"):
            _channel(world, line, name)
        if line.words[:3] == ("openclaw", "message", "react") and world.get("messages", key, Message) is None:
            world.put("messages", Message(key, _CHANNEL, "@someone", "hello"))
        place = line.flag("location")
        if place and world.get("weather", place, Place) is None and line.words[0] == "weather":
            world.put("weather", Place(place, 0.0, 0.0, plain_days()))


def _channel(world: World, line: Line, name: str) -> None:
    posts = line.words[:2] == ("openclaw", "message")
    channel = world.get("channels", name, Channel) or Channel(name, "connected" if posts else "logged-out")
    named = [line.flag("target"), *line.flag("targets").split(",")]
    known = {room.target for room in channel.rooms}
    rooms = (
        *channel.rooms,
        *(Room(target, target) for target in dict.fromkeys(named) if target and target not in known),
    )
    world.put("channels", Channel(name, channel.status, rooms, channel.settings))
