"""Instruction texts. State repair: K state repair, O wrong-state replacement."""

from __future__ import annotations

from collections.abc import Mapping

from claw_adapter_forge.tasks.spec import Style

__all__ = ["TEXTS"]

TEXTS: Mapping[str, Mapping[Style, tuple[str, ...]]] = {
    "state_repair_followthrough": {
        "brief": (
            (
                "The {city} release setup does not fit its repair card: the open next step, the sync on the calendar "
                "({zone}) or the default model is out of date, and not all of it is there. Put it right, write the "
                "handoff file the card names with owner and sync time, and leave exactly one open next step and one "
                "sync, both as on the card."
            ),
            (
                "Repair the {city} release setup ({zone}) by its repair card. One of next step, sync and default "
                "model is out of date; afterwards there is one open next step and one sync as the card has them, "
                "the card's model, and the named handoff file with owner and sync time."
            ),
        ),
        "underspecified": (
            (
                "Plans for {city} moved, and something in the release setup was not moved with them; the repair "
                "card has the present values for next step, sync ({zone}) and model. In the end people should "
                "find one open next step, one sync, the right default model, and a handoff file as named on the "
                "card telling owner and sync time."
            ),
            (
                "The {city} release setup has something stale in it, board, calendar ({zone}) or default model, "
                "while the repair card is up to date. We also have no handoff file yet with the owner and the "
                "sync time. Once you are through, the one open next step and the one sync should be the card's."
            ),
        ),
    },
    "wrong_state_replacement_followthrough": {
        "brief": (
            (
                "For the {city} release either the next step or the sync ({zone}) was staged under the void ref of "
                "the replacement card, or the default model is wrong. Retire a wrong next step and put up the right "
                "one as a new item, replace or move a wrong sync, correct a wrong model, and add what is missing; "
                "next step and sync must end up as on the card."
            ),
            (
                "Replace what was staged wrong for the {city} release, by its replacement card: whatever carries "
                "the void ref, or a default model that is not the card's. A wrong next step is retired and a new "
                "item takes its place. In the end next step and sync ({zone}) are there as the card has them; all "
                "else stays."
            ),
        ),
        "underspecified": (
            (
                "Somebody set up the {city} release under the wrong ref, or on the wrong model; the replacement "
                "card knows which ref is void. A wrong next step should be closed or removed and a fresh item be "
                "there instead. After that the next step and the sync ({zone}) should stand as on the card, next "
                "to what was right."
            ),
            (
                "The replacement card for {city} disagrees with what is staged on board, calendar ({zone}) or in "
                "the model setting. What is wrong should not stay active, what the card asks for (a next step, "
                "new if the staged one is void, a sync, a model) should be there, and valid neighbours untouched."
            ),
        ),
    },
}
