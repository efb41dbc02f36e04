"""Proof obligations: what must hold of a task before it ships."""

from __future__ import annotations
