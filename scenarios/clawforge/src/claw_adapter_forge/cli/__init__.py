"""``claw forge``: generate, show, play, verify, run, report, export and import tasks.

Exit statuses: 0 done · 1 something did not hold (an obligation, a task played and failed, a provider) · 2 wrong usage or
input · 3 a file of records that is not to be written to, or not to be read with others · 4 something is not installed.
Heavy modules are imported inside the commands, so that ``--help`` is instant.
"""

from __future__ import annotations

from claw_adapter_forge.cli.commands import forge

__all__ = ["forge"]
