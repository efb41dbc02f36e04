"""Statistics of a suite beside the papers' numbers, and subsets that represent a suite."""

from __future__ import annotations
