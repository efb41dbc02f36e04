"""Instruction texts. Gap completion: H existing state, L completion gap, P interrupted resume."""

from __future__ import annotations

from collections.abc import Mapping

from claw_adapter_forge.tasks.spec import Style

__all__ = ["TEXTS"]

TEXTS: Mapping[str, Mapping[Style, tuple[str, ...]]] = {
    "existing_state_followthrough": {
        "brief": (
            (
                "Audit the {city} site kit (next step on the board, review on the calendar, recurring check), add the "
                "one piece that is missing as the kit's note says (or enable the check if it is only paused), leave "
                "the rest, and mail {to} a recap with the kit's owner. Local time is {zone}."
            ),
            (
                "Of the three pieces of the {city} site kit (board step, calendar review, recurring check) one is "
                "missing, or a check that is only paused: add it by the note kept with the others, or enable it, touch "
                "nothing else, and send {to} a recap mail naming the owner. The kit runs on {zone} time."
            ),
        ),
        "underspecified": (
            (
                "The {city} site kit is only partly in place ({zone} time). A complete one has a step on the board, a "
                "review on the calendar and a recurring check that is not paused, and what we have carries a note on "
                "all of it. {to} would like a recap by mail once it is whole, with the owner's name."
            ),
            (
                "Someone stopped halfway with the {city} site kit, the usual step, review and recurring check (one "
                "that runs), {zone} time. Please make it whole from the note it carries, and mail {to} who owns it "
                "when you have."
            ),
        ),
    },
    "completion_gap_followthrough": {
        "brief": (
            (
                "Read the release note {file} for {city}, write the handoff file it names with owner, sync time and "
                "the default model in use, and add what is missing of the next step (board) and the sync (calendar, "
                "{zone})."
            ),
            (
                "Finish the {city} release from its release note {file}: handoff file with owner, sync time and "
                "current default model; then the next step on the board and the sync on the calendar ({zone}), each "
                "only if it is not there."
            ),
        ),
        "underspecified": (
            (
                "Part of the {city} release is in motion ({zone} time). The release note {file} says what a finished "
                "one has: a next step on the board, a sync on the calendar, and a handoff file, which should tell the "
                "owner, the sync time and the default model we are on. Fill the gap and leave the rest alone."
            ),
            (
                "What is still missing for {city} can be told from the release note {file} and from what is on board "
                "and calendar ({zone}). The handoff file it names is not written yet; people want to read in it who "
                "owns it, when the sync is, and which default model is set."
            ),
        ),
    },
    "interrupted_workflow_resume": {
        "brief": (
            (
                "The {city} work was interrupted; its journal is {file}. Do only the step it lists as pending (values "
                "for a dry or a wet day go by today's forecast), keep all that is there, and mail {to} a recap that "
                "says the work is finished and names the owner. Local time is {zone}."
            ),
            (
                "Resume the interrupted {city} work from its journal {file}: carry out the pending step alone, dry or "
                "wet values by today's forecast, change nothing that is done, and send {to} a recap mail saying that "
                "it is finished and naming the owner. Local time is {zone}."
            ),
        ),
        "underspecified": (
            (
                "Work on {city} was interrupted in the middle, and its journal {file} tells how far it got. {to} is "
                "waiting for a recap mail that it is finished, with the owner's name. Where it says dry or wet it "
                "means today's forecast there; {zone} is the local time, and what is done should stay as it is."
            ),
            (
                "Whoever was interrupted in the {city} work left a journal, {file}. Pick up where it stops, without "
                "doing anything twice; dry and wet are about today's forecast, times are {zone}. Then let {to} know by "
                "mail that it is finished and who owns it."
            ),
        ),
    },
}
