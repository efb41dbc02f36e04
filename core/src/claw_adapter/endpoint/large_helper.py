"""The process that reads large requests: ``python -m claw_adapter.endpoint.large_helper``, started by `large.Helpers` only.

Orders come as JSON lines on standard input, ``read`` with the body behind it and ``write`` for parts of the body read last.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO, Final

from multidict import CIMultiDict

from claw_adapter import keys
from claw_adapter.endpoint.dialects import DIALECTS
from claw_adapter.endpoint.encoding import PIECE, pieces, weight
from claw_adapter.endpoint.failures import BadRequest
from claw_adapter.endpoint.large import HEAD
from claw_adapter.endpoint.parsing import parse_json
from claw_adapter.endpoint.prefixes import MeasuredRequest
from claw_adapter.model import Line, ModelRequest
from claw_adapter.redaction import Redactor
from claw_adapter.runs.transcript import Parts
from claw_adapter.tokens.meter import RequestSize, count_request

_BY_NAME: Final = {dialect.name: dialect for dialect in DIALECTS}
_OTHERS_FIRST: Final = 5
"""Niceness: small requests, which the endpoint answers itself, come before our work."""


AT_A_TIME: Final = 100
"""Values that the endpoint reads in one go."""


class _Pickler(pickle.Pickler):
    """Puts a number in the place of a long text, which `send` has sent before."""

    def __init__(self, target: BinaryIO, send: Callable[[str], None]) -> None:
        super().__init__(target, protocol=5)
        self._send = send
        self._sent: dict[int, int] = {}

    def persistent_id(self, value: object) -> int | None:
        """The number of a long text, by its identity: what is answered lives longer than the answer."""
        if not isinstance(value, str) or len(value) <= PIECE:
            return None
        if id(value) not in self._sent:
            self._send(value)
            self._sent[id(value)] = len(self._sent)
        return self._sent[id(value)]


class _Answer:
    """Writes answers: pickles that refer to one another, in pieces of a bounded size."""

    def __init__(self, target: BinaryIO) -> None:
        self._target = target
        self._buffer = io.BytesIO()
        self._pickler = _Pickler(self._buffer, self._text)

    def add(self, values: Iterable[object]) -> None:
        """Send values ahead of what refers to them, so many at a time that reading them takes a moment only."""
        several: list[object] = []
        size = 0
        for value in values:
            several.append(value)
            size += len(value.text) if isinstance(value, Line) else weight(value)
            if len(several) >= AT_A_TIME or size > PIECE:
                self._add(several)
                several, size = [], 0
        self._add(several)

    def _add(self, values: list[object]) -> None:
        self._pickler.dump(values)
        self._flush(1)

    def end(self, value: object) -> None:
        self._pickler.dump(value)
        self._flush(2)

    def _text(self, text: str) -> None:
        """Send a long text, ahead of what refers to it."""
        for at in range(0, len(text), PIECE):
            self._send(3, text[at : at + PIECE].encode())
        self._send(4, b"")

    def _send(self, kind: int, data: bytes | memoryview) -> None:
        self._target.write(HEAD.pack(kind, len(data)))
        self._target.write(data)
        self._target.flush()

    def _flush(self, kind: int) -> None:
        with self._buffer.getbuffer() as data:
            self._send(kind, data)
        self._buffer.seek(0)
        self._buffer.truncate()


def _told(error: BadRequest | OSError) -> dict[str, Any]:
    number = getattr(error, "errno", None) or errno.EIO
    return {"kind": "BadRequest" if isinstance(error, BadRequest) else "OSError", "what": str(error), "errno": number}


class _Reader:
    """Reads one request at a time, and remembers it until the next one comes."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source, self._target = source, target
        self._values: dict[str, Any] = {}

    def serve(self) -> None:
        """Obey until there are no more orders."""
        while line := self._source.readline():
            order = json.loads(line)
            try:
                if order["op"] == "read":
                    self._values = {}
                    self._read(order)
                else:
                    _write(order, self._values)
                    _Answer(self._target).end(None)
            except (BadRequest, OSError) as error:
                told = json.dumps(_told(error)).encode()
                self._target.write(HEAD.pack(0, len(told)) + told)
                self._target.flush()

    def _read(self, order: dict[str, Any]) -> None:
        value = parse_json(self._source.read(order["size"]))
        request = _BY_NAME[order["dialect"]].parse(value, CIMultiDict(order["headers"]))
        tokens = tuple(count_request([message]).text for message in request.messages)
        size = RequestSize(text=sum(tokens), tools=count_request((), request.tool_json).tools)
        tools = list(request.tool_json)
        shas = tuple(_digest(message) for message in request.messages)
        parts = Parts(shas, _digest(tools) if tools else "")
        self._values = {**dict(zip(shas, request.messages, strict=True)), parts.tools: tools}
        answer = _Answer(self._target)
        answer.add(_in_pieces(request))
        answer.end((request, MeasuredRequest(size, parts, tokens)))


def _in_pieces(request: ModelRequest) -> Iterator[object]:
    """What a request consists of, the small before the large, so that nothing is long in coming."""
    yield from request.messages
    yield from request.lines
    for value in request.body.values():
        yield from value if isinstance(value, list) else ()


def _digest(value: Any) -> str:
    digest = hashlib.sha256()
    for piece in pieces(value):
        digest.update(piece.encode())
    return digest.hexdigest()


def _write(order: dict[str, Any], values: dict[str, Any]) -> None:
    """Append parts to a transcript, each line at once: the endpoint may append to the same file."""
    redactor = Redactor(order["keys"])
    file = os.open(order["path"], os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
    try:
        for sha in order["new"]:
            line = _bytes(f'{{"kind":"part","sha":"{sha}","value":', pieces(redactor.value(values[sha])), "}\n")
            if os.write(file, line) != len(line):
                raise OSError(f"{order['path']}: no more could be written")
    finally:
        os.close(file)


def _bytes(before: str, middle: Iterable[str], after: str) -> bytearray:
    line = bytearray(before.encode())
    for piece in middle:
        line += piece.encode()
    line += after.encode()
    return line


def main() -> None:
    """Serve until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    keys.close_to_others()
    os.nice(_OTHERS_FIRST)
    with contextlib.suppress(BrokenPipeError):
        _Reader(sys.stdin.buffer, sys.stdout.buffer).serve()
    os._exit(0)


if __name__ == "__main__":
    main()
