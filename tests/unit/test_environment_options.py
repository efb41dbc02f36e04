"""Where a scenario's environment brings programs, real harnesses have other defaults; what is typed still wins."""

from importlib import import_module
from pathlib import Path

import pytest

from claw_adapter.environment import Attached, McpServer, Printed, Surroundings
from claw_adapter.harness import Session
from claw_adapter.testing import FolderContext


async def nothing(_line: str) -> Printed:
    return Printed("")


def options_of(module, ctx, **given):
    found = import_module(f"claw_adapter_{module}.options")
    return found.Options.parse(found.in_environment(given, ctx))


@pytest.fixture
def there(tmp_path):
    return FolderContext(
        tmp_path / "trial", environment=Surroundings(Attached(path=(Path("/w/bin"), Path("/x/bin"))), nothing)
    )


@pytest.mark.parametrize("module", ["nanobot", "openclaw", "claude_code"])
def test_without_programs_nothing_changes(tmp_path, module):
    for number, environment in enumerate((None, Surroundings(Attached(env={"A": "b"}), nothing))):
        ctx = FolderContext(tmp_path / str(number), environment=environment)
        assert options_of(module, ctx) == import_module(f"claw_adapter_{module}.options").Options.parse({})


@pytest.mark.parametrize("module", ["nanobot", "openclaw", "claude_code"])
def test_its_programs_are_first_on_the_path_behind_what_is_typed(there, module):
    assert options_of(module, there).path_prepend == "/w/bin:/x/bin"
    assert options_of(module, there, path_prepend="/mine").path_prepend == "/mine:/w/bin:/x/bin"


def test_tools_that_work_beside_it_are_away_and_no_path_is_refused(there):
    nanobot = options_of("nanobot", there)
    assert {"message", "spawn", "read_session"} <= set(nanobot.tools_denied)
    assert (nanobot.restrict, nanobot.histories) == (False, "files")
    openclaw = options_of("openclaw", there)
    assert (openclaw.own_command, openclaw.loop_detection, openclaw.histories) == (False, False, "files")
    assert not options_of("claude_code", there).memory


def test_beside_tools_of_an_mcp_server_alone_it_has_no_others_and_paths_stay_refused(tmp_path):
    attached = Attached(mcp=(McpServer("calendar", ("/p", "a"), {"K": "v"}),))
    ctx = FolderContext(tmp_path / "trial", environment=Surroundings(attached, nothing))
    nanobot, claude_code = options_of("nanobot", ctx), options_of("claude_code", ctx)
    assert "message" in nanobot.tools_denied
    assert (nanobot.restrict, nanobot.histories, nanobot.path_prepend) == (True, "files", "")
    assert (claude_code.memory, claude_code.path_prepend) == (False, "")
    started = {"command": "/p", "args": ["a"], "env": {"K": "v"}}
    assert import_module("claw_adapter_claude_code.configuration").servers(ctx) == {"mcpServers": {"calendar": started}}
    told = import_module("claw_adapter_nanobot.configuration").configuration(ctx, nanobot)["tools"]["mcpServers"][
        "calendar"
    ]
    assert {name: told[name] for name in started} == started


def test_what_is_typed_wins(there):
    nanobot = options_of("nanobot", there, restrict=True, tools_denied=["my"], histories="native")
    assert (nanobot.restrict, nanobot.tools_denied, nanobot.histories) == (True, ("my",), "native")
    assert options_of("nanobot", there, mode="cli").tools_denied == ()
    assert options_of("openclaw", there, own_command=True, loop_detection=True).own_command
    assert options_of("claude_code", there, memory=True).memory


@pytest.mark.parametrize("module", ["nanobot", "openclaw"])
def test_histories_that_the_harness_keeps_stay_with_it(tmp_path, module):
    ctx = FolderContext(
        tmp_path / "trial", histories=(Session(id="old"),),
        environment=Surroundings(Attached(path=(Path("/w/bin"),)), nothing),
    )  # fmt: skip
    assert options_of(module, ctx).histories == "native"
