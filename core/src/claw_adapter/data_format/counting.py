"""Counting a data set's tokens: equal content is parsed once, equal text is counted once, in whatever layout it stands.

With a tokenizer that works on whole batches without the interpreter's lock, one layout is counted while the next is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from claw_adapter.data_format.items import BUCKETS, Bucket, Item

__all__ = ["Counter", "Counts", "Entry", "Progress", "TextLedger"]

Progress = Callable[[int, int], None]
"""Called with the characters counted so far, and with all that were met so far; from another thread."""
Counter = Callable[[Sequence[str]], Sequence[int]]
"""Token counts of texts, in order."""
Entry = tuple[str, Bucket, str]
"""Scenario, bucket and text of something that was added."""
Counts = Mapping[str, Mapping[Bucket, int]]
"""Tokens by scenario and bucket."""

BATCH = 64
"""Texts counted between two reports of progress."""


class TextLedger:
    """Collects items and counts their distinct texts. A context manager: it has a thread.

    Args:
        counter: counts texts.
        progress: told about the counting.
        overlap: whether counting begins while items are still being added.

    Attributes:
        size: bytes and characters of all content that was added.
    """

    def __init__(self, counter: Counter, progress: Progress | None = None, *, overlap: bool = False) -> None:
        self.size = 0
        self._counter = counter
        self._progress = progress
        self._overlap = overlap
        self._texts: dict[tuple[Callable[[str], str] | None, bytes | str], str] = {}
        self._tokens: dict[str, int] = {}
        self._fresh: list[str] = []
        self._seen: set[str] = set()
        self._done = self._met = 0
        self._pool = ThreadPoolExecutor(1, "tokens")
        self._jobs: list[Future[None]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(cancel_futures=True)

    @property
    def distinct(self) -> int:
        """Number of different texts met so far."""
        return len(self._seen)

    def add(self, items: Iterable[Item]) -> list[Entry]:
        """Take items in; returns what `totals` wants."""
        entries = [(item.scenario, item.bucket, self._text(item)) for item in items]
        if self._overlap:
            self._jobs.append(self._pool.submit(self._count, self._fresh))
            self._fresh = []
        return entries

    def _text(self, item: Item) -> str:
        key = (item.read, item.content)
        text = self._texts.get(key)
        if text is None:
            text = self._texts[key] = _text_of(item)
            if text not in self._seen:
                self._seen.add(text)
                self._fresh.append(text)
                self._met += len(text)
        self.size += len(item.content)
        return text

    def _count(self, texts: Sequence[str]) -> None:
        step = BATCH if self._progress else max(1, len(texts))
        for start in range(0, len(texts), step):
            some = texts[start : start + step]
            self._tokens.update(zip(some, self._counter(some), strict=True))
            if self._progress:
                self._done += sum(map(len, some))
                self._progress(self._done, self._met)

    def totals(self, entries: Iterable[Entry]) -> Counts:
        """Tokens by scenario and bucket of what `add` returned; what was not counted yet is counted now."""
        for job in self._jobs:
            job.result()
        self._jobs.clear()
        self._count(self._fresh)  # in this thread: tiktoken keeps its state per thread, and a new one starts cold
        self._fresh = []
        found: dict[str, dict[Bucket, int]] = defaultdict(lambda: dict.fromkeys(BUCKETS, 0))
        for scenario, bucket, text in entries:
            found[scenario][bucket] += self._tokens[text]
        return dict(found)


def _text_of(item: Item) -> str:
    """The text that counts; content that is not UTF-8 counts as nothing."""
    if isinstance(item.content, str):
        return item.content
    try:
        text = item.content.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return item.read(text) if item.read else text
