"""The forms that questions ask for, against those that their checks demand."""

from __future__ import annotations

import re
from collections.abc import Iterator

from claw_adapter.finding import Finding
from claw_adapter_scenarios.spec.load import Spec
from claw_adapter_scenarios.spec.rounds import FileRule
from claw_adapter_scenarios.validation.rules import spec_finding

__all__ = ["forms"]

_FORMS = frozenset({"HH:MM", "YYYY-MM-DD", "YYYY-MM-DD HH:MM", "YYYY-MM-DDTHH:MM:SS", "ISO 8601"})
_FORM = re.compile("|".join(sorted(_FORMS, key=len, reverse=True)))
_LOOSE = {"HH:MM": "hm", "YYYY-MM-DD": "date"}
"""What asks for the same part of a moment in any notation."""


def forms(spec: Spec) -> Iterator[Finding]:
    """A form that a question names is demanded of all values that it fits, and no other form is."""
    for i, item in enumerate(spec.rounds.rounds):
        named = set(_FORM.findall(item.ask))
        demanded = {form for file in item.files for form in _demanded(file)}
        where = spec.where("3-rounds", "rounds", i)
        for form in sorted(demanded & _FORMS - named):
            yield spec_finding("SPEC-018", f"round {item.id!r}: the check demands {form}, the question does not", where)
        for form in sorted(named):
            if form not in demanded or _LOOSE.get(form) in demanded:
                message = f"round {item.id!r}: the question asks for {form}, the check takes any notation"
                yield spec_finding("SPEC-018", message, where)


def _demanded(file: FileRule) -> Iterator[str]:
    rules = [*file.fields.values(), *(rule for section in file.sections for rule in section.labels.values())]
    rules += file.script.prints.values() if file.script else ()
    yield from (rule.form for rule in rules)
    for rule in rules:
        yield str((rule.type or {}).get("form", ""))
    if file.rows:
        yield file.rows.form
        yield from (str(kind.get("form", "")) for kind in file.rows.types.values())
