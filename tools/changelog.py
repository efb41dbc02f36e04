"""Write the fragments of changelog.d/ into CHANGELOG.md: the section of the coming version, one heading per file.

What stands below that section, the versions already released, is kept as it is.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = """\
# Changelog

Made by `make changelog` from the files in [changelog.d](changelog.d/README.md); write there, not here.
"""
NAMES = {
    "acp": "Agent Client Protocol",
    "claude-code": "Claude Code",
    "forge": "ClawForge",
    "forge-runs": "ClawForge runs",
    "picoclaw": "PicoClaw",
    "python": "Python interface",
}
"""Headings that are not simply the file's name."""


def heading(path: Path) -> str:
    """``command-line.md`` is "Command line"."""
    return NAMES.get(path.stem) or path.stem.replace("-", " ").capitalize()


def unreleased(version: str, folder: Path) -> str:
    """The section of the coming version; empty where there is no fragment."""
    paths = sorted((path for path in folder.glob("*.md") if path.name != "README.md"), key=heading)
    topics = [f"### {heading(path)}\n\n{path.read_text('utf-8').strip()}\n" for path in paths]
    return "\n".join([f"## {version} (unreleased)\n", *topics]) if topics else ""


def changelog(old: str, version: str, folder: Path) -> str:
    """CHANGELOG.md anew: `old` gives the sections of released versions."""
    sections = re.split(r"^(?=## )", old, flags=re.MULTILINE)[1:]
    released = "".join(part for part in sections if not part.partition("\n")[0].endswith("(unreleased)"))
    return "\n".join(part for part in (HEAD, unreleased(version, folder), released) if part)


def current(root: Path = ROOT) -> str:
    """What CHANGELOG.md of this checkout has to be."""
    version = tomllib.loads((root / "core/pyproject.toml").read_text("utf-8"))["project"]["version"]
    path = root / "CHANGELOG.md"
    return changelog(path.read_text("utf-8") if path.exists() else "", version, root / "changelog.d")


if __name__ == "__main__":
    (ROOT / "CHANGELOG.md").write_text(current(), "utf-8")
