"""The types ``person``, ``choice`` (one of a list with synonyms) and ``names`` (a set of any other type)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from .text import Description, Unclear, clean, fold

__all__ = ["YES_NO", "forms_of", "mentions", "read_choice", "read_names", "read_person"]

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
BREAKS: Final = (
    r"\n+",
    r" ?; ?",
    r",? (?:and|&) |, ?|、|&| ?(?:以及|和|与|及) ?| \+ | / | ?[|] ?|(?<=[\u3400-\u9fff])/(?=[\u3400-\u9fff])|,? and ",
)
BULLET: Final = re.compile(r"\A(?:[-*•·+]|[0-9]{1,2}[.)、]|\([0-9]{1,2}\)) *(?=\S)")
EMPTY: Final = ("none", "nobody", "no one", "nothing", "无", "没有", "没有人", "无人", "[]", "∅")


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
    """What people make of a full name: Ruiz, Ana; A. Ruiz; Ana; Ruiz; 王医生."""
    if HAN.fullmatch(name):
        family = name[:2] if name[:2] in DOUBLE and len(name) > 2 else name[:1]
        short = [part for part in (name[len(family) :], family) if len(part) > 1]
        return (*short, *(f"{base}{title}" for base in (name, family) for title in HAN_TITLES))
    parts = fold(name).split()
    if len(parts) < 2:
        return ()
    first, last, initials = parts[0], parts[-1], " ".join(part[0] for part in parts[:-1])
    return (
        f"{last}, {' '.join(parts[:-1])}",
        f"{initials} {last}",
        f"{last} {initials}",
        f"{first} {last[0]}",
        first,
        last,
    )


def read_choice(description: Description, text: str) -> str | None:
    """The option as the description has it."""
    index = _choice_index(_listed(description["of"]))
    folded = fold(text)
    found = index.get(folded) or index.get(re.sub(r"\A(?:the|an?) ", "", folded))
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


def mentions(description: Description, remark: str) -> set[str]:
    """The persons or options that are named anywhere in a remark; by a single letter only where it is a capital."""
    if description["type"] == "person":
        index = _person_index(_listed(description["people"]))
    else:
        index = _choice_index(_listed(description["of"]))
    folded = fold(remark)
    found: set[str] = set()
    for form, named in index.items():
        if _there(form, remark, folded):
            found |= named
    return found


def _there(form: str, remark: str, folded: str) -> bool:
    if form[:1] > "\u2e7f":
        return form in folded
    pattern = re.escape(form.upper() if len(form) == 1 else form)
    return bool(re.search(rf"(?<![A-Za-z0-9]){pattern}(?![A-Za-z0-9])", remark if len(form) == 1 else folded))


def read_names(description: Description, text: str, read: Callable[[Description, str], Any]) -> tuple[Any, ...] | None:
    """The members in order of their names, each once; `read` reads one with its remark, and returns None where it is none."""
    if text.casefold() in EMPTY:
        return ()
    if text[:1] == "[" and text[-1:] == "]" and "[" not in text[1:]:
        text = text[1:-1].strip()
    of = description["of"]
    found = _members(of, text, read, 0)
    if found is None:
        return None
    return tuple(sorted(set(found)))


def _members(of: Description, text: str, read: Callable[[Description, str], Any], level: int) -> list[Any] | None:
    """One member, or members between the strongest separators that are there."""
    lines = [BULLET.sub("", line.strip()) for line in text.split("\n")]
    if len(lines) == 1 and (one := read(of, clean(lines[0]))) is not None:
        return [one]
    for strength in range(level, len(BREAKS)):
        cuts = list(re.finditer(BREAKS[strength], text))
        if not cuts:
            continue
        starts, ends = [0, *(cut.end() for cut in cuts)], [*(cut.start() for cut in cuts), len(text)]
        if strength < len(BREAKS) - 1:
            parts = [_members(of, text[a:b], read, strength + 1) for a, b in zip(starts, ends, strict=True)]
            return None if None in parts else [one for part in parts for one in part or ()]
        return _joined(of, text, starts, ends, read)
    return None


def _joined(
    of: Description, text: str, starts: list[int], ends: list[int], read: Callable[[Description, str], Any]
) -> list[Any] | None:
    """Members between commas and "and"s, some of which may belong to a name (Search and Rescue; Ruiz, Ana)."""
    found, at = [], 0
    while at < len(starts):
        for upto in range(min(at + 3, len(starts)), at, -1):
            piece = BULLET.sub("", text[starts[at] : ends[upto - 1]].strip())
            one = read(of, clean(piece)) if piece else None
            if one is not None:
                break
        else:
            return None
        found.append(one)
        at = upto
    return found
