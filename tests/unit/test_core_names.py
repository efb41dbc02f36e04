"""Core names no vendor's session format, and its report code no benchmark: those come from plugins."""

from __future__ import annotations

import re
from pathlib import Path

import claw_adapter

CORE = Path(claw_adapter.__file__).parent
NAMES = re.compile(
    r"open_?claw|claude[-_ ]?code|nano_?bot|pico_?claw|meta_?claw|claw_?arena|claw_?forge", re.IGNORECASE
)
CITED = re.compile(r"ClawArena v[12]\b|\bAlgorithm \d of the ClawForge paper\b")
"""The paper that a formula or an algorithm is from stands beside it."""
ALLOWED = {
    "api/experiment.py": ({"clawarena"}, "the name of the prompt format"),
    "cli/new_adapter.py": ({"clawarena"}, "the folder of the repository that has the scenarios of Gold"),
    "cli/run.py": ({"nanobot", "clawarena"}, "an example in the help; the name of the prompt format"),
    "cli/score.py": ({"clawarena"}, "an example in the help"),
    "datasets/find.py": ({"clawarena"}, "the plugin of ours that is named where it is not installed"),
    "runs/estimate.py": ({"clawarena", "openclaw"}, "where measured defaults are from"),
    "runs/providers.toml": ({"claude_code", "claude code"}, "a provider's variable and terms"),
    "distributions.py": (
        {"clawarena", "claude-code", "metaclaw", "nanobot", "openclaw", "picoclaw"},
        "those of ours, which are named where they are not installed",
    ),
    "data_format/prompt.py": ({"clawarena"}, "the name of the prompt format, as run folders record it"),
}
"""File → the names in it, and why they may stand there."""


def named() -> dict[str, set[str]]:
    """Names found, by file of core."""
    found = {}
    for path in sorted(CORE.rglob("*")):
        if path.is_file() and path.suffix not in (".pyc", ".gz"):
            text = CITED.sub("", path.read_text("utf-8", "replace"))
            if names := {name.lower() for name in NAMES.findall(text)}:
                found[path.relative_to(CORE).as_posix()] = names
    return found


def test_core_names_nobody_but_where_it_has_to():
    assert named() == {file: names for file, (names, _) in ALLOWED.items()}


def test_report_and_scoring_name_no_benchmark():
    rooms = {"report", "scoring", "runner", "protocol", "workspace"}
    assert not [file for file in ALLOWED if file.partition("/")[0] in rooms]
