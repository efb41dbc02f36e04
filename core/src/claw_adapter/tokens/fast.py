"""An optional faster tokenizer, used only after it has proved itself on known strings; tiktoken is the truth and the fallback.

The extra ``fast`` installs toktok-rs, which counts cl100k about ten times as fast. Versions of such packages differ in how
they treat special tokens, so each process tests the one it finds, on strings whose counts tiktoken gave
(``fast_golden.json``, made by ``python -m claw_adapter.tokens.golden``). A test that fails is no error: counting goes on
with tiktoken, and the notice says why.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from claw_adapter.tokens.blanks import LONGEST_RUN, cut
from claw_adapter.tokens.cl100k import count

__all__ = ["GOLDEN", "Backend", "backend", "examine", "golden", "safe"]

GOLDEN = "fast_golden.json"
_SURROGATE = re.compile("[\ud800-\udfff]")
Batch = Callable[[Sequence[str]], Sequence[int]]


@dataclass(frozen=True, slots=True)
class Backend:
    """What counts in this process.

    Attributes:
        name: the package, with its version.
        count: token counts of many texts, in order.
        notice: why it is not the faster one; empty when there is nothing to say.
        overlaps: whether it works on a whole batch without the interpreter's lock, so that other work can go on.
    """

    name: str
    count: Batch
    notice: str = ""
    overlaps: bool = False


@functools.cache
def backend() -> Backend:
    """The fastest exact tokenizer there is here; chosen once per process."""
    try:
        name, batch = _toktok()
    except ImportError:
        return _tiktoken("")
    except Exception as error:  # noqa: BLE001 - a broken extra must not break counting; the notice says what happened
        return _tiktoken(f"toktok cannot be loaded ({type(error).__name__}: {error}); counting with tiktoken")
    if fault := examine(batch):
        return _tiktoken(f"{name} failed its self-test ({fault}); counting with tiktoken")
    return Backend(name, functools.partial(safe, batch), overlaps=True)


def _toktok() -> tuple[str, Batch]:
    from importlib import import_module

    toktok = import_module("toktok")  # not imported by name: the extra is optional, for type checkers as well

    def batch(texts: Sequence[str]) -> Sequence[int]:
        counts: Sequence[int] = toktok.batch_count(texts, "cl100k_base")
        return counts

    return f"toktok-rs {toktok.__version__}", batch


def _tiktoken(notice: str) -> Backend:
    from importlib.metadata import version

    return Backend(f"tiktoken {version('tiktoken')}", _count_each, notice)


def _count_each(texts: Sequence[str]) -> list[int]:
    return [count(text) for text in texts]


def safe(batch: Batch, texts: Sequence[str]) -> list[int]:
    """Counts by `batch`, except for texts it was not examined on: very long runs of blanks, and lone surrogates."""
    hard = {
        position for position, text in enumerate(texts) if len(text) >= LONGEST_RUN and sum(1 for _ in cut(text)) > 1
    }
    try:
        return _mixed(batch, texts, hard)
    except UnicodeEncodeError:  # extensions refuse lone surrogates; which texts have them is looked for only now
        return _mixed(batch, texts, hard | {position for position, text in enumerate(texts) if _SURROGATE.search(text)})


def _mixed(batch: Batch, texts: Sequence[str], hard: AbstractSet[int]) -> list[int]:
    easy = iter(batch([text for position, text in enumerate(texts) if position not in hard]))
    return [count(text) if position in hard else next(easy) for position, text in enumerate(texts)]


def golden() -> list[tuple[str, int]]:
    """The strings of the self-test, with their counts."""
    from importlib.resources import files

    return [(text, n) for text, n in json.loads(files("claw_adapter.tokens").joinpath(GOLDEN).read_bytes())]


def examine(batch: Batch) -> str:
    """What is wrong with a tokenizer, found on the golden strings; empty for nothing. Takes a few milliseconds."""
    pairs = golden()
    try:
        found = list(batch([text for text, _ in pairs]))
    except Exception as error:  # noqa: BLE001 - whatever a foreign extension raises, it has failed
        return f"{type(error).__name__}: {error}"
    if len(found) != len(pairs):
        return f"{len(found)} counts for {len(pairs)} texts"
    for (text, expected), got in zip(pairs, found, strict=True):
        if got != expected:
            return f"{got} tokens for {text[:40]!r}, expected {expected}"
    return ""
