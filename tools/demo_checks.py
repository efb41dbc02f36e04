"""Put the checker of the scenarios, as compiled scenarios carry it, into the demo: ``python tools/demo_checks.py [--check]``.

What the demo's checks expect, ``r3.json`` and so on, is written by hand; the program that compares is no second one. The copy
is committed, not made when it is needed: core must not know this distribution, an installation from the sources has no build
step, and the digest of the demo's folder, which every run folder names, may not depend on what else is installed.
"""

import sys
from pathlib import Path

from claw_adapter.demo import DEMO
from claw_adapter_scenarios.compiler.emit import check_program

CHECKS = DEMO / "gold" / "checks"


def wanted() -> dict[Path, bytes]:
    """Content by place."""
    return {DEMO / path: content for path, content in check_program()}


def differing() -> list[Path]:
    """Files that are not as they should be, or should not be there."""
    made = wanted()
    there = set(CHECKS.rglob("*.py"))
    return sorted(
        {path for path in made if not path.is_file() or path.read_bytes() != made[path]} | (there - set(made))
    )


def main() -> int:
    """Write, or with ``--check`` say what differs."""
    found = differing()
    for path in found:
        print(path.relative_to(DEMO))
        if "--check" in sys.argv:
            continue
        if path in wanted():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(wanted()[path])
        else:
            path.unlink()
    return int(bool(found) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
