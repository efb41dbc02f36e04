"""Instruction texts. Duplicate avoidance: I duplicate avoidance, N already done."""

from __future__ import annotations

from collections.abc import Mapping

from claw_adapter_forge.tasks.spec import Style

__all__ = ["TEXTS"]

TEXTS: Mapping[str, Mapping[Style, tuple[str, ...]]] = {
    "duplicate_avoidance_followthrough": {
        "brief": (
            (
                "The {city} ops setup has its next step and its check. Add only its review block to the calendar: the "
                "backup one, in the noted backup slot, if today's forecast there is wet, otherwise the primary one in "
                "the primary slot; its note says which it is. Local time is {zone}."
            ),
            (
                "Add one review block for the {city} ops setup to the calendar and recreate nothing: the backup one "
                "(slot as noted) if today is wet there, else the primary one, with the kind in its note. Local time "
                "is {zone}."
            ),
        ),
        "underspecified": (
            (
                "Most of the {city} ops setup is there; what it lacks is a review block on the calendar. With a wet "
                "day today it should be a backup block in the backup slot, with a dry one a primary block in the "
                "primary slot, and its note should say so. {zone} is the local time."
            ),
            (
                "The {city} ops setup ({zone}) still wants a review block: the primary one if today's forecast there "
                "is dry, the backup one if it is wet. The slots of both are noted with the setup, and the block's "
                "note says which it is. All else exists."
            ),
        ),
    },
    "already_done_skip_followthrough": {
        "brief": (
            (
                "Check the finished {city} release against its card: default model, next step, sync on the {zone} "
                "calendar. Correct only what differs from the card, and mail {to} a recap with the sync time and "
                "the model."
            ),
            (
                "Verify the finished {city} release (model, board step, calendar sync in {zone}) by its card, "
                "change nothing that agrees with it, and send {to} a recap mail with sync time and model."
            ),
        ),
        "underspecified": (
            (
                "The {city} release should be finished: model, next step and sync ({zone}) as on its card. {to} "
                "wants a recap by mail with the time of the sync and the model, and wants it to be true."
            ),
            (
                "Before {to} gets a recap mail on the finished {city} release, with the sync time and the model, "
                "somebody should make sure board, calendar ({zone}) and default model are what the card says."
            ),
        ),
    },
}
