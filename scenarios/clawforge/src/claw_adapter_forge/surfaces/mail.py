"""``email``: the inbox and an outbox that nothing leaves."""

from __future__ import annotations

from claw_adapter_forge.surfaces.grammar import Args, Flag, Refused, Verb
from claw_adapter_forge.world.records import Mail, Sent
from claw_adapter_forge.world.state import World

__all__ = ["VERBS"]


def _row(mail: Mail) -> str:
    star = "★" if mail.starred else ""
    return f"  [{mail.id}] {'○' if mail.read else '●'}{star} From: {mail.sender} | Date: {mail.date} | Subject: {mail.subject}"


def _sent_row(mail: Sent) -> str:
    return f"  [{mail.id}] ○ To: {', '.join(mail.to)} | Subject: {mail.subject}"


def _list(world: World, args: Args) -> str:
    folder, sender = args.text("folder"), args.text("from").lower()
    if folder == "sent":
        lines = [_sent_row(m) for m in world.rows("outbox", Sent)]
    else:
        lines = [
            _row(m)
            for m in world.rows("mails", Mail)
            if m.folder == folder and sender in m.sender.lower() and not (args.given("unread") and m.read)
        ]
    return "\n".join([f"Emails in {folder}:", *lines]) if lines else "No emails found."


def _search(world: World, args: Args) -> str:
    query, sender = args.text("query").lower(), args.text("from").lower()
    rows = [
        m
        for m in world.rows("mails", Mail)
        if sender in m.sender.lower() and (query in m.subject.lower() or query in m.body.lower())
    ]
    head = f"Emails matching '{args.text('query')}':"
    return "\n".join([head, *map(_row, rows)]) if rows else "No emails found."


def _find(world: World, args: Args) -> Mail:
    mail = world.get("mails", args.text("id"), Mail)
    if mail is None:
        if world.get("outbox", args.text("id"), Sent):
            raise Refused("Sent mail is a record and cannot be changed.")
        raise Refused(f"Email not found: {args.text('id')}")
    return mail


def _read(world: World, args: Args) -> str:
    sent = world.get("outbox", args.text("id"), Sent)
    if sent is not None:
        head = f"Email [{sent.id}]\nTo: {', '.join(sent.to)}\nCc: {', '.join(sent.cc)}\nSubject: {sent.subject}"
        return f"{head}\nFolder: sent\nBody:\n{sent.body}"
    mail = _find(world, args)
    head = (
        f"Email [{mail.id}]\nFrom: {mail.sender}\nTo: {', '.join(mail.to)}\nDate: {mail.date}\nSubject: {mail.subject}"
    )
    state = f"Folder: {mail.folder}\nRead: {mail.read}\nStarred: {mail.starred}"
    return f"{head}\n{state}\nBody:\n{mail.body}"


def _send(world: World, args: Args) -> str:
    key = world.new_id("outbox")
    sent = Sent(key, args.listed("to"), args.text("subject"), args.text("body"), args.listed("cc"))
    world.put("outbox", sent)
    return f"Email sent to {', '.join(sent.to)} | Subject: {sent.subject} | ID: {key}"


def _reply(world: World, args: Args) -> str:
    mail = _find(world, args)
    key = world.new_id("outbox")
    subject = mail.subject if mail.subject.lower().startswith("re:") else f"Re: {mail.subject}"
    world.put("outbox", Sent(key, (mail.sender,), subject, args.text("body"), (), mail.id))
    return f"Reply sent to {mail.sender} | Subject: {subject} | ID: {key}"


def _move(world: World, args: Args) -> str:
    mail = _find(world, args)
    world.edit("mails", mail, folder=args.text("folder"))
    return f"Email {mail.id} moved to {args.text('folder')}."


def _mark(world: World, args: Args) -> str:
    mail, flag = _find(world, args), args.text("flag")
    if flag == "starred":
        world.edit("mails", mail, starred=True)
    else:
        world.edit("mails", mail, read=flag == "read")
    return f"Email {mail.id} marked as {flag}."


def _delete(world: World, args: Args) -> str:
    mail = _find(world, args)
    world.remove("mails", mail.id)
    return f"Email {mail.id} deleted."


_ID = Flag("id", "the mail's id", required=True)
_FROM = Flag("from", "part of the sender's address")

VERBS = (
    Verb(
        ("email", "list"),
        "List the mails of a folder (inbox, sent, archive, …).",
        _list,
        (Flag("folder", "which folder", default="inbox"), Flag("unread", "only unread ones", "switch"), _FROM),
    ),
    Verb(("email", "read"), "Show one mail in full.", _read, (_ID,)),
    Verb(
        ("email", "send"),
        "Send a mail. It cannot be taken back.",
        _send,
        (
            Flag("to", "recipients, separated by commas", "addresses", required=True),
            Flag("subject", "subject line", required=True),
            Flag("body", "text", required=True),
            Flag("cc", "copies, separated by commas", "addresses"),
        ),
        mutates=True,
    ),
    Verb(
        ("email", "reply"),
        "Answer the sender of a mail.",
        _reply,
        (_ID, Flag("body", "text", required=True)),
        mutates=True,
    ),
    Verb(
        ("email", "search"),
        "Find mails by words of the subject or the body.",
        _search,
        (Flag("query", "words to look for", required=True), _FROM),
    ),
    Verb(
        ("email", "move"),
        "Put a mail into a folder.",
        _move,
        (_ID, Flag("folder", "target folder", required=True)),
        mutates=True,
    ),
    Verb(
        ("email", "mark"),
        "Mark a mail.",
        _mark,
        (_ID, Flag("flag", "which mark", "choice", required=True, choices=("read", "unread", "starred"))),
        mutates=True,
    ),
    Verb(("email", "delete"), "Remove a received mail.", _delete, (_ID,), mutates=True),
)
