"""The command line inside the test's own process: as the console script calls it, without a new interpreter every time."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from claw_adapter.cli import main
from support.scenarios import write_scenario

FAST: Final = ("-H", "reference:mode=in-process", "--isolation", "0", "-q")
"""A run that takes no longer than it must."""


@dataclass(frozen=True, slots=True)
class Called:
    """What a call came to; an exception that nobody expects gets out of it."""

    code: int
    out: str
    err: str


def call(*argv: object, encoding: str = "utf-8") -> Called:
    """Call ``claw`` with these arguments; the streams have this encoding and are strict, as in a terminal."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="strict", write_through=True) for _ in range(2)]
    before, sys.argv = sys.argv, ["claw", *map(str, argv)]
    code: object = 0
    try:
        with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
            main()
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv = before
    # click writes UTF-8 where Python says ASCII, which it takes for a locale that nobody has set
    out, err = (stream.buffer.getvalue().decode(encoding, "replace") for stream in streams)
    return Called(code if isinstance(code, int) else 0, out, err)


def finished_run(root: Path) -> tuple[Path, Path]:
    """A scenario of two rounds, and a finished run of it."""
    scenario, run = write_scenario(root / "small", [{"id": "r1"}, {"id": "r2"}]), root / "run"
    done = call("run", scenario, *FAST, "--out", run)
    assert done.code == 0, done.err
    return scenario, run
