"""An optional faster tokenizer, used only after it has proved itself on known strings; tiktoken is the truth and the fallback.

The extra ``fast`` installs toktok-rs, which counts cl100k about ten times as fast. Versions of such packages differ in how
they treat special tokens, so each process tests the one it finds, on strings whose counts tiktoken gave
(``fast_golden.json``, made by ``python -m claw_adapter.tokens.golden``). A test that fails is no error: counting goes on
with tiktoken, and the notice says why.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from claw_adapter.tokens.blanks import LONGEST_RUN, cut
from claw_adapter.tokens.cl100k import count

__all__ = ["GOLDEN", "Backend", "backend", "examine", "golden", "safe"]

GOLDEN = "fast_golden.json"
Batch = Callable[[Sequence[str]], Sequence[int]]


@dataclass(frozen=True, slots=True)
class Backend:
    """What counts in this process.

    Attributes:
        name: the package, with its version.
        count: token counts of many texts, in order.
        notice: why it is not the faster one; empty when there is nothing to say.
    """

    name: str
    count: Batch
    notice: str = ""


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
    return Backend(name, functools.partial(safe, batch))


def _toktok() -> tuple[str, Batch]:
    import toktok

    def batch(texts: Sequence[str]) -> Sequence[int]:
        return toktok.batch_count(texts, "cl100k_base")

    return f"toktok-rs {toktok.__version__}", batch


def _tiktoken(notice: str) -> Backend:
    from importlib.metadata import version

    return Backend(f"tiktoken {version('tiktoken')}", _count_each, notice)


def _count_each(texts: Sequence[str]) -> list[int]:
    return [count(text) for text in texts]


def safe(batch: Batch, texts: Sequence[str]) -> list[int]:
    """Counts by `batch`, except for texts it was not examined on: very long runs of blanks, and lone surrogates."""
    hard = {position for position, text in enumerate(texts) if _is_hard(text)}
    easy = iter(batch([text for position, text in enumerate(texts) if position not in hard]))
    return [count(text) if position in hard else next(easy) for position, text in enumerate(texts)]


def _is_hard(text: str) -> bool:
    if len(text) >= LONGEST_RUN and sum(1 for _ in cut(text)) > 1:
        return True
    try:
        return not text.isascii() and not text.encode("utf-8")
    except UnicodeEncodeError:
        return True


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
