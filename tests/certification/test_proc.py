"""What the checks of PROC found in core: output of any form, and who holds it."""

from __future__ import annotations

import mmap
import time

from claw_adapter.certify.checks.proc import _peak
from claw_adapter.endpoint.parsing import parse_json
from claw_adapter.reference.serve import OUTPUT_CHARACTERS, Shell


def test_half_a_surrogate_pair_in_a_request_becomes_a_question_mark():
    assert parse_json(rb'{"a": "x\udcffy"}') == {"a": "x?y"}
    assert parse_json(b'{"a": "x\xed\xb3\xbfy"}') == {"a": "x?y"}
    assert parse_json(rb'{"a": "\ud83d\ude00"}') == {"a": "\U0001f600"}
    assert parse_json('{"a": "한국"}'.encode()) == {"a": "한국"}


def test_the_reference_shell_does_not_wait_for_what_a_command_left(tmp_path):
    began = time.monotonic()
    assert Shell(tmp_path)("echo here; sleep 60 &") == (0, "here\n")
    assert time.monotonic() - began < 50


def test_the_reference_shell_keeps_the_beginning_of_a_flood(tmp_path):
    status, text = Shell(tmp_path)("head -c 3000000 /dev/zero | tr '\\0' x")
    assert (status, text) == (0, "x" * OUTPUT_CHARACTERS)


def test_the_peak_of_memory_can_be_taken_anew():
    before = _peak(anew=True)
    with mmap.mmap(-1, 50_000_000) as held:  # fresh pages: malloc may hand out what tests before have left
        for _ in range(50):
            held.write(b"x" * 1_000_000)
        assert _peak() - before > 40_000_000
    assert _peak(anew=True) - before < 40_000_000
