"""Promise: output of any size, in any encoding, costs bounded memory and never an exception."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import claw_adapter
from claw_adapter.drivers import PIPE, Command, Limits, LineTooLong, environment, run, start
from claw_adapter.drivers.capture import Capture
from claw_adapter.errors import DeadlineExceeded, HarnessCrash

SOURCE = str(Path(next(iter(claw_adapter.__path__))).parent)


@given(st.lists(st.binary(max_size=40), max_size=20), st.integers(0, 16), st.integers(0, 16))
def test_a_capture_keeps_exactly_both_ends(chunks, head, tail):
    capture = Capture(Limits(head_bytes=head, tail_bytes=tail))
    for chunk in chunks:
        capture.write(chunk)
    kept, whole = capture.captured(), b"".join(chunks)
    assert kept.total == len(whole)
    if len(whole) <= head + tail:
        assert (kept.data, kept.truncated) == (whole, False)
    else:
        assert (kept.head, kept.tail, kept.truncated) == (whole[:head], whole[len(whole) - tail :], True)
        assert f"{len(whole) - head - tail} bytes left out" in kept.text


@given(st.text(min_size=1, max_size=60), st.integers(1, 9), st.integers(1, 9), st.integers(1, 7))
def test_a_cut_through_a_character_is_not_called_bad_utf8(text, head, tail, step):
    data = text.encode("utf-8", "surrogatepass")
    valid = data.decode("utf-8", "replace") == text
    capture = Capture(Limits(head_bytes=head, tail_bytes=tail))
    for at in range(0, len(data), step):
        capture.write(data[at : at + step])
    kept = capture.captured()
    assert kept.invalid_utf8 is not valid
    if valid and "\ufffd" not in text:
        assert "\ufffd" not in kept.text


async def test_e1_output_that_is_not_utf8_is_decoded_and_flagged():
    done = await run(Command(("printf", r"ok \377\376 end"), env=environment()), 5)
    assert done.stdout.invalid_utf8
    assert done.stdout.text == "ok \ufffd\ufffd end"
    assert done.stdout.data == b"ok \xff\xfe end"
    fine = await run(Command(("printf", "é"), env=environment()), 5)
    assert not fine.stdout.invalid_utf8
    half = await run(Command(("printf", r"\303"), env=environment()), 5)
    assert half.stdout.invalid_utf8


FLOOD = """
    import asyncio, json, resource, sys
    from pathlib import Path
    from claw_adapter.drivers import Command, Limits, environment, run
    async def main():
        await run(Command(("true",), env=environment()), 5)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        code = "import sys\\nfor i in range(200): sys.stdout.buffer.write(b'%07d\\\\n' % i * 125000)"
        spill = Path(sys.argv[1]) if len(sys.argv) > 1 else None
        done = await run(Command((sys.executable, "-I", "-c", code), env=environment(), limits=Limits(spill=spill)), 100)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(json.dumps({"total": done.stdout.total, "grown_kib": after - before, "head": done.stdout.text[:8],
                          "tail": done.stdout.text[-8:], "drained": done.drained}))
    asyncio.run(main())
"""


@pytest.mark.parametrize("spill", [False, True])
def test_e1_200_mb_of_output_cost_at_most_64_mb(tmp_path, spill):
    file = tmp_path / "whole"
    script = tmp_path / "flood.py"
    script.write_text(textwrap.dedent(FLOOD))
    argv = [sys.executable, str(script), *([str(file)] if spill else [])]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=200, env={"PYTHONPATH": SOURCE})
    seen = json.loads(done.stdout)
    assert seen["total"] == 200_000_000
    assert seen["grown_kib"] <= 64 * 1024
    assert (seen["head"], seen["tail"]) == ("0000000\n", "0000199\n")
    assert seen["drained"]
    if spill:
        assert file.stat().st_size == 200_000_000


async def test_a_spill_file_is_capped_and_says_so(tmp_path):
    spill = tmp_path / "spill"
    limits = Limits(head_bytes=4, tail_bytes=4, spill=spill, spill_bytes=10)
    done = await run(Command(("sh", "-c", "printf 0123456789abcdef; printf oops >&2"), environment(), limits=limits), 5)
    assert spill.read_bytes() == b"0123456789"
    assert "cut at 10" in done.stdout.spill_error
    assert (done.stdout.head, done.stdout.tail) == (b"0123", b"cdef")
    assert (tmp_path / "spill.stderr").read_bytes() == b"oops"


async def test_a_full_disk_costs_the_spill_and_not_the_answer():
    limits = Limits(spill=Path("/dev/full"))
    capture = Capture(limits, limits.spill)
    capture.write(b"the answer")
    assert capture.captured().text == "the answer"
    assert "No space left" in capture.captured().spill_error


async def test_lines_of_any_length_come_whole():
    code = "import sys\nprint('a'); print('b' * 3_000_000); sys.stdout.write('no end')"
    command = Command((sys.executable, "-I", "-c", code), env=environment(), lines=True)
    async with await start(command) as process:
        assert await process.readline(10) == b"a\n"
        assert len(await process.readline(10)) == 3_000_001
        assert await process.readline(10) == b"no end"
        assert await process.readline(10) == b""
        assert (await process.wait(5)).ok


async def test_a_line_over_the_limit_is_typed():
    command = Command(("sh", "-c", "head -c 5000 /dev/zero; sleep 60"), env=environment(), lines=True, max_line=1000)
    async with await start(command) as process:
        with pytest.raises(LineTooLong, match="1000 bytes"):
            await process.readline(5)


async def test_a_line_deadline_loses_nothing():
    async with await start(Command(("cat",), env=environment(), stdin=PIPE, lines=True)) as process:
        await process.write(b"half ")
        with pytest.raises(DeadlineExceeded):
            await process.readline(0.1)
        await process.write(b"and half\n")
        assert await process.readline(5) == b"half and half\n"


async def test_a_child_that_talks_to_nobody_is_held_back():
    code = "import sys\nfor _ in range(100): sys.stdout.write('x' * 999_999 + '\\n')\nprint('end')"
    command = Command((sys.executable, "-I", "-c", code), env=environment(), lines=True)
    async with await start(command) as process:
        assert not await process.ended(0.7), "100 MB fit nowhere but in our memory"
        count = 0
        while await process.readline(20):
            count += 1
        assert count == 101


async def test_writing_to_a_child_that_closed_its_input_is_typed():
    async with await start(Command(("true",), env=environment(), stdin=PIPE)) as process:
        await process.wait(5)
        with pytest.raises(HarnessCrash, match="closed its standard input"):
            await process.write(b"x" * 1_000_000)


async def test_standard_error_is_drained_while_nobody_looks():
    code = "import sys\nsys.stderr.write('e' * 5_000_000)\nprint('done')"
    done = await run(Command((sys.executable, "-I", "-c", code), env=environment()), 20)
    assert done.stdout.text == "done\n"
    assert done.stderr.total == 5_000_000
    assert done.stderr.truncated
