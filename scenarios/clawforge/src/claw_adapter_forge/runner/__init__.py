"""Running episodes: modes, the bare loop, records of what happened."""

from __future__ import annotations
