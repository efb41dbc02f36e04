"""A value in many notations, each of which `parse` reads as that value: alternatives for proofs, examples for people."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from .compare import as_value
from .forms import NEEDS, formed
from .kinds import Value, parse
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


def renderings(description: Description, value: Any, language: str) -> Renderings:
    """Texts by the name of their notation, each of which `parse` reads as that value; the plain one comes first.

    `language` is ``en`` or ``zh``. `value` may be its form in JSON. Nothing is there for a value that no notation can say,
    such as 100/7.

    Raises:
        ValueError: it is no value of the type.
    """
    value = as_value(description, value)

    def read(texts: Renderings) -> Renderings:
        return {name: text for name, text in texts.items() if parse(description, text) == value}

    found = read(WRITERS[description["type"]](description, value, language))
    if description["type"] in NEEDS and (form := description.get("form")):
        found = read({"form": formed(form, value)}) | found
    if not found:
        return {}
    plain = next(iter(found.values()))
    typography = {
        "bold": f"**{plain}**",
        "code": f"`{plain}`",
        "quoted": f"“{plain}”",
        "italic": f"*{plain}*",
        "stop": f"{plain}{'。' if language == 'zh' else '.'}",
        "no-break": plain.replace(" ", "\u00a0"),
        "full-width": plain.translate(FULL_WIDTH),
        "remark": f"{plain}（见记录）" if language == "zh" else f"{plain} (see the log)",
    }
    return {**found, **read(typography)}


def _plain(description: Description, value: Any, language: str) -> str:
    texts = WRITERS[description["type"]](description, value, language).values()
    return next((text for text in texts if parse(description, text) == value), "")


def _persons(description: Description, name: Any, _language: str) -> Renderings:
    """The full name, the names given in the description, and the short forms."""
    people = description["people"]
    others = people[name] if isinstance(people, dict) else ()
    short = list(forms_of(name))
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
        empty = {"plain": "无", "none": "没有"} if language == "zh" else {"plain": "none", "nobody": "nobody"}
        return {**empty, "json": "[]"}
    texts = [_plain(description["of"], one, language) for one in members]
    if "" in texts:
        return {}
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
    found["stars"] = "\n".join(f"* {text}" for text in texts)
    found["json"] = json.dumps(texts, ensure_ascii=False)
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
