"""Tasks: the specification, the slots it is grounded in, the scene it starts from, and the compiler."""

from __future__ import annotations
