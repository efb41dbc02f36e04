"""``claw forge``: generate, show, play, verify, export and import tasks; `claw run forge:…` runs them.

Exit statuses: 0 done · 1 something did not hold (an obligation, a task played and failed) · 2 wrong usage or input ·
4 something is not installed.
Heavy modules are imported inside the commands, so that ``--help`` is instant.
"""

from __future__ import annotations

from claw_adapter_forge.cli.commands import forge

__all__ = ["forge"]
