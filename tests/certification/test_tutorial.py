"""docs/certify-tutorial.md is true: its changes are made and its commands run, from nothing to a signed certificate."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from claw_adapter.certify.records import Report
from claw_adapter.certify.requirements import load
from claw_adapter.cli.new_adapter import skeleton
from support.plans import past_and_updates

sys.path.insert(0, str(Path(__file__).parent))
import adapters

TUTORIAL = adapters.ROOT / "docs" / "certify-tutorial.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BELOW = re.compile(r"In `([^`]+)`, put this below `([^`]+)`:\n\n\Z")


@dataclass
class Edit:
    """Lines for a file, below one that is there."""

    file: str
    line: str
    text: str

    def apply(self, text: str) -> str:
        lines = text.splitlines(keepends=True)
        (at,) = (number for number, line in enumerate(lines) if line.strip() == self.line)
        return "".join([*lines[: at + 1], self.text, *lines[at + 1 :]])


def steps() -> list[str | Edit]:
    """The page in order: commands of console blocks, and lines that are put into files."""
    page, found = TUTORIAL.read_text("utf-8"), []
    for block in BLOCK.finditer(page):
        kind, text = block.groups()
        place = BELOW.search(page[: block.start()])
        assert place or kind == "console", f"nothing says where this goes: {text}"
        found += [Edit(*place.groups(), text)] if place else [line.removeprefix("$ ") for line in text.splitlines()]
    return found


def test_every_block_of_the_page_is_a_step():
    found = steps()
    assert len([step for step in found if isinstance(step, Edit)]) == 3
    assert len([step for step in found if str(step).startswith("claw certify tiny --level")]) == 3


@pytest.mark.parametrize("terminal", [False, True], ids=["process", "terminal"])
@pytest.mark.parametrize("name", ["tiny", "path", "my-other-agent"])
def test_its_changes_fit_every_adapter_and_keep_it_small(name, terminal):
    files = skeleton(name, terminal=terminal)
    (adapter,) = (path for path in files if path.endswith("/adapter.py"))
    text = files[adapter]
    assert len(text.splitlines()) <= 60
    for step in steps():
        if isinstance(step, Edit):
            assert step.file == "src/claw_adapter_tiny/adapter.py"
            text = step.apply(text)
            assert len(text.splitlines()) <= 120
    made = {"__name__": "made", "__file__": adapter}
    exec(compile(text, adapter, "exec"), made)
    assert made["claw_harness"]().name == name


DRAWN = "PLAN-002"
"""The drawn session of Silver, of which this plays the beginning."""
GOLD = ("TURN-013", "TOK-004", "FAULT-001", "FAULT-008", "FAULT-010")
"""Checks of what the page declares and classes for Gold; all of them are passed by the reference in test_planted_bugs.py."""


def beyond_bronze() -> list[str]:
    """What is asked of it once the page has made all its changes."""
    of = load().of
    return [*(check for check in of("silver") if check not in (*of("bronze"), DRAWN)), *GOLD]


def worth_running(step: str) -> list[str]:
    """A command as it is run here: Bronze once, at the end, then `beyond_bronze` and the beginning of `DRAWN`."""
    if step.endswith(("--level bronze", "--level silver")):
        return []
    if "--level gold" not in step:
        return [step]
    only = " ".join(f"--only {check}" for check in beyond_bronze())
    return [
        step.replace("gold", "bronze"),
        f"claw certify tiny --level gold {only} --out ../some",
        "claw certify tiny --plan ../plan.json",
    ]


@pytest.mark.slow(80)
@pytest.mark.timeout(900)
def test_the_tutorial_leads_to_what_it_says(tmp_path):
    env = adapters.environment(tmp_path)
    (tmp_path / "plan.json").write_text(past_and_updates().model_dump_json())
    folder = tmp_path
    for step in steps():
        if isinstance(step, Edit):
            path = folder / step.file
            path.write_text(step.apply(path.read_text("utf-8")), "utf-8")
        elif step.startswith("cd "):
            folder /= step.removeprefix("cd ")
        else:
            for command in worth_running(step):
                adapters.call("sh", "-c", command, cwd=folder, env=env)
    made, some = (
        Report.model_validate_json((path / "report.json").read_text())
        for path in (folder / "certification" / "tiny", tmp_path / "some")
    )
    assert ({result.outcome for result in made.results}, made.reached) == ({"passed"}, "bronze")
    assert {result.id: result.outcome for result in some.results} == dict.fromkeys(beyond_bronze(), "passed")
