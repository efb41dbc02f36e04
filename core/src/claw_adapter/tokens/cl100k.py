"""The cl100k_base tokenizer from the vocabulary that ships with this package: checked by hash, never fetched.

Counting has ordinary text semantics: ``<|endoftext|>`` in a file is the seven tokens of its characters, and
``<|im_start|>`` (which is not special in cl100k) is six.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from claw_adapter.errors import ClawError
from claw_adapter.tokens.blanks import LONGEST_RUN, cut, windows

if TYPE_CHECKING:
    from tiktoken import Encoding

__all__ = ["SHA256", "VocabularyError", "count", "encode", "encoding", "parse_vocabulary"]

FILE = "cl100k_base.tiktoken.gz"
SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
"""Of the decompressed vocabulary, 1,681,126 bytes; the same hash tiktoken expects."""

_PIECES = (
    r"'(?i:[sdmt]|ll|ve|re)|"
    r"[^\r\n\p{L}\p{N}]?+\p{L}++|"
    r"\p{N}{1,3}+|"
    r" ?[^\s\p{L}\p{N}]++[\r\n]*+|"
    r"\s++$|"
    r"\s*[\r\n]|"
    r"\s+(?!\S)|"
    r"\s"
)
_SPECIAL = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}

_lock = threading.Lock()
_loaded: Encoding | None = None


class VocabularyError(ClawError):
    """The vocabulary shipped with this package is missing or damaged."""


def count(text: str) -> int:
    """Number of cl100k tokens of any text; lone surrogates count as U+FFFD (tiktoken repairs them).

    Never raises on account of the text, and takes time nearly proportional to its length, also for a million equal
    characters (tiktoken before 0.13 was quadratic there).

    Raises:
        VocabularyError: on first use, if the shipped vocabulary is damaged.
    """
    tokenizer = encoding()
    if len(text) < LONGEST_RUN:
        return len(tokenizer.encode_ordinary(text))
    return sum(len(tokenizer.encode_ordinary(part)) for run in cut(text) for part in windows(run))


def encode(text: str) -> list[int]:
    """The tokens that `count` counts.

    Raises:
        VocabularyError: on first use, if the shipped vocabulary is damaged.
    """
    tokenizer = encoding()
    return [token for part in cut(text) for token in tokenizer.encode_ordinary(part)]


def encoding() -> Encoding:
    """The tokenizer, built on first use (about 0.15 s) and shared by all threads of the process.

    Raises:
        VocabularyError: the shipped vocabulary is missing or damaged.
    """
    global _loaded  # noqa: PLW0603  one vocabulary per process is the point
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = _build(parse_vocabulary(_shipped()))
    return _loaded


def parse_vocabulary(packed: bytes) -> dict[bytes, int]:
    """Read a gzipped vocabulary, lines of base64 token and rank, after checking it against `SHA256`.

    Raises:
        VocabularyError: the bytes do not decompress to the expected ones.
    """
    import gzip
    import hashlib
    import zlib
    from binascii import a2b_base64

    try:
        raw = gzip.decompress(packed)
    except (OSError, EOFError, zlib.error) as error:
        raise _damaged(f"cannot be decompressed ({error})") from error
    if (found := hashlib.sha256(raw).hexdigest()) != SHA256:
        raise _damaged(f"has sha256 {found}, not {SHA256}")
    fields = raw.split()
    return dict(zip(map(a2b_base64, fields[::2]), map(int, fields[1::2]), strict=True))


def _shipped() -> bytes:
    from importlib.resources import files

    try:
        return files("claw_adapter.tokens").joinpath(FILE).read_bytes()
    except OSError as error:
        raise _damaged(f"cannot be read ({error})") from error


def _build(ranks: dict[bytes, int]) -> Encoding:
    from tiktoken import Encoding

    return Encoding(name="cl100k_base", pat_str=_PIECES, mergeable_ranks=ranks, special_tokens=_SPECIAL)


def _damaged(what: str) -> VocabularyError:
    return VocabularyError(
        f"the vocabulary {what}", where=f"claw_adapter/tokens/{FILE}", remedy="install the package claw-adapter again"
    )
