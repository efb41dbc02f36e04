"""Drafts by a model: what loses a mark or a reference is rejected with the reason, and the spec is never touched."""

import asyncio
import shutil
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.errors import EndpointError
from claw_adapter.protocol import ModelSpec
from claw_adapter_scenarios.authoring import EXAMPLE
from claw_adapter_scenarios.cli import scenarios
from claw_adapter_scenarios.compiler.canon import draw_canon
from claw_adapter_scenarios.drafting.ask import Writer
from claw_adapter_scenarios.drafting.check import faults
from claw_adapter_scenarios.drafting.run import draft
from claw_adapter_scenarios.spec import load_spec

CANON = draw_canon(load_spec(EXAMPLE), 0)
BEFORE = "[[#x doses: I counted {doses} doses]] this morning, says {ben.first}."
GOOD = "This morning [[#x doses: I counted {doses} doses]], if you believe {ben.first}."


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLE, tmp_path / "spec"))


def content(root: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in root.glob("*.yaml")}


def test_a_faithful_draft_is_accepted():
    assert faults(BEFORE, GOOD, CANON) == []


@pytest.mark.parametrize(
    ("after", "why"),
    [
        ("I counted {doses} doses this morning, says {ben.first}.", "the mark [[#x doses"),
        (GOOD.replace("{doses} doses]]", "140 doses]]"), "is gone or changed"),
        (GOOD.replace("I counted", "We counted"), "is gone or changed"),
        (GOOD.replace("{ben.first}", "him"), "the reference {ben.first} is gone"),
        (GOOD + " {spare}", "the reference {spare} is not in the original"),
        (GOOD + " It was 00:40.", "the number 00:40 is typed out"),
        (GOOD + f" {CANON.people['ana']} agrees.", "is typed out"),
        (GOOD + " The lot is TX-4471.", "the value 'TX-4471' of lot is typed out"),
        (GOOD + " {nobody}", "cannot be read as a template"),
        (GOOD + " word" * 400, "characters, the original"),
    ],
)
def test_an_unfaithful_draft_is_rejected_with_the_reason(after: str, why: str):
    assert why in "\n".join(faults(BEFORE, after, CANON))


def test_a_proposal_lies_beside_the_spec_and_never_replaces_one(root: Path):
    before = content(root)

    def same_with_a_word(_task: str, text: str) -> str:
        return f"Well, {text}"

    first, drafts = draft(root, "wording", same_with_a_word, limit=3)
    second, _ = draft(root, "wording", lambda _task, _text: "Nothing of that.", limit=2)
    assert [len(drafts), first.name, second.name] == [3, "wording-1.yaml", "wording-2.yaml"]
    assert content(root) == before
    held = yaml.safe_load(first.read_text("utf-8"))
    assert len(held["accepted"]) == 3
    assert all(one["after"] == f"Well, {one['before']}" for one in held["accepted"])
    assert load_spec(root).truth.id == "clinic-fridge", "a folder of drafts is no part of the spec"


def test_lines_of_small_talk_are_checked_one_by_one(root: Path):
    good, slot = "Who has the {slot.colour} pen? => Not me.", "{slot.shape} hat found => Thanks."
    said = f"{good}\nno arrow\n{slot}\nAsk {{ana}} => Yes.\nAt 12 => Ok."
    path, drafts = draft(root, "noise", lambda _task, _text: said, limit=1)
    assert [bool(one.why) for one in drafts] == [False, True, True, True, True]
    assert len(yaml.safe_load(path.read_text("utf-8"))["rejected"]) == 4


def test_an_unchanged_text_is_no_draft(root: Path):
    _, drafts = draft(root, "filler", lambda _task, text: text)
    assert drafts
    assert all("it is what it was" in one.why for one in drafts)


def _asked(root: Path, folder: Path, script: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str]:
    """The command against the scripted model on loopback."""

    folder.mkdir()

    async def main() -> tuple[int, str]:
        async with EndpointServer(folder, grace=1.0) as server:
            model = ModelSpec(name="m", kind="scripted", script=script)
            monkeypatch.setenv("DRAFT_KEY", await server.open_trial("t", model, folder / "t.jsonl"))
            await server.begin_round("t", "q")
            argv = ["draft", str(root), "--what", "wording", "--model", "m", "--limit", "2", "--key-env", "DRAFT_KEY"]
            argv += ["--base-url", f"{server.url.rstrip('/')}/v1"]
            done = await asyncio.to_thread(CliRunner().invoke, scenarios, argv, standalone_mode=False)
            if done.exception is not None:
                raise done.exception
            return done.return_value, done.output

    return asyncio.run(main())


def test_the_command_asks_an_endpoint_and_accepts_what_is_faithful(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    loop = load_spec(root).sessions.channels[0].phases[0].loops[0]
    status, said = _asked(root, tmp_path / "e", (f"Hello. {loop.say.strip()}", "I forgot everything."), monkeypatch)
    assert status == 0
    assert "1 accepted, 1 rejected" in said
    assert "is gone or changed" in said


def test_a_model_that_keeps_nothing_is_exit_1(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    before = content(root)
    status, said = _asked(root, tmp_path / "e", ("Quite another text with 77 in it.",), monkeypatch)
    assert status == 1
    assert "0 accepted, 2 rejected" in said
    assert content(root) == before


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "file:///etc/passwd"])
def test_an_endpoint_that_is_not_there_is_an_error_and_writes_nothing(url: str, root: Path):
    with pytest.raises(EndpointError):
        draft(root, "wording", Writer("m", url).write)
    assert not (root / "drafts").exists()
