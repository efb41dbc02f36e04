"""CommandHarness: finding and probing the program, options, capabilities, descriptions that cannot be."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from claw_adapter import command as c
from claw_adapter import errors as e
from claw_adapter.certify.watch import side_effects
from claw_adapter.harness import Support
from claw_adapter.testing import FolderContext
from support.described import SESSION, harness, turns

PAGE = Path(__file__).parents[2] / "docs" / "write-an-adapter.md"


@pytest.mark.parametrize(
    ("says", "wanted", "ready"),
    [
        ("made 1.10.2 (abc)", {}, True),
        ("made 1.10.2", {"at_least": "1.9"}, True),
        ("made 1.10.2", {"at_least": "1.11"}, False),
        ("made 1.10.2", {"exactly": "1.10.2"}, True),
        ("made 1.10.2", {"exactly": "1.10"}, False),
        ("made r7", {"pattern": r"r(\d+)"}, True),
        ("nothing", {}, False),
    ],
)
def test_a_version_is_asked_and_compared(tmp_path, says, wanted, ready):
    found = harness(tmp_path / "x", f"echo '{says}'", version=c.Version(**wanted)).probe()
    assert (found.ready, bool(found.versions)) == (ready, says != "nothing")
    assert ready or (found.reason and found.remedy.endswith("get it"))


def test_a_version_is_asked_with_a_home_and_what_of_env_holds_for_every_trial(tmp_path):
    script = 'mkdir "$HOME/.config" && echo "$HOME" > "$0.home" && echo "$MODE $PLACE ${KEY-unset} 1.2"'
    env = {"MODE": "quiet", "PLACE": "{program}", "KEY": "{key}"}
    version = c.Version(pattern=r"quiet \S+ unset ([\d.]+)")
    made = harness(tmp_path / "x", script, env=env, version=version)
    with side_effects() as effects:
        found = made.probe()
    assert found.versions == {"made": "1.2"}
    assert effects == []  # a folder that is gone again is none; what stays, and what is removed elsewhere, is
    with side_effects() as effects:
        Path(tempfile.mkdtemp(dir=tmp_path), "stays").touch()
        (tmp_path / "x.home").rename(tmp_path / "y.home")
    assert len(effects) == 4
    (tmp_path / "y.home").rename(tmp_path / "x.home")
    assert not Path((tmp_path / "x.home").read_text().strip()).exists()


def test_a_program_that_does_not_say_its_version_is_shown_with_its_last_line_and_the_way_out(tmp_path):
    script = "echo Traceback; seq 300; echo 'ImportError: no mind'; exit 1"
    found = harness(tmp_path / "x", script).probe()
    assert found.reason == f"{tmp_path}/x --version does not say the version: status 1: ImportError: no mind"
    assert "empty folder as HOME" in found.remedy


async def test_a_missing_program_is_said_with_the_way_to_get_it(tmp_path):
    made = harness(None, command=("no-such-agent",))
    assert not made.probe().ready
    with pytest.raises(e.HarnessNotFound, match="no-such-agent is not on PATH") as caught:
        await made.open(FolderContext(tmp_path / "trial"))
    assert caught.value.remedy == "get it"


def test_a_program_is_found_beside_the_python_of_an_environment_that_is_not_activated(tmp_path, monkeypatch):
    program = tmp_path / "bin" / "otter"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    assert c.find_program("otter", "", "get it") == program
    with pytest.raises(e.HarnessNotFound, match=f"is not on PATH, nor in {tmp_path}/bin"):
        c.find_program("otters", "", "get it")
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    first = shutil.copy(program, tmp_path / "elsewhere" / "otter")
    assert c.find_program("otter", "", "get it") == Path(first), "PATH goes first"


async def test_options_are_checked_and_are_places(tmp_path):
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Options(c.CommandOptions):
        effort: int = 2

    made = harness(tmp_path / "x", 'echo "$1"', command=("made-agent", "{effort}"), options=Options)
    (turn,) = await turns(made, tmp_path, "go")
    assert turn.text == "2"
    with pytest.raises(e.AdapterError, match="no option 'efort'"):
        type(made)(efort=1)


def test_capabilities_follow_from_the_description_and_can_be_declared(tmp_path):
    stored = harness(tmp_path / "x", store=c.JsonStore(SESSION), answer=c.Stored())
    plain, full = harness(tmp_path / "x").capabilities(), stored.capabilities()
    assert [bool(getattr(plain, name)) for name in ("turns", "cancel", "seed_main", "resume_after_restart")] == [
        True, True, False, False,
    ]  # fmt: skip
    assert full.seed_main
    assert full.stream_events
    assert (
        harness(tmp_path / "x", declares={"seed_main": Support.unsupported("no")}).capabilities().seed_main.reason
        == "no"
    )
    more = harness(tmp_path / "x", store=c.JsonStore(SESSION), answer=c.Stored(), declares={"renderings": ("trim",)})
    assert more.capabilities().renderings == ("speaker_as", "trim"), "how the store writes is not taken back"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"command": "made-agent"}, "is not a tuple of texts"),
        ({"command": ()}, "is not a tuple of texts"),
        ({"command": ("a", "{prompts}")}, "no place {prompts}"),
        ({"command": ("a", "{key}")}, "key would stand on the command line"),
        ({"env": {"A": 1}}, "is not a mapping of texts"),
        ({"env": {"A": "{prompt}"}}, "no place {prompt}"),
        ({"answer": "text"}, "is not Text()"),
        ({"answer": c.Stored()}, "needs a store"),
        ({"answer": c.Text("answer.txt")}, "not below the state directory"),
        ({"failures": ((1, ValueError),)}, "neither a HarnessError nor an EndpointError"),
        ({"failures": (("(", e.HarnessError),)}, "not a regular expression"),
        ({"failures": ((300, e.HarnessError),)}, "neither an exit status nor a pattern"),
        ({"keep": "log"}, "is not a tuple of patterns"),
        ({"keep": ("{state}/log",)}, "without {state}"),
        ({"keep": ("*.json",), "files": {"c.json": "{key}"}}, "would go into checkpoints"),
        ({"terminal": c.Terminal(b"> ")}, "a terminal shows pictures"),
        ({"terminal": c.Terminal(b"> "), "answer": c.Text("{state}/a"), "command": ("a", "{prompt}")}, "prompts typed"),
        ({"histories": "native", "store": c.JsonStore(SESSION)}, "a file for each session"),
        ({"answer": c.Json("messages[-1].content")}, "'[-1]'"),
        ({"answer": c.Json("$.result")}, "'$'"),
        ({"usage": c.JsonUsage("per_turn", "/usage/prompt", "usage.completion")}, "'/'"),
        ({"store": c.JsonStore(SESSION, text="content..text")}, "'..'"),
        ({"files": {"mini.yaml": {"agent": [{"task": "{task}"}]}}}, "no place {task}"),
        ({"anwser": c.Text()}, "no attribute 'anwser'"),
        ({"declares": {"canel": Support.full()}}, "no capability 'canel'"),
    ],
)  # fmt: skip
def test_a_description_that_cannot_be_is_refused_when_the_class_is_made(more, said):
    with pytest.raises(e.AdapterError, match=re.escape(said)) as caught:
        harness(None, **more)
    assert "class Made" in caught.value.where


def test_a_name_that_nobody_reads_is_refused_with_the_one_that_was_meant():
    with pytest.raises(e.AdapterError, match="no attribute 'comand'") as caught:
        type("Made", (c.CommandHarness,), {"name": "made", "comand": ("x",)})
    assert "Did you mean 'command'?" in caught.value.remedy
    with pytest.raises(e.AdapterError, match="no `command`"):
        type("Made", (c.CommandHarness,), {"name": "made", "_own": 1, "OWN": 2, "helps": lambda self: 3})()


async def test_a_word_in_braces_that_is_no_place_is_named_and_can_be_written(tmp_path):
    with pytest.raises(e.AdapterError, match=re.escape("no place {task}")) as caught:
        harness(None, files={"mini.yaml": {"agent": [{"task": "{task}"}]}})
    assert caught.value.where == "class Made, files['mini.yaml']['agent'][0]['task']"
    assert r"\{task}" in caught.value.remedy
    files = {"t": r"\{task} \{model} {{model}} {{ task }} {model}"}
    (turn,) = await turns(harness(tmp_path / "x", 'cat "$HOME/t"', files=files), tmp_path, "go")
    assert turn.text == "{task} {model} {{model}} {{ task }} the-model"


def test_the_example_of_the_page_is_one():
    code = next(text for text in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL))
    made = {"__name__": "page"}
    exec(f"from claw_adapter.command import *\nfrom claw_adapter.errors import *\n{code}", made)
    assert made["Otter"]().capabilities().usage == "per_turn"
