"""An artefact that is a program: what it printed when it was run, on inputs that were there and on others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from .faults import Faults
from .typed import judge

__all__ = ["check_program", "printed"]


def check_program(rule: Mapping[str, Any], outputs: Sequence[Mapping[str, Any]]) -> Faults:
    """Every run ended well, and printed each result once with the value that its inputs have."""
    for run, output in zip(rule["script"]["runs"], outputs, strict=True):
        which = "" if run["visible"] else " on inputs that it had not seen"
        if output["timed_out"] or output["exit"] != 0:
            ended = "does not end" if output["timed_out"] else f"ends with status {output['exit']}"
            yield "", "format", f"the program {ended}{which}"
            return
        found = printed(output["stdout"], tuple(run["prints"]))
        for name, wanted in run["prints"].items():
            outcomes = [judge(wanted, text, {}) for text in found[name]]
            if not outcomes:
                yield name, "missing", f"{name}=… is not printed{which}"
            elif any(outcomes) and not all(outcomes):
                yield name, "format", f"two values are printed{which}"
            elif outcomes[0] is not None:
                yield name, outcomes[0][0], f"{outcomes[0][1]}{which}"


def printed(text: str, names: Sequence[str]) -> dict[str, list[str]]:
    """What stands behind ``name=`` or ``name:``, up to the next name or the end of the line."""
    any_name = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w-])({any_name})[ \t]*[=:：][ \t]*", re.IGNORECASE)  # noqa: RUF001
    found: dict[str, list[str]] = {name: [] for name in names}
    for line in text.splitlines():
        hits = list(pattern.finditer(line))
        ends = [*(hit.start() for hit in hits[1:]), len(line)] if hits else []
        for hit, end in zip(hits, ends, strict=True):
            name = next(name for name in names if name.casefold() == hit[1].casefold())
            found[name].append(line[hit.end() : end].strip(" \t,;|"))
    return found
