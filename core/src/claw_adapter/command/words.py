"""What a harness says of a model that failed, as data: words → class of the error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from claw_adapter.errors import (
    EndpointAuthError,
    EndpointError,
    EndpointFilteredError,
    EndpointMalformedError,
    EndpointQuotaError,
    EndpointTransientError,
    endpoint_error,
)

__all__ = ["ModelWords"]

_COMMON: Final[dict[str, tuple[type[EndpointError], str]]] = {
    "filtered": (EndpointFilteredError, r"content[_ ]?filter|content management policy|refusal"),
    "auth": (EndpointAuthError, r"invalid[_ ]api[_ ]key|unauthori[sz]ed|authentication"),
    "quota": (EndpointQuotaError, r"rate[_ -]?limit|quota|billing|too many requests"),
    "malformed": (EndpointMalformedError, r"malformed"),
    "passing": (EndpointTransientError, r"timed? ?out|unavailable"),
}
"""Words that every harness uses, or its provider, whose sentence it passes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWords:
    """A harness's own words beside the common ones, as regular expressions; the first class that fits counts.

    Attributes:
        filtered: the content filter refused.
        auth: the credential was refused.
        quota: a rate limit or a budget is used up.
        malformed: the model's answer cannot be read.
        passing: connection, time-out, overload.
    """

    filtered: str = ""
    auth: str = ""
    quota: str = ""
    malformed: str = ""
    passing: str = ""

    def kind(self, text: str, status: int = 0) -> type[EndpointError]:
        """The class that a text means, unless an HTTP status says it."""
        rules = [(f"{common}|{own}" if (own := getattr(self, name)) else common, kind)
                 for name, (kind, common) in _COMMON.items()]  # fmt: skip
        return endpoint_error(status, text, rules)

    def error(self, text: str, status: int = 0) -> EndpointError:
        """The error of a failed model request; `status` is 0 if it is not known."""
        where = f"model request, status {status}" if status else "model request"
        return self.kind(text, status)(text, where=where)
