"""The types ``person``, ``choice`` (one of a list with synonyms) and ``names`` (a set of any other type)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, Final

from .text import Description, Unclear, clean, fold

__all__ = ["YES_NO", "forms_of", "read_choice", "read_names", "read_person"]

Listed = tuple[tuple[str, tuple[str, ...]], ...]
MOST: Final = 60
"""Characters of a person's name with all that may stand beside it."""
YES_NO: Final = {"yes": ("true", "y", "是", "有", "对"), "no": ("false", "n", "否", "无", "没有", "不是")}
"""A choice ready made."""
TITLES: Final = re.compile(r"\A(?:dr|mr|mrs|ms|miss|mx|prof|professor|doctor|sir|dame)\.? (?=\S)")
HAN_TITLES: Final = [
    "先生",
    "女士",
    "小姐",
    "医生",
    "医师",
    "大夫",
    "护士",
    "护士长",
    "老师",
    "教授",
    "主任",
    "经理",
    "总监",
    "总",
    "工",
    "工程师",
    "博士",
    "师傅",
    "院长",
    "队长",
    "船长",
    "站长",
    "组长",
    "主管",
    "同学",
    "同志",
    "律师",
]
HAN: Final = re.compile("[\u3400-\u9fff·]{2,6}")
DOUBLE: Final = ("欧阳", "司马", "上官", "诸葛", "司徒", "东方", "皇甫", "尉迟", "公孙", "慕容", "令狐", "夏侯")
AND: Final = ",? (?:and|&) | ?(?:以及|和|与|及) ?"
SEPARATORS: Final = {
    "; ?": " ?; ?(?:and )?", " [|] ": " [|] ", " / ": " / ", r" \+ ": r" \+ ", ", |、": f"{AND}|, |、", ",": f"{AND}|,",
    AND: AND, "(?<=[\u3400-\u9fff])/": "(?<=[\u3400-\u9fff])/(?=[\u3400-\u9fff])",
}  # fmt: skip
"""From the strongest on: the first sign that is there decides where the text is cut, and all others belong to the values."""
MARK: Final = re.compile(
    "([-*•·+]|(?P<number>[0-9]{1,2})[.)、]|\\((?P<inner>[0-9]{1,2})\\))(?: +|(?=[\u3400-\u9fff]))(?=\\S)"
)
EMPTY: Final = ("none", "nobody", "no one", "nothing", "无", "没有", "没有人", "无人")
MOST_READINGS: Final = 8


def read_person(description: Description, text: str) -> str | None:
    """The person's name as the description has it."""
    people = _listed(description["people"])
    text = re.sub(r" ?<([^<>]+)>\Z", r", \1", text.removeprefix("@"))
    text = re.sub("(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])", "", text)
    found = _persons(text, people, 4)
    if found is not None and len(found) > 1:
        raise Unclear(f"{text} may be {' or '.join(sorted(found))}: write the whole name")
    return next(iter(found)) if found else None


@lru_cache(maxsize=4096)
def _persons(text: str, people: Listed, depth: int) -> frozenset[str] | None:
    """Whom a name, or several names of one person behind each other, may mean; None where it is no name."""
    index = _person_index(people)
    folded = re.sub(r"\Athe ", "", fold(text))
    if found := index.get(folded) or index.get(TITLES.sub("", folded)):
        return found
    if depth == 0 or len(text) > MOST:
        return None
    for cut in re.finditer(r" ?, ?| - |(?<=[\u3400-\u9fff])(?=[\u3400-\u9fff])| ", text):
        before, behind = text[: cut.start()], text[cut.end() :]
        left = _persons(before, people, depth - 1)
        right = _persons(behind, people, depth - 1) if left and fold(before) != fold(behind) else None
        if left and right and (both := left & right):
            return both
    return None


@lru_cache(maxsize=64)
def _person_index(people: Listed) -> dict[str, frozenset[str]]:
    """Whom each name may mean: those given, and those that people make of a full name."""
    index: dict[str, frozenset[str]] = {}
    for name, others in people:
        for form in (name, *others, *forms_of(name)):
            index[_key(form)] = index.get(_key(form), frozenset()) | {name}
    for name, others in people:  # a name that was given means that person, whatever others may be called for short
        index.update({_key(form): frozenset([name]) for form in (name, *others)})
    return index


def _key(form: str) -> str:
    return re.sub(r"\Athe ", "", fold(clean(form)))


def forms_of(name: str) -> tuple[str, ...]:
    """What people make of a full name: Ruiz, Ana; A. Ruiz; Ruiz, A.; Ana; Ruiz; 王医生; 医生王芳."""
    if HAN.fullmatch(name):
        family = name[:2] if name[:2] in DOUBLE and len(name) > 2 else name[:1]
        short = [part for part in (name[len(family) :], family) if len(part) > 1]
        short += [f"{base}{title}" for base in (name, family) for title in HAN_TITLES]
        return (*short, *(f"{title}{name}" for title in HAN_TITLES), f"老{family}", f"小{family}")
    parts = [fold(part) for part in name.split()]
    forms: list[str] = []
    for at in range(1, len(parts)):  # where the family name begins is not known: van Dyke, García Márquez
        given, last, first = " ".join(parts[:at]), " ".join(parts[at:]), parts[0]
        initials = " ".join(word[0] for word in given.split())
        for before in dict.fromkeys((given, first, initials, first[0])):
            forms += [f"{before} {last}", f"{last}, {before}", f"{last} {before}"]
        forms += [f"{given} {last[0]}", given, last]
    return tuple(dict.fromkeys(forms))


def read_choice(description: Description, text: str) -> str | None:
    """The option as the description has it."""
    index = _choice_index(_listed(description["of"]))
    found, article = index.get(fold(text)), re.match("(the|an?) ", text, re.IGNORECASE)
    if found is None and article and article[1].casefold() not in index:
        found = index.get(fold(text[article.end() :]))
    if found and len(found) > 1:
        raise ValueError(f"{text!r} is a synonym of {' and of '.join(sorted(found))}")
    return next(iter(found)) if found else None


@lru_cache(maxsize=64)
def _choice_index(options: Listed) -> dict[str, frozenset[str]]:
    index: dict[str, frozenset[str]] = {}
    for option, others in options:
        for form in (option, *others):
            key = fold(clean(form))
            index[key] = index.get(key, frozenset()) | {option}
    return index


def _listed(options: Mapping[str, Iterable[str]] | Iterable[str]) -> Listed:
    pairs = options.items() if isinstance(options, Mapping) else ((option, ()) for option in options)
    return tuple((option, tuple(others)) for option, others in pairs)


def read_names(description: Description, text: str, read: Callable[[Description, str], Any]) -> tuple[Any, ...] | None:
    """The members in order of their names, each once; `read` reads one, and returns None where it is none.

    Raises:
        Unclear: the text can be read in two ways.
    """
    of = {**{key: description[key] for key in ("remark",) if key in description}, **description["of"]}
    problems: list[Unclear] = []

    @cache
    def member(piece: str) -> Any:
        try:
            return read(of, clean(piece))
        except Unclear as unclear:
            problems.append(unclear)
            return None

    readings: set[frozenset[Any]] = {frozenset()} if text in ("[]", "∅") else set()
    if text[:1] == "[" and text[-1:] == "]":
        if (items := _json(text)) is not None:
            return _sorted(_all(items, member), problems)
        text = text[1:-1].strip() if "[" not in text[1:] else text
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if len(lines) == 1 and (form := next((SEPARATORS[sign] for sign in SEPARATORS if re.search(sign, text)), None)):
        readings |= _between(text, list(re.finditer(form, text)), member)
    for listed in (lines, *_unmarked(lines)):
        if len(listed) == 1 and listed[0].casefold() in EMPTY:
            readings.add(frozenset())
        if (found := _all(listed, member)) is not None:
            readings.add(frozenset(found))
    if len(readings) > 1:
        raise Unclear('this can be read in two ways: write one value a line, or a list of JSON: ["…", "…"]')
    return _sorted(next(iter(readings), None), problems)


def _sorted(found: Iterable[Any] | None, problems: list[Unclear]) -> tuple[Any, ...] | None:
    if found is None and problems:
        raise problems[0]
    return None if found is None else tuple(sorted(set(found)))


def _all(texts: list[str], member: Callable[[str], Any]) -> list[Any] | None:
    found = [member(text) for text in texts]
    return None if None in found else found


def _json(text: str) -> list[str] | None:
    """The strings of a list of JSON; other lists in brackets are read as they are written."""
    try:
        items = json.loads(text)
    except ValueError:
        return None
    return items if items and all(isinstance(item, str) for item in items) else None


def _unmarked(lines: list[str]) -> list[list[str]]:
    """The lines without their list marks, where every line has the same one, or they count 1, 2, 3.

    Of one line alone also with the mark drawn to the value, which then must be the same: "- 3" is not certainly 3.
    """
    marks = [found for line in lines if (found := MARK.match(line))]
    numbers = [int(mark["number"] or mark["inner"] or 0) for mark in marks]
    counted = numbers == [*range(1, len(lines) + 1)]
    if (
        not marks
        or len(marks) < len(lines)
        or not (counted or (not any(numbers) and len({mark[1] for mark in marks}) == 1))
    ):
        return []
    bare = [line[mark.end() :] for line, mark in zip(lines, marks, strict=True)]
    return [bare, [marks[0][1] + bare[0]]] if len(lines) == 1 else [bare]


def _between(text: str, cuts: list[re.Match[str]], member: Callable[[str], Any]) -> set[frozenset[Any]]:
    """Every set of members that the text may be, where a separator may belong to a value (Ruiz, Ana; Search and Rescue)."""
    starts, ends = [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(text)]
    if not all(text[a:b].strip() for a, b in zip(starts, ends, strict=True)):
        return set()
    behind: list[set[frozenset[Any]]] = [set() for _ in starts] + [{frozenset()}]
    for at in range(len(starts) - 1, -1, -1):
        for upto in range(at, min(at + 3, len(starts))):
            if behind[upto + 1] and (one := member(text[starts[at] : ends[upto]])) is not None:
                behind[at] |= {frozenset([one]) | rest for rest in behind[upto + 1]}
        behind[at] = set(sorted(behind[at], key=len)[:MOST_READINGS])
    return behind[0]
