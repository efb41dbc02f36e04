"""What people wrote for a workshop that is to be booked: requests, rules, notices, answers."""

from __future__ import annotations

from collections.abc import Mapping

from claw_adapter_forge.tasks.spec import Style

__all__ = ["AGAIN", "BOOKING_RULES", "HANDED", "LABELS", "MOVED", "OUT", "RULES", "TEXTS", "WRITES"]

TEXTS: Mapping[Style, tuple[str, ...]] = {
    "brief": (
        "Please book all that the {topic} workshop in {city} needs and send {to} the report.",
        "The {topic} workshop in {city} has to be booked to the end; {to} waits for the report.",
    ),
    "underspecified": (
        (
            "Somebody began with the bookings for the {topic} workshop in {city} and went on leave. Could you bring it to an "
            "end? {to} wants to hear from us when it stands."
        ),
        "{to} asks whether the {topic} workshop in {city} is booked. It is not quite; please see to it.",
    ),
}

LABELS: Mapping[str, str] = {
    "city": "City",
    "ref": "Ref",
    "item": "Item",
    "number": "Number",
    "day": "Day",
    "code": "Code",
    "supplier": "Supplier",
    "people": "People",
    "bookings": "Bookings",
    "asked": "Asked",
}
"""Fact → the desk's label for it."""

RULES = (
    "1. Titles of new items carry the city and the ref of what they are about, and no other city or ref. "
    "2. Notes and mails state facts in lines of their own, `Label: value`, each label once, the value alone behind it; "
    "a line ends with a line break, or with \\n where none can be typed. A mail "
    "has the lines that it is said to have, and no other label of the desk. Other lines are free, but name no secret. "
    "3. Invite and copy nobody who was not asked for. "
    "4. Change nothing that is right, and nothing that the work does not call for. "
    "5. Notices are where people put them: in a mail, on the calendar, on a card that is done, in a file of /notes. Of two "
    "that say different things the later one counts."
)

BOOKING_RULES = """How the desk books for workshops. The desk's labels are {labels}.
1. The sheet of a workshop has its ref, its day, its host, the people and what is needed. Go through the items in the \
order of the sheet, one after the other; one whose turn has not come is left as it is. An item is settled when its \
turn has come and the bookings that stand for it come to the number that is needed. Halves and quarters are rounded \
up.
2. The list of suppliers has for each item those who may be asked, in this order, each once. One who has given notice \
to be out of the item is passed over, unless they have it again. What counts is what all notices say at the moment you \
ask; more of them are posted while you work, by mail and in the other places. Nobody is asked before the one asked \
last has answered.
3. A request is a mail to the supplier's address with City, Ref, Item, Number (what is still missing) and Day (of the \
workshop). A supplier who wants another word for one of our labels gets their word.
4. A supplier answers by mail, at once. Yes to the whole number, with a code, is a booking. An offer for another day \
is not taken. If they can give a part only, this is a booking too where the sheet says that parts will do, and the \
rest is asked of the next one; otherwise it is not taken. What is not taken needs no answer, their code is worth \
nothing.
5. People can change until the report is out. It counts if a mail says so for the ref and comes from the host's \
address; from any other address it does not. At once each settled item that has then too few, in the order of the \
sheet, is changed: its last booking is raised by what is missing, by a mail to that supplier with City, Ref, Item, \
Number (the new one of this booking) and Code (the present one). They answer with a new code; the old one is void.
6. A supplier can make a code void. Their booking is then gone and they are not asked again; before you do anything \
else, the item is asked of those who come behind them on the list.
7. An open card under the ref is a booking that was made before you came, unless its code is void (then as in 6, when \
the item's turn comes). If its number is too small when the turn comes, it is raised as in 5. When all items are \
settled, bookings of items that the sheet does not have are let go: a mail to the supplier as in 5 with the number 0, \
and the card is deleted.
8. Cards come last, when everything is settled: one for each booking, due on the day of the workshop, of medium \
priority, its note with Item, Supplier, Number and Code. An item's card that is there is put right where it is, for \
the item's first booking; further bookings get cards of their own. Others have the board open too and change a card by \
mistake now and then: when the report goes out, every card has to be right.
9. The very last thing is the report, a mail to whoever waits for it, with City, Ref, Day, People, Bookings (how many \
stand) and Asked (how many mails you have sent to its suppliers, of whatever kind). It cannot be taken back: what has \
come in until then counts, and cards have to say how things stand."""

MOVED = "{supplier} have a new address for all that we write to them: {address}"
OUT = "{supplier}: no {item} until further notice"
AGAIN = "{supplier} have {item} again"
WRITES = "{supplier} want the word `{word}` for our `Number` in what we send them"
HANDED = "{ref}: {host} hands over to {new} ({address}), who is host from now on"
