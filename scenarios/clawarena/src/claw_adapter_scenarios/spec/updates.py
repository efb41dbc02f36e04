"""Layer 4: staged updates. The round that applies one names it; an update applies once."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from claw_adapter.protocol.base import Record
from claw_adapter.protocol.scenario import Identifier
from claw_adapter.protocol.update import UpdateTags
from claw_adapter_scenarios.spec.common import Text
from claw_adapter_scenarios.spec.sessions import Loop
from claw_adapter_scenarios.spec.workspace import Document

__all__ = ["Appended", "SessionGrowth", "UpdateSpec", "Updates"]


class SessionGrowth(Record):
    """Loops that a channel grows by."""

    channel: Identifier
    loops: tuple[Loop, ...] = Field(min_length=1)


class Appended(Record):
    """Lines appended to a document that is there already; they have that document's source."""

    path: Text
    text: Text


class UpdateSpec(Record):
    """One update: sessions that grow or arrive, documents that are new, replaced (same path) or appended to."""

    id: Identifier
    goal: Text
    tags: UpdateTags
    grow: tuple[SessionGrowth, ...] = ()
    documents: tuple[Document, ...] = ()
    append: tuple[Appended, ...] = ()
    note: Text = Field("", description="What it reveals, for the documents of the spec.")

    @model_validator(mode="after")
    def _tagged(self) -> Self:
        if None in (self.tags.nature, self.tags.effect, self.tags.spread):
            raise ValueError("tags need nature, effect and spread")
        return self


class Updates(Record):
    """``4-updates.yaml``."""

    updates: tuple[UpdateSpec, ...] = Field(min_length=1)
