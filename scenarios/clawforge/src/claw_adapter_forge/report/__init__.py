"""Reports over run records: the paper's tables with intervals and null lines, failure patterns, a gallery of differences."""

from __future__ import annotations
