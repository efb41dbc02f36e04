"""Options keep their types: what an experiment writes is taken as it is or refused with a way out; notes follow options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any, Literal

import pytest

from claw_adapter.errors import AdapterError
from claw_adapter.harness import Harness
from claw_adapter.options import FromOne, FromZero, checked
from claw_adapter_claude_code.adapter import ClaudeCode
from claw_adapter_nanobot.adapter import NanoBot
from claw_adapter_openclaw.adapter import OpenClaw
from claw_adapter_picoclaw.adapter import PicoClaw

HARNESSES = (ClaudeCode, NanoBot, OpenClaw, PicoClaw)
WRONG: dict[type, tuple[Any, ...]] = {
    bool: ("false", "true", 0, 1, None, []),
    int: ("1", 1.0, 1.5, True, None, -1, [1]),
    float: ("1", True, None, -0.1, [1.0]),
    str: (1, True, None, ["x"]),
    tuple: ("cron", [1], None),
}
"""Values that are refused, by the type of an option's default."""


def options() -> Iterator[Any]:
    for harness in HARNESSES:
        made = harness().options
        for field in fields(made):
            for value in WRONG[type(getattr(made, field.name))]:
                yield pytest.param(harness, field.name, value, id=f"{harness.name}-{field.name}-{value!r}")


@pytest.mark.parametrize(("harness", "name", "value"), list(options()))
def test_a_value_of_another_type_is_refused_with_its_field_and_a_way_out(harness: type[Harness], name: str, value: Any):
    with pytest.raises(AdapterError) as caught:
        harness(**{name: value})
    assert caught.value.where == f"harness {harness.name}, option {name!r}"
    assert repr(value) in caught.value.what
    assert caught.value.remedy


@pytest.mark.parametrize("harness", HARNESSES)
def test_every_default_can_be_written_down(harness: type[Harness]):
    made = harness().options
    given = {field.name: getattr(made, field.name) for field in fields(made)}
    assert harness(**given).options == made


def test_what_fits_is_taken_unchanged_and_mistakes_say_what_would_fit():
    @dataclass(frozen=True)
    class Options:
        mode: Literal["a", "b"] = "a"
        on: bool = True
        zero: FromZero = 0
        one: FromOne = 1
        words: tuple[str, ...] = ()

    def said(**given: Any) -> str:
        with pytest.raises(AdapterError) as caught:
            checked(Options, given, "harness x")
        return str(caught.value)

    assert checked(Options, {"on": False, "words": ["x"], "mode": "b"}, "harness x") == Options(
        "b", False, words=("x",)
    )
    assert "'a' or 'b'" in said(mode="c")
    assert "true or false" in said(on="false")
    assert "from 0" in said(zero=-1)
    assert "from 1" in said(one=0)
    assert "list" in said(words="x")
    assert "mode, on, one, words, zero" in said(colour="red")


def notes(harness: Harness) -> str:
    return "\n".join(harness.capabilities().described)


@pytest.mark.parametrize("harness", HARNESSES)
def test_notes_hold_no_number_that_is_measured(harness: type[Harness]):
    text = notes(harness())
    assert not re.search(r"system prompt of|\d+ tools|about [\d,]+ characters", text), text


@pytest.mark.parametrize(
    ("harness", "given", "said"),
    [
        (
            PicoClaw,
            {},
            ("at most 50 model requests", "967,232 tokens", "up to 2 times"),
        ),
        (PicoClaw, {"retries": 5, "max_iterations": 7}, ("up to 5 times", "at most 7 model requests")),
        (PicoClaw, {"exec": False, "context_window": 40_000}, ("no shell tool", "7,232 tokens")),
        (
            ClaudeCode,
            {},
            ("mode live", "at most 250 model requests", "Bash", "what does not fit is an error", "if there is neither"),
        ),
        (
            ClaudeCode,
            {"exec": False, "max_requests": 0},
            ("tools: Edit, Glob, Grep, Read, Write;", "no limit of model"),
        ),
        (ClaudeCode, {"mode": "acp", "retries": 0, "memory": False}, ("mode acp", "up to 0 times", "keeps no notes")),
        (
            NanoBot,
            {},
            ("mode bridge", "at most 200 model requests", "190,784 tokens"),
        ),
        (NanoBot, {"mode": "pty"}, ("mode pty", "lays AGENTS.md, SOUL.md and USER.md of its own")),
        (
            NanoBot,
            {"exec": False, "histories": "files", "tools_denied": ["cron"]},
            ("no shell", "as files", "denied: cron"),
        ),
        (
            NanoBot,
            {"max_iterations": 3, "context_window": 30_000, "max_tokens": 976, "retries": 7},
            ("at most 3 ", "28,000 tokens", "up to 7 times"),
        ),
        (
            OpenClaw,
            {},
            ("mode http", "some 20 calls", "no limit of model", "81,000 tokens", "process", "no skills"),
        ),
        (OpenClaw, {"exec": False, "histories": "files"}, ("tools: read, write, edit, apply_patch, ls\n", "as files")),
        (
            OpenClaw,
            {"mode": "acp", "skills": True, "context_window": 9_000},
            ("mode acp", "are offered", "5,062 tokens"),
        ),
    ],
)
def test_notes_are_true_for_the_options(harness: type[Harness], given: dict[str, Any], said: tuple[str, ...]):
    text = notes(harness(**given))
    assert [part for part in said if part not in text] == [], text


def test_without_its_guard_openclaw_says_nothing_of_it():
    assert "some 20 calls" not in notes(OpenClaw(loop_detection=False))
