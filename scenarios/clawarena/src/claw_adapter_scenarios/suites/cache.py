"""Compiled scenarios below CLAW_HOME, by what they were made from; safe for several processes at a time."""

from __future__ import annotations

import contextlib
import tempfile
from hashlib import sha256
from pathlib import Path

from claw_adapter.errors import ScenarioError
from claw_adapter.frameworks.home import claw_home
from claw_adapter_scenarios.spec.load import LAYERS, load_spec
from claw_adapter_scenarios.spec.prose import prose_files
from claw_adapter_scenarios.suites.digest import compiler_digest, files_digest, folder_digest

__all__ = ["cache_home", "compiled"]

SEAL = "digest.txt"


def cache_home() -> Path:
    """The folder of the cache; not created here. It may be removed at any time when no run goes on."""
    return claw_home() / "cache" / "scenarios"


def compiled(spec: Path, seed: int = 0) -> Path:
    """The folder of a compiled variant; compiled now unless the cache has it whole.

    Args:
        spec: the spec's folder.
        seed: the variant.

    Raises:
        ScenarioError: the spec cannot be read or compiled, or the cache cannot be written.
    """
    entry = cache_home() / _key(spec, seed)
    if (found := _whole(entry)) is not None:
        return found
    try:
        _make(spec, seed, entry)
    except OSError as error:
        raise ScenarioError(
            f"the cache cannot be written: {error}", where=str(entry), remedy="Point CLAW_HOME to another folder."
        ) from error
    found = _whole(entry)
    assert found is not None, entry  # noqa: S101 - just made, by us or by another process, by renaming what was whole
    return found


def _key(spec: Path, seed: int) -> str:
    layers = {
        f"{name}.yaml": (spec / f"{name}.yaml").read_bytes() for name in LAYERS if (spec / f"{name}.yaml").is_file()
    }
    layers |= {str(path.relative_to(spec)): path.read_bytes() for path in prose_files(spec)}
    text = f"{compiler_digest()}\n{files_digest(layers)}\n{seed}"
    return sha256(text.encode()).hexdigest()[:24]


def _whole(entry: Path) -> Path | None:
    """The one scenario of an entry, if its content is what was written."""
    try:
        name, digest = (entry / SEAL).read_text("utf-8").split()
    except (OSError, ValueError):
        return None
    return entry / name if folder_digest(entry / name) == digest else None


def _make(spec: Path, seed: int, entry: Path) -> None:
    """Build beside the entry and rename into place; who comes second takes what the first one made."""
    from claw_adapter_scenarios.compiler import build

    entry.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=entry.parent, prefix=".making-") as name:
        made = Path(name) / "entry"
        root = build(load_spec(spec), made, seed)
        (made / SEAL).write_text(f"{root.name} {folder_digest(root)}\n", "utf-8")
        if entry.exists() and _whole(entry) is None:
            with contextlib.suppress(FileNotFoundError):  # another process may be putting it right as well
                entry.rename(Path(name) / "damaged")
        try:
            made.rename(entry)
        except OSError:
            if _whole(entry) is None:
                raise
