"""What the runner tells the reader, out of band, about the round at hand. It never travels through a harness."""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from claw_adapter.protocol.base import Record
from claw_adapter.protocol.gold import RoundEvidence

__all__ = ["NEEDS", "NO_WAY", "AnswerKey", "Locator", "Seen"]

NO_WAY: Final = "reader-no-way"
"""Kind of the failure of a round that the reader could not do with the tools on offer."""

NEEDS: Final = "needs"
"""In the place of an option's letter: what a file that is to be written rests on."""


class Locator(Record):
    """A fragment and the ways to it: a workspace file, or a session by the key the harness knows it under."""

    id: str
    text: str
    path: str = ""
    session: str = ""
    key: str = ""


class AnswerKey(Record):
    """The evidence entries of one round; without an evidence layer, `evidence` is None and the reader answers blindly."""

    round: str
    type: str
    letters: tuple[str, ...] = ()
    evidence: RoundEvidence | None = None
    fragments: tuple[Locator, ...] = ()
    asked: tuple[str, ...] = ()
    """The question and the statements of the prompt: a turn whose requests do not have them all is no answer to it."""
    unsaid: tuple[str, ...] = ()
    """Fragments of feedback that was not heard: its round was unscored, or the turn in which it was said has failed."""
    oracle: dict[str, str] = Field(default_factory=dict)
    """Files, by path relative to the workspace, that are written when all needs are met."""
    hasty: dict[str, str] = Field(default_factory=dict)
    workspace: str = ""
    """Absolute path of the workspace as the harness sees it; relative paths are tried first."""
    texts: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """By path, the texts that files with evidence have had until this round: what a harness shows is held against them."""

    def files(self, *, satisfied: bool) -> dict[str, str]:
        """What the reader writes, by path: by what it is to know, or by what a careless one takes for right."""
        written = self.oracle if satisfied else self.hasty
        return {} if self.letters else written


class Seen(Record):
    """What of the round's evidence reached the model in the turn."""

    needed: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    decided: dict[str, Literal["supported", "refuted", "hasty"]] = Field(default_factory=dict)
    calls: int = 0
    no_way: tuple[str, ...] = ()
    """What the reader could not do with the tools on offer (``reading a.md``): such a round is not scored."""
