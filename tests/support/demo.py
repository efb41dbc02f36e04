"""The demo through a real harness: every round right, nothing tried twice, and all evidence has come to the model."""

import json
from pathlib import Path

from claw_adapter.sandbox import detect
from support.running import claw


def right_demo(harness: str, out: Path) -> None:
    """Run the demo with the evidence reader, at the isolation that this machine can give, and look at what it says."""
    done = claw("run", "demo", "-H", harness, "--model", "reader", "--out", out, "--json")
    (row,) = json.loads(done.stdout)["rows"]
    assert (row["strict"]["tcr"], row["scored"], row["retried"]) == (1, 11, 0)
    assert row["evidence"]["seen"] == row["evidence"]["needed"] > 0
    assert {level["harness"] for level in row["isolation"]} == {int(detect().level)}
