"""A value in many notations, each of which `parse` reads as that value: alternatives for proofs, examples for people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .kinds import Value
from .names import forms_of
from .show_numbers import amounts, durations, quantities
from .show_times import dates, moments, times
from .text import Description

__all__ = ["renderings", "show"]

Renderings = dict[str, str]
FULL_WIDTH: Final = str.maketrans({code: code + 0xFEE0 for code in (*range(0x30, 0x3A), 0x2E, 0x2C, 0x3A, 0x25)})


def show(value: Value, language: str, notation: str, description: Description) -> str:
    """The value in one notation.

    Raises:
        KeyError: it has none of that name; `renderings` has those that fit the value.
    """
    return renderings(description, value, language)[notation]


def renderings(description: Description, value: Value, language: str) -> Renderings:
    """At least eight texts by the name of their notation; `language` is ``en`` or ``zh``, the plain one comes first."""
    found = WRITERS[description["type"]](description, value, language)
    plain = next(iter(found.values()))
    typography = {
        "bold": f"**{plain}**",
        "code": f"`{plain}`",
        "quoted": f"“{plain}”",
        "italic": f"*{plain}*",
        "stop": f"{plain}{'。' if language == 'zh' else '.'}",
        "no-break": plain.replace(" ", "\u00a0"),
    }
    if description["type"] not in ("names", "reference", "person", "choice"):
        typography["full-width"] = plain.translate(FULL_WIDTH)
    if description.get("remark", True):
        typography["remark"] = f"{plain}（见记录）" if language == "zh" else f"{plain} (see the log)"
    return {**found, **typography}


def _persons(description: Description, name: Any, _language: str) -> Renderings:
    """The full name, the names given in the description, and the short forms that mean nobody else."""
    people = description["people"]
    others = people[name] if isinstance(people, dict) else ()
    taken = {form.casefold() for other in people if other != name for form in (other, *forms_of(other))}
    taken |= {
        form.casefold() for other in people if other != name and isinstance(people, dict) for form in people[other]
    }
    short = [form for form in forms_of(name) if form.casefold() not in taken]
    if name.isascii():
        short += [f"Dr {name}", name.upper()]
        short += [form.title() for form in short if len(form) > 3 and form.islower()]
    return {
        "full": name,
        **{f"other {n + 1}": form for n, form in enumerate(others)},
        **{f"short {n + 1}": f for n, f in enumerate(short)},
    }


def _choices(description: Description, option: Any, _language: str) -> Renderings:
    options = description["of"]
    others = options[option] if isinstance(options, dict) else ()
    found = {"plain": option, **{f"synonym {n + 1}": other for n, other in enumerate(others)}}
    return found | ({"capitals": option.upper(), "capital": option.capitalize()} if option.isascii() else {})


def _names(description: Description, members: Any, language: str) -> Renderings:
    """Members in order and backwards, with the separators that people use."""
    if not members:
        return (
            {"plain": "无", "none": "没有"}
            if language == "zh"
            else {"plain": "none", "nobody": "nobody", "Nobody": "Nobody"}
        )
    texts = [next(iter(renderings(description["of"], one, language).values())) for one in members]
    joints = (
        {"、": "、", "，": "，", "；": "；"} if language == "zh" else {"commas": ", ", "semicolons": "; ", "tight": ","}
    )
    found = {name: joint.join(texts) for name, joint in joints.items()}
    last = "和" if language == "zh" else " and "
    found["and"] = ("、" if language == "zh" else ", ").join(texts[:-1]) + (last if texts[1:] else "") + texts[-1]
    found["bullets"] = "\n".join(f"- {text}" for text in texts)
    found["numbered"] = "\n".join(f"{at + 1}. {text}" for at, text in enumerate(texts))
    found["lines"] = "\n".join(texts)
    found["backwards"] = next(iter(joints.values())).join(reversed(texts))
    return found


def _references(_description: Description, reference: Any, language: str) -> Renderings:
    path, _, line = reference.partition("#")
    if not line.isdigit():
        return {
            "plain": reference,
            "dot": f"./{reference}",
            **({"spoken": f"the {reference}"} if language == "en" else {}),
        }
    spoken = (
        {"第": f"{path} 第{line}行", "的": f"{path}的第{line}行"}
        if language == "zh"
        else {
            "comma": f"{path}, line {line}",
            "of": f"line {line} of {path}",
            "in": f"line {line} in {path}",
        }
    )
    return {
        "plain": reference,
        "L": f"{path}#L{line}",
        "colon": f"{path}:{line}",
        "line": f"{path} line {line}",
        "bracket": f"{path} (line {line})",
        "code and line": f"`{path}` line {line}",
        "dot": f"./{reference}",
        **spoken,
    }


WRITERS: Final[dict[str, Callable[[Description, Any, str], Renderings]]] = {
    "number": quantities,
    "duration": durations,
    "money": amounts,
    "date": dates,
    "time": times,
    "moment": moments,
    "person": _persons,
    "choice": _choices,
    "names": _names,
    "reference": _references,
}
