"""Digests by which a certificate is bound to code, evidence and itself."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

__all__ = ["code_digest", "folder_digest", "json_digest"]


def folder_digest(folder: Path) -> str:
    """sha256 over the names and contents of all files below a folder, but for what Python compiled there."""
    entries = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts
    }  # fmt: skip
    return json_digest(entries)


def code_digest(module: str) -> str:
    """Digest of the top-level package that a module belongs to, or of its one file; empty if it came from no file."""
    root = sys.modules.get(module.partition(".")[0])
    spec = importlib.util.find_spec(module.partition(".")[0]) if root is None else root.__spec__
    if spec is not None and spec.submodule_search_locations:
        return folder_digest(Path(next(iter(spec.submodule_search_locations))))
    file = spec.origin if spec is not None else getattr(root, "__file__", None)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file and Path(file).is_file() else ""


def json_digest(value: Any) -> str:
    """sha256 of a JSON value in its canonical spelling."""
    return hashlib.sha256(
        json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    ).hexdigest()
