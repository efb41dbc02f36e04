"""Bronze of OpenClaw in two parts: it takes twenty seconds to start, and what one conversation serves stays together."""

import json
from collections.abc import Sequence
from pathlib import Path

from support.running import claw

PINNED = ["--nonce", "smoke", "--deadline", "240"]
"""The same drawn session every time, so that a test fails for what was changed."""
STARTS = ["LIFE-007", "LIFE-008", *(f"LIFE-{n:03d}" for n in range(10, 15))]
"""Checks that start it anew."""
FAILS = ["TURN-005", "TURN-015"]
"""Checks whose turns fail, and that start it three times for it: the same failures are in tests/e2e, in test_openclaw_acp.py
a refused key and an empty reply, in test_openclaw_turns.py no word behind a text with a call."""


def passes(checks: Sequence[str], out: Path) -> None:
    """Certify OpenClaw by these checks: each passes."""
    only = [word for check in checks for word in ("--only", check)]
    done = claw("certify", "openclaw", *only, *PINNED, "--out", out, "--json", check=False)
    outcomes = {result["id"]: result["outcome"] for result in json.loads(done.stdout)["results"]}
    assert outcomes == dict.fromkeys(checks, "passed")
