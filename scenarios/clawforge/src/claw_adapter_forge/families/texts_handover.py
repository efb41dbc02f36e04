"""What people wrote for a handover: requests, mails, job lists, forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claw_adapter_forge.tasks.spec import Style

__all__ = ["FILLER", "FORMS", "RULE", "TEXTS", "jobs_text", "mail_text"]

TEXTS: Mapping[Style, tuple[str, ...]] = {
    "brief": (
        "Please finish the {topic} handover in {city}. {to} is the one who waits for it.",
        "The {topic} handover for {city} was left open: take it over and bring it to its end, {to} is waiting.",
    ),
    "underspecified": (
        (
            "Could you take over what was left of {topic} in {city}? There is a handover in the mail, and {to} keeps asking "
            "me when it will be finished."
        ),
        (
            "I promised {to} that the {topic} business in {city} would be off our desks today, and then its owner went on "
            "leave. The handover is somewhere in your inbox; please see it through."
        ),
    ),
}

RULE = (
    " 10. An office whose handover names a form uses the labels of that form in all its texts, in place of those of rule 3; "
    "what they mean and when they are needed stays the same."
)

FORMS: Mapping[str, tuple[str, ...]] = {
    "city": ("Site", "Office", "Branch"),
    "ref": ("Job", "File no", "Case"),
    "owner": ("Responsible", "Lead", "In charge"),
    "mode": ("Format", "Held", "Setting"),
    "severity": ("Level", "Impact", "Grade"),
    "model": ("Engine", "Assistant", "Runs on"),
    "status": ("State", "Progress", "Stage"),
}
"""Fact → labels that a form may give it."""

FILLER = (
    "The printer on the second floor has been repaired twice this month.",
    "Whoever borrowed the long ladder should bring it back before the weekend.",
    "We agreed to keep the old folder until the audit is over.",
    "The keys are with reception, as always.",
    "Please do not move the plants, they have found their light.",
    "Lunch on Thursday is at the usual place.",
    "Two of the chairs went to the annex and may stay there.",
    "The cleaning plan hangs beside the kitchen door.",
)

_JOBS = {
    "call": (
        "It is live if today is dry in {city} and {city} has no blackout on the day of the call, otherwise async. Live: it "
        "goes on the calendar. Async: no entry, but a mail to whoever waits for the handover, with mode and owner."
    ),
    "step": "A next step on the board: due by how the call turned out (live or async), priority as on the card.",
    "check": "A recurring check, on the schedule for how the call turned out.",
    "handoff": "A new handoff file with the owner and the default model in use.",
    "post": "A message to the {city} ops room with the severity, log in to the channel if needed.",
}


def mail_text(city: str, jobs: str, form: str, talk: Sequence[str]) -> str:
    """The handover's mail."""
    lines = [f"I am away from today on, so this is how things stand in {city}.", *talk, f"job list: {jobs}"]
    return "\n".join([*lines, *([f"form: {form}"] if form else []), "Corrections came by mail, the latest one holds."])


def jobs_text(city: str, jobs: Sequence[tuple[str, str]], desks: str, talk: Sequence[str]) -> str:
    """The list of jobs, in order, and what is to be done at the end."""
    lines = [f"Jobs in {city}, one after the other. Each has a card on the board.", *talk[:4]]
    lines += [f"{i}. {kind}, {ref}. {_JOBS[kind].format(city=city)}" for i, (kind, ref) in enumerate(jobs, 1)]
    return "\n".join(
        [
            *lines,
            "Cards name a desk for each way the call may turn out; who sits there owns the job.",
            f"desks: {desks}",
            "What is done already stays; a next step that is there with other values is updated, or retired and put up anew.",
            f"At the end mail whoever waits for the handover, under {jobs[-1][1]}: status and owner of that job.",
        ]
    )
