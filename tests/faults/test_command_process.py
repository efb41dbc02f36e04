"""The process `claw`: closed and full streams, interrupts, and faults of its own end in an exit code and at most a message."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CLAW = str(Path(sys.executable).with_name("claw"))


CLOSED = [">&-", ">&- 2>&-", "<&- >&- 2>&-", "2>&-", "<&-"]


@pytest.mark.parametrize(
    ("words", "closed"),
    [*((words, closed) for words in ("--help", "--version") for closed in CLOSED), ("schema", ">&-")],
)
def test_closed_streams_are_no_error(tmp_path, words, closed):
    done = subprocess.run(
        ["sh", "-c", f'"$0" {words} {closed}', CLAW], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0
    assert done.stderr == ""


@pytest.mark.parametrize("words", ["--help", "--version", "schema"])
def test_a_full_disk_behind_stdout_is_said(words):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([CLAW, *words.split()], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 5
    assert "No space left" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", ["--help", "schema"])
def test_a_pipe_that_nobody_reads_has_its_exit_code(words):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([CLAW, *words.split()], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_any_number_of_interrupts_ends_a_run_in_order(tmp_path):
    rng = random.Random(20261123)
    out = tmp_path / "run"
    argv = ["run", "demo", "--isolation", "1", "--out", str(out), *(f"--seed={seed}" for seed in range(6))]
    process = subprocess.Popen([CLAW, *argv], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    while not list(out.glob("trials/*/journal.jsonl")):
        time.sleep(0.05)
    for _ in range(8):
        process.send_signal(signal.SIGINT)
        time.sleep(rng.uniform(0.001, 0.05))
        if process.poll() is not None:
            break
    _, errors = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT)  # the latter: it came when everything was over
    assert "Traceback" not in errors
    assert "the same command resumes" in errors
    assert not (out / "live").exists()


INTERRUPTED_WHERE_NOTHING_CAN_BE_RAISED = """
import gc, os, signal, sys
import click
from claw_adapter.cli import COMMANDS, main
class Dying:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1000): pass
@click.command()
def command():
    Dying()
    {then}
sys.modules["odd"] = type(sys)("odd")
sys.modules["odd"].command = command
COMMANDS["odd"] = ("odd", "")
sys.argv = ["claw", "odd"]
main()
"""


@pytest.mark.parametrize("then", ["pass", "raise KeyError('what the interrupt has broken')", "click.echo('done')"])
def test_an_interrupt_that_is_lost_is_an_interrupt_all_the_same(then):
    code = INTERRUPTED_WHERE_NOTHING_CAN_BE_RAISED.format(then=then)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "interrupted\n")


def test_a_fault_of_our_own_is_one_message_and_a_file(tmp_path):
    code = INTERRUPTED_WHERE_NOTHING_CAN_BE_RAISED.replace("Dying()", "").format(then="raise KeyError('lost')")
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    assert done.returncode == 70
    assert "a fault of claw itself: KeyError: 'lost'" in done.stderr
    assert "Traceback" not in done.stderr
    (details,) = tmp_path.glob("claw-fault-*.txt")
    assert str(details) in done.stderr
    assert "Traceback" in details.read_text("utf-8")
