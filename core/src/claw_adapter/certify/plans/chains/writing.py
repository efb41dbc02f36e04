"""Files that the agent writes and edits."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from claw_adapter.certify.plans.drawing import ENDINGS, LEAST, NUMBER, PATTERNS, Drawing, Unit, cuts
from claw_adapter.certify.plans.plan import PlanChange, PlanFile, PlanTurn
from claw_adapter.certify.plans.texts import CLEARED, INDENTS, PLAINEST
from claw_adapter.endpoint.models.played import CommandEffect, PlayedReply, ToolUse

__all__ = [
    "by_whole_paths",
    "cut_out",
    "edited",
    "edited_at_once",
    "edited_by_lists",
    "edited_in_doubt",
    "edited_large",
    "edited_plainly",
    "odd",
    "patched",
    "written",
    "written_large",
]

WRITTEN: Final = ((4_200, 5_000), (5_500, 7_000), (4_200, 5_000))
"""Characters of a long file that is written, by the level."""
ROWS: Final = 2_600
"""Lines of a file that has more of them than many tools show at once."""
LARGE: Final = 1_300
"""Lines of a file of more than 64 KiB."""
PLAINLY: Final = 150
"""Lines at the beginning of one that are ASCII."""
BLOCK: Final = 50
"""Lines of it that are replaced at once."""
LAID: Final[tuple[Callable[[str], str], ...]] = (
    lambda text: text.rstrip("\n"),
    lambda text: text.replace("\n", "\n    ", 1),
    lambda text: text.replace("\n", "\n\n", 1),
    lambda text: text.replace(" ", "\n", 1),
)
"""How a text is written anew of which nothing changes but blanks and line ends."""
ENDS_OF_FILES: Final = ("", "\n\n")
"""Of those in which something is replaced: most others end with one line end."""


def by_whole_paths(drawing: Drawing) -> list[Unit]:
    """A file is written where none was, read and edited by its whole path, and read again, by the one or the other.

    Its lines begin with tabs, as do two that are replaced, and the new one.
    """
    path = f"{drawing.texts.word()}/{drawing.texts.word()}.md"
    text = "".join(f"{deep}{drawing.texts.sentence()}\n" for deep in ("\t", "\t\t", "\t", ""))
    made = ToolUse(kind="write", target=path, content=text, absolute=True)
    look = ToolUse(kind="read", target=path)
    far = look.model_copy(update={"absolute": True})
    lists = ToolUse(kind="list", target=path.partition("/")[0], absolute=True)
    old = "\n".join(text.split("\n")[:2])
    edit = ToolUse(kind="edit", target=path, wanted=(old,), content=f"\t\t{drawing.texts.sentence()}", absolute=True)
    replies = (made,), (look, lists), (edit,), (far, look)
    return [[drawing.turn(*(drawing.does(*uses) for uses in replies), drawing.says())]]


def written(drawing: Drawing) -> list[Unit]:
    """The agent writes files: long, over one that is there, twice, with other blanks, data; an update replaces one.

    Some have names of what is there for a while only.
    """
    path = drawing.texts.path()
    text = drawing.rng.choice((f"{drawing.texts.number()}", drawing.texts.lines(drawing.rng.randrange(2, 20))))
    made = ToolUse(kind="write", target=path, content=text)
    plainest = drawing.dealt(PLAINEST) if drawing.height else PLAINEST
    names = [form.format(drawing.texts.word()) for form in drawing.rng.sample(CLEARED, len(CLEARED))]
    names += [drawing.texts.path() for _ in plainest[len(names) :]]
    plain = [ToolUse(kind="write", target=name, content=one) for name, one in zip(names, plainest, strict=False)]
    long = ToolUse(
        kind="write",
        target=drawing.texts.path(),
        content=drawing.texts.across(drawing.texts.prose(drawing.rng.randrange(*WRITTEN[drawing.height]))),
    )
    before = drawing.file(drawing.rng.randrange(12, 30))
    drawing.asides(before)
    emptied = ToolUse(kind="write", target=drawing.file(drawing.rng.randrange(3, 9)).path)
    over = ToolUse(kind="write", target=before.path, content=drawing.texts.lines(drawing.rng.randrange(2, 6)))
    look = ToolUse(kind="read", target=path)
    shown = ToolUse(kind="cat", target=over.target)
    laid = drawing.file(drawing.rng.randrange(3, 6))
    blanks = ToolUse(kind="write", target=laid.path, content=drawing.rng.choice(LAID)(laid.text))
    first = drawing.turn(
        drawing.does(made, long, emptied, blanks),
        drawing.does(over, made, *plain),
        drawing.does(look, shown),
        drawing.says(),
    )
    units: list[Unit] = [[first]]
    change = PlanChange(path=path, action="new", text=drawing.texts.lines(drawing.rng.randrange(2, 20)))
    gone = PlanChange(path=path, action="delete")
    units += [[step, drawing.turn(drawing.does(look), drawing.says())] for step in (change, gone)]
    return units


def odd(drawing: Drawing) -> list[Unit]:
    """Every class of characters in a prompt, a reply, an answer, a file that is read, one that is written, and names."""
    shown, written = drawing.texts.odd_paths()
    file = PlanFile(path=shown, text=_odd_text(drawing))
    drawing.steps.append(file)
    look, show = (ToolUse(kind=kind, target=file.path) for kind in ("read", "cat"))
    made = ToolUse(kind="write", target=written, content=_odd_text(drawing))
    again = ToolUse(kind="cat", target=made.target)
    lines = file.text.split("\n")
    marked = [line for line in lines if lines.count(line) == 1 and len(line) > LEAST and "\\n" in line]
    old = drawing.rng.choice(marked or lines[:1])
    edit = ToolUse(kind="edit", target=file.path, wanted=(old,), content=drawing.between_words(PATTERNS))
    printed = ToolUse(kind="print", target=drawing.texts.sentence(), content=drawing.texts.signs())
    question = f"{drawing.texts.message()}\n{drawing.texts.odd()}\n{drawing.texts.tags()}\n{drawing.texts.sentence()}?"
    answer = PlayedReply(text=f"{drawing.texts.sentence()}\n{drawing.texts.odd()}\n{drawing.texts.sentence()}.")
    told = drawing.does(made).model_copy(update={"text": f"{drawing.texts.sentence()}:\n{drawing.texts.odd()}"})
    lists = (ToolUse(kind="list", target=path.rpartition("/")[0]) for path in (shown, written))
    replies = drawing.does(look, show, printed), told, drawing.does(again, *lists), answer
    turn = PlanTurn(question=question, replies=replies)
    return [[turn], [drawing.turn(drawing.does(edit), drawing.does(again), drawing.says())]]


def edited(drawing: Drawing) -> list[Unit]:
    """A line of a file that was read is replaced, another taken out, an update edited, then all of it replaced.

    In between, a line is to be replaced that is not there, but for a number, and a block that is, but for its middle.
    """
    file = drawing.file(drawing.rng.randrange(8, 20), drawing.rng.choice(ENDS_OF_FILES))
    drawing.asides(file)
    old, out = drawing.rng.sample(file.text.split("\n")[1:-2], 2)
    at = drawing.rng.randrange(5)
    block = "\n".join(file.text.split("\n")[at : at + 3])
    several = ToolUse(kind="edit", target=file.path, wanted=(block,), content=_indented(drawing))
    look, show = (ToolUse(kind=kind, target=file.path) for kind in ("read", "cat"))
    new = f"{drawing.texts.sentence()} {drawing.between_words(PATTERNS)}"
    change = ToolUse(kind="edit", target=file.path, wanted=(old,), content=new)
    gone = ToolUse(kind="edit", target=file.path, wanted=(f"{out}\n",))
    other, kept = drawing.texts.sentence(), drawing.texts.sentence()
    update = PlanChange(path=file.path, action="new", text=f"{drawing.texts.lines(8)}{other}\n{kept}\n")
    rows = "".join(f"{number} | {line}\n" for number, line in enumerate(drawing.texts.lines(2).splitlines(), 1))
    later = ToolUse(kind="edit", target=file.path, wanted=(f"{other}\n",), content=rows)
    put = ToolUse(kind="put", target=file.path, content=drawing.texts.lines(drawing.rng.randrange(3, 9)))
    like = NUMBER.sub(str(drawing.texts.number()), kept)
    nearly = update.text.split("\n")[: drawing.rng.randrange(6, 9)]
    nearly[2] = NUMBER.sub(str(drawing.texts.number()), nearly[2])
    misses = [
        ToolUse(kind="edit", target=file.path, wanted=(one,), content=new, missed=True)
        for one, new in ((like, kept), ("\n".join(nearly), drawing.texts.sentence()))
    ]  # the first one's new text stands there already
    turns = ((look, change, show, look), (gone,), (several, look), (later, look), (*misses, look), (put, look))
    units: list[Unit] = [[drawing.turn(*map(drawing.does, turn), drawing.says())] for turn in turns]
    return [*units[:3], [update, *units[3]], *units[4:]]


def edited_at_once(drawing: Drawing) -> list[Unit]:
    """Two lines of one file are replaced by two calls of one reply, and a third one grows by two that are equal.

    A last call of that reply is to replace in another file what is not in it. Then one of a line's words is replaced
    everywhere in the file.
    """
    file = drawing.file(drawing.rng.randrange(8, 20), drawing.rng.choice(ENDS_OF_FILES))
    *lines, grown = drawing.rng.sample(file.text.split("\n")[1:-2], 3)
    edits = [ToolUse(kind="edit", target=file.path, wanted=(old,), content=drawing.texts.sentence()) for old in lines]
    more = ToolUse(kind="edit", target=file.path, wanted=(grown,), content=f"{grown} {drawing.texts.word()}")
    edits += [more, more]
    drawing.rng.shuffle(edits)
    other = drawing.file(3).path
    edits.append(ToolUse(kind="edit", target=other, wanted=(drawing.texts.sentence(),), content="x", missed=True))
    looks = [ToolUse(kind="read", target=path) for path in (file.path, other)]
    word = drawing.rng.choice([word for word in grown.split() if word.isalpha()])
    all_over = ToolUse(
        kind="edit", target=file.path, wanted=(word,), content=drawing.rng.choice((f"{word} {word}", "")), every=True
    )
    replies = edits, looks, (all_over,), looks[:1]
    return [[drawing.turn(*(drawing.does(*uses) for uses in replies), drawing.says())]]


def edited_by_lists(drawing: Drawing) -> list[Unit]:
    """Two lines are replaced by one call; of one, and of two others, one is not there: what was done is said, or nothing was.

    Only with a tool that takes a list of such. With one that puts a text behind a line, that is done in three files, of which
    one has no end, and one gets the text before its first line.
    """
    files = [drawing.file(6) for _ in range(3)]
    (one, two), first, _ = (drawing.rng.sample(file.text.split("\n")[:5], 2) for file in files)
    missing = drawing.texts.sentence()
    olds = (one, two), (first[0], missing), (missing,)
    order = drawing.rng.choice((1, -1))
    edits = [
        ToolUse(kind="edits", target=file.path, wanted=old, names=tuple(drawing.texts.sentence() for _ in old))
        for file, old in zip(files, (olds[0], olds[1][::order], olds[2]), strict=True)
    ]
    looks = [drawing.does(ToolUse(kind="read", target=file.path)) for file in files]
    turns = [(looks[at], edits[at]) for at in (2, 1, 0)]
    open_ended = PlanFile(path=drawing.texts.path(), text=drawing.texts.lines(3).removesuffix("\n"))
    drawing.steps.append(open_ended)
    for grown, line in ((drawing.file(6), 4), (open_ended, 3), (drawing.file(6), 0)):
        content = drawing.texts.lines(2).removesuffix("\n")
        look = drawing.does(ToolUse(kind="read", target=grown.path))
        turns.append((look, ToolUse(kind="insert", target=grown.path, starts=(line,), content=content)))
    return [[drawing.turn(look, drawing.does(edit), look, drawing.says())] for look, edit in turns]


def patched(drawing: Drawing) -> list[Unit]:
    """Patches replace lines, and put one behind the last of a file that has no end; one makes a file, two do all at once.

    Of the last of them not every part fits. What is taken out and put in may look like the head of a file in a diff. Only with
    a tool that takes them.
    """
    file, last = drawing.file(9), drawing.texts.sentence()
    ahead = f"{drawing.texts.word()} {last}\n{drawing.texts.lines(2)}"  # its first line ends as the last one is
    open_ended = PlanFile(path=drawing.texts.path(), text=f"{ahead}{last}")
    lines = file.text.split("\n")
    lines[6] = f"-- {lines[6]}"
    marked = PlanFile(path=file.path, text="\n".join(lines))
    drawing.steps[drawing.steps.index(file)] = marked
    drawing.steps.append(open_ended)
    new = [drawing.texts.sentence(), f"++ {drawing.texts.sentence()}", *(drawing.texts.sentence() for _ in range(2))]
    hunks = [f"@@\n {lines[at - 1]}\n-{lines[at]}\n+{new[at // 4]}\n {lines[at + 1]}\n" for at in (1, 6)]
    made, more = drawing.texts.path(), drawing.texts.sentence()
    after = marked.text.replace(f"{lines[1]}\n", f"{new[0]}\n").replace(f"{lines[6]}\n", f"{new[1]}\n")
    patches = {
        file.path: (f"*** Update File: {file.path}\n{''.join(hunks)}", marked.text, after),
        open_ended.path: (
            f"*** Update File: {open_ended.path}\n@@\n {last}\n+{new[2]}\n",
            open_ended.text,
            f"{open_ended.text}\n{new[2]}\n",
        ),
        made: (f"*** Add File: {made}\n+{new[3]}\n+{more}\n", None, f"{new[3]}\n{more}\n"),
    }
    turns = []
    for path, (patch, before, then) in patches.items():
        look = [drawing.does(ToolUse(kind="read", target=path))]
        use = _patch(path, [patch], {path: before}, {path: then})
        turns.append(drawing.turn(*look[path == made :], drawing.does(use), *look, drawing.says()))
    return [[turn] for turn in (*turns, _patched_at_once(drawing), _patched_in_part(drawing))]


def _patch(
    path: str,
    parts: Sequence[str],
    before: Mapping[str, str | None],
    after: Mapping[str, str | None],
    effect: CommandEffect | None = None,
) -> ToolUse:
    """A patch of these parts, and the same as a unified diff, for tools that take that."""
    diffs = [_diff(one, before[one], after[one]) for one in after]
    patch = f"*** Begin Patch\n{''.join(parts)}*** End Patch"
    return ToolUse(kind="patch", target=path, content=patch, names=("".join(diffs),), effect=effect)


def _diff(path: str, before: str | None, after: str | None) -> str:
    """What changes in a file, as `diff -u` says it."""
    old, new = (text.splitlines(keepends=True) if text else [] for text in (before, after))
    here, there = (
        f"{side}/{path}" if text is not None else "/dev/null" for side, text in (("a", before), ("b", after))
    )
    lines = difflib.unified_diff(old, new, here, there, n=1)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _patched_at_once(drawing: Drawing) -> PlanTurn:
    """One patch makes a file, replaces a line in another one, and removes a third."""
    changed, gone, made = drawing.file(5), drawing.file(2), drawing.texts.path()
    old, new, text = changed.text.split("\n")[2], drawing.texts.sentence(), drawing.texts.sentence()
    parts = [
        f"*** Add File: {made}\n+{text}\n",
        f"*** Update File: {changed.path}\n@@\n-{old}\n+{new}\n",
        f"*** Delete File: {gone.path}\n",
    ]
    drawing.rng.shuffle(parts)
    given = {changed.path: changed.text, gone.path: gone.text, made: None}
    leaves = {changed.path: changed.text.replace(old, new), gone.path: None, made: f"{text}\n"}
    use = _patch(changed.path, parts, given, leaves, CommandEffect(given=given, leaves=leaves))
    look = drawing.does(*(ToolUse(kind="read", target=file.path) for file in (changed, gone)))
    return drawing.turn(
        look, drawing.does(use), drawing.does(ToolUse(kind="read", target=changed.path)), drawing.says()
    )


def _patched_in_part(drawing: Drawing) -> PlanTurn:
    """One patch replaces a line in two files, and in two others one that is not there."""
    files, new = [drawing.file(4) for _ in range(4)], drawing.texts.sentence()
    old = [file.text.split("\n")[2] if at < 2 else drawing.texts.sentence() for at, file in enumerate(files)]
    pairs = list(zip(files, old, strict=True))
    drawing.rng.shuffle(pairs)
    parts = [f"*** Update File: {file.path}\n@@\n-{line}\n+{new}\n" for file, line in pairs]
    leaves = {file.path: file.text.replace(line, new) for file, line in zip(files[:2], old, strict=False)}
    effect = CommandEffect(
        given={file.path: file.text for file in files}, leaves=leaves, misses=tuple(file.path for file in files[2:])
    )
    there = {file.path: file.text.replace(file.text.split("\n")[2], line) for file, line in pairs}
    then = {file.path: there[file.path].replace(line, new) for file, line in pairs}
    use = _patch(files[0].path, parts, there, then, effect)
    looks = drawing.does(*(ToolUse(kind="read", target=file.path) for file in files))
    return drawing.turn(looks, drawing.does(use), looks, drawing.says())


def edited_plainly(drawing: Drawing) -> list[Unit]:
    """Of a text with typographic signs a line is replaced, as if its signs were plain: that is refused, or done there.

    Then one of another file, which has a line with carriage returns in it: they stay.
    """
    said = [(drawing.texts.sentence(), drawing.texts.sentence()) for _ in range(5)]
    lines = [f"\u201c{one}\u201d \u2013 it\u2019s\u00a0{other}\u2026" for one, other in said]
    file = PlanFile(path=drawing.texts.path(), text="\n".join((*lines, "")))
    drawing.steps.append(file)
    one, other = said[drawing.rng.randrange(5)]
    look = ToolUse(kind="read", target=file.path)
    plain = f'"{one}" - it\'s {other}\u2026'
    change = ToolUse(kind="edit", target=file.path, wanted=(plain,), content=drawing.texts.sentence(), missed=True)
    first, *lines = (drawing.texts.sentence() for _ in range(6))
    counted = "\r".join(f"{drawing.texts.number()} {percent}%" for percent in (0, 50, 100))
    counts = PlanFile(path=drawing.texts.path(), text="\n".join((first, *lines[:2], counted, *lines[2:], "")))
    drawing.steps.append(counts)
    kept = ToolUse(kind="edit", target=counts.path, wanted=(lines[1],), content=drawing.texts.sentence())
    return [[drawing.turn(*map(drawing.does, (look, change, look, kept)), drawing.says())]]


def edited_in_doubt(drawing: Drawing) -> list[Unit]:
    """Edits that are refused, or made in one of few ways, behind one that is sure, all of them in one turn.

    What they are to replace stands there twice, has LF where the file has CR LF, is nothing at all, or has blanks that the file
    has not: at the beginnings of lines that stand in one place, or in two, and within a line. At last it stands there twice,
    and the edit is told not to replace it everywhere; and nothing at all is to be replaced everywhere.
    """
    sure, twice, *lines = (drawing.texts.sentence() for _ in range(6))
    one, two, *rest = lines
    block = f"{one}\n{two}"
    wide = one.replace(" ", "  ")
    texts = {
        "\n".join((sure, one, rest[0], one, rest[1], "")): one,
        "".join(f"{line}\r\n" for line in lines): block,
        "".join(f"{line}\n" for line in rest): "",
        "".join(f"    {line}\n" for line in (rest[0], *block.split("\n"), rest[1])): f"      {one}\n      {two}",
        f"if:\n  {one}\n  {two}\nelse:\n    {one}\n    {two}\n{rest[0]}\n": f"      {one}\n      {two}",
        "\n".join((rest[0], f"{two}\n{wide}\n{two}", rest[1], "")): f"{two}\n{one}\n{two}",
        "\n".join((twice, rest[0], twice, "")): twice,
        "".join(f"{line}\n" for line in (twice, *rest)): "",
    }
    files = [PlanFile(path=drawing.texts.path(), text=text) for text in texts]
    drawing.steps += files
    looks = [ToolUse(kind="read", target=file.path) for file in files]
    certain = ToolUse(kind="edit", target=files[0].path, wanted=(sure,), content=drawing.texts.sentence())
    edits = [
        ToolUse(kind="edit", target=file.path, wanted=(old,), content=_like(drawing, old), missed=True)
        for file, old in zip(files, texts.values(), strict=True)
    ]
    edits[-2] = edits[-2].model_copy(update={"once": True})
    edits[-1] = edits[-1].model_copy(update={"every": True})
    return [[drawing.turn(*(drawing.does(*uses) for uses in (looks, (certain,), edits)), drawing.says())]]


def _like(drawing: Drawing, old: str) -> str:
    """New text of as many lines, as deep."""
    blanks = old[: len(old) - len(old.lstrip())]
    return "\n".join(f"{blanks}{drawing.texts.sentence()}" for _ in old.split("\n"))


def cut_out(drawing: Drawing) -> list[Unit]:
    """Of a file that was read a line is taken out without its end, the end of another, and the beginning of a third."""
    file = drawing.file(drawing.rng.randrange(6, 12))
    whole, behind, before = drawing.rng.sample(file.text.split("\n")[1:-1], 3)
    found = (whole, cuts(behind)[1], cuts(before)[2])
    edits = [drawing.does(ToolUse(kind="edit", target=file.path, wanted=(old,))) for old in found]
    look = drawing.does(ToolUse(kind="read", target=file.path))
    drawing.rng.shuffle(edits)
    return [[drawing.turn(look, *edits, look, drawing.says())]]


def edited_large(drawing: Drawing) -> list[Unit]:
    """Two lines, and many at once, are replaced in a file that is larger than what is often read; its end is shown.

    By its first thousands of bytes it is ASCII.
    """
    rest = drawing.texts.across(drawing.texts.lines(LARGE - PLAINLY))
    file = PlanFile(path=drawing.texts.path(), text=f"{drawing.texts.lines(PLAINLY)}{rest}")
    drawing.steps.append(file)
    lines = file.text.split("\n")
    block = "\n".join(lines[600 : 600 + BLOCK])
    edits = [
        ToolUse(kind="edit", target=file.path, wanted=(old,), content=new)
        for old, new in (
            (lines[3], drawing.texts.sentence()),
            (lines[-3], drawing.texts.sentence()),
            (block, drawing.texts.lines(BLOCK)),
        )
    ]
    show = ToolUse(kind="cat", target=file.path, starts=(LARGE - 5,), page=6)
    return [[drawing.turn(*map(drawing.does, edits), drawing.does(show), drawing.says())], _edited_rows(drawing)]


def _edited_rows(drawing: Drawing) -> Unit:
    """The same near the beginning and the end of a file of more lines than many tools show, nearly all a number."""
    rows = [str(row) for row in range(1_000, 1_000 + 3 * ROWS, 3)]
    told = [(at, drawing.texts.line(2 * LEAST)) for at in (3, ROWS - 40, ROWS - 2)]
    for at, line in told:
        rows[at] = line
    file = PlanFile(path=drawing.texts.path(), text="".join(f"{row}\n" for row in rows))
    drawing.steps.append(file)
    edits = [
        ToolUse(kind="edit", target=file.path, wanted=(old,), content=drawing.texts.sentence()) for _, old in told[:2]
    ]
    show = ToolUse(kind="cat", target=file.path, starts=(ROWS - 45,), page=45)
    return [drawing.turn(*map(drawing.does, edits), drawing.does(show), drawing.says())]


def written_large(drawing: Drawing) -> list[Unit]:
    """A file is written that is larger than what a pipe takes at once."""
    text = drawing.long_text()
    write = ToolUse(kind="write", target=drawing.texts.path(), content=text)
    return [
        [
            drawing.turn(
                drawing.does(write).model_copy(update={"piece": drawing.rng.choice((2_000, 2 * len(text)))}),
                drawing.says(),
            )
        ]
    ]


def _indented(drawing: Drawing) -> str:
    """Lines of which some are deeper, and one is empty, as in programs."""
    lines = (f"{drawing.rng.choice(INDENTS)}{drawing.texts.sentence()}" for _ in range(drawing.rng.randrange(2, 6)))
    return "\n".join((*lines, "", drawing.texts.sentence()))


def _odd_text(drawing: Drawing) -> str:
    """A file's text with every class of characters, and with blanks at the ends of lines."""
    lines = [
        *drawing.texts.odd().split("\n"),
        *drawing.texts.tags().split("\n"),
        *drawing.texts.secrets().split("\n"),
        f"\t{drawing.texts.sentence()}",
        f"{drawing.texts.sentence()}  ",
        "",
        "   ",
    ]
    lines.append(f"    {drawing.texts.sentence()}\t")
    drawing.rng.shuffle(lines)
    return "\n".join((drawing.texts.sentence(), *lines, drawing.texts.sentence())) + drawing.rng.choice(ENDINGS)
