"""The worked example with a few lines changed."""

import shutil
from pathlib import Path

from claw_adapter_scenarios.authoring import EXAMPLE


def patched(folder: Path, *changes: tuple[str, str, str], every: bool = False) -> Path:
    """A copy of the example in which, layer by layer, the first `old` (or `every` one) is `new`."""
    root = folder / "spec"
    shutil.copytree(EXAMPLE, root)
    for layer, old, new in changes:
        path = root / f"{layer}.yaml"
        text = path.read_text("utf-8")
        assert old in text, f"{layer} has no {old!r}"
        path.write_text(text.replace(old, new, -1 if every else 1), "utf-8")
    return root
