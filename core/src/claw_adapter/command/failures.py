r"""Failures of a command as a table: what was seen → the class of the error, which decides whether it is tried again.

A row is a pair. Its first half is an exit status, or a regular expression, searched without regard to case in what the
program says of the failure; the first row that fits wins::

    failures = (
        (3, HarnessStartError),
        (r"content.?filter", EndpointFilteredError),
        (r"invalid api key|status 401", EndpointAuthError),
    )

What passes is tried again: every class of the harness, and `EndpointTransientError` and `EndpointMalformedError`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from claw_adapter.command.data import last_line
from claw_adapter.drivers import ExitStatus
from claw_adapter.errors import (
    AdapterError,
    ClawError,
    EndpointError,
    HarnessCrash,
    HarnessError,
    endpoint_error,
)

__all__ = ["Failures", "check", "ended", "refused", "reported"]

Failures = Sequence[tuple[int | str, type[ClawError]]]
TAIL: Final = 2000
LOOK: Final = "What it said last is above; the trial's transcript.jsonl has what it asked the model."


def check(rows: Failures, where: str) -> None:
    """Raise AdapterError for a row that no failure could fit, or whose class is neither the harness's nor the endpoint's."""
    for seen, kind in rows:
        if not (isinstance(kind, type) and issubclass(kind, HarnessError | EndpointError)):
            raise AdapterError(f"{kind!r} is neither a HarnessError nor an EndpointError", where=where)
        try:
            re.compile(seen) if isinstance(seen, str) else range(256)[seen]
        except re.error as error:
            raise AdapterError(f"{seen!r} is not a regular expression: {error}", where=where) from error
        except (IndexError, TypeError) as error:
            raise AdapterError(f"{seen!r} is neither an exit status nor a pattern", where=where) from error


def ended(exit_: ExitStatus, said: str, rows: Failures) -> ClawError:
    """The error of a program that ended with another status than 0."""
    text = said.strip()[-TAIL:]
    kind = _first(rows, text, exit_.code) or HarnessCrash
    last = last_line(text) or text or "it said nothing"
    more = f"\nIts output ends:\n{text}" if "\n" in text else ""
    return kind(f"{exit_}: {last}{more}", remedy=LOOK)


def reported(status: int | None, text: str, rows: Failures) -> ClawError:
    """The error that a program reports; rows see ``status 401: text`` where it gives a status."""
    said = text[-TAIL:] if status is None else f"status {status}: {text[-TAIL:]}"
    by_status = HarnessError if not status or status < 0 else endpoint_error(status)
    return (_first(rows, said) or by_status)(said, remedy=LOOK)


def refused(answer: str, rows: Failures) -> ClawError | None:
    """The error for an answer that is none: a row that fits its beginning."""
    for seen, kind in rows:
        if isinstance(seen, str) and re.match(seen, answer, re.IGNORECASE):
            return kind(f"no answer of the model: {answer[:TAIL]}", remedy=LOOK)
    return None


def _first(rows: Failures, said: str, code: int | None = None) -> type[ClawError] | None:
    for seen, kind in rows:
        if (re.search(seen, said, re.IGNORECASE) is not None) if isinstance(seen, str) else seen == code:
            return kind
    return None
