"""TOK: what is reported is what was used, under the name it was declared with; what is stored is what was sent."""

from __future__ import annotations

from claw_adapter.certify.check import check
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.script import read, say
from claw_adapter.certify.trial import KitTrial
from claw_adapter.certify.turn import Turn
from claw_adapter.certify.world import session


async def _two_turns(kit: Kit) -> tuple[KitTrial, list[Turn]]:
    """In the shared conversation: a turn with a tool call, then one without."""
    t = await kit.shared()
    one = await kit.send(t, f"Read the plan, {kit.canary('one')}.", read(kit.past.file), say("It has four lines."))
    two = await kit.send(t, f"Thank you, {kit.canary('two')}.", say("You are welcome."))
    return t, [one.answered(), two.answered()]


@check(
    "TOK-001", level="silver", must="M18",
    catches="Usage is declared and not reported, or reported under another meaning than declared.",
    remedy="Return ReportedUsage with the declared kind in every turn, or declare usage='none'.",
    needs=("turns", "usage"),
)  # fmt: skip
async def usage_is_reported(kit: Kit) -> None:
    """Every turn has a usage of the declared kind, with counts."""
    _, turns = await _two_turns(kit)
    for turn in turns:
        usage = turn.result.usage
        kit.expect(
            usage is not None, f"the turn {turn.prompt!r} reports no usage, declared is {kit.capabilities.usage!r}"
        )
        if usage is not None:
            kit.expect(
                usage.kind == kit.capabilities.usage, f"reported is {usage.kind!r}, declared {kit.capabilities.usage!r}"
            )
            kit.expect(usage.input > 0 and usage.output > 0, f"the counts are {usage.input} and {usage.output}")


@check(
    "TOK-003", level="silver", must="M23",
    catches="The native store's export and what the model was sent differ: scores and token tables describe another talk.",
    remedy="Let checkpoint() read the session as the harness sends it: every message, in order, with its tool calls.",
    needs=("turns",),
)  # fmt: skip
async def export_equals_requests(kit: Kit) -> None:
    """Every message of the exported main session is in the last request (or is the last reply), in order."""
    past = session("main", f"Seed {kit.canary('seed')}.", f"Reply {kit.canary('reply')}.")
    final = f"It has one line: {kit.canary('final')}."
    async with kit.trial(main=past, files={kit.past.file: f"only line {kit.canary('line')}\n"}) as t:
        (await kit.send(t, f"Hello, {kit.canary('hello')}.", say(f"Hello {kit.canary('back')}."))).answered()
        turn = await kit.send(t, f"Read the plan, {kit.canary('read')}.", read(kit.past.file), say(final))
        turn.answered()
        exported = (await t.checkpoint()).sessions[0].messages
    sent = [(role, text) for role, text in turn.requests[-1].said if role not in ("system", "developer")]
    sent.append(("assistant", final))
    told, at, end = "told" in kit.capabilities.renderings, 0, 0
    for message in exported:
        if not (text := message.text.strip()):
            continue
        places = [
            (n, found + len(text))
            for n in range(at, len(sent))
            if (sent[n][0] == message.role or told) and (found := sent[n][1].find(text, end if n == at else 0)) >= 0
        ]
        kit.expect(places, f"exported but not sent (in this order): {message.role} {message.text[:120]!r}")
        at, end = places[0]
    texts, went = ("\n".join(said) for said in ([one.text for one in exported], [text for _, text in sent]))
    for label in ("seed", "reply", "hello", "back", "read", "line", "final"):
        missing = kit.canary(label) in went and kit.canary(label) not in texts  # a tool may show it in pieces
        kit.expect(not missing, f"sent but not exported: {label} ({kit.canary(label)})")
    results = [message.role for message in exported if message.role == "tool" and message.text.strip()]
    roles = [message.role for message in exported]
    kit.expect(results, f"the tool result is not in the export, whose roles are {roles}")


@check(
    "TOK-004", level="gold", must="M31",
    catches="Equal trials send different requests: a recorded run cannot be replayed, and results differ by chance.",
    remedy="Pin clocks, ids and orders where the harness lets you; else declare deterministic_replay as unsupported.",
    needs=("turns", "deterministic_replay"),
)  # fmt: skip
async def replay_digest(kit: Kit) -> None:
    """The same trial three times: the digests of all requests are equal, but for times, ids and places."""
    digests = [await _digests(kit) for _ in range(3)]
    kit.note(f"{len(digests[0])} requests, digest {digests[0][-1][-1][:16] if digests[0] else ''}")
    for number, other in enumerate(digests[1:], start=2):
        kit.expect(
            len(other) == len(digests[0]), f"trial {number} sent {len(other)} requests, the first {len(digests[0])}"
        )
        for at, (one, two) in enumerate(zip(digests[0], other, strict=True), start=1):
            differing = [n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b]
            kit.expect(
                one == two, f"request {at} of trial {number} differs in part {differing[:3]} (0: tools, then messages)"
            )


async def _digests(kit: Kit) -> list[tuple[str, ...]]:
    from claw_adapter.endpoint.replay.normal import Normaliser

    past = session("main", f"Seed {kit.canary('seed')}.", "Yes.")
    async with kit.trial(main=past, files={kit.past.file: "one line\n"}) as t:
        (await kit.send(t, f"Read the plan, {kit.canary('read')}.", read(kit.past.file), say("One line."))).answered()
        (await kit.send(t, f"Thank you, {kit.canary('thanks')}.", say("Welcome."))).answered()
        normal = Normaliser([str(t.folder)])
        return [normal.digests(list(request.messages), list(request.tools)) for request in t.requests()]
