"""What people wrote for a round: requests, handbook, amendments, corrections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claw_adapter_forge.tasks.spec import Style

__all__ = ["FACTS", "FILLER", "ROUND_RULES", "TEXTS", "form_lines", "handbook"]

TEXTS: Mapping[Style, tuple[str, ...]] = {
    "brief": (
        "Please get the board of the {topic} round in {city} right and send {to} the report.",
        "The {topic} round, {city}: the board is not in order. Put that right; {to} waits for the report.",
    ),
    "underspecified": (
        (
            "I have been away for three weeks and nobody has looked after the {topic} round in {city}. Could you see that "
            "all is as it should be? {to} wants to hear how it stands."
        ),
        (
            "{to} asks me every day about the {topic} round in {city}, and what is on the board was put there by someone who "
            "did not read his mail. Please sort it out, so that we can report."
        ),
    ),
}

ROUND_RULES = (
    "1. Titles of new items carry the city and the ref of what they are about, and no other city or ref. "
    "2. Notes and mails state facts in lines of their own, `Label: value`, each label once, the value alone behind it. A mail "
    "has the lines of city and ref, those that were asked for, and no other label of the office. "
    "Other lines are free, but name no secret. "
    "3. Invite and copy nobody who was not asked for. "
    "4. Change nothing that is right, and nothing that the work does not call for. "
    "5. Times are the city's wall time, unless they say otherwise."
)

FACTS: Mapping[str, tuple[str, ...]] = {
    "city": ("City", "Town", "Office", "Branch"),
    "ref": ("Ref", "Job", "File no", "Case"),
    "owner": ("Owner", "Responsible", "Lead", "In charge"),
    "due": ("Due", "Day", "Visit on", "Set for"),
    "cards": ("Cards", "Open", "On the board", "Visits"),
    "urgent": ("Urgent", "Top", "High ones", "Pressing"),
    "changed": ("Changed", "Mended", "Touched", "Put right"),
    "first": ("First", "Begins", "Earliest", "From"),
    "last": ("Last", "Ends", "Latest", "Until"),
    "busiest": ("Busiest", "Most", "Heaviest desk", "Leads with"),
}
"""Fact → the usual label, then those that a form may give it."""

_MEANS = {
    "city": "the city",
    "ref": "the ref",
    "owner": "who owns a visit",
    "due": "the day of a visit",
    "cards": "how many open cards the round has",
    "urgent": "how many of these are of high priority",
    "changed": "at how many sites a card was put up, put right or deleted to get there",
    "first": "the first day on which one of the open cards is due",
    "last": "the last such day",
    "busiest": "who owns most of the open cards, of several the first by the alphabet",
}

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


def form_lines(labels: Mapping[str, str]) -> list[str]:
    """What each label is for."""
    return [f"`{label}` is {_MEANS[fact]}" for fact, label in labels.items()]


_CLAUSES = (
    (
        "Each site in the register has one open card on the board for this round, and no other. This round is called spring: a "
        "site whose card has been done and says `round: spring` needs no open one any more."
    ),
    (
        "A card is due so many working days after the day on which the site was last seen: grade A {A}, grade B {B}, grade C "
        "{C}. The day on which it was seen is not counted."
    ),
    (
        "Working days are Monday to Friday, but for those on which the {city} office is closed for the whole day; the calendar "
        "has them."
    ),
    "No card is due before the third working day after today; one that would be is due on that day.",
    (
        "Priority: high if more than {usual} faults of the site were confirmed in the fourteen days before today, low if none "
        "was, else medium. Today is not counted. The log is in UTC; a fault's day is that of the city's wall time."
    ),
    (
        "There is room for {room} cards of the round on a day. Go through the sites by their refs, the lowest first: a card "
        "whose day has no room left, counting those placed before it, goes on to the next working day that has room."
    ),
    (
        "The owner is the person who has the site's desk on the day the card is due. The rota has the desks; who sits in for "
        "somebody on a day has their desks on that day."
    ),
    (
        "A card's title carries city and ref, its note a line with the owner. A site's card that is wrong is put right where "
        "it is; a card that is missing is put up. A card that is not called for is deleted, and never made into one of another "
        "site; of two open ones for a site the one that was put up first stays, the other is deleted."
    ),
    (
        "A day that has been agreed with the tenant stays, whatever clauses 2, 4 and 6 say; the card's note tells. Such a card "
        "has its place on its day before all others."
    ),
)
_NOTICES = (
    "The contact of a grade A site is mailed the day of the visit, under the site's ref, if a card was put up for it or its "
    "day was changed; for nothing else, and nobody but they."
)
_REVIEW = (
    "If at least {review} of the open cards are of high priority when all is right, a review goes on the calendar: at 10:00 of "
    "the last working day before the first due day, under {ref}. If not, there is none."
)
_REPORT = (
    "When all is right, whoever waits for the report is mailed it under {ref}: how many open cards, how many of high priority, "
    "at how many sites something was changed, first and last day, who has most."
)
_HEAD = (
    "Handbook of the {topic} round, {city}. The ref of the round itself is {ref}.",
    (
        "Amendments and corrections come by mail and name the round; amendments up to {amended} are in here already. A later "
        "one prevails, and where one is withdrawn, what it had changed is again as it was before it. What is mailed under the "
        "name of a site whose card of this round has been done is for the next round, and changes nothing in this one."
    ),
)


def handbook(words: Mapping[str, object], last: Sequence[str], *, notices: bool, review: bool) -> str:
    """The handbook: `words` fill the blanks of its clauses, `last` are the lines on other files and on labels."""
    more = (*([_NOTICES] if notices else []), *([_REVIEW] if review else []), _REPORT)
    clauses = [text.format(**words) for text in (*_CLAUSES, *more)]
    numbered = (f"{number}. {text}" for number, text in enumerate(clauses, 1))
    return "\n".join([*(text.format(**words) for text in _HEAD), *numbered, *last])
