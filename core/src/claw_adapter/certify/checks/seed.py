"""SEED: a long past reaches the model, and sessions come out of a checkpoint as they went in."""

from __future__ import annotations

from collections.abc import Sequence

from claw_adapter.certify.check import check
from claw_adapter.certify.demand import CheckFinding
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.script import say
from claw_adapter.certify.trial import KitTrial
from claw_adapter.certify.world import session
from claw_adapter.errors import Owner
from claw_adapter.protocol import Message, Session
from claw_adapter.workspace.layout import render_history

MANY = 1000


async def _blame(t: KitTrial, text: str) -> Owner:
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
        turn = await kit.send(t, f"How many were there, {kit.canary('ask')}?", say("A thousand."))
        turn.answered()
        first = max(turn.requests, key=lambda request: len(request.text))
        missing = [number for number in range(MANY) if f"number {number:04d}." not in first.text]
        kit.note(f"{MANY - len(missing)} of {MANY} messages in the request, of {len(first.text)} characters")
        owner = await _blame(t, f"number {missing[0]:04d}.") if missing else Owner.ADAPTER
        kit.expect(
            not missing,
            f"{len(missing)} of {MANY} messages are missing, the first is number {missing[:1]}",
            owner=owner,
        )


@check(
    "SEED-007", level="silver", must="M28", shows="conversations",
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
    for given in kit.past.histories:
        kit.expect(given.id in found, f"history {given.id!r} is not in the checkpoint, which has {sorted(found)}")
        _same_messages(kit, given, found[given.id].messages)
        for name in ("kind", "channel", "title", "participants"):
            before, after = getattr(given, name), getattr(found[given.id], name)
            kit.expect(before == after, f"{name} of {given.id!r} was {before!r} and came back as {after!r}")


@check(
    "SEED-008", level="silver", must="M28", shows="conversations",
    catches="The main session comes out of the native store changed: tool calls, speakers or order are lost.",
    remedy="Make read(write(sessions)) == sessions for the main session too.",
    needs=("turns", "seed_main"),
)  # fmt: skip
async def main_round_trip(kit: Kit) -> None:
    """The checkpoint's main session begins with what was given."""
    checkpoint = await (await kit.shared()).checkpoint()
    given = kit.past.main
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
