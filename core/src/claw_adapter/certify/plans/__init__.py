"""Drawn plans: a session made up from a nonce, run by the ordinary runner, judged by the ledger, cut to what shows a bug.

`plan` (the records), `texts` and `draw` (from a nonce), `layout` (a plan as a scenario and a script), `trial` (running and
judging), `shrink`.
"""

from __future__ import annotations

__all__: list[str] = []
