"""Searches of a plan: what is looked for, where, and what becomes of the files between."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import Final

from claw_adapter.certify.plans.drawn import DrawnTurn
from claw_adapter.certify.plans.plan import PlanChange, PlanFile
from claw_adapter.certify.plans.texts import NOUNS, Texts
from claw_adapter.endpoint.models.played import ToolUse

__all__ = ["search_turns"]

AHEAD: Final = (9, 13)
"""Lines before the first that has what is looked for: more than there are such lines, so that no count of them is its place."""
MARKED: Final = (
    "{} at 10:30:00", "10:15 {}", "{} :12: x", "{} | 7 | x", "{} -3- x", "C:\\{}\\x:4: y", "https://example.org:80/{}?q=1:2",
    "\t{}\tx\t9", "{} -- 5 -- x", "{}#L8", "[12] {}", "{}: 1: 2: 3", "- {}", "--- {}",
)  # fmt: skip
"""Lines with what tools put between a file's name, a line's number and the line."""
SIGNS: Final = ("${},50 (net)", "[{}] a+b", "{}? *or* not", "{}|{{x}}", "^{}.5$", "C++ ({})", "a\\{}.md", "({}")
"""Texts with signs that mean something in patterns."""
DASHED: Final = ("-e {}", "--{}", "-{} x", "-v {}")
"""Texts that begin as an option of a command."""
LONG: Final = 2_100
"""Characters of a long line, few tokens of one sign, before what is looked for."""
AROUND: Final = 4
"""Lines around one that is found, with another such line among them."""
OFTEN: Final = 24
"""Lines of one file with what is looked for: more than some show, who then have to say so."""
SUFFIXES: Final = ("md", "txt", "csv", "yaml")


def search_turns(texts: Texts) -> tuple[list[PlanFile], list[DrawnTurn]]:
    """The files that are there at first, and turns: a number is looked for in a folder, everywhere and in one file alone.

    It stands in two files, behind empty lines too, and one of them is looked for by its name; so is a number that is nowhere.
    Two look for what is no pattern, with a tool that takes such. An update changes the number in one of them, and not its
    size. Some searches look only at files whose names end so, and one for names only in a folder itself. One file has blanks
    and a colon in its name.
    Then one of them is written anew, twice; an update replaces the other one and brings a third that has the number; the agent
    edits one, writes to a fourth, and removes the third.
    """
    rng, folder, number = texts.rng, f"{texts.word()}/{texts.rng.choice(NOUNS)}", str(texts.number())
    paths = [f"{folder}/{texts.word()}.{suffix}" for suffix in rng.sample(SUFFIXES, 4)]
    forms = sorted(rng.sample(MARKED, 4), key=lambda form: "://" in form)  # an address in a command may be refused
    has = [_text(texts, number, form) for form in forms]
    files = [PlanFile(path=path, text=text) for path, text in zip(paths[:2], has, strict=False)]
    files.append(PlanFile(path=f"{folder}/{texts.word()}.md", text=texts.lines(3)))
    looks = [ToolUse(kind="search", target=place, content=number) for place in (folder, "")]
    nothing = ToolUse(kind="search", target=folder, content=str(texts.number()))
    alone = [ToolUse(kind="search", target=path, content=number, alone=True) for path in paths]
    near = alone[0].model_copy(update={"around": AROUND})
    ends = tuple(posixpath.splitext(path)[1][1:] for path in paths[:2])
    among = [ToolUse(kind="search", target=folder, content=number, suffixes=those) for those in (ends[1:], ends)]
    names = [ToolUse(kind="find", target=folder, content=f"**/{posixpath.basename(path)}") for path in paths]
    changes = [
        PlanChange(path=path, action="new", text=text)
        for path, text in ((paths[0], texts.lines(3)), (paths[2], has[2]))
    ]
    line = next(one for one in has[1].split("\n") if number in one)
    edit = ToolUse(kind="edit", target=paths[1], wanted=(line,), content=texts.sentence())
    write = ToolUse(kind="write", target=paths[3], content=has[3])
    gone = ToolUse(kind="drop", target=paths[2])
    anew = ToolUse(kind="put", target=paths[1], content=has[1].replace(number, str(texts.number())).rstrip("\n"))
    back = ToolUse(kind="write", target=paths[1], content=has[1])  # in its place, and nothing else in the folder
    signs = [form.format(texts.number()) for form in (*rng.sample(SIGNS, 2), rng.choice(DASHED))]
    signed = [ToolUse(kind="search", target=folder, content=sign) for sign in signs]
    other = re.findall(r"\d{4,}", signs[0])[0]
    either = f"{other}|{number[:-1]}[0-9]+"
    signed.append(ToolUse(kind="search", target=folder, content=either, pattern=True))
    opens = [f"{sign}{texts.number()}" for sign in "(["]  # which close nowhere
    signs += opens
    signed += [ToolUse(kind="search", target=folder, content=one, pattern=True) for one in opens]
    code = f"Ref{texts.number()}"
    signed.append(ToolUse(kind="search", target=folder, content=code.upper(), any_case=True))
    suffix = posixpath.splitext(paths[0])[1]  # such as has been found
    files.append(PlanFile(path=f"{folder}/{texts.word()}{suffix}", text=_said(texts, [*signs, code])))
    here = ToolUse(kind="find", target="", content=f"{folder}/*{suffix}")
    more, found = _others(texts, folder, suffix)
    files, signed = [*files, *more], [*signed, *found]
    first = DrawnTurn(replies=[[*looks, names[0], here], [nothing, *alone[:2], near, *signed, *among]])
    like = f"{number[:-1]}{(int(number[-1]) + 1) % 10}"
    resized = DrawnTurn([PlanChange(path=paths[0], action="new", text=has[0].replace(number, like))], [looks[:1]])
    then = DrawnTurn(replies=[[anew], looks, [back], [*looks, alone[1]]])
    again = [[looks[0], names[2]], [edit, write], [*looks, names[3]], [gone], [*looks, *names[2:]]]
    return files, [first, resized, then, DrawnTurn(changes, again)]


def _others(texts: Texts, folder: str, suffix: str) -> tuple[list[PlanFile], list[ToolUse]]:
    """More files of a folder, and searches for what is in one of them alone.

    It stands behind a long line's beginning, in a file with blanks and a colon in its name, and in many lines of one; and for
    the name of that file and of a hidden one.
    """
    far, within, often = (str(texts.number()) for _ in range(3))
    name = texts.word
    long, many, named, unseen = (
        f"{path}{suffix}" for path in (name(), name(), f"{name()} {name()} 10:30", f".{name()}")
    )
    rows = "".join(f"{texts.sentence()} {often} {texts.number()}\n" for _ in range(OFTEN))
    has = {long: _long(texts, far), many: rows, named: _said(texts, [within]), unseen: _said(texts, [])}
    files = [PlanFile(path=f"{folder}/{path}", text=text) for path, text in has.items()]
    uses = [ToolUse(kind="search", target=folder, content=number) for number in (far, within, often)]
    return files, uses + [ToolUse(kind="find", target=folder, content=f"**/{path}") for path in (named, unseen)]


def _text(texts: Texts, number: str, form: str) -> str:
    """A file's text with a number in an ordinary line, and behind empty ones in one with marks of tools."""
    ahead = texts.lines(texts.rng.randrange(*AHEAD))
    marked = form.format(f"{texts.sentence()} {number}")
    return f"{ahead}{texts.sentence()} {number}\n\n\n{texts.sentence()}\n{marked}\n{texts.lines(1)}"


def _long(texts: Texts, number: str) -> str:
    """A text with a line that is longer than many show, and a number behind what they show of it."""
    return f"{texts.lines(1)}{texts.word()} {'=' * LONG} {number} {texts.word()}\n{texts.lines(1)}"


def _said(texts: Texts, signs: Sequence[str]) -> str:
    """Lines with these, and one without."""
    lines = [f"{texts.sentence()} {sign} {texts.rng.choice(NOUNS)}" for sign in signs]
    return "\n".join((*lines, texts.sentence(), ""))
