"""What the published runner says around a question: the prompt format ``clawarena-1.0``."""

from __future__ import annotations

from typing import Final

__all__ = ["COMPAT", "COMPAT_INSTRUCTION", "COMPAT_UPDATE_NOTE"]

COMPAT: Final = "clawarena-1.0"
COMPAT_INSTRUCTION: Final = r"\nSelect all correct statements, and answer with \bbox{X,Y,...} format directly."
COMPAT_UPDATE_NOTE: Final = r"The workspace and messages in other channels are updated.\n"
"""Backslash and n are two characters in both texts: a slip of the original that its token counts include."""
