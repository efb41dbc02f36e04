"""Damaged copies of a file: bytes, words and fields changed as nobody would write them, always the same for a seed."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from typing import Any

DEEP = 100_000
TEXTS = (
    "",
    "x",
    "a\0b",
    "../../etc/passwd",
    "/dev/zero",
    "\ud800",
    "\ufeff",
    "\u200b",
    "e" * 70_000,
    "[" * 500,
    "no",
    "~",
    "NaN",
    "2026-13-45T99:99:99Z",
    "9999-12-31T23:59:59+23:59",
    "0001-01-01T00:00:00+14:00",
    "{{x}}",
    "${roster}",
    "(" * 300,
    "\x1b[31m",
    "reader:x",
    "..",
    "°",
)
JUNK: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    1,
    -1,
    3,
    2**31,
    2**63,
    2**70,
    -(2**80),
    10**400,
    0.5,
    -0.0,
    1e308,
    float("nan"),
    float("inf"),
    [],
    {},
    [None],
    [[]],
    {"": None},
    {"a": {"b": 1}},
    [1, "x", None],
    {"id": 1},
    {"kind": "start"},
    *TEXTS,
)
WORDS = (
    b"[" * DEEP,
    b"{" * 300,
    b'{"a":' * DEEP,
    b"9" * 5000,
    b"1e999",
    b"-",
    b"NaN",
    b"\xff\xfe",
    b"\x00",
    b"\xed\xa0\x80",
    b'"\\ud800"',
    b"\n",
    b"\r",
    b"\xc2\x85",
    b"\xe2\x80\xa8",
    b"\t",
    b"'",
    b'"',
    b":",
    b"- ",
    b"&a ",
    b"*a",
    b"!!python/object:os.system ",
    b"<<: *a",
    b"---\n",
    b"...\n",
    b"#",
    b"? ",
    b"%YAML 9.9\n",
    b"|",
    b">",
    b"[[x]]",
    b"[x]\nx=1\n[x]\n",
    b"\xef\xbb\xbf",
    b"null",
    b"true",
    b"0x10",
    b"0o17",
    b"1_000",
    b"\\",
    b"\\u0000",
    b"{}",
    b"[]",
    b",",
    b"a: &a [x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c]\n",
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to every value, the whole first."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield from places(one, (*path, key))


def damage_bytes(data: bytes, rng: random.Random) -> bytes:
    """The file with one to three pieces of it changed, lost, doubled or replaced by something odd."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice((0, 1, 2, 8, 60, 4000)))
        new = rng.choice(
            (b"", b"", rng.choice(WORDS), rng.choice(WORDS), rng.randbytes(rng.choice((1, 4))), data[start:end] * 2)
        )
        data = data[:start] + new + data[end:]
    return data[: rng.randrange(len(data) + 1)] if rng.random() < 0.05 else data


def damage_value(value: Any, rng: random.Random) -> Any:
    """Plain data with one to three fields of it replaced, renamed, lost or doubled; the types are no longer what they were."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        ways = list(places(value))
        way = rng.choice(ways)
        if not way:
            if rng.random() < 0.1:
                value = copy.deepcopy(rng.choice(JUNK))
            continue
        parent = value
        for key in way[:-1]:
            parent = parent[key]
        _change(parent, way[-1], rng, _at(value, rng.choice(ways)))
    return value


def _at(value: Any, way: tuple[Any, ...]) -> Any:
    try:
        for key in way:
            value = value[key]
    except (KeyError, IndexError, TypeError):
        return None
    return copy.deepcopy(value)


def _change(parent: Any, key: Any, rng: random.Random, other: Any) -> None:
    kind = rng.random()
    if kind < 0.55:
        parent[key] = copy.deepcopy(rng.choice(JUNK))
    elif kind < 0.7:
        parent[key] = other
    elif kind < 0.85:
        del parent[key]
    elif isinstance(parent, dict):
        parent[rng.choice(TEXTS)] = parent[key] if kind < 0.95 else parent.pop(key)
    else:
        parent.insert(rng.randrange(len(parent) + 1), other)


def as_json(value: Any, rng: random.Random | None = None) -> bytes:
    """One line of JSON; now and then with what only Python writes, such as NaN or a lone surrogate."""
    text = json.dumps(value, ensure_ascii=bool(rng and rng.random() < 0.5))
    return text.encode("utf-8", "surrogatepass" if rng and rng.random() < 0.5 else "backslashreplace")


def damage_json(data: bytes, rng: random.Random) -> bytes:
    """A file of one JSON value, damaged as bytes or as data."""
    return damage_bytes(data, rng) if rng.random() < 0.4 else as_json(damage_value(json.loads(data), rng), rng)


def damage_lines(
    data: bytes,
    rng: random.Random,
    seal: Callable[[list[bytes]], bytes] | None = None,
) -> bytes:
    """A file of JSON lines, damaged as bytes, by lines or as data; `seal` makes the file of its lines."""
    if rng.random() < 0.35:
        return damage_bytes(data, rng)
    lines = [line for line in data.split(b"\n") if line.strip()]
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.randrange(len(lines))
        kind = rng.random()
        if kind < 0.8:
            lines[at] = as_json(damage_value(json.loads(lines[at]), rng), rng).replace(b"\n", b" ")
        elif kind < 0.9:
            lines.insert(rng.randrange(len(lines) + 1), lines[at])
        elif len(lines) > 1:
            del lines[at]
    return seal(lines) if seal else b"".join(line + b"\n" for line in lines)


def damage_yaml(data: bytes, rng: random.Random) -> bytes:
    """A YAML file, damaged as bytes or as data; JSON is YAML."""
    import yaml

    return damage_bytes(data, rng) if rng.random() < 0.4 else as_json(damage_value(yaml.safe_load(data), rng), rng)
