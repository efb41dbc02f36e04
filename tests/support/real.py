"""Tests that drive a real program: marked with its name, left out where it is not, and an error in CI.

``@pytest.mark.real("nanobot")`` names what the test cannot do without, one program or several. Nobody is asked before the test
is about to run, so collecting costs nothing. Where the environment has CI, a program that is not there fails the test,
because a green result would then say nothing; those in `MAY_BE_ABSENT` are the exceptions, each with its reason.
"""

from __future__ import annotations

import functools
import os
from typing import Final

import pytest

from claw_adapter.frameworks import locate
from claw_adapter.plugins import create

OVERLAYS: Final = frozenset({"metaclaw"})
MODEL_SERVERS: Final = frozenset({"llamacpp"})
MAY_BE_ABSENT: Final = {
    "picoclaw": "its vendor publishes a Go program, which no package index brings: put `picoclaw` on PATH",
    "vllm": "it wants a machine of its own: set CLAW_VLLM to the options of one",
}
"""Program → why CI goes without it."""


@functools.cache
def absent(name: str) -> str:
    """Why the program cannot be driven here, with the way out; empty if it can."""
    if name == "vllm":
        return "" if os.environ.get("CLAW_VLLM") else MAY_BE_ABSENT[name]
    if name in MODEL_SERVERS:
        return "" if locate(name) else f"{name} is not installed; run: claw frameworks install {name}"
    probe = create("overlay" if name in OVERLAYS else "harness", name).probe()
    return "" if probe.ready else f"{probe.reason}; {probe.remedy}"


def params(*names: str) -> list[object]:
    """Values of a parameter, each a test that needs the program of that name; the reference harness needs none."""
    return [name if name == "reference" else pytest.param(name, marks=pytest.mark.real(name)) for name in names]


def require(item: pytest.Item) -> None:
    """Leave the test out, or fail it in CI, if a program is not here that it is marked with."""
    for name in [name for mark in item.iter_markers("real") for name in mark.args]:
        if not (why := absent(name)):
            continue
        if os.environ.get("CI") and name not in MAY_BE_ABSENT:
            pytest.fail(f"CI tests the real programs, and {name} cannot be driven here: {why}", pytrace=False)
        pytest.skip(f"{name}: {why}")
