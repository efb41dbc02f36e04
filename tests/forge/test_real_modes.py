"""Real and hybrid modes: what is compared with the real OpenClaw, how its state is read, and that it does the same."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from claw_adapter.errors import HarnessNotFound
from claw_adapter.sandbox import detect
from claw_adapter_forge.real.backend import NOT_COMPARABLE, why_not
from claw_adapter_forge.real.layout import configuration, leaves
from claw_adapter_forge.real.parity import SCRIPTS, compare_modes, first_state, scripts_for
from claw_adapter_forge.real.program import Program
from claw_adapter_forge.real.reading import Reader, interval, world_jobs
from claw_adapter_forge.surfaces.oc_config import MODEL_KEY
from claw_adapter_forge.surfaces.words import split_words
from claw_adapter_forge.world.records import ConfigValue, CronJob
from claw_adapter_forge.world.state import World

ISOLATION = int(detect().level)


def test_at_least_thirty_scripts_are_compared_and_none_is_of_what_cannot_be() -> None:
    assert len(scripts_for("hybrid")) == len(SCRIPTS) >= 30
    assert {name.partition(":")[0] for name, _ in SCRIPTS} >= {"config", "models", "cron"}
    for mode in ("real", "hybrid"):
        for name, lines in scripts_for(mode):
            assert [why_not(split_words(line), gateway=mode == "hybrid") for line in lines] == [""] * len(lines), name
    assert len(scripts_for("hybrid", 7)) == 7


@pytest.mark.parametrize(
    ("line", "gateway", "reason"),
    [
        ("openclaw config get office.rules", True, "openclaw config, branches office, offices, user"),
        ("openclaw config", True, "openclaw config dump"),
        ("openclaw config get agent.model", True, "openclaw config agent.model"),
        (f"openclaw config set {MODEL_KEY} gpt", True, "openclaw config set of a model without a provider"),
        ("openclaw cron list", False, "openclaw cron (real mode)"),
        ("openclaw cron add --name x --schedule=@daily --message m", True, "openclaw cron --schedule"),
        ("openclaw channels login --channel slack", True, "openclaw channels"),
        ("openclaw models set google/gemini-3-pro", True, "openclaw models set google/gemini-3-pro"),
        (f"openclaw config get {MODEL_KEY}", False, ""),
        ("openclaw cron rm cron_0001", True, ""),
    ],
)
def test_what_is_kept_from_the_real_program_has_its_reason(line: str, gateway: bool, reason: str) -> None:
    assert why_not(split_words(line), gateway=gateway) == reason
    assert not reason or any(key.startswith(reason) or reason.startswith(key) for key in NOT_COMPARABLE)


def test_the_world_s_settings_are_laid_out_and_only_what_changes_comes_back(tmp_path: Path) -> None:
    world = World(first_state())
    tree = configuration(world, 1234)
    assert dict(leaves(tree))[MODEL_KEY] == "anthropic/claude-sonnet-4-5"
    assert "user" not in tree
    reader, before = Reader(tmp_path, tree), world.state
    reader.read(world, tree | {"meta": {"lastTouchedVersion": "x"}})
    assert world.state == before
    tree["agents"]["defaults"] = {"userTimezone": "UTC"}
    reader.read(world, tree)
    assert world.get("config", MODEL_KEY, ConfigValue) is None
    assert world.get("config", "agents.defaults.userTimezone", ConfigValue) == ConfigValue(
        "agents.defaults.userTimezone", "UTC"
    )


def test_jobs_are_read_from_the_program_s_table_by_the_world_s_ids(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    world = World(first_state())
    reader = Reader(tmp_path, {})
    with closing(sqlite3.connect(tmp_path / "state" / "openclaw.sqlite")) as store:
        store.execute("CREATE TABLE cron_jobs (job_json TEXT)")
        store.executemany("INSERT INTO cron_jobs VALUES (?)", [(OWN,), (EVERY,)])
        store.commit()
    reader.read(world, {})
    assert world.get("cron", "cron_0003", CronJob) == CronJob("cron_0003", "often", "90m", "m", "paused")
    assert reader.real_ids == {"cron_0003": "u-1"}
    with closing(sqlite3.connect(tmp_path / "state" / "openclaw.sqlite")) as store:
        store.execute("DELETE FROM cron_jobs")
        store.commit()
    reader.read(world, {})
    assert [job.id for job in world.rows("cron", CronJob)] == ["cron_0001", "cron_0002"]


OWN = '{"id": "u-0", "declarationKey": "heartbeat:main", "name": "h", "createdAtMs": 1}'
EVERY = (
    '{"id": "u-1", "name": "often", "enabled": false, "createdAtMs": 2, '
    '"schedule": {"kind": "every", "everyMs": 5400000}, "payload": {"kind": "agentTurn", "message": "m"}}'
)


def test_a_listing_has_neither_the_program_s_own_jobs_nor_this_machine_s_time() -> None:
    listing = f'{{"jobs": [{OWN}, {EVERY[:-1]}, "state": {{"nextRunAtMs": 5}}}}], "total": 2}}'
    (job,) = json.loads(world_jobs(listing))["jobs"]
    assert (job["id"], job["payload"]["message"], job["schedule"]) == (
        "u-1",
        "m",
        {"kind": "every", "everyMs": 5400000},
    )
    assert "AtMs" not in json.dumps(job)
    assert world_jobs("no jobs") == "no jobs"


def test_intervals_are_written_in_the_largest_unit() -> None:
    assert [interval(m * 60_000) for m in (1, 90, 120, 1440)] == ["1m", "90m", "2h", "1d"]


def test_without_openclaw_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLAW_HOME", str(tmp_path))
    with pytest.raises(HarnessNotFound, match="not installed"):
        Program(World(first_state()), tmp_path / "x", gateway=False)


@pytest.mark.real("openclaw")
@pytest.mark.slow(30)
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("mode", "count"), [("hybrid", 1)])
def test_a_few_scripts_do_the_same_on_the_real_program(tmp_path: Path, mode: str, count: int) -> None:
    """All of them: ``claw forge parity``. Real mode is in test_environment.py."""
    found = compare_modes(mode, tmp_path / "openclaw", scripts_for(mode, count), isolation=ISOLATION)
    assert len(found) == count
    assert [p for p in found if p.faults] == []
