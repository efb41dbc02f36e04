"""What an agent with a shell is told besides o₀: how commands, files and budget look from where it stands."""

from __future__ import annotations

__all__ = ["shell_prompt"]

_LINES = """You work in a shell: the commands above are programs on its PATH.
{files}
At most {budget} of these commands are executed. When the work is done, say so and stop."""
_SHOWN = "The world's files are in your working directory: /ops/x is ./ops/x, and an edit there counts like a command."
_HIDDEN = "The world's files (/ops/x) are not on this disk: `file list`, `file read` and the other `file` commands reach them."


def shell_prompt(budget: int, *, mirrored: bool = True) -> str:
    """Three lines on the shell; `mirrored` says whether the world's files are the working directory."""
    return _LINES.format(budget=budget, files=_SHOWN if mirrored else _HIDDEN)
