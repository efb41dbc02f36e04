"""The environments that docs/write-an-environment.md builds, run as they stand there."""

import json
import os
import re
import sys
import types
from pathlib import Path

import pytest
from tests.support.commands import call
from tests.support.running import experiment, run_experiment

from claw_adapter import plugins
from claw_adapter.questions.types import question_type
from claw_adapter.sandbox import detect

PAGE = Path(__file__).parents[2] / "docs/write-an-environment.md"
AGENT = Path(__file__).parents[1] / "faults" / "acp_agent.py"


def blocks(language):
    """The code blocks of that language by the file that their first line names; a later one without a name goes on."""
    found, name = {}, ""
    for text in re.findall(rf"^   ```{language}\n(.*?)^   ```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        lines = [line.removeprefix("   ") for line in text.splitlines()]
        name = lines[0].removeprefix("# ") if lines[0].startswith("# ") else name
        found[name] = found.get(name, "") + "\n".join(lines) + "\n"
    return found


@pytest.fixture
def page(monkeypatch):
    """The page's modules, and its plugins as if they were installed."""
    for file, text in sorted(blocks("python").items()):
        name = file.removesuffix(".py").replace("/", ".")
        module = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(text, file, "exec"), module.__dict__)  # the point of the test
    plugin, tools, known = sys.modules["lamp_world.plugin"], sys.modules["calendar_world.calendar"], plugins.provides
    brought = {
        "lamp": {"environment": plugin.claw_environment(), "question_type": plugin.claw_question_type()},
        "calendar": {"environment": tools.Calendar, "question_type": tools.CalendarQuestion},
    }
    monkeypatch.setattr(plugins, "provides", lambda name, *kinds: brought.get(name) or known(name, *kinds))
    question_type.cache_clear()
    yield
    question_type.cache_clear()


@pytest.fixture
def evening(tmp_path):
    for file, text in blocks("yaml").items():
        place = tmp_path / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    root = tmp_path / "evening"
    for folder in ("workspace", "sessions"):
        (root / folder).mkdir()
    (root / "sessions/main.jsonl").write_text("")
    (root / "gold/lamp.json").write_text('{"r1": true}')
    return root


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize(("command", "value"), [("lamp on", 1), ("lamp off", 0), ("lamp", 0)])
async def test_a_harness_with_a_shell_switches_the_lamp(tmp_path, evening, command, value):
    call = {"tools": [{"name": "exec", "arguments": {"command": command}}]}
    asked = experiment(
        evening,
        harnesses=["reference"],
        models=[{"name": "script", "kind": "scripted", "script": [call, "It is done."]}],
        settings={"isolation": 2, "deadline": 30},
    )
    [[record]] = (await run_experiment(tmp_path / "run", asked)).values()
    assert record.error is None
    assert "lamp on` or `lamp off" in record.prompt
    assert record.score.value == value


@pytest.mark.usefixtures("page")
def test_claw_check_finds_nothing_wrong(evening):
    done = call("check", evening)
    assert done.code == 0, done.out


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize(("called", "value"), [("add", 1), ("remove", 0)])
async def test_a_harness_that_takes_mcp_servers_fills_the_calendar(tmp_path, evening, called, value):
    pytest.importorskip("acp", reason="the extra 'acp' is not installed")
    manifest = evening / "scenario.yaml"
    manifest.write_text(manifest.read_text().replace("{name: lamp, options: {lit: false}}", "{name: calendar}"))
    entry = json.dumps({"day": "Monday", "what": "dentist"})
    rounds = [{"id": "r1", "type": "calendar", "question": f"call {called} {entry}"}]
    (evening / "rounds.yaml").write_text(json.dumps({"rounds": rounds}))
    (evening / "gold/calendar.json").write_text(json.dumps({"r1": ["Monday: dentist"]}))
    command = [os.path.realpath(sys.executable), "-I", str(AGENT)]
    harness = {"name": "acp", "options": {"command": command, "readable": [str(AGENT.parent)]}}
    asked = experiment(evening, harnesses=[harness], settings={"isolation": int(detect().level), "deadline": 60})
    [[record]] = (await run_experiment(tmp_path / "run", asked)).values()
    assert (record.error, record.score.value) == (None, value)
