"""Files that others wrote, read so that whatever is in them is data or one of two errors.

An OSError says that a file cannot be read (it is missing, a folder, a device, too large); a ValueError that it is not what it
should be (not UTF-8, not JSON, nested too deeply, a number too long). `why` says either in a few words. YAML, which people
write by hand, is read by `claw_adapter.scenario.yamlsource` with the line of every field.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import json
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

__all__ = [
    "MAX_DEPTH",
    "MOST_BYTES",
    "each_once",
    "parse_json",
    "parse_toml",
    "read_bytes",
    "read_text",
    "strings_of",
    "why",
    "without_halves",
]

MAX_DEPTH: Final = 200
"""Objects and lists within each other; also what pydantic reads at most."""
LONGEST: Final = 500
"""Characters of what is said about an error: a damaged file may hold words of any length."""
MOST_BYTES: Final = 1024 * 1024 * 1024


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """The content of a regular file.

    Raises:
        OSError: it cannot be read, is no regular file (reading a pipe or a device may never end), or has more than `most`
            bytes.
    """
    try:
        about = path.stat()
    except ValueError as error:  # a NUL in the name
        raise OSError(errno.EINVAL, str(error), str(path)) from None
    if stat.S_ISDIR(about.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if not stat.S_ISREG(about.st_mode):
        raise OSError(errno.EINVAL, "it is not a file", str(path))
    if about.st_size > most:
        raise OSError(errno.EOVERFLOW, f"it is larger than {most // 2**20} MiB", str(path))
    return path.read_bytes()


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """The content of a file of UTF-8, without a byte order mark.

    Raises:
        OSError: as `read_bytes`.
        ValueError: it is not UTF-8.
    """
    return read_bytes(path, most).decode("utf-8-sig")


def parse_json(
    text: str | bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None, *, halves: bool = False
) -> Any:
    """The value of a JSON text, of which objects and lists lie at most `MAX_DEPTH` deep.

    Args:
        text: the text, or its UTF-8.
        pairs: makes an object of its fields, in place of `dict`; it may raise a ValueError.
        halves: keep halves of surrogate pairs that stand alone, as in the names of files that are no UTF-8; else each becomes a
            question mark, since nothing could write it down.

    Raises:
        ValueError: it is not JSON, or nested too deeply.
    """
    if pairs is None:
        # what only `json` takes are lone surrogates; and it says better what is wrong
        with contextlib.suppress(ValueError):
            return _parser()(text, cache_strings="keys")
    try:
        value = json.loads(text, object_pairs_hook=pairs)
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None
    if _is_deep(value):
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    return value if halves or pairs is not None else without_halves(value)


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of its fields, for `parse_json`: of a name that stands there twice, each reader would take another.

    Raises:
        ValueError: one does.
    """
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!a} stands there twice")
    return found


def without_halves(value: Any) -> Any:
    """A JSON value with a question mark in the place of each half of a surrogate pair that stands alone."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def strings_of(value: Any) -> Iterator[str]:
    """Every string in a JSON value; names of fields are not among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value if isinstance(value, list) else value.values():
            yield from strings_of(item)


@functools.cache
def _parser() -> Callable[..., Any]:
    """Imported when first needed, and not again for every line of a file."""
    from pydantic_core import from_json

    return from_json


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text.

    Raises:
        ValueError: it is not TOML, or nested too deeply.
    """
    import tomllib

    try:
        value = tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels") from None
    if _is_deep(value):
        raise ValueError(f"nested deeper than {MAX_DEPTH} levels")
    return value


def why(error: Exception) -> str:
    """What an error of this module, of a record's validation, or of data of another shape says in one line."""
    from pydantic import ValidationError

    from claw_adapter.validation import describe_errors

    if isinstance(error, ValidationError):
        return describe_errors(error)
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 text (byte {error.start + 1})"
    said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    text = said if isinstance(error, OSError | ValueError) else f"{type(error).__name__}: {said}"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _is_deep(value: object) -> bool:
    level, depth = [value], 0
    while level and depth <= MAX_DEPTH:
        depth += 1
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
            if isinstance(inner, dict | list)
        ]
    return bool(level)
