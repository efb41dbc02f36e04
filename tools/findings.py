"""Write the table of docs/findings.md again from `claw_adapter.audit.causes`."""

from __future__ import annotations

import sys
from pathlib import Path

from claw_adapter.audit.causes import usual

PAGE = Path(__file__).parent.parent / "docs" / "findings.md"
HEAD = "| cause | usually |\n|---|---|\n"


def written(page: str) -> str:
    """The page with its table as it is to be; the table is the last thing on it."""
    before, found, _ = page.partition(HEAD)
    if not found:
        raise ValueError(f"{PAGE.name} has no table of causes")
    rows = (f"| `{name}` | {text} |\n" for name, text in usual().items())
    return f"{before}{HEAD}{''.join(rows)}"


def main() -> int:
    """Write it."""
    PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
