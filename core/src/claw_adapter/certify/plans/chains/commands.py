"""Commands, and calls of many kinds in one reply."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Final

from claw_adapter.certify.plans.drawing import GRANTED, Drawing, Unit
from claw_adapter.certify.plans.plan import PlanChange, PlanFile, PlanIncident
from claw_adapter.certify.plans.texts import FOLDERS, NOUNS, TOOLS
from claw_adapter.endpoint.models.played import CommandEffect, ToolUse

__all__ = [
    "added",
    "background",
    "batch",
    "dropped",
    "failing_steps",
    "failures",
    "folders",
    "inside",
    "left",
    "programs",
]

LASTS: Final = 4
"""Seconds of a command that is to be stopped behind one."""
LIMIT: Final = "$(command -v timeout > /dev/null && echo timeout 30)"
"""The beginning of a command that is to end by itself after so many seconds, where there is a program for that."""
PATIENCE: Final = 7
"""Seconds after which one that does not end when it is asked to does something: by then it was stopped otherwise."""
SLOW: Final = 1.5
"""Seconds that a slow command takes, while others of its reply are done."""
ROWS: Final = 60
"""Lines that a command prints in the background, behind the first one."""
LATER: Final = 3.0
"""Seconds behind which it has come to its end, which it does after one."""


def added(drawing: Drawing) -> list[Unit]:
    """A command adds a line to a file, twice in one reply and once in the next; one that shows another fails then.

    So does a tool, where there is one for that.

    Behind that, and before it is read again, another line of it is replaced.
    """
    file = drawing.file(drawing.rng.randrange(3, 12))
    add = ToolUse(kind="add", target=file.path, content=drawing.texts.sentence())
    lines = drawing.texts.lines(drawing.rng.randrange(3, 12)).splitlines(keepends=True)
    at = drawing.rng.randrange(len(lines))
    other = PlanFile(path=drawing.texts.path(), text="".join((*lines[: at + 1], *lines[at:])))  # one of them twice
    drawing.steps.append(other)
    shown = (file, 0), (other, 3), (other, 0)
    show, fails, works = (ToolUse(kind="cat", target=one.path, exit=status) for one, status in shown)
    look = ToolUse(kind="read", target=file.path)
    old = file.text.split("\n")[0]
    change = ToolUse(kind="edit", target=file.path, wanted=(old,), content=drawing.texts.sentence())
    more = [ToolUse(kind="append", target=file.path, content=f"{drawing.texts.sentence()}\n") for _ in range(2)]
    replies = (look, show, works, fails), (add, add), (add,), more[:1], more[1:], (change,), (look, show)
    return [[drawing.turn(*(drawing.does(*uses) for uses in replies), drawing.says())]]


def inside(drawing: Drawing) -> list[Unit]:
    """A command goes to a folder and shows a file of another system, whose last line does not end; then others follow.

    In the next turn one is told to run there, if the tool takes that, and fails; what follows runs where all others do.
    """
    folder = f"{drawing.rng.choice(FOLDERS)}/{drawing.rng.choice(NOUNS)}"
    inside = PlanFile(path=f"{folder}/{drawing.texts.word()}.md", text=drawing.crlf().rstrip("\r\n"))
    drawing.steps.append(inside)
    other, new = drawing.file(drawing.rng.randrange(3, 9)), f"{drawing.texts.word()}.txt"
    goes = ToolUse(kind="cat", target=inside.path, inside=True)
    made = ToolUse(kind="write", target=new, content=drawing.texts.lines(3))
    looks = [ToolUse(kind="read", target=path) for path in (other.path, inside.path, new)]
    back = ToolUse(kind="cat", target=new, inside=True)  # some shells stay where they were left
    replies = (goes,), (looks[0], made), looks[1:], (back,)
    fails, works = (goes.model_copy(update={"inside": False, "apart": True, "exit": status}) for status in (3, 0))
    more = (fails,), (ToolUse(kind="cat", target=new), looks[0]), (works,), (looks[1],)
    return [[drawing.turn(*(drawing.does(*uses) for uses in one), drawing.says())] for one in (replies, more)]


def programs(drawing: Drawing) -> list[Unit]:
    """A program writes a file that is shown before and behind it; a folder is made, and a file in it some turns later.

    A command counts what is in the workspace while it runs; others say by their status alone how they have ended, and some
    go on behind a part that fails, as a shell does that nobody has told anything. One may take a second, and takes more;
    one does what it is to do, and fails then.
    """
    made, folder, text = (
        drawing.file(drawing.rng.randrange(3, 9)),
        drawing.texts.folder(),
        drawing.texts.lines(3).rstrip("\n"),
    )
    script = PlanFile(
        path=f"{drawing.texts.word()}.sh", text=f"printf '%s\\n' {shlex.quote(text)} > {shlex.quote(made.path)}\n"
    )
    drawing.steps.append(script)
    show, look = (ToolUse(kind=kind, target=made.path) for kind in ("cat", "read"))
    program = ToolUse(kind="program", target=made.path, content=text, needs=(script.path,))
    filled = ToolUse(
        kind="put",
        target=f"{folder}/{drawing.texts.word()}.csv",
        content=drawing.texts.sentence(),
        needs=(f"{folder}/",),
    )
    empty = ToolUse(kind="folder", target=folder)
    replies = (show,), (program,), (show, look), (empty,)
    first = drawing.turn(*(drawing.does(*uses) for uses in replies), drawing.says())
    looks = [ToolUse(kind="read", target=filled.target), ToolUse(kind="count", target="")]
    ends = [PlanFile(path=f"{drawing.texts.word()}.sh", text=f"exit {status}\n") for status in (0, 3)]
    drawing.steps += ends
    looks += [ToolUse(kind="status", target=one.path) for one in ends]
    never = drawing.does(ToolUse(kind="run", target=f"echo '{drawing.texts.sentence()}"))  # a quote that does not end
    going_on = drawing.does(*_going_on(drawing))
    ended, *stopped = _stopped(drawing)
    later = drawing.does(ended, _fails_behind(drawing)), *map(drawing.does, stopped)
    asks = (drawing.does(filled), drawing.does(*looks), never, going_on, *later)
    return [[first], [drawing.turn(*asks, drawing.says())]]


def _stopped(drawing: Drawing) -> tuple[ToolUse, ...]:
    """A command that comes to its end, three that are stopped before, where a tool can be told when, and one behind them.

    What these have begun is stopped as well, also where it does not end when it is asked to, or has a time limit of its own
    (and so a process group): else each adds a line to a file while the last one is waited for.
    """
    one, two, three = (drawing.texts.number() for _ in range(3))
    file, other, third, fourth = (drawing.file(3) for _ in range(4))
    script, deaf = (
        PlanFile(path=f"{drawing.texts.word()}.sh", text=f'sleep {seconds}; echo {one} >> "$1"; sleep {LASTS}\n')
        for seconds in (2, PATIENCE)
    )
    drawing.steps += [script, deaf]
    mark, within = f"{one}.txt", f"{two}{one}"  # that has no line end
    begun = CommandEffect(given={file.path: file.text}, leaves={mark: ""}, prints=f"{two}\n{within}")
    goes_on, limited = (CommandEffect(given={one.path: one.text}, prints=f"{two}\n") for one in (third, fourth))
    command = f"echo {two}; printf {within}; touch {mark}; sh {script.path} {shlex.quote(file.path)}; echo {three}"
    ignores = f"trap '' TERM; echo {two}; sh {deaf.path} {shlex.quote(third.path)}; echo {three}"
    limits = f"echo {two}; {LIMIT} sh {script.path} {shlex.quote(fourth.path)}; echo {three}"
    return (
        ToolUse(kind="run", target=f"echo {one}"),
        ToolUse(kind="run", target=ignores, within=1, over=True, effect=goes_on),
        ToolUse(kind="run", target=limits, within=1, over=True, effect=limited),
        ToolUse(kind="run", target=command, within=1, over=True, effect=begun),
        ToolUse(kind="cat", target=other.path, delay=PATIENCE - 1.5),
    )


def _going_on(drawing: Drawing) -> list[ToolUse]:
    """Commands of several parts: behind a pipe, a semicolon, and a line end, of which the first part has failed."""
    file = drawing.file(3)
    place, nothing = shlex.quote(file.path), drawing.texts.number()
    lines = (
        f"grep {nothing} {place} | sort && cat {place}",
        f"false; cat {place}",
        f"grep {nothing} {place}\ncat {place}",
    )
    effect = CommandEffect(given={file.path: file.text}, prints=file.text)
    return [ToolUse(kind="run", target=line, effect=effect) for line in lines]


def _fails_behind(drawing: Drawing) -> ToolUse:
    """A command that adds a line, and then fails: nobody is to do that again."""
    file, line = drawing.file(3), f"{drawing.texts.number()} {drawing.texts.number()}"
    does = f"echo {line} >> {shlex.quote(file.path)}; cat {drawing.texts.word()}.md"
    effect = CommandEffect(given={file.path: file.text}, leaves={file.path: f"{file.text}{line}\n"})
    return ToolUse(kind="run", target=does, effect=effect)


def failing_steps(drawing: Drawing) -> list[Unit]:
    """Reply after reply has one call, and each of them fails, in two turns; then one works."""
    file = drawing.file(drawing.rng.randrange(3, 9))
    status = PlanFile(path=f"{drawing.texts.word()}.sh", text="exit 4\n")
    drawing.steps.append(status)
    missed = ToolUse(kind="edit", target=file.path, wanted=(drawing.texts.sentence(),), content="x", missed=True)
    fails = [
        ToolUse(kind="read", target=drawing.texts.path()),
        ToolUse(kind="status", target=status.path),
        missed,
        ToolUse(kind="run", target=f"cat {drawing.texts.word()}.md"),
        ToolUse(kind="stray", target=f"{drawing.rng.choice(TOOLS)}_v3", content=file.path),
        ToolUse(kind="bent", target="nothing"),
    ]
    look = ToolUse(kind="read", target=file.path)
    orders = drawing.rng.sample(fails, len(fails)), [missed] * 3
    return [[drawing.turn(*map(drawing.does, (*uses, look)), drawing.says())] for uses in orders]


def batch(drawing: Drawing) -> list[Unit]:
    """Two dozen calls at once, of files and a history, a slow one among them, one after another answered."""
    uses = [
        ToolUse(kind="read", target=drawing.file(drawing.rng.randrange(3, 12)).path)
        for _ in range(drawing.rng.randrange(24, 30))
    ]
    uses += [drawing.reads(name) for name in drawing.histories[-1:]]
    drawing.rng.shuffle(uses)
    file, within = drawing.file(drawing.rng.randrange(3, 20)), 0 if drawing.height % 2 else GRANTED
    slow = ToolUse(kind="cat", target=file.path, delay=SLOW, within=within)
    uses.insert(drawing.rng.randrange(len(uses)), slow)
    return [[drawing.turn(drawing.does(*uses), drawing.says())]]


def left(drawing: Drawing) -> list[Unit]:
    """A command shows a file of a folder to which it goes. Others go there and work, or fail; where is the next one then?

    Tools read one of two files of the same name, of which the other is in the folder. Where there are restarts, a command goes
    there once more, and others export a name of several lines and odd signs, a PATH, and a word; all are asked for in the next
    turn, and in the one behind a restart. Before that the word becomes another one, by a command with a trap of its own.
    """
    folder, name = drawing.texts.word(), f"{drawing.texts.word()}.md"
    paths = name, f"{folder}/{name}"
    drawing.steps += [PlanFile(path=path, text=drawing.texts.lines(3)) for path in paths]
    where, look = ToolUse(kind="where", target=""), ToolUse(kind="read", target=name)
    goes = [ToolUse(kind="go", target=folder, exit=status) for status in (0, 1)]
    back = ToolUse(kind="cat", target=name, inside=True)
    home = ToolUse(kind="go", target="")
    shows = ToolUse(kind="run", target=f"cd {folder} && cat {name}")  # from there, wherever a shell has been left
    replies = map(drawing.does, (home, shows, home, goes[0], where, look, goes[1], where, look, back))
    first: Unit = [drawing.turn(*replies, drawing.says())]
    if drawing.height == 0:
        return [first]
    name = f"NAME_{drawing.texts.number()}"
    one, two, three = (drawing.texts.number() for _ in range(3))
    value = f'{one} \\\\{two}\\n\n{two}="{three}" \\$4 `{one}`'  # echo would take some of it for signs of its own
    word = f"WORD_{one}"
    named = f"export {name}='{value}'", f'export PATH="$PATH:/{drawing.texts.number()}"', f"export {word}={two}"
    exports = [ToolUse(kind="run", target=target) for target in named]
    again = ToolUse(kind="run", target=f"trap 'echo {two}' EXIT; export {word}={three}")
    asks = [ToolUse(kind="run", target=f"printf '%s\\n' \"[${asked}]\"") for asked in (name, "PATH", word)]
    stays, still, behind = (
        drawing.turn(*(drawing.does(*uses) for uses in every), drawing.says())
        for every in (
            (exports, (goes[0],), (where, *asks)), ((where, *asks), (again,), asks[2:]), ((where, *asks), (back,)),
        )
    )  # fmt: skip
    return [first, [stays, still, PlanIncident(happens="restart"), behind]]


def failures(drawing: Drawing) -> list[Unit]:
    """Files that begin with what programs say when they fail, are read, shown, written, and printed by a command."""
    said = drawing.texts.errors(4)
    first, *texts = (f"{one}\n{drawing.texts.lines(3)}" for one in said)
    plain = next(one for one in said if "/" not in one)  # a guard takes that for a path
    files = [PlanFile(path=drawing.texts.path(), text=text) for text in texts]
    drawing.steps += files
    made = ToolUse(kind="write", target=drawing.texts.path(), content=first)
    printed = ToolUse(kind="print", target=drawing.texts.sentence(), content=plain.split("\n")[0])
    looks = [ToolUse(kind=kind, target=file.path) for file in files for kind in ("read", "cat")]
    drawing.rng.shuffle(looks)
    again = ToolUse(kind="read", target=made.target)
    return [[drawing.turn(drawing.does(made, *looks), drawing.does(again, printed), drawing.says())]]


def dropped(drawing: Drawing) -> list[Unit]:
    """The agent removes a file, and gives one that it has edited a new name, and looks; then the first comes back."""
    out, moved = (drawing.file(drawing.rng.randrange(3, 20)) for _ in range(2))
    old = drawing.rng.choice(moved.text.split("\n")[:-1])
    edit = ToolUse(kind="edit", target=moved.path, wanted=(old,), content=drawing.texts.sentence())
    new = f"{moved.path.rpartition('.')[0]}-{drawing.rng.choice(NOUNS)}.md"
    looks = [ToolUse(kind="read", target=file.path) for file in (out, moved)]
    drop, move = ToolUse(kind="drop", target=out.path), ToolUse(kind="move", target=moved.path, content=new)
    lists = [ToolUse(kind="list", target=path.rpartition("/")[0]) for path in (out.path, new)]
    show = ToolUse(kind="read", target=new)
    change = PlanChange(path=out.path, action="new", text=drawing.texts.lines(drawing.rng.randrange(3, 20)))
    return [
        [
            drawing.turn(
                *map(drawing.does, (*looks, edit)),
                drawing.does(drop, move),
                drawing.does(show, looks[0]),
                drawing.says(),
            )
        ],
        [drawing.turn(drawing.does(*lists), drawing.does(*looks, show), drawing.says())],
        [change, drawing.turn(drawing.does(looks[0], show), drawing.says())],
    ]


def background(drawing: Drawing) -> list[Unit]:
    """Two commands at once go on in the background; what they print is asked for while they are at work, and behind that.

    Each says something, and a second later much more. Another command is run between, and an answer to that is its own.
    """
    begun = [_begun(drawing) for _ in range(2)]
    asks = [
        ToolUse(kind="follow", target=one.target, wanted=tuple(one.effect.prints.splitlines()), whole=True)
        for one in begun
        if one.effect is not None
    ]
    file = drawing.file(3)
    between = drawing.does(ToolUse(kind="cat", target=file.path), *asks[:1])
    late = drawing.does(*asks).model_copy(update={"delay": LATER})
    return [[drawing.turn(drawing.does(*begun), between, late, drawing.says())]]


def _begun(drawing: Drawing) -> ToolUse:
    """A command that goes on in the background, and leaves a file when it has come to its end."""
    number, row, last = (drawing.texts.number() for _ in range(3))
    rows = f"seq {ROWS} | sed 's/.*/row & of {row} is where it was before/'"  # a guard refuses what puts commands into others
    command = f"echo {number}; sleep 1; {rows}; echo {last}; touch {number}.txt"
    printed = [f"row {n} of {row} is where it was before" for n in range(1, ROWS + 1)]
    effect = CommandEffect(leaves={f"{number}.txt": ""}, prints="\n".join((str(number), *printed, str(last))))
    return ToolUse(kind="begin", target=command, effect=effect)


def folders(drawing: Drawing) -> list[Unit]:
    """A folder is copied, the copy changed and moved, and the first one removed, each by a command; looks between.

    Then an update brings a file into the folder that has gone.
    """
    texts, names = drawing.texts, [f"{at}-{drawing.texts.word()}.md" for at in (1, 2)]
    first, copy, moved = (texts.word() for _ in range(3))
    has = {name: texts.lines(3) for name in names}
    drawing.steps += [PlanFile(path=f"{first}/{name}", text=text) for name, text in has.items()]
    add = ToolUse(kind="add", target=f"{copy}/{names[0]}", content=texts.sentence())
    new = {**has, names[0]: f"{has[names[0]]}{add.content}\n"}
    gone = dict.fromkeys(names)
    copies = _commanded(f"cp -r {first} {copy}", {first: has, copy: gone}, {copy: has})
    moves = _commanded(f"mv {copy} {moved}", {copy: new, moved: gone}, {copy: gone, moved: new})
    removes = _commanded(f"rm -r {first}", {first: has}, {first: gone})
    shows = _commanded(f"cat {moved}/*", {moved: new}, {}, "".join(new.values()))
    lists = {folder: ToolUse(kind="list", target=folder) for folder in (first, moved)}
    looks = {folder: ToolUse(kind="read", target=f"{folder}/{names[0]}") for folder in (first, copy, moved)}
    replies = (
        (looks[first], lists[first]), (copies,), (add,), (looks[copy], looks[first]), (moves,), (removes,),
        (*looks.values(), lists[moved], shows),
    )  # fmt: skip
    back = PlanChange(path=f"{first}/{names[0]}", action="new", text=texts.lines(3))
    turns = [
        drawing.turn(*(drawing.does(*uses) for uses in every), drawing.says())
        for every in (replies, ((lists[first], looks[first], looks[moved]),))
    ]
    return [[turns[0]], [back, turns[1]]]


Folders = Mapping[str, Mapping[str, str | None]]
"""What files of folders have, by the folder and the name; None for one that is not there."""


def _commanded(line: str, given: Folders, leaves: Folders, prints: str = "") -> ToolUse:
    """A command about all files of some folders."""
    before, behind = (
        {f"{folder}/{name}": text for folder, files in every.items() for name, text in files.items()}
        for every in (given, leaves)
    )
    return ToolUse(kind="run", target=line, effect=CommandEffect(given=before, leaves=behind, prints=prints))
