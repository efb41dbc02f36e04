"""Instruction texts. Workflow completion: B release runbook, D daily loop, E release gate, G site review."""

from __future__ import annotations

from collections.abc import Mapping

from claw_adapter_forge.tasks.spec import Style

__all__ = ["TEXTS"]

TEXTS: Mapping[str, Mapping[Style, tuple[str, ...]]] = {
    "release_recovery_runbook": {
        "brief": (
            (
                "Tighten up the {city} release runbook: set the default model to {model}, add a line with owner "
                "and ref to {file} without losing what is in it, and add whichever of the review slot (calendar) "
                "and the decision log (board) is missing, as the runbook card says."
            ),
            (
                "For the {city} release runbook, switch the default model to {model}, append owner and ref to "
                "{file}, and fill in the one missing piece, review slot on the calendar or decision log on the "
                "board, with the card's values."
            ),
        ),
        "underspecified": (
            (
                "The {city} release runbook was left half staged. It should run on {model}, its handoff {file} "
                "should also say the owner and the ref below what it says now, and either the review slot on the "
                "calendar or the decision log on the board is not there yet; the runbook card knows the details."
            ),
            (
                "Something is missing from the {city} release runbook, a review slot on the calendar or a "
                "decision log on the board. While you complete it from its card, get the default model to {model} "
                "and a line with owner and ref into {file}, which others have written in before."
            ),
        ),
    },
    "daily_ops_commitment_loop": {
        "brief": (
            (
                "Look at today's forecast, the {zone} calendar, the board and the recurring checks for the {city} "
                "daily loop, which has a next step and a daily check; add only the one that is missing, with the "
                "dry or wet value (by today's forecast) noted on the one that is there."
            ),
            (
                "Complete the {city} daily loop: of its next step on the board and its recurring daily check one "
                "is missing. Take its due day or schedule from the other one, the dry or the wet value as today's "
                "forecast has it, and add nothing else. The calendar is on {zone} time."
            ),
        ),
        "underspecified": (
            (
                "The {city} daily loop runs on a next step on the board and a recurring daily check, and one of "
                "them is gone. The other says what it should be in dry and in wet weather; today's forecast "
                "decides. {zone} is the local time there."
            ),
            (
                "One half of the {city} daily loop (board step, recurring check) is missing, and how it should "
                "look hangs on whether today is dry or wet there; the half we have says how. Local time is "
                "{zone}."
            ),
        ),
    },
    "daily_ops_commitment_loop/checks_paused": {
        "brief": (
            (
                "The {city} daily loop has two recurring checks, one for dry days and one for wet days, and both are "
                "paused. Enable the one for today's forecast, by the schedules noted on the loop's next step, and leave "
                "the other paused. Local time is {zone}."
            ),
            (
                "Of the two paused checks of the {city} daily loop enable the one for today's weather: the next step on "
                "the board notes the schedule for dry and for wet days. Nothing else changes. Times are {zone}."
            ),
        ),
        "underspecified": (
            (
                "Nobody runs the {city} daily loop just now, its dry-day check and its wet-day check are both paused. "
                "The one for a day like today should run again; which is which can be told by the schedules on the "
                "loop's next step. Local time is {zone}."
            ),
            (
                "The {city} daily loop keeps a check for dry days and one for wet days, only one of them running at a "
                "time, and at the moment neither does. Get the right one for today going ({zone} time); the loop's next "
                "step says when each runs."
            ),
        ),
    },
    "release_gate_followthrough": {
        "brief": (
            (
                "Close the {city} release gate as its gate card says: default model, handoff file with owner and "
                "sync time, next step on the board, sync on the calendar. Leave the card itself alone."
            ),
            (
                "Get the {city} release gate done from its card: model, handoff file (owner, sync time), board "
                "next step, calendar sync. The card stays as it is."
            ),
        ),
        "underspecified": (
            (
                "The {city} release gate should be closed today, and apart from its gate card not much is there. "
                "When you are done the default model is the card's, the handoff file tells owner and sync time, "
                "and the next step and the sync are where people look for them."
            ),
            (
                "There is a gate card for the {city} release gate and hardly anything else: no next step, no sync "
                "on the calendar, no handoff file with owner and sync time, and who knows which default model. "
                "Please bring all of it in line with the card."
            ),
        ),
    },
    "ops_review_followthrough": {
        "brief": (
            (
                "Prepare today's {city} site review: of its next step and its recurring check add the missing one, "
                "then put the review on the calendar in the noted first slot, or the second if something of {city}'s "
                "is there at the first; it is a primary review if today is dry there and a backup one if wet, and its "
                "note says which. The calendar is {zone}."
            ),
            (
                "For the {city} site review check forecast, {zone} calendar, recurring checks and board. Add the "
                "missing next step or check; then schedule the review today, first slot unless {city} has something "
                "then, else second, noted as a primary (dry today) or backup (wet today) review."
            ),
        ),
        "underspecified": (
            (
                "Today's {city} site review is not set up yet. Either its next step or its recurring check is "
                "missing, and the review has to get on the calendar, a primary one if today stays dry and a backup "
                "one if wet (its note says which), in the first of its two slots in which {city} has nothing else. "
                "Local: {zone}."
            ),
            (
                "The people in {city} expect a site review today, {zone} time. Two slots are noted with what we have; "
                "the first counts unless {city} is busy then. A dry day makes it a primary review and a wet one a "
                "backup, as its note should say. The recurring check or the board's next step for it is missing too."
            ),
        ),
    },
}
