"""One turn of a certification trial, as evidence and as something to make demands on."""

from __future__ import annotations

from dataclasses import dataclass, field

from claw_adapter.certify.demand import CheckFinding
from claw_adapter.certify.director import Request
from claw_adapter.endpoint import RoundMeter
from claw_adapter.endpoint.models.played import Deed
from claw_adapter.errors import Owner
from claw_adapter.protocol import Failure, TurnResult

__all__ = ["Turn", "owner_of"]


def owner_of(failure: Failure) -> Owner:
    """Whose fault an error is that should not have been there. The endpoint is ours, and does what the script says."""
    if failure.owner in (Owner.MACHINE, Owner.INTERNAL, Owner.OVERLAY):
        return failure.owner
    return Owner.HARNESS if failure.owner in (Owner.HARNESS, Owner.ENDPOINT) else Owner.ADAPTER


@dataclass(slots=True)
class Turn:
    """What `KitTrial.send` brings back.

    Attributes:
        prompt: what was said.
        round: id of the round at the endpoint.
        result: what the adapter returned.
        seconds: how long `send` took.
        requests: the requests of this turn, in the order they came.
        deeds: one per `ToolUse` of the script.
        meter: what the endpoint counted.
        raised: name of the exception when the adapter raised instead of returning an error.
    """

    prompt: str
    round: str
    result: TurnResult
    seconds: float
    requests: list[Request]
    deeds: list[Deed]
    meter: RoundMeter = field(default_factory=RoundMeter)
    raised: str = ""

    @property
    def text(self) -> str:
        """The answer."""
        return self.result.text

    @property
    def error(self) -> Failure | None:
        """The error."""
        return self.result.error

    def answered(self, text: str | None = None) -> Turn:
        """Demand an answer: any, or this one (blanks at its ends do not count).

        Raises:
            CheckFinding: there is an error, no request came, or the answer is another.
        """
        if self.error is not None:
            place = f" ({self.error.where})" if self.error.where else ""
            said = f"{self.error.kind}{place}: {self.error.what}"
            remedy = self.error.remedy or "A turn whose model answers at once must succeed; look at the transcript."
            raise CheckFinding(f"the turn failed: {said}", remedy=remedy, owner=owner_of(self.error), usual=False)
        if not self.requests:
            raise CheckFinding(
                "no model request came to the endpoint in this turn, and yet there is an answer",
                remedy="Send every prompt to the model at ctx.endpoint (M11).",
            )
        if text is not None and self.text.strip() != text.strip():
            raise CheckFinding(
                f"the answer is {excerpt(self.text)}, the model said {excerpt(text)}",
                remedy="Return the final reply exactly: no banner, no progress, no terminal sequence, nothing cut (M14).",
            )
        return self

    def deed(self, index: int = 0) -> Deed:
        """What became of a `ToolUse`; demands that the harness offered a tool for it and that a result came back.

        Raises:
            CheckFinding: it did not.
        """
        deed = self.deeds[index] if index < len(self.deeds) else None
        if deed is None or not deed.possible:
            kind = deed.use.kind if deed else "use"
            raise CheckFinding(
                f"the harness offers the model no tool to {kind} {'a file' if kind in ('read', 'write') else ''}".rstrip(),
                remedy="Enable the harness's tools for files, commands and sessions in the adapter's configuration.",
                owner=Owner.HARNESS,
            )
        if not deed.results:
            raise CheckFinding(
                f"the tool {deed.attempts[-1].tool!r} was called, but no result came back to the model",
                remedy="A tool's result must be in the next request of the turn, under the id of its call.",
                owner=Owner.HARNESS,
            )
        return deed


def excerpt(text: str, limit: int = 160) -> str:
    """A text short enough for a message."""
    return repr(text) if len(text) <= limit else f"{text[:limit]!r}… ({len(text)} characters)"
