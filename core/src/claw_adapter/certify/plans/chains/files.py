"""Files that lie there, come and go by updates, and are read, listed and looked for."""

from __future__ import annotations

import base64
import posixpath
import re
import shlex
from typing import Final

from claw_adapter.audit.results import MARK
from claw_adapter.certify.plans.drawing import ENDINGS, LEAST, Drawing, Unit
from claw_adapter.certify.plans.plan import MAIN, PlanChange, PlanFile, PlanIncident, PlanStep, PlanTurn
from claw_adapter.certify.plans.seeks import search_turns
from claw_adapter.certify.plans.texts import (
    BREAKS,
    CONTROLS,
    DOTTED,
    FOLDERS,
    KINDS,
    LEFT_OUT,
    NOUNS,
    TAKEN,
    TOOLS,
    USUAL,
)
from claw_adapter.endpoint.models.played import CommandEffect, PlayedReply, ToolUse

__all__ = [
    "INSTRUCTIONS",
    "binaries",
    "brought",
    "common",
    "deleted",
    "folders_listed",
    "framed_names",
    "kinds",
    "linked",
    "missing",
    "named_in_prompts",
    "paged",
    "replaced",
    "sought",
    "usual_files",
    "wide",
]

WIDE: Final = ((11_000, 13_000), (18_000, 22_000), (9_000, 14_000))
"""Characters of a long file, by the level: what has a long past is not to fill the window."""
LINE: Final = ((2_500, 9_000), (2_500, 5_000), (2_500, 4_000))
"""Characters of the one long line in it, as records of data have, by the level."""
ENDING: Final = 65_000
"""Characters of the last line of one, few tokens of one letter."""
KEPT: Final = (40_000, 44_000)
"""Characters of one whose reading is to be kept through an update and a restart."""
SEVERAL: Final = (19_000, 21_000)
"""Characters of files that are read by one reply."""
PICTURE: Final = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=="
).decode("latin-1")
"""A grey point."""
BYTES: Final = 3_000
"""Bytes of a file that is no text."""
PAGED: Final = (400, 401, 419, 500, 501)
"""Lines of a file that is read by pages: as many as some show at once, or one more."""
NUMBER: Final = re.compile(r"(?<=\d)\d\b")
"""The last digit of a number."""
INSTRUCTIONS: Final = "AGENTS.md"
"""Which many programs show by themselves; there from the beginning."""
INSTRUCTED: Final = 700
"""Lines of it when it is long, of some 60 characters each."""
HUGE: Final = (140_000, 300_000)
"""Characters of a file that is only listed."""
CROWD: Final = (101, 110)
"""Files in a folder that has more of them than some lists show."""
TABLES: Final = ("csv", "csv", "tsv", "txt")
LIKE_FOLDERS: Final = ("s.csv", "age.md", "-list.md", "ment.txt", "_1.md")
"""How names of files go on that begin as those of folders which some programs leave out."""
COMMON: Final = ("README.md", "notes/todo.md", "data.csv")
"""Names of files that other conversations have as well, with other content."""


def common(drawing: Drawing) -> list[Unit]:
    """A file with a name that many have, and a table."""
    made = PlanFile(path=drawing.rng.choice(COMMON), text=drawing.texts.lines(drawing.rng.randrange(3, 30)))
    table = PlanFile(path=f"{drawing.texts.word()}.{drawing.rng.choice(TABLES)}", text=drawing.texts.table())
    drawing.steps += [made, table]
    looks = [ToolUse(kind="read", target=one.path) for one in (made, table)]
    return [[drawing.turn(drawing.does(*looks), drawing.says())]]


def wide(drawing: Drawing) -> list[Unit]:
    """A long file is read, in which one line is very long.

    Bronze has longer ones shown, by a command one whose last line is nearly all of it, and in the same turn several are read by
    one reply, the first of them to its end. In Silver a message is put before a long result, and then there is a restart.
    """
    size, line = drawing.rng.randrange(*WIDE[drawing.height]), drawing.rng.randrange(*LINE[drawing.height])
    before = drawing.rng.randrange(size - line)
    parts = (drawing.texts.prose(before), drawing.texts.line(line), drawing.texts.prose(size - line - before))
    file = PlanFile(path=drawing.texts.path(), text=drawing.texts.across("\n".join(parts)) + "\n")
    drawing.steps.append(file)
    units: list[Unit] = [[drawing.turn(drawing.does(ToolUse(kind="read", target=file.path)), drawing.says())]]
    if drawing.height == 0:
        end = f"{drawing.texts.word()} {'x' * ENDING} {drawing.texts.number()}\n"
        ends = PlanFile(path=drawing.texts.path(), text=f"{drawing.texts.lines(20)}{end}")
        drawing.steps.append(ends)
        shown = (("cat", ends.path), ("read", drawing.long_file().path))
        shows = [[ToolUse(kind=kind, target=path)] for kind, path in shown]
        paths = [drawing.long_file(SEVERAL).path for _ in range(4)]
        shows.append([ToolUse(kind="read", target=path, whole=path == paths[0]) for path in paths])
        units.append([drawing.turn(*(drawing.does(*uses) for uses in shows), drawing.says())])
    if drawing.height == 1:
        look = ToolUse(kind="read", target=drawing.long_file(KEPT).path)
        put = PlanChange(session=MAIN, action="insert", at=0.3, messages=(drawing.talks.message("user"),))
        units += [
            [drawing.turn(drawing.does(look), drawing.says())],
            [put, drawing.turn(drawing.says())],
            [PlanIncident(happens="restart"), drawing.turn(drawing.says())],
        ]
    return units


def binaries(drawing: Drawing) -> list[Unit]:
    """Files that are no text are left as they are, and one of them is replaced.

    A prompt names a picture. A line is edited of a script that may be executed, which is then written over, and of a text in
    another encoding, which a command shows before.
    """
    folder = drawing.texts.word()
    path = f"{folder}/{drawing.texts.word()}.bin"
    drawing.steps.append(PlanFile(path=path, text=_any_bytes(drawing), encoding="latin-1"))
    script = PlanFile(
        path=f"{folder}/{drawing.texts.word()}.sh", text=f"#!/bin/sh\necho {drawing.texts.word()}\n", executable=True
    )
    drawing.steps.append(script)
    change = PlanChange(path=path, action="new", text=_any_bytes(drawing), encoding="latin-1")
    (other, edited), (marked, begun) = _encoded(drawing), _marked(drawing)
    said = ToolUse(kind="edit", target=script.path, wanted=(script.text.splitlines()[1],), content="echo ready")
    looks = [ToolUse(kind="read", target=one.path) for one in (script, marked, other)]
    show = ToolUse(kind="cat", target=other.path)
    listed = ToolUse(kind="list", target=folder)
    picture = PlanFile(path=f"{folder}/{drawing.texts.word()}.png", text=PICTURE, encoding="latin-1")
    drawing.steps.append(picture)
    replies = drawing.does(*looks[:2], show, listed), drawing.does(said, begun), drawing.says()
    first = PlanTurn(question=f"{drawing.texts.message()} When was {picture.path} made?", replies=replies)
    over = ToolUse(kind="write", target=script.path, content=f"#!/bin/sh\necho {drawing.texts.word()}\n")
    changes = drawing.does(edited, over, *_added_behind(drawing, marked))
    second = drawing.turn(drawing.does(looks[2]), changes, drawing.says())
    kind = f"{folder}/{drawing.texts.word()}"
    drawing.steps.append(PlanFile(path=kind, text=_any_bytes(drawing), encoding="latin-1"))
    become = PlanChange(path=kind, action="new", text=drawing.texts.lines(4))
    asks = drawing.does(ToolUse(kind="read", target=kind), ToolUse(kind="list", target=folder))
    return [[change, first], [second], [become, drawing.turn(asks, drawing.says())]]


def _marked(drawing: Drawing) -> tuple[PlanFile, ToolUse]:
    """A text as other systems write it, and an edit of its first line, before which a mark stands, into two.

    It has blanks and line ends of every kind within its lines, and its last line does not end.
    """
    first, odd, *more, last = (drawing.texts.sentence() for _ in range(6))
    lines = (first, f"{odd} {drawing.texts.between(BREAKS)}", f"{drawing.texts.between(CONTROLS)}\t", *more, last)
    file = PlanFile(path=drawing.texts.path(), text=MARK + drawing.rng.choice(("\n", "\r\n")).join(lines))
    drawing.steps.append(file)
    new = "\n".join(drawing.texts.sentence() for _ in range(2))
    return file, ToolUse(kind="edit", target=file.path, wanted=(first,), content=new)


def _added_behind(drawing: Drawing, file: PlanFile) -> list[ToolUse]:
    """A line is added to a text, where that does not give it line ends of two kinds."""
    return [] if "\r" in file.text else [ToolUse(kind="add", target=file.path, content=drawing.texts.sentence())]


def _encoded(drawing: Drawing) -> tuple[PlanFile, ToolUse]:
    """A text that is no UTF-8, and an edit of a line of it that is plain."""
    lines = [" ".join(drawing.texts.word() for _ in range(4)) for _ in range(5)]
    file = PlanFile(path=drawing.texts.path(), text="\n".join((*lines, f"{lines[0]} caf\xe9\n")), encoding="latin-1")
    drawing.steps.append(file)
    return file, ToolUse(kind="edit", target=file.path, wanted=(lines[2],), content=drawing.texts.word())


def _any_bytes(drawing: Drawing) -> str:
    return drawing.rng.randbytes(BYTES).decode("latin-1")


def replaced(drawing: Drawing) -> list[Unit]:
    """A file is read, replaced by one of equal size, and read again; and once more, its last line being another."""
    file = drawing.file(drawing.rng.randrange(20, 31))
    look = ToolUse(kind="read", target=file.path)
    turns = [drawing.turn(drawing.does(look), drawing.says()) for _ in range(3)]
    text = _of_size(drawing, len(file.text))
    end = drawing.texts.line(2 * LEAST)
    new = [
        PlanChange(path=file.path, action="new", text=one) for one in (text, f"{text[: -len(end) - 2]}\n{end}\n")
    ]  # the first right behind the turn, before anything else makes the harness look
    return [[turns[0], new[0], turns[1]], [new[1], turns[2]]]


def folders_listed(drawing: Drawing) -> list[Unit]:
    """A folder is listed; files go and come in a folder of it, and it is listed again; then in itself, and again.

    At last a command gives one of them another name, between two lists.

    In the plan without a past, one with many files is listed as well, and they are looked for.
    """
    folder = f"{drawing.rng.choice(NOUNS)}/{drawing.rng.choice(DOTTED)}"
    look = drawing.does(ToolUse(kind="list", target=folder))
    line = drawing.texts.lines(1)
    huge = line * (drawing.rng.randrange(*HUGE) // len(line))
    drawing.steps.append(PlanFile(path=f"{folder}/{drawing.texts.word()}.csv", text=drawing.texts.across(huge)))
    first = drawing.does(*look.uses, *_crowd(drawing)) if drawing.height == 0 else look
    steps: list[PlanStep] = [drawing.turn(first, drawing.says())]
    suffixes = drawing.rng.sample(LEFT_OUT, len(LEFT_OUT))
    for place in (f"{folder}/{drawing.texts.word()}", folder):
        paths = [f"{place}/{drawing.texts.word()}.{suffixes.pop()}" for _ in range(4)]
        paths += [f"{place}/{name}{drawing.rng.choice(LIKE_FOLDERS)}" for name in drawing.rng.sample(FOLDERS, 4)]
        drawing.steps += [PlanFile(path=path, text=drawing.texts.lines(2)) for path in (*paths[:3], *paths[4:])]
        steps.append(PlanChange(path=paths[0], action="delete"))
        steps.append(PlanChange(path=paths[3], action="new", text=drawing.texts.lines(2)))
        steps.append(drawing.turn(look, drawing.says()))
    named = ToolUse(kind="move", target=paths[3], content=f"{folder}/{drawing.texts.word()}.md")
    return [[*steps, drawing.turn(look, drawing.does(named), look, drawing.says())]]


def sought(drawing: Drawing) -> list[Unit]:
    """Tools that search are asked for a number and for names, before and behind what changes."""
    files, turns = search_turns(drawing.texts)
    drawing.steps += files
    if drawing.height > 1:
        del turns[1]
    return [drawing.made_of(made) for made in turns]


def _crowd(drawing: Drawing) -> list[ToolUse]:
    """A folder with many files that have the same number, a list of it, and searches that find all of them.

    Paths and texts are short: they come three times.
    """
    folder, number = f"{drawing.rng.choice(FOLDERS)}/{drawing.rng.choice(NOUNS)}", str(drawing.texts.number())
    for at in range(drawing.rng.randrange(*CROWD)):
        drawing.steps.append(PlanFile(path=f"{folder}/{at:03}.txt", text=f"{number}\n"))
    seeks = (("search", number), ("find", "**/*.txt"))
    return [
        ToolUse(kind="list", target=folder), *(ToolUse(kind=kind, target=folder, content=text) for kind, text in seeks),
    ]  # fmt: skip


def _of_size(drawing: Drawing, size: int) -> str:
    text = drawing.texts.lines(size // 40 + 2)[: size - 1].rstrip("\n")
    return f"{text}{'x' * (size - 1 - len(text))}\n"


def framed_names(drawing: Drawing) -> list[Unit]:
    """Files whose names have at their ends what is often put around a name are read, shown, and one is edited."""
    files = [PlanFile(path=path, text=drawing.texts.lines(3)) for path in drawing.texts.framed_paths()]
    drawing.steps += files
    looks = [ToolUse(kind="read", target=file.path) for file in files]
    first = files[0]
    old = first.text.split("\n")[1]
    change = ToolUse(kind="edit", target=first.path, wanted=(old,), content=drawing.texts.sentence())
    show = ToolUse(kind="cat", target=files[-1].path)
    later = ToolUse(kind="newer", target=first.path, content=files[1].path)
    return [[drawing.turn(drawing.does(*looks, show), drawing.does(change), drawing.does(later), drawing.says())]]


def paged(drawing: Drawing) -> list[Unit]:
    """A file of many lines is read, read by pages, and shown in part by commands; an update changes a line of a later page."""
    count, size = drawing.rng.choice(PAGED), drawing.rng.choice((100, 150, 200, 211))
    file = PlanFile(path=drawing.texts.path(), text=drawing.texts.across(drawing.texts.short_lines(count)))
    drawing.steps.append(file)
    first = 1 if drawing.height == 0 else drawing.rng.choice((1, 1, count // 2))
    starts = tuple(range(first, count, size))[: 3 - drawing.height // 2]
    pages = ToolUse(kind="pages", target=file.path, starts=starts, page=size)
    parts = ToolUse(kind="cat", target=file.path, starts=(count - 90, count - 50), page=40)
    once = [ToolUse(kind="pages", target=file.path, starts=(at,), page=30) for at in (1, 31, 61)]
    again = once[drawing.rng.randrange(3)]
    looks = [drawing.does(pages), drawing.does(parts), drawing.does(*once), drawing.does(again)]
    if drawing.height == 0:
        looks.append(drawing.does(ToolUse(kind="pages", target=file.path, starts=(0, count + 200), page=30)))
    drawing.rng.shuffle(looks)
    old = file.text.split("\n")[
        drawing.rng.randrange(20)
    ]  # of a page: what is behind it stays, some lines further down
    edit = ToolUse(kind="edit", target=file.path, wanted=(old,), content=drawing.texts.lines(3))
    lines = file.text.replace(old, edit.content).split("\n")
    lines[40] = drawing.texts.sentence()
    update = PlanChange(path=file.path, action="new", text="\n".join(lines))
    first_turn = drawing.turn(*looks, drawing.does(edit), drawing.does(again), drawing.says())
    return [[first_turn], [update, drawing.turn(drawing.does(once[1]), drawing.says())]]


def usual_files(drawing: Drawing) -> list[Unit]:
    """Files that lead programs lie at the top of the workspace; the agent writes others that some of them would change."""
    drawing.steps += [PlanFile(path=path, text=text) for path, text in USUAL.items()]
    written = [
        ToolUse(
            kind="write", target=f"{_place(drawing, suffix)}.{suffix}",
            content=text.format(drawing.texts.word()) + drawing.rng.choice(ENDINGS[:3]),
        )
        for suffix, text in TAKEN.items()
    ]  # fmt: skip
    edited = drawing.rng.choice([use for use in written if use.content.count("\n") > 1])
    old = next(line for line in edited.content.split("\n") if line.strip() and edited.content.count(line) == 1)
    change = ToolUse(kind="edit", target=edited.target, wanted=(old,), content=f"  {old}\n\n{drawing.texts.word()}")
    looks = [ToolUse(kind=drawing.rng.choice(("read", "cat")), target=use.target) for use in written]
    looks += [ToolUse(kind="read", target=path) for path in drawing.rng.sample([*USUAL], 3)]
    places = [posixpath.dirname(use.target) for use in written if "[" in use.target or use.target.startswith(".")]
    lists = [ToolUse(kind="list", target=place) for place in places]
    first = drawing.turn(
        drawing.does(*written[::2]), drawing.does(*written[1::2]), drawing.does(*looks, *lists), drawing.says()
    )
    return [[first], [drawing.turn(drawing.does(change), drawing.does(*looks[:4], *lists), drawing.says())]]


def _place(drawing: Drawing, suffix: str) -> str:
    """Where a written file goes: those of a service into its folder."""
    name = drawing.texts.word()
    return {"yml": f".github/workflows/{name}", "ts": f"src/[{name}]/page"}.get(suffix, name)


def kinds(drawing: Drawing) -> list[Unit]:
    """Files of many kinds, each with what such a file has and some program may take for more than a text, are read."""
    files = [PlanFile(path=drawing.texts.named(name), text=drawing.texts.kind(lines)) for name, lines in KINDS.items()]
    drawing.steps += files
    looks = [ToolUse(kind="read", target=file.path) for file in files]
    drawing.rng.shuffle(looks)
    return [[drawing.turn(drawing.does(*looks[::2]), drawing.does(*looks[1::2]), drawing.says())]]


def missing(drawing: Drawing) -> list[Unit]:
    """Files are asked for that are not there, beside some with nearly that name, or of that name elsewhere.

    Beside them, two files whose names are alike are there, and a tool is called that is not, one without what it needs, and
    one with null for it. A folder is read as if it were a file, and a file, and a folder that never was, are listed.
    """
    file = drawing.file(drawing.rng.randrange(3, 12))
    twin = PlanFile(path=drawing.texts.twin(file.path), text=drawing.texts.lines(drawing.rng.randrange(3, 12)))
    drawing.steps.append(twin)
    stray = ToolUse(kind="stray", target=f"{drawing.rng.choice(TOOLS)}_v2", content=file.path)
    others = [one for _ in range(3) for one in [drawing.texts.similar(file.path)] if one != twin.path]
    others.append(f"{drawing.texts.word()}/{file.path.rpartition('/')[2]}")
    folder, nowhere = drawing.texts.word(), drawing.texts.word()
    empty = PlanFile(path=f"{folder}/{drawing.texts.word()}.md", text="")
    drawing.steps.append(empty)
    uses = [ToolUse(kind="read", target=path) for path in dict.fromkeys((*others, empty.path))]
    there = [ToolUse(kind="read", target=one.path) for one in (file, twin)]
    bent = [ToolUse(kind="bent", target=how) for how in ("nothing", "null")]
    lists = [ToolUse(kind="list", target=place) for place in (empty.path, nowhere)]
    odd = drawing.does(ToolUse(kind="read", target=folder), *lists)
    return [[drawing.turn(drawing.does(*uses), drawing.does(stray, *bent, *there), odd, drawing.says())]]


def deleted(drawing: Drawing) -> list[Unit]:
    """A file is read, deleted by an update, and asked for again; in the plan without a past, one of its lines is edited."""
    file = drawing.file(drawing.rng.randrange(3, 40))
    look = ToolUse(kind="read", target=file.path)
    gone = PlanChange(path=file.path, action="delete")
    old, new = file.text.split("\n")[0], drawing.texts.sentence()
    edits = [ToolUse(kind="edit", target=file.path, wanted=(old,), content=new, missed=True)][drawing.height :]
    return [
        [drawing.turn(drawing.does(look), drawing.says())],
        [gone, drawing.turn(*map(drawing.does, (look, *edits)), drawing.says())],
    ]


def brought(drawing: Drawing) -> list[Unit]:
    """An update brings a file in a new folder, the agent reads it; it is replaced, and goes."""
    path = f"{drawing.texts.word()}/{drawing.texts.path()}"
    size = drawing.rng.randrange(2, 30)
    new = [PlanChange(path=path, action="new", text=drawing.texts.lines(size)) for _ in range(2)]
    look = ToolUse(kind="read", target=path)
    steps = (*new, PlanChange(path=path, action="delete"))
    return [[change, drawing.turn(drawing.does(look), drawing.says())] for change in steps]


def instructed(drawing: Drawing) -> list[Unit]:
    """The file with instructions for agents becomes another one, twice: what shows it by itself shows it as it is.

    The second time it is long. So does one in a folder, of which a file is read each time: first by other numbers alone, and
    at last it goes.
    """
    folder = drawing.texts.word()
    below = PlanFile(path=f"{folder}/{INSTRUCTIONS}", text=drawing.texts.lines(3))
    file = PlanFile(path=f"{folder}/{drawing.texts.word()}.md", text=drawing.texts.lines(3))
    drawing.steps += [below, file]
    look = drawing.does(ToolUse(kind="read", target=file.path))
    units: list[Unit] = [[drawing.turn(look, drawing.says())]]
    like = NUMBER.sub(lambda found: f"{(int(found[0]) + 1) % 10}", below.text)  # which has the same size
    for lines, text in ((3, like), (INSTRUCTED, drawing.texts.lines(3)), (3, "")):
        change = PlanChange(path=INSTRUCTIONS, action="new", text=drawing.texts.lines(lines))
        other = PlanChange(path=below.path, action="new" if text else "delete", text=text)
        units.append([change, other, drawing.turn(look, drawing.says())])
    return units


def linked(drawing: Drawing) -> list[Unit]:
    """A command makes a link to a link to a file, which is read by it; then one of them is led elsewhere, and the other.

    Between, a line is replaced by it: it is the file's to which it leads then.
    """
    file, then, last = (drawing.file(4) for _ in range(3))
    link, other = (f"{drawing.texts.word()}.md" for _ in range(2))
    changed = drawing.texts.sentence()
    edit = ToolUse(kind="edit", target=then.path, by=link, wanted=(then.text.split("\n")[1],), content=changed)

    def led(command: str, to: PlanFile) -> PlayedReply:
        return drawing.does(ToolUse(kind="run", target=command, effect=CommandEffect(given={to.path: to.text})))

    def shows(one: PlanFile, *by: str) -> PlayedReply:
        return drawing.does(*(ToolUse(kind="read", target=one.path, by=path) for path in by))

    made = led(f"ln -s {shlex.quote(file.path)} {other} && ln -s {other} {link}", file)
    replies = (
        (made, shows(file, link)),
        (led(f"ln -sfn {shlex.quote(then.path)} {other}", then), shows(then, link)),
        (drawing.does(edit), shows(then, link, "")),
        (led(f"ln -sfn {shlex.quote(last.path)} {link}", last), shows(last, link)),
    )
    return [[drawing.turn(*every, drawing.says())] for every in replies]


def named_in_prompts(drawing: Drawing) -> list[Unit]:
    """Prompts name a file; an update and a command change it: what shows it beside a prompt shows it as it is.

    At last it goes, and a prompt names it once more; one of its name lies in another folder.
    """
    file = drawing.file(drawing.rng.randrange(3, 6))
    other = PlanFile(path=f"{drawing.texts.word()}/{posixpath.basename(file.path)}", text=drawing.texts.lines(3))
    drawing.steps.append(other)
    change = PlanChange(path=file.path, action="new", text=drawing.texts.lines(drawing.rng.randrange(3, 6)))
    put = ToolUse(kind="put", target=file.path, content=drawing.texts.sentence())
    look = drawing.does(ToolUse(kind="read", target=file.path))

    def asked(*replies: PlayedReply) -> PlanTurn:
        return PlanTurn(question=f"{drawing.texts.message()} What does {file.path} say?", replies=replies)

    first, second = asked(look, drawing.says()), asked(drawing.says())
    third = drawing.turn(drawing.does(put), drawing.says()), asked(drawing.says())
    gone = PlanChange(path=file.path, action="delete")
    return [[first], [change, second], [*third], [gone, asked(drawing.says())]]
