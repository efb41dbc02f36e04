"""Instruction texts. Multi-source reasoning: J multi-source decision, M branch resolution, Q contradictory sources."""

from __future__ import annotations

from collections.abc import Mapping

from claw_adapter_forge.tasks.spec import Style

__all__ = ["TEXTS"]

TEXTS: Mapping[str, Mapping[Style, tuple[str, ...]]] = {
    "multi_source_decision_followthrough": {
        "brief": (
            (
                "Decide live or async for {city} from the decision plan mail, the forecast and the {zone} calendar: "
                "count one vote each for quorum yes in the mail, a dry day today, and no blackout in {city} on today's "
                "calendar; with as many as the mail needs it is live. Live: put the call on the calendar. Async: mail "
                "{to} that it is async, naming the owner. Either way add the next step and the recurring check the "
                "mail gives."
            ),
            (
                "For {city} take the decision plan mail: quorum yes, dry weather today and a calendar without a "
                "blackout in {city} today ({zone}) are one vote each, and the mail says how many make it live. Add "
                "next step and recurring check as mailed; then the call on the calendar if live, or a mail to {to} "
                "saying it is async and naming the owner if not."
            ),
        ),
        "underspecified": (
            (
                "The decision plan for {city} came by mail. Whether it goes live depends on three things, a quorum, a "
                "dry day today, and a day without a blackout in {city} on the {zone} calendar, and on how many of them "
                "the mail asks for. A live one gets its call on the calendar, an async one a mail to {to} that says so "
                "and has the owner's name; the next step and the recurring check are needed in any case."
            ),
            (
                "{city} waits for a decision. In the decision plan mail is how many votes it takes to go live; a "
                "quorum, a dry day today, and no blackout in {city} today ({zone}) each count as one. If they suffice "
                "the call belongs on the calendar, if not {to} gets a mail saying that it is async and who owns it. "
                "The mail's next step and recurring check are to be set up whichever it is."
            ),
        ),
    },
    "branch_resolution_followthrough": {
        "brief": (
            (
                "Resolve the {city} branch review: if today is dry there and today's {zone} calendar has no blackout "
                "in {city}, put the review on the calendar in the board item's slot; otherwise mail {to} that it is "
                "async, naming the owner. Next step and check exist; do not do both."
            ),
            (
                "The {city} branch review is live on a dry day without a blackout in {city} on today's {zone} "
                "calendar: then schedule it in the slot noted on the board. In any other case send {to} the async "
                "update by mail with the owner's name. Never both, and leave board and check alone."
            ),
        ),
        "underspecified": (
            (
                "Nobody has said yet whether the {city} branch review happens live. It does when today is dry there "
                "and no blackout in {city} stands on today's calendar ({zone}), in the slot the board item gives; else "
                "{to} should hear by mail that it moves to async and who owns it. The rest of the setup is in place."
            ),
            (
                "The board and the check for the {city} branch review are ready. What is left is either its entry on "
                "the calendar ({zone}), for a dry day free of a blackout in {city}, or a mail to {to} about going "
                "async with the owner's name, for any other day."
            ),
        ),
    },
    "contradictory_source_resolution": {
        "brief": (
            (
                "Reconcile the review notes for {city}: the newest mail replaces older ones, a blackout in {city} on "
                "its review day beats the mail (async), and today's forecast counts only where the mail says by "
                "forecast (wet is async). Add next step and recurring check as mailed; then put the call on the "
                "calendar if live, or mail {to} that it is async, naming the owner. Local time is {zone}."
            ),
            (
                "The review notes for {city} disagree. Go by the newest; a blackout in {city} on the review day makes "
                "it async whatever it says, and by forecast means async on a wet day today, live on a dry one. Set up "
                "its next step and recurring check, then the call on the calendar (live) or a mail to {to} that it is "
                "async, with the owner. Local time is {zone}."
            ),
        ),
        "underspecified": (
            (
                "There is more than one review note for {city} in the mail, and calendar and forecast may say "
                "something else again. The newest note stands, unless {city} has a blackout on its review day, which "
                "always means async; by forecast means live if today is dry and async if it is wet. The note's next "
                "step and recurring check are wanted either way, its call on the calendar when live, a mail to {to} "
                "saying so, with the owner, when async. {zone} is the local time."
            ),
            (
                "Sources on the {city} review contradict each other. Trust a blackout in {city} on the review day over "
                "the newest review note (it means async), the newest note over older ones, and today's forecast only "
                "if the note leaves it to the forecast (dry is live, wet is async). What should exist afterwards: next "
                "step, recurring check, and the call on the calendar or else a mail to {to} that it is async, naming "
                "the owner. Times are {zone}."
            ),
        ),
    },
}
