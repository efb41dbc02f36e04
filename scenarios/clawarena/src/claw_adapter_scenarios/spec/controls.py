"""Layer 5: noise pools, the day's rhythm, spacing; what keeps a scenario honest and is shown to nobody."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from claw_adapter.protocol.base import Record
from claw_adapter_scenarios.spec.common import Name, Text

__all__ = ["Controls", "PoolLine"]


class PoolLine(Record):
    """A generated loop: ``{any:a|b|c}`` draws one, ``{slot.NAME}`` draws from a slot list, facts and actors work as ever."""

    say: Text
    reply: Text = ""


class Controls(Record):
    """``5-controls.yaml``."""

    noise: dict[Name, tuple[PoolLine, ...]] = Field(description="Irrelevant small talk, by pool.")
    context: tuple[PoolLine, ...] = Field((), description="Everyday work of the domain that settles nothing.")
    slots: dict[Name, tuple[str, ...]] = Field(default_factory=dict)
    replies: tuple[Text, ...] = Field(min_length=3, description="Replies drawn where none is written.")
    noise_share: tuple[Annotated[float, Field(ge=0, le=1)], Annotated[float, Field(ge=0, le=1)]] = (0.3, 0.5)
    messages: tuple[int, int] | None = Field(
        None, description="Least and most messages of all histories, updates included."
    )
    spacing: Annotated[int, Field(ge=0)] = Field(4, description="Least number of rounds between two update rounds.")
    dense: Text = Field("", description="Why updates follow more densely than that; declares it.")
    hours: tuple[Annotated[float, Field(ge=0)], ...] = Field(
        (), description="24 weights: the day's rhythm of the house."
    )
    consistency: tuple[Text, ...] = Field((), description="Notes for reviewers.")

    @model_validator(mode="after")
    def _day(self) -> Self:
        if self.hours and (len(self.hours) != 24 or sum(self.hours) <= 0):
            raise ValueError("'hours' has 24 weights, not all 0")
        return self
