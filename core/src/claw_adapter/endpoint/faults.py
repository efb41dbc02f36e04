"""Faults by schedule: ``ModelSpec.options["faults"]``, for a model of any kind.

A list of rules, the first that applies counts::

    {"at": [1, 4], "kind": "500"}                      the first and fourth request of the trial
    {"at": "every 5", "kind": "429", "retry_after": 2}
    {"at": "every 1", "round": "q3", "kind": "refused"}   numbers count the requests of that round, all attempts together

The model is never asked for a reply that a fault takes the place of; ``cut_late`` takes its end only.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Final, Literal, get_args

from pydantic import AfterValidator, Field, JsonValue, TypeAdapter, ValidationError

from claw_adapter.endpoint.dialects import Dialect
from claw_adapter.endpoint.failures import BrokenWire, ProviderError, WireFault, classify
from claw_adapter.errors import EndpointError
from claw_adapter.model import CallDelta, Delta, ModelRequest
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.model import ModelSpec

__all__ = [
    "BEGUN",
    "FAULT_KINDS",
    "USUAL_FAULTS",
    "FaultKind",
    "FaultRule",
    "FaultSchedule",
    "broken_call",
    "raise_fault",
    "too_long",
]

FaultKind = Literal[
    "refused", "400", "context", "401", "402", "403", "404", "408", "409", "413", "422", "429", "500", "502", "503", "504",
    "529", "gateway", "filter", "stall", "cut", "cut_call", "cut_late",
    "told", "garbage", "truncated_arguments", "empty",
]  # fmt: skip
"""``cut``: the reply breaks off, ``cut_call``: within the arguments of a call where it is streamed,
``cut_late``: when all of it has come but its end; ``told``: the stream begins with 200, and says in its middle that it has
failed; where nothing is streamed, it is a 502. ``gateway``: a 502 as of a proxy before the provider, a page in HTML with a
``Retry-After`` that is a date (RFC 9110, 10.2.3)."""
FAULT_KINDS: Final[tuple[FaultKind, ...]] = get_args(FaultKind)
USUAL_FAULTS: Final[tuple[FaultKind, ...]] = (
    "refused", "400", "context", "401", "429", "500", "529", "filter", "stall", "cut", "garbage", "truncated_arguments",
    "empty",
)  # fmt: skip
"""One of each class: the others differ in their status."""

BEGUN: Final = ("The first ", "of what ", "was asked is")
"""Pieces of a reply that breaks off."""

_EVERY: Final = re.compile(r"every ([1-9][0-9]*)")
_WIRE: Final[dict[FaultKind, WireFault]] = {
    "refused": "refused", "stall": "stall", "cut": "drop", "cut_call": "drop_call", "cut_late": "drop",
    "told": "told", "garbage": "garbage", "empty": "empty",
}  # fmt: skip
_SAID: Final = {
    400: "the request is not one that can be answered", 401: "the key is not valid", 402: "the account has no credit left",
    403: "the key may not use this model", 404: "there is no such model", 408: "the request did not arrive in time",
    409: "another request is in the way", 413: "the body is too large", 422: "a field has a value that it may not have",
    429: "rate limit exceeded: too many requests in a minute, try again later", 500: "the server has failed at request 4290401",
    502: "the server behind this one has failed", 503: "the service has more to do than it can: context deadline exceeded",
    504: "the server behind this one did not answer in time", 529: "overloaded",
}  # fmt: skip
"""What a provider says with a status."""


def _known_period(value: str) -> str:
    if not _EVERY.fullmatch(value):
        raise ValueError("say 'every N', N being 1 or more, or give a list of request numbers")
    return value


class FaultRule(Record):
    """Which requests fail, and how."""

    at: tuple[Annotated[int, Field(ge=1)], ...] | Annotated[str, AfterValidator(_known_period)]
    round: str = ""
    """Only in this round; numbers then count its requests. Empty: numbers count the requests of the trial."""
    kind: FaultKind
    retry_after: float | None = Field(default=None, ge=0)
    """Seconds, sent as ``Retry-After`` with a 429 or a 529."""

    def applies(self, number: int) -> bool:
        """Whether the request of this number (from 1) fails."""
        if isinstance(self.at, str):
            return number % int(self.at.removeprefix("every ")) == 0
        return number in self.at


_RULES: TypeAdapter[tuple[FaultRule, ...]] = TypeAdapter(tuple[FaultRule, ...])


class FaultSchedule:
    """Counts the requests of one trial.

    Raises:
        EndpointError: the rules are not of the known form.
    """

    def __init__(self, spec: ModelSpec) -> None:
        try:
            self._rules = _RULES.validate_python(spec.options.get("faults", ()))
        except ValidationError as error:
            where = f"model {spec.name}, options.faults"
            remedy = f"give a list of {{at, kind}}; kinds are {', '.join(FAULT_KINDS)}"
            raise EndpointError(f"a fault rule cannot be used: {error}", where=where, remedy=remedy) from None
        self._all = 0
        self._by_round: dict[str, int] = {}

    def next(self, round_id: str) -> FaultRule | None:
        """Count one more request; the rule that makes it fail."""
        self._all += 1
        self._by_round[round_id] = own = self._by_round.get(round_id, 0) + 1
        for rule in self._rules:
            if rule.round in ("", round_id) and rule.applies(own if rule.round else self._all):
                return rule
        return None


def too_long(dialect: Dialect, tokens: int, window: int) -> ProviderError:
    """The error for a request of more tokens than the model's window has."""
    message, code = dialect.overflow(tokens, window)
    return ProviderError(400, classify(400, message, code), code=code)


def raise_fault(rule: FaultRule, dialect: Dialect) -> None:
    """Raise what the rule asks for, as an error of the dialect or on the wire; only ``truncated_arguments`` comes back."""
    if (wire := _WIRE.get(rule.kind)) is not None:
        raise BrokenWire(wire)
    match rule.kind:
        case "context":
            raise too_long(dialect, 210_000, 200_000)
        case "filter":
            message, code = dialect.filtered
            raise ProviderError(400, classify(400, message, code), code=code)
        case "truncated_arguments":
            return
        case "gateway":
            raise ProviderError(502, classify(502, _SAID[502]), page=True)
        case _:
            status = int(rule.kind)
            wait = "" if rule.retry_after is None or status not in (429, 529) else f"{rule.retry_after:g}"
            raise ProviderError(status, classify(status, _SAID.get(status, "the request failed")), retry_after=wait)


def broken_call(request: ModelRequest, call_id: str) -> Delta:
    """A call of the first tool that the request offers, whose arguments end in the middle of a string."""
    tool = request.tools[0] if request.tools else None
    properties = tool.schema.get("properties") if tool is not None else None
    names = list(properties) if isinstance(properties, dict) else []
    whole: dict[str, JsonValue] = {names[0] if names else "path": "notes/unfinished"}
    arguments = json.dumps(whole)[:-8]
    return Delta(calls=(CallDelta(0, call_id, tool.name if tool is not None else "read_file", arguments),))
