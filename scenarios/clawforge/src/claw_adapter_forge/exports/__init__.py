"""Tasks in other people's formats, and other people's tasks in ours."""

from __future__ import annotations
