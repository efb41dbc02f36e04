"""Metered size of a model request in the OpenAI chat form, counted the same way for every harness.

A message counts as the ChatML of its role and flattened text, each message on its own; tool definitions count as their
canonical JSON. A long conversation repeats its prefix in every request, so counts of messages are remembered.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from claw_adapter.tokens.chatml import render
from claw_adapter.tokens.cl100k import count

__all__ = ["Meter", "RequestSize", "canonical_json", "count_request", "flatten"]

_TEXT_KINDS = frozenset({"text", "input_text", "output_text"})
_IMAGE_KINDS = frozenset({"image_url", "input_image", "image"})
_MEDIA_KINDS = frozenset({"input_audio", "audio", "file", "input_file", "video_url", "input_video"})

Json = Any  # decoded JSON, whose shape the sender chose


@dataclass(frozen=True, slots=True)
class RequestSize:
    """Size of one request.

    Attributes:
        text: tokens of the messages.
        tools: tokens of the tool definitions.
        images: number of image parts. They count 0 tokens: what an image costs is the provider's affair.
        media: number of audio, video and file parts, which count 0 tokens too.
    """

    text: int
    tools: int
    images: int = 0
    media: int = 0


def canonical_json(value: Json) -> str:
    """JSON with sorted keys, no spaces, and characters as themselves: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def flatten(message: Mapping[str, Json]) -> tuple[str, int, int]:
    r"""Text, images and other media of one chat message.

    Text parts are joined by ``\n``; tool calls follow as ``\n`` and their canonical JSON. A part of unknown kind counts
    as its canonical JSON, so that nothing sent is silently free. Name, tool_call_id and other fields do not count.
    """
    content = message.get("content")
    parts = content if isinstance(content, list) else [] if content is None else [content]
    texts, images, media = [], 0, 0
    for part in parts:
        kind = part.get("type") if isinstance(part, Mapping) else None
        if isinstance(kind, str) and kind in _IMAGE_KINDS:
            images += 1
        elif isinstance(kind, str) and kind in _MEDIA_KINDS:
            media += 1
        else:
            texts.append(_part_text(part, kind))
    text = "\n".join(texts)
    calls = message.get("tool_calls") or message.get("function_call")
    return (f"{text}\n{canonical_json(calls)}" if calls else text), images, media


def _part_text(part: Json, kind: Json) -> str:
    if isinstance(part, str):
        return part
    if isinstance(kind, str) and kind in _TEXT_KINDS and isinstance(part.get("text"), str):
        return str(part["text"])
    return canonical_json(part)


class Meter:
    """Counts requests, remembering the counts of up to `entries` distinct texts, least recently used first out.

    Only digests are kept, never texts. Safe to share between threads.
    """

    def __init__(self, entries: int = 4096) -> None:
        self._entries = entries
        self._known: OrderedDict[bytes, int] = OrderedDict()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._known)

    def count(self, text: str) -> int:
        """`cl100k.count`, remembered."""
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
        tokens = count(text)  # outside the lock: a long text must not hold up other threads
        with self._lock:
            self._known[key] = tokens
            while len(self._known) > self._entries:
                self._known.popitem(last=False)
        return tokens

    def request(self, messages: Sequence[Mapping[str, Json]], tools: Sequence[Json] | None = None) -> RequestSize:
        """Size of the messages and tool definitions of one request body; both are only read."""
        text = images = media = 0
        for message in messages:
            flat, pictures, others = flatten(message)
            text += self.count(render([(str(message.get("role", "")), flat)]))
            images += pictures
            media += others
        return RequestSize(
            text=text, tools=self.count(canonical_json(list(tools))) if tools else 0, images=images, media=media
        )


_shared = Meter()


def count_request(messages: Sequence[Mapping[str, Json]], tools: Sequence[Json] | None = None) -> RequestSize:
    """`Meter.request` of a meter shared by the whole process."""
    return _shared.request(messages, tools)
