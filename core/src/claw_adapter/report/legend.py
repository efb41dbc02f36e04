"""What the codes of the tables mean; each is explained under the table that shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from claw_adapter.protocol.tags import DIMENSIONS
from claw_adapter.scoring.parts import CONDUCT, UNSCORED

__all__ = ["MISSED", "UNREAD", "explain_metrics", "explain_values"]

UNREAD: Final = "unread: no answer could be extracted from the reply."
MISSED: Final = (
    "unscored: without a score, for the cause given with the scores; 0 in strict numbers, left out of the others."
)

_METRICS: Final = {
    "tcr": "TCR task completion rate, the mean score",
    "mc": "MC mean over multiple choice",
    "ec": "EC mean over executable checks",
    "sc": "SC success cohesion, how much right rounds come in streaks",
    "fd": "FD failure dispersion, how much wrong rounds do not",
    "robustness": "Robustness SC × FD",
    "crs": "CRS composite reliability, the mean of TCR and Robustness",
    "overall": "Overall mean over both, multiple choice statement by statement",
}
_CATEGORY: Final = re.compile(r"(?P<what>MS|DU|P|(?=..)M?D?P?)-(?P<skill>[IR])")
_SKILLS: Final = {"I": "reasoning", "R": "recall"}


def explain_metrics(keys: Iterable[str]) -> str:
    """One sentence about the metrics with these keys."""
    shown = set(keys)
    return f"{'; '.join(meaning for key, meaning in _METRICS.items() if key in shown)}."


def explain_values(name: str, values: Iterable[str], meanings: Mapping[str, str] | None = None) -> str:
    """One sentence about those values of a tag that are codes; empty where there are none.

    Args:
        name: of the tag.
        values: that a table shows.
        meanings: of values that others explain, such as the patterns of a question type.
    """
    shown = dict.fromkeys(values)
    if name == "dimensions":
        return _sentence({code: DIMENSIONS[code] for code in sorted(set(shown) & set(DIMENSIONS))})
    if name == "conduct":
        return _sentence({code: meaning for code, meaning in CONDUCT.items() if code in shown})
    if name == "pattern":
        owned = any(value.startswith(UNSCORED) for value in shown)
        more = {f"{UNSCORED}…": "without a score, for a failure of that owner"} if owned else {}
        return _sentence({code: meanings[code] for code in shown if meanings and code in meanings} | more)
    if name != "category":
        return ""
    found = [match for value in shown if (match := _CATEGORY.fullmatch(value))]
    letters: dict[str, str] = {}
    for code, meaning in DIMENSIONS.items():
        alone = [code] if any(one["what"] == code for one in found) else []
        joined = [code[0]] if any(one["what"] not in DIMENSIONS and code[0] in one["what"] for one in found) else []
        if tokens := dict.fromkeys(alone + joined):
            letters[", ".join(tokens)] = meaning
    return _sentence(letters | {key: _SKILLS[key] for key in sorted({one["skill"] for one in found})})


def _sentence(codes: dict[str, str]) -> str:
    return f"{'; '.join(f'{code}: {meaning}' for code, meaning in codes.items())}." if codes else ""
