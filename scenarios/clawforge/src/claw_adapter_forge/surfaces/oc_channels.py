"""``openclaw channels`` and ``openclaw message``."""

from __future__ import annotations

import json

from claw_adapter_forge.surfaces.grammar import Args, Flag, Refused, UsageError, Verb
from claw_adapter_forge.world.records import Channel, Message
from claw_adapter_forge.world.state import World

__all__ = ["VERBS"]


def _find(world: World, name: str) -> Channel:
    channel = world.get("channels", name, Channel)
    if channel is None:
        raise Refused(f"Channel not found: {name}")
    return channel


def _list(world: World, args: Args) -> str:
    rows = world.rows("channels", Channel)
    if args.given("json"):
        data = [
            {
                "channel": c.id,
                "status": c.status,
                "targets": [{"target": r.target, "label": r.label, "kind": r.kind} for r in c.rooms],
            }
            for c in rows
        ]
        return json.dumps(data, indent=1)
    lines = [f"  {c.id}: {c.status} ({len(c.rooms)} targets)" for c in rows]
    return "\n".join(["Channels:", *lines]) if lines else "No channels configured."


def _login(world: World, args: Args) -> str:
    channel = _find(world, args.text("channel"))
    if channel.status == "connected":
        return f"Already logged in to {channel.id}."
    world.edit("channels", channel, status="connected")
    return f"Logged in to {channel.id}."


def _add(world: World, args: Args) -> str:
    name = args.text("channel").strip()
    if not name or world.get("channels", name, Channel) is not None:
        raise Refused(f"Channel exists already or has no name: {name!r}")
    world.put("channels", Channel(name, "logged-out"))
    return f"Channel added: {name}"


def _config(world: World, args: Args) -> str:
    channel = _find(world, args.text("channel"))
    settings = dict(channel.settings) | {args.text("key"): args.text("value")}
    world.edit("channels", channel, settings=tuple(sorted(settings.items())))
    return f"Channel {channel.id} configured: {args.text('key')}"


def _remove(world: World, args: Args) -> str:
    channel = _find(world, args.text("channel"))
    world.remove("channels", channel.id)
    return f"Channel removed: {channel.id}"


def _open_channel(world: World, args: Args) -> Channel:
    channel = _find(world, args.text("channel"))
    if channel.status != "connected":
        raise Refused(
            f"Not logged in to {channel.id} ({channel.status}); `openclaw channels login --channel {channel.id}`"
        )
    return channel


def _target(channel: Channel, target: str) -> str:
    if target not in {r.target for r in channel.rooms}:
        raise Refused(f"Unknown target on {channel.id}: {target}")
    return target


def _post(world: World, channel: Channel, target: str, text: str, media: str, kind: str) -> str:
    key = world.new_id("messages")
    world.put("messages", Message(key, channel.id, target, text, media, kind))
    return key


def _send(world: World, args: Args) -> str:
    channel = _open_channel(world, args)
    target = _target(channel, args.text("target"))
    key = _post(world, channel, target, args.text("message"), args.text("media"), "send")
    return f"Message sent to {target} via {channel.id}. ID: {key}"


def _broadcast(world: World, args: Args) -> str:
    channel = _open_channel(world, args)
    targets = args.listed("targets")
    if not targets:
        raise UsageError("--targets must name at least one target")
    for target in targets:
        _target(channel, target)
    for target in targets:
        _post(world, channel, target, args.text("message"), "", "broadcast")
    return f"Message broadcast to {', '.join(targets)} via {channel.id}."


def _poll(world: World, args: Args) -> str:
    channel = _open_channel(world, args)
    text = f"{args.text('question')} [{' / '.join(args.listed('options'))}]"
    _post(world, channel, _target(channel, args.text("target")), text, "", "poll")
    return f"Poll posted to {args.text('target')}."


def _react(world: World, args: Args) -> str:
    message = world.get("messages", args.text("id"), Message)
    if message is None:
        raise Refused(f"Message not found: {args.text('id')}")
    key = world.new_id("messages")
    world.put("messages", Message(key, message.channel, message.target, args.text("emoji"), message.id, "react"))
    return f"Reacted to {message.id}."


def _search(world: World, args: Args) -> str:
    query = args.text("query").lower()
    rows = [m for m in world.rows("messages", Message) if query in m.text.lower()]
    lines = [f"  [{m.id}] {m.channel} {m.target}: {m.text}" for m in rows]
    return "\n".join([f"Messages matching '{args.text('query')}':", *lines]) if rows else "No messages found."


_CHANNEL = Flag("channel", "which channel", required=True)
_TARGET = Flag("target", "room or person on it", required=True)
_JSON = (Flag("json", "as JSON, with every target", "switch"),)


def _verb(
    word: str, text: str, run: object, flags: tuple[Flag, ...], one_of: tuple[str, ...] = (), root: str = "message"
) -> Verb:
    return Verb(("openclaw", root, word), text, run, flags, mutates=True, one_of=one_of)  # type: ignore[arg-type]  # one shape for the table below


VERBS = (
    Verb(("openclaw", "channels", "list"), "List channels and whether they are logged in.", _list, _JSON),
    Verb(("openclaw", "channels", "status"), "List channels and whether they are logged in.", _list, _JSON),
    _verb("login", "Log in to a channel.", _login, (_CHANNEL,), root="channels"),
    _verb("add", "Add a channel; it is not logged in yet.", _add, (_CHANNEL,), root="channels"),
    _verb(
        "config",
        "Change a channel's setting.",
        _config,
        (_CHANNEL, Flag("key", "which setting", required=True), Flag("value", "new value", required=True)),
        root="channels",
    ),
    _verb("remove", "Remove a channel.", _remove, (_CHANNEL,), root="channels"),
    _verb(
        "send",
        "Post to one target.",
        _send,
        (_CHANNEL, _TARGET, Flag("message", "text"), Flag("media", "file to attach")),
        ("message", "media"),
    ),
    _verb(
        "broadcast",
        "Post to several targets of a channel.",
        _broadcast,
        (_CHANNEL, Flag("targets", "separated by commas", required=True), Flag("message", "text", required=True)),
    ),
    _verb(
        "poll",
        "Post a question with options.",
        _poll,
        (
            _CHANNEL,
            _TARGET,
            Flag("question", "text", required=True),
            Flag("options", "separated by commas", required=True),
        ),
    ),
    _verb(
        "react",
        "React to a message.",
        _react,
        (Flag("id", "the message's id", required=True), Flag("emoji", "what", required=True)),
    ),
    Verb(
        ("openclaw", "message", "search"),
        "Find posted messages.",
        _search,
        (Flag("query", "words to look for", required=True),),
    ),
)
