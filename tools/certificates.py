"""Certify real harnesses, and keep what says so in frameworks/NAME/certificates/VERSION.

python tools/certificates.py NAME[:KEY=VALUE,...] …

Each is certified at Gold, in an hour at most; report, evidence and pages stay below runs/certificates/NAME. A harness that
reaches less is kept as well: its report says what keeps it from the next level. Exit code 1 where a certification did not end.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
KEPT: Final = ("report.json", "certificate.json", "badge.svg")
SECONDS: Final = 3600


def certify(harness: str) -> bool:
    """Certify one harness, and keep its certificate; whether it came to an end."""
    name = harness.partition(":")[0]
    out = ROOT / "runs" / "certificates" / name
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "claw_adapter", "certify", harness, "--level", "gold", "-q", "--out", str(out)]
    subprocess.run(command, check=False, timeout=SECONDS)
    if not (out / KEPT[0]).is_file():
        return False
    report = json.loads((out / KEPT[0]).read_text("utf-8"))
    version = re.findall(r"[\w.-]+", next(iter(report["adapter"]["versions"].values())))[-1]
    folder = ROOT / "frameworks" / name / "certificates" / version
    folder.mkdir(parents=True, exist_ok=True)
    for file in KEPT:
        if (out / file).is_file():
            shutil.copyfile(out / file, folder / file)
    print(f"{harness} {version}: {report['reached'] or 'no level'} in {report['seconds']:.0f} s")
    return True


if __name__ == "__main__":
    ended = [certify(harness) for harness in sys.argv[1:]]
    sys.exit(0 if all(ended) else 1)
