"""Where specs are, and how a new one begins."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from claw_adapter.errors import ScenarioError

__all__ = ["EXAMPLE", "SPECS", "begin", "find_spec", "packaged_specs"]

SPECS: Final = Path(__file__).parent / "data" / "specs"
"""Specs that come with this distribution."""
EXAMPLE: Final = SPECS / "clinic-fridge"
"""The worked example of the author's guide; a new spec begins as a copy of it."""


def packaged_specs() -> list[Path]:
    """Folders of the packaged specs, by name."""
    return sorted(path.parent for path in SPECS.glob("*/0-truth.yaml"))


def find_spec(name: str) -> Path:
    """The folder of a spec: a path, or the name of a packaged one.

    Raises:
        ScenarioError: there is none.
    """
    for folder in (Path(name), SPECS / name):
        if (folder / "0-truth.yaml").is_file():
            return folder
    known = ", ".join(path.name for path in packaged_specs())
    raise ScenarioError("no spec here", where=name, remedy=f"Name a folder with a 0-truth.yaml, or one of: {known}.")


def begin(name: str, out: Path, pack: str | None = None, conflicts: Sequence[str] = ()) -> Path:
    """Copy the example to `out`/`name` under that id, with the JSON Schemas in `out`/schemas.

    With `pack` a spec is laid out from it and from patterns of conflicts, all that there are where none is named.

    Raises:
        ScenarioError: the name is no identifier, the folder exists, or there is no such pack or pattern.
    """
    from claw_adapter_scenarios.spec import schemas

    root = out / name
    if not re.match(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\Z", name):
        raise ScenarioError(f"{name!r} cannot be an id", remedy="Use letters, digits, '-', '_' and '.'.")
    if root.exists():
        raise ScenarioError("it is there already", where=str(root), remedy="Choose another name.")
    if pack is not None:
        from claw_adapter_scenarios import composing

        domain = composing.find_pack(pack)
        named = list(dict.fromkeys(conflicts)) or list(composing.patterns())
        found = {one: composing.find_pattern(one, domain, f"U{number}") for number, one in enumerate(named, 1)}
        return composing.compose(name, out, domain, found, pack)
    shutil.copytree(EXAMPLE, root)
    for path in root.glob("*.yaml"):
        text = path.read_text("utf-8").replace("$schema=../../schemas/", "$schema=../schemas/")
        path.write_text(text.replace(f"id: {EXAMPLE.name}\n", f"id: {name}\n", 1), "utf-8")
    (out / "schemas").mkdir(exist_ok=True)
    for layer, data in schemas().items():
        (out / "schemas" / f"{layer}.schema.json").write_text(
            json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8"
        )
    return root
