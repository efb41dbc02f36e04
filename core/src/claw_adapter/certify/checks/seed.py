"""SEED: the past that a conversation starts with reaches the model, and comes out of a checkpoint as it went in."""

from __future__ import annotations

from collections.abc import Sequence

from claw_adapter.certify.check import check
from claw_adapter.certify.demand import CheckFinding
from claw_adapter.certify.director import Request
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.script import Say, read
from claw_adapter.certify.standard import FILE, MAIN, standard_histories, standard_main
from claw_adapter.certify.trial import KitTrial
from claw_adapter.certify.world import message, session
from claw_adapter.endpoint.replay.normal import Normaliser
from claw_adapter.errors import Owner
from claw_adapter.protocol import Message, Session
from claw_adapter.workspace.layout import render_history

MANY = 1000


async def _first(kit: Kit) -> tuple[KitTrial, Request]:
    """The shared conversation and its very first request that holds something of the past."""
    t = await kit.shared()
    opening = t.requests("opening.1")
    kit.rounds.append((t.name, "opening.1"))
    kit.expect(opening, "the first turn of the conversation brought no request")
    return t, max(opening, key=lambda request: len(request.text))


async def blame(t: KitTrial, text: str) -> Owner:
    """Whose fault it is that a text does not reach the model: the harness's, if its own store has it."""
    try:
        checkpoint = await t.checkpoint()
    except CheckFinding as finding:
        if finding.broken:
            raise
        return Owner.ADAPTER
    kept = any(text in m.model_dump_json() for s in checkpoint.sessions for m in s.messages)
    return Owner.HARNESS if kept else Owner.ADAPTER


@check(
    "SEED-001", level="silver", must="M7",
    catches="The main session is not there in the first turn, or some of its messages are missing.",
    remedy="Render ctx.main into the harness's native store before the first turn, every message of it.",
    needs=("turns", "seed_main"),
)  # fmt: skip
async def main_session_reaches_the_model(kit: Kit) -> None:
    """Every text of the main session is in the first request, in order."""
    t, first = await _first(kit)
    places = []
    for name in ("question", "answer", "speaker", "result", "odd", "last"):
        if MAIN[name] not in first.text:
            raise CheckFinding(
                f"{MAIN[name]!r} ({name}) of the main session is not in the first request",
                remedy=kit.check.remedy, owner=await blame(t, MAIN[name]),
            )  # fmt: skip
        places.append(first.text.index(MAIN[name]))
    kit.expect(places == sorted(places), f"the messages are not in their order: positions {places}")


@check(
    "SEED-002", level="silver", must="M7",
    catches="The past arrives as one block of text: who said what is lost.",
    remedy="Keep roles: what the assistant said must be an assistant message of the request.",
    needs=("turns", "seed_main"),
)  # fmt: skip
async def roles_are_kept(kit: Kit) -> None:
    """User texts in user messages, assistant texts in assistant messages."""
    _, first = await _first(kit)
    for name, role in (("question", "user"), ("answer", "assistant"), ("odd", "user"), ("last", "assistant")):
        where = [found for found, text in first.said if MAIN[name] in text]
        kit.expect(where == [role], f"{name} was said by the {role} and stands in messages of {where}")


def _calls(item: object) -> list[dict[str, object]]:
    calls = item.get("tool_calls") if isinstance(item, dict) else None
    return [call for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []


@check(
    "SEED-005", level="silver", must="M7",
    catches="A long past is cut: only the latest messages, or those below some limit, reach the model.",
    remedy="Lift the limits on messages and context in the harness's configuration, or say in `notes` what it drops.",
    needs=("turns", "seed_main"),
)  # fmt: skip
async def a_thousand_messages(kit: Kit) -> None:
    """A main session of 1,000 messages, each with a number of its own."""
    word = kit.canary()
    texts = [f"{word} number {number:04d}." for number in range(MANY)]
    async with kit.trial(main=session("main", *texts)) as t:
        turn = await kit.send(t, f"How many were there, {kit.canary('ask')}?", Say("A thousand."))
        turn.answered()
        first = max(turn.requests, key=lambda request: len(request.text))
        missing = [number for number in range(MANY) if f"number {number:04d}." not in first.text]
        kit.note(f"{MANY - len(missing)} of {MANY} messages in the request, of {len(first.text)} characters")
        owner = await blame(t, f"number {missing[0]:04d}.") if missing else Owner.ADAPTER
        kit.expect(
            not missing,
            f"{len(missing)} of {MANY} messages are missing, the first is number {missing[:1]}",
            owner=owner,
        )


@check(
    "SEED-007", level="silver", must="M28",
    catches="The native store loses or changes something of a history: roles, texts, order, channel, title.",
    remedy="Make read(write(sessions)) == sessions; keep what the format has no place for in metadata of its own.",
    needs=("turns", "seed_history"),
)  # fmt: skip
async def histories_round_trip(kit: Kit) -> None:
    """The checkpoint's histories are those that were given; where they are files, the files are as core wrote them."""
    t = await kit.shared()
    checkpoint = await t.checkpoint()
    if kit.capabilities.seed_history == "files":
        for given in t.world.histories.values():
            text = (t.ctx.workspace / t.world.history_file(given.id)).read_text("utf-8")
            kit.expect(text == render_history(given), f"the file of history {given.id!r} was changed by the harness")
        kit.expect(
            len(checkpoint.sessions) == 1, f"the checkpoint has {len(checkpoint.sessions)} sessions, and one was given"
        )
        return
    found = {item.id: item for item in checkpoint.sessions[1:]}
    for given in standard_histories():
        kit.expect(given.id in found, f"history {given.id!r} is not in the checkpoint, which has {sorted(found)}")
        _same_messages(kit, given, found[given.id].messages)
        for name in ("kind", "channel", "title", "participants"):
            before, after = getattr(given, name), getattr(found[given.id], name)
            kit.expect(before == after, f"{name} of {given.id!r} was {before!r} and came back as {after!r}")


@check(
    "SEED-008", level="silver", must="M28",
    catches="The main session comes out of the native store changed: tool calls, speakers or order are lost.",
    remedy="Make read(write(sessions)) == sessions for the main session too.",
    needs=("turns", "seed_main"),
)  # fmt: skip
async def main_round_trip(kit: Kit) -> None:
    """The checkpoint's main session begins with what was given."""
    checkpoint = await (await kit.shared()).checkpoint()
    given = standard_main()
    kit.expect(checkpoint.sessions[0].id == given.id, f"the main session came back as {checkpoint.sessions[0].id!r}")
    _same_messages(kit, given, checkpoint.sessions[0].messages[: len(given.messages)])


def _same_messages(kit: Kit, given: Session, found: Sequence[Message]) -> None:
    kit.expect(
        len(found) >= len(given.messages),
        f"{given.id!r} had {len(given.messages)} messages and came back with {len(found)}",
    )
    for before, after in zip(given.messages, found, strict=False):
        for name in ("role", "text"):
            was, now = getattr(before, name), getattr(after, name)
            kit.expect(
                was == now, f"{name} of message {before.id} of {given.id!r} was {was!r} and came back as {now!r}"
            )
        was_calls = [(call.name, call.arguments) for call in before.tool_calls]
        now_calls = [(call.name, call.arguments) for call in after.tool_calls]
        kit.expect(
            was_calls == now_calls, f"tool calls of message {before.id} were {was_calls}, came back as {now_calls}"
        )
        changed = [name for name in ("id", "time", "speaker") if getattr(before, name) != getattr(after, name)]
        if changed and not kit.warnings:
            kit.warn(f"{given.id!r}: {', '.join(changed)} of message {before.id} changed; list it in the documentation")


@check(
    "SEED-010", level="silver", must="M24",
    catches="Something the harness remembers besides its sessions is lost in a restart: the next request is another one.",
    remedy="Put what the harness keeps outside of sessions into Checkpoint.files, and restore it in open().",
    needs=("turns", "resume_after_restart"),
)  # fmt: skip
async def nothing_else_is_forgotten(kit: Kit) -> None:
    """The same turn in the old conversation and in one opened from the checkpoint before it: equal requests."""
    same = f"Go on, {kit.canary('same')}."
    async with kit.trial(main=standard_main(), files={FILE: "one line\n"}) as t:
        (await kit.send(t, f"Read the plan, {kit.canary()}.", read(FILE), Say("I have read it."))).answered()
        checkpoint = await t.checkpoint()
        old = await kit.send(t, same, Say("Going on."))
        old.answered()
        async with kit.reopened(t, checkpoint) as fresh:
            new = await kit.send(fresh, same, Say("Going on."))
            new.answered()
    before, after = (_conversation(turn.requests[0]) for turn in (old, new))
    kit.note(f"{len(before)} messages before, {len(after)} after the restart")
    kit.expect(
        len(before) == len(after), f"the request had {len(before)} messages and has {len(after)} after the restart"
    )
    for number, (one, other) in enumerate(zip(before, after, strict=True)):
        kit.expect(one == other, f"message {number} was {one!r} and is {other!r} after the restart")


def _conversation(request: Request) -> list[tuple[str, str]]:
    """Messages but the system prompt, without times, ids and places."""
    normal = Normaliser()
    return [(role, normal.text(text)) for role, text in request.said if role not in ("system", "developer")]


@check(
    "SEED-011", level="silver", must="M25",
    catches="Two conversations share a store: what is said in one shows up in the other.",
    remedy="Give every conversation a store of its own below ctx.state_dir.",
    needs=("turns", "isolation_of_state"),
)  # fmt: skip
async def conversations_are_apart(kit: Kit) -> None:
    """Two at a time, with the same session ids."""
    words = {name: kit.canary(name) for name in ("left", "right")}
    seeds = {name: session("main", f"This is the {name} one: {word}.", "Yes.") for name, word in words.items()}
    async with kit.trial(main=seeds["left"]) as left, kit.trial(main=seeds["right"]) as right:
        for t, own, other in ((left, "left", "right"), (right, "right", "left"), (left, "left", "right")):
            turn = await kit.send(t, f"Which one, {kit.canary(own + 'ask')}?", Say(f"The {own} one."))
            turn.answered(f"The {own} one.")
            kit.reached(turn.requests, words[own], "the conversation's own past")
            kit.absent(turn.requests, words[other], "the past of another conversation")


@check(
    "SEED-012", level="silver", must="M7",
    catches="A past that ends with an open question, or begins with the assistant, is repaired by dropping messages.",
    remedy="Write the past as it is; where the harness insists on turns, add something instead of dropping.",
    needs=("turns", "seed_main"),
)  # fmt: skip
async def odd_shapes(kit: Kit) -> None:
    """The assistant speaks first, two user messages follow each other, the last one was never answered."""
    words = [kit.canary(name) for name in ("greeting", "one", "two", "reply", "open")]
    roles = ("assistant", "user", "user", "assistant", "user")
    past = session("main").with_messages(
        [
            message(f"m{n}", role, f"{role} says {word}", number=n)
            for n, (role, word) in enumerate(zip(roles, words, strict=True))
        ]
    )
    async with kit.trial(main=past) as t:
        turn = await kit.send(t, f"Now then, {kit.canary('now')}.", Say("Fine."))
        turn.answered()
        for word in words:
            kit.reached(turn.requests, word, "a message of the past")
