"""Tags: what reports break scores down by. Names are free, but for those that a report computes itself."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from claw_adapter.protocol.base import Record

__all__ = ["COMPUTED", "DIMENSIONS", "RoundTags", "TagValues", "Tags"]

COMPUTED: Final = frozenset(
    (
        "scenario",
        "round",
        "type",
        "harness",
        "model",
        "seed",
        "repeat",
        "update",
        "nature",
        "effect",
        "spread",
        "pattern",
        "fault",
    )
)
"""Names of tags that follow from the trial, the round's updates and its score; a scenario cannot give them."""

DIMENSIONS: Final = {"MS": "multi-source judgement", "DU": "dynamic updates", "P": "preferences"}
"""What a round examines, by its code."""

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}")
_SCALAR: Final = {"type": ["string", "number", "boolean"]}


def _listed(value: Any) -> tuple[str, ...]:
    """One value or several, as texts; a truth value reads as it is written."""
    items = value if isinstance(value, list | tuple) else (value,)
    return tuple(dict.fromkeys(_text(item) for item in items))


def _text(value: Any) -> str:
    if not isinstance(value, str | int | float):
        raise ValueError("a tag's value is a text, a number, true or false, or a list of these")  # noqa: TRY004 - for pydantic
    text = str(value).lower() if isinstance(value, bool) else str(value).strip()
    if not text or len(text) > 100 or not text.isprintable():
        raise ValueError(f"{text[:100]!r} is not a tag's value: 1 to 100 printable characters")
    return text


def check_names(tags: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """The tags, if each name can be one.

    Raises:
        ValueError: a name is none, or is one that reports compute.
    """
    for name in tags:
        if not _NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not a tag's name: a letter, then letters, digits, '-' and '_', at most 32")
        if name in COMPUTED:
            raise ValueError(f"tag {name!r} is computed by reports: choose another name")
    return tags


TagValues = Annotated[
    tuple[str, ...],
    BeforeValidator(_listed),
    WithJsonSchema({"anyOf": [_SCALAR, {"type": "array", "items": _SCALAR}]}),
]
"""One value or several; always a tuple of texts once it is read."""

Tags = Annotated[dict[str, TagValues], AfterValidator(check_names)]
"""Name → values."""


class RoundTags(Record):
    """What a round examines: multi-source judgement (MS), dynamic updates (DU), preferences (P); by recall or reasoning.

    Any other name is a tag of one's own.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, TagValues] = Field(init=False)

    dimensions: tuple[Literal["MS", "DU", "P"], ...] = ()
    skill: Literal["recall", "reasoning"] | None = None

    @model_validator(mode="after")
    def _named(self) -> Self:
        check_names(self.free)
        return self

    @property
    def free(self) -> dict[str, tuple[str, ...]]:
        """The tags of one's own: name → values."""
        return dict(self.__pydantic_extra__)

    @property
    def values(self) -> dict[str, tuple[str, ...]]:
        """All as name → values, `category` among them, none of them empty; what is given as one's own counts."""
        skill, category = (self.skill,) if self.skill else (), (self.category,) if self.category else ()
        found: dict[str, tuple[str, ...]] = {
            "dimensions": self.dimensions,
            "skill": skill,
            "category": category,
            **self.free,
        }
        return {name: values for name, values in found.items() if values}

    @property
    def category(self) -> str:
        """One of the 14 categories, e.g. ``MD-R`` (MS and DU, recall); empty when the round has no tags."""
        if not self.dimensions or self.skill is None:
            return ""
        letters = [d for d in DIMENSIONS if d in self.dimensions]
        name = letters[0] if len(letters) == 1 else "".join(d[0] for d in letters)
        return f"{name}-{'R' if self.skill == 'recall' else 'I'}"
