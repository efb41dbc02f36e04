"""UPD: what changes between turns is seen in the next turn, once, and not before."""

from __future__ import annotations

from claw_adapter.certify.check import check
from claw_adapter.certify.checks.seed import blame
from claw_adapter.certify.demand import CheckFinding
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.script import Say, history, read
from claw_adapter.certify.standard import standard_histories, standard_main
from claw_adapter.certify.trial import KitTrial
from claw_adapter.certify.world import edit_file, edit_talk, message, session
from claw_adapter.errors import ClawError, Owner

REMEDY_FILES = "Let the harness's tools work in ctx.workspace itself; make no copy and no cache of it."


async def _reads(kit: Kit, t: KitTrial, path: str, label: str, *wanted: str) -> str:
    """What the model gets when it reads a file now."""
    turn = await kit.send(t, f"Read {path}, {kit.canary(label)}.", read(path, *wanted), Say("Read."))
    turn.answered()
    return turn.deed().text


@check(
    "UPD-004", level="silver", must="M20",
    catches="A deleted file can still be read.",
    remedy=REMEDY_FILES, needs=("turns", "update_workspace"),
)  # fmt: skip
async def deleted_file(kit: Kit) -> None:
    """There, read, deleted, gone."""
    t, word, path = await kit.shared(), kit.canary("gone"), "notes/upd-004.md"
    await t.update(edit_file(path, "new", f"short-lived {word}\n"))
    text = await _reads(kit, t, path, "before", word)
    kit.expect(word in text, f"the file reads {text[:200]!r}")
    await t.update(edit_file(path, "delete"))
    text = await _reads(kit, t, path, "after")
    kit.expect(word not in text, "the deleted file is still read")


@check(
    "UPD-005", level="silver", must="M21",
    catches="A message added to the main session never reaches the model, comes early, or comes twice.",
    remedy="In sync(), bring the main session's new messages into the native store, behind the turns so far, exactly once.",
    needs=("turns", "update_session"),
)  # fmt: skip
async def main_session_grows(kit: Kit) -> None:
    """Appended behind two turns; seen in the next one, once, and still once in the one after."""
    word, first = kit.canary("added"), kit.canary("first")
    async with kit.trial(main=standard_main()) as t:
        before = await kit.send(t, f"Start with {first}.", Say("Started."))
        before.answered()
        await t.update(edit_talk("main", "append", message("u5", "user", f"By the way: {word}.", number=50)))
        kit.absent(t.requests(), word, "a message that had not been added yet")
        after = await kit.send(t, f"Anything else, {kit.canary('next')}?", Say("Yes."))
        after.answered()
        request = max(after.requests, key=lambda item: len(item.text))
        owner = Owner.ADAPTER if word in request.text else await blame(t, word)
        kit.expect(word in request.text, f"the added message ({word!r}) is not in the next request", owner=owner)
        kit.expect(request.text.count(word) == 1, f"the added message is there {request.text.count(word)} times")
        kit.expect(
            request.text.index(word) > request.text.index(first), "the added message stands before earlier turns"
        )
        later = await kit.send(t, f"And now, {kit.canary('later')}?", Say("No."))
        later.answered()
        counts = [item.text.count(word) for item in later.requests]
        kit.expect(max(counts) == 1, f"two turns later the added message is there {max(counts)} times")


@check(
    "UPD-006", level="silver", must="M21",
    catches="A message deleted from the main session is still sent to the model, or an inserted one is not.",
    remedy="In sync(), make the native store equal to `change.after`, not only longer.",
    needs=("turns", "update_session"),
)  # fmt: skip
async def main_session_is_edited(kit: Kit) -> None:
    """Of four messages the second pair goes, one comes in front."""
    kept, gone, came = (kit.canary(name) for name in ("kept", "gone", "came"))
    past = session("main", f"First {kept}.", "Yes.", f"Second {gone}.", "Yes again.")
    async with kit.trial(main=past) as t:
        turn = await kit.send(t, f"Ready, {kit.canary()}?", Say("Ready."))
        turn.answered()
        kit.reached(turn.requests, gone, "a message of the past")
        await t.update(edit_talk("main", "delete", ranges=((3, 4),)))
        await t.update(
            edit_talk("main", "insert", message("u6", "user", f"Before all that: {came}.", number=0), after=0)
        )
        turn = await kit.send(t, f"What is left, {kit.canary('left')}?", Say("Less."))
        turn.answered()
        kit.absent(turn.requests, gone, "a message that was deleted")
        kit.reached(turn.requests, kept, "a message that was kept")
        kit.reached(turn.requests, came, "the inserted message")


@check(
    "UPD-008", level="silver", must="M21",
    catches="A session that begins during the conversation cannot be read.",
    remedy="In sync(), create sessions whose change has no `before`, under session_key(id).",
    needs=("turns", "update_session", "seed_history"),
)  # fmt: skip
async def history_begins(kit: Kit) -> None:
    """A new session, read in the next turn."""
    t, word = await kit.shared(), kit.canary("new")
    fresh = session("late-talk", kind="direct", channel="email", title="Late talk", participants=("Bo",))
    await t.update(edit_talk("late-talk", "new", message("n1", "user", f"Hello, {word}.", number=61), fresh=fresh))
    turn = await kit.send(t, f"Read the late talk, {kit.canary()}.", history("late-talk", word), Say("Read."))
    turn.answered()
    text = turn.deed().text
    owner = Owner.ADAPTER if word in text else await blame(t, word)
    kit.expect(word in text, f"the new session is not shown: {text[-300:]!r}", owner=owner)


@check(
    "UPD-009", level="silver", must="M20",
    catches="An update that fails half way leaves its first half behind for the next turn.",
    remedy=REMEDY_FILES, needs=("turns", "update_workspace"),
)  # fmt: skip
async def failed_update_is_rolled_back(kit: Kit) -> None:
    """Two actions of which the second cannot be done: the next turn reads the file as it was."""
    t, path = await kit.shared(), "notes/upd-009.md"
    old, new = kit.canary("old"), kit.canary("new")
    await t.update(edit_file(path, "new", f"as it was {old}\n"))
    try:
        await t.update(edit_file(path, "append", f"half {new}\n"), edit_file(f"{path}/below", "new", "impossible\n"))
    except ClawError as error:
        kit.note(f"refused: {error.what}")
    else:
        raise CheckFinding("the kit's impossible update was applied", owner=Owner.INTERNAL)
    text = await _reads(kit, t, path, "read", old)
    kit.expect(old in text, f"the file reads {text[:200]!r}")
    kit.expect(new not in text, "the first half of the failed update is visible")


@check(
    "UPD-010", level="silver", must="M21",
    catches="After a restart an update is lost, or applied once more.",
    remedy="Open from the checkpoint's sessions only; changes after it come through sync().",
    needs=("turns", "update_session", "resume_after_restart"),
)  # fmt: skip
async def updates_survive_a_restart(kit: Kit) -> None:
    """One update before the checkpoint, one after reopening: both are there once."""
    early, late = kit.canary("early"), kit.canary("late")
    async with kit.trial(main=standard_main(), histories=standard_histories()) as t:
        (await kit.send(t, f"Start, {kit.canary()}.", Say("Started."))).answered()
        await t.update(edit_talk("main", "append", message("e1", "user", f"Early: {early}.", number=70)))
        (await kit.send(t, f"Go on, {kit.canary('on')}.", Say("Gone on."))).answered()
        checkpoint = await t.checkpoint()
        t.world.adopt(checkpoint.sessions[0])
        async with kit.reopened(t, checkpoint) as fresh:
            await fresh.update(edit_talk("main", "append", message("l1", "user", f"Late: {late}.", number=71)))
            turn = await kit.send(fresh, f"And now, {kit.canary('now')}?", Say("Both."))
            turn.answered()
            request = max(turn.requests, key=lambda item: len(item.text))
            counts = {word: request.text.count(word) for word in (early, late)}
            kit.expect(set(counts.values()) == {1}, f"after the restart the updates are there: {counts}")
