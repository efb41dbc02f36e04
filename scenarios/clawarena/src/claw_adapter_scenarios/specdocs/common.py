"""Tables and small words of the documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from claw_adapter_scenarios.compiler.beliefs import Claim
from claw_adapter_scenarios.compiler.compiled import Compiled

__all__ = ["claim_of", "document", "place", "round_at", "table", "tokens", "visible_round"]


def document(title: str, sections: Iterable[tuple[str, str]]) -> str:
    """A Markdown document with numbered sections."""
    parts = [f"# {title}\n"]
    parts += [f"## {number}. {name}\n\n{body.strip()}\n" for number, (name, body) in enumerate(sections, start=1)]
    return "\n".join(parts)


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table; an empty one says so."""
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    body = [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in rows]
    return "\n".join([*lines, *(body or [f"| {' | '.join(['none'] + [''] * (len(columns) - 1))} |"])])


def _cell(cell: object) -> str:
    return " ".join(str(cell).replace("|", "\\|").split()) or "–"


def tokens(text: str) -> int:
    """Tokens of a text (cl100k_base)."""
    from claw_adapter.tokens import count

    return count(text)


def claim_of(made: Compiled, name: str) -> Claim | None:
    """The claim of a name."""
    return next((claim for claim in made.material.claims if claim.fragment == name), None)


def place(claim: Claim | None) -> str:
    """What a claim says and where."""
    return f"“{claim.text}” ({claim.where})" if claim else "no such claim"


def round_at(made: Compiled, index: int) -> str:
    """Id of the round of an index; ``start`` for what is there from the beginning."""
    if index <= 0:
        return "start"
    return made.rounds[index].spec.id if index < len(made.rounds) else "never"


def visible_round(made: Compiled, *claims: Claim | None) -> str:
    """The first round at which all of these can be seen."""
    return round_at(made, max((claim.first for claim in claims if claim), default=0))
