"""The certification kit: proves, offline and through the model's eyes, that an adapter keeps its contract.

A scripted model on loopback answers the harness; checks look at the *requests* that come. How a check is written::

    # claw_adapter/certify/checks/turn.py
    from claw_adapter.certify.check import check
    from claw_adapter.certify.kit import Kit
    from claw_adapter.certify.script import read, say

    @check(
        "TURN-014",                      # AREA-nnn: stays for ever; the area names the module
        level="bronze",                  # bronze, silver or gold
        must="M14",                      # one MUST of docs/spec/claw-1.md
        catches="The text of an earlier step is part of the answer.",
        remedy="Return only what the model said after its last tool result.",
        needs=("turns",),                # capabilities without which it does not apply
    )
    async def only_the_final_reply(kit: Kit) -> None:
        t = await kit.shared()           # or: async with kit.trial(main=…, histories=…, files=…) as t
        word = kit.canary()
        turn = await kit.send(t, f"Look it up: {word}", read(kit.past.file), say(f"It is {word}."))
        turn.answered()                  # an answer, no error
        kit.expect(word in turn.text, "the answer is not the last reply")

Rules: prompts hold a canary (``kit.canary()``); the model is scripted by purpose (`read`, `write`, `run`, `say`,
`fail`, `hang`), never by a tool's name; a check makes demands through ``kit.expect`` (or `CheckFinding`), with a text that says
what was seen and a remedy that says what to change. Any exception but `CheckFinding` and `Unverified` is a fault of the kit.
Checks are independent: one may spoil the shared conversation only by accident; what fails on purpose uses ``kit.trial``.
``t.requests()``, ``t.processes()``, ``t.files()``, ``t.checkpoint()``, ``t.cancel()``,
``t.close()`` and ``kit.reopened(t, checkpoint)`` do what they say. The id must stand in a requirement set
(requirements/*.toml), at its level or under ``not_scored`` with a reason.

Modules: `demand` (what is asked), `check` (registry), `script` and `director` (the model), `trial`, `turn`, `world`, `bench`,
`kit` (driving the harness), `requirements`, `judge`, `baseline`, `digests`, `certificate` (what follows from outcomes),
`records`, `terminal`, `junit`, `page`, `badge` (reports), `suite` (the pytest form).
"""

from __future__ import annotations

__all__: list[str] = []
