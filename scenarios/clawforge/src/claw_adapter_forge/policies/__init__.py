"""Policies that see only text: the request and what commands printed. No task data, no world, no evaluator."""

from __future__ import annotations
