"""Instruction texts. Information transfer: A inbox, C channel incident, F delivery update."""

from __future__ import annotations

from collections.abc import Mapping

from claw_adapter_forge.tasks.spec import Style

__all__ = ["TEXTS"]

TEXTS: Mapping[str, Mapping[Style, tuple[str, ...]]] = {
    "inbox_followthrough": {
        "brief": (
            (
                "Do what the {topic} thread for {city} in the inbox asks for: make sure its next step is on the board with "
                "the due day the mail gives, put the call on the calendar only if the mail's mode is live, write "
                "the handoff file the mail names with owner and due day, and mail {to} the mode and the owner."
            ),
            (
                "Carry out the inbox thread on {topic} for {city}. The board must carry its next step (due as "
                "mailed), the calendar the call if and only if the mode is live; write the named handoff file "
                "with the owner and the due day; tell {to} by mail which mode it is and who owns it."
            ),
        ),
        "underspecified": (
            (
                "Somebody left a {topic} thread for {city} lying in the inbox, and parts of it may be handled "
                "already. By tonight the next step should be on the board, the call on the calendar if it is a "
                "live one and not otherwise, owner and due day in the handoff file it asks for, and {to} would "
                "like a mail saying the mode and who owns it."
            ),
            (
                "{to} keeps asking about the {topic} thread for {city} in our inbox and wants a mail with its "
                "mode and owner. Do what it asks for first: next step on the board, a call on the calendar when "
                "it is live, and the handoff file it mentions saying who owns it and when it is due. Some of this "
                "may be there."
            ),
        ),
    },
    "channel_incident_recovery": {
        "brief": (
            (
                "Post the {city} incident update with its severity to the {city} incident room, logging in to the "
                "channel if needed, keep the follow-up that is on the board, and mail {to} a recap naming the "
                "owner."
            ),
            (
                "Tell the {city} incident room about the incident (severity included; repair the channel's login "
                "if it is broken), leave the board's follow-up as it is, and send {to} a recap mail that names "
                "the owner."
            ),
        ),
        "underspecified": (
            (
                "The {city} incident room has heard nothing yet, perhaps because the channel's login is broken. "
                "They need to know the severity. {to} needs a recap by mail that says who owns the incident. The "
                "follow-up may be on the board already."
            ),
            (
                "We owe the {city} incident room a word on the incident and how severe it is, and {to} a recap "
                "mail with its owner. Sort out the channel if it does not let you in, and do not redo what the "
                "board has."
            ),
        ),
    },
    "delivery_update_followthrough": {
        "brief": (
            (
                "Send the {city} delivery update, naming the owner, to the {city} delivery line, repairing the "
                "channel's login if needed; have the next step on the board as the delivery card says; if the "
                "line is a shared target, put the card's live block on the calendar; mail {to} a recap that names "
                "the owner."
            ),
            (
                "Get the delivery update for {city} (with the owner's name) to the {city} delivery line; fix the "
                "login first if it is broken. The board needs the card's next step, and a shared line also needs "
                "the card's live block on the calendar. Recap to {to} by mail, owner named."
            ),
        ),
        "underspecified": (
            (
                "The {city} delivery line is waiting for the delivery update and the name of its owner, and the "
                "way there may be broken. The delivery card says what else belongs to it: a next step on the "
                "board, and a live block on the calendar when the line is shared. {to} wants a recap by mail, "
                "with the owner."
            ),
            (
                "Nobody on the {city} delivery line knows who owns the delivery. Please get that update out "
                "whatever the channel's login says, see that the card's next step is on the board, that a live "
                "block is on the calendar for a shared line only, and let {to} have a recap mail naming the "
                "owner."
            ),
        ),
    },
}
