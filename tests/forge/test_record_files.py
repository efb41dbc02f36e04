"""Files of records: nothing is lost, nothing is mixed, a torn line is cut, and what failed is run again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from claw_adapter.errors import JournalError
from claw_adapter_forge.cli import forge
from claw_adapter_forge.report.gather import gather
from claw_adapter_forge.runner.agents import policy_agent
from claw_adapter_forge.runner.loop import run_episode
from claw_adapter_forge.runner.recordfile import begin, read_file, write_records
from claw_adapter_forge.runner.records import RunRecord, append_record
from claw_adapter_forge.runner.settings import Settings
from claw_adapter_forge.tasks.spec import ForgeTask

SETTINGS = Settings("paper362", 0, None, "d", "multi", "bare", 25, "full", False, None, None)


RUN = ("run", "--policy", "careful", "--profile", "scale", "-n", "5")


def call(*words: str) -> Result:
    return CliRunner().invoke(forge, list(words))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A file with the records of five tasks."""
    path = tmp_path / "r.jsonl"
    assert call(*RUN, "-o", str(path)).exit_code == 0
    return path


@pytest.fixture(scope="module")
def record(paper: tuple[ForgeTask, ...]) -> RunRecord:
    return run_episode(policy_agent("careful"), paper[0])


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (("--seed", "1"), "seed: 0 in the file, 1 asked for"),
        (("-n", "6"), "count: 5 in the file"),
        (("--profile", "paper362"), "profile: 'scale' in the file"),
        (("--horizon", "1"), "horizon: 25 in the file, 1 asked for"),
        (("--history", "summary"), "history: 'full' in the file"),
        (("--mode", "mock"), "mode: 'multi' in the file"),
        (("--mode", "shim", "--blank"), "blank: False in the file"),
    ],
)
def test_resume_refuses_other_settings_and_names_the_field(out: Path, words: tuple[str, ...], field: str) -> None:
    before = out.read_bytes()
    done = call(*RUN, "-o", str(out), "--resume", *words)
    assert done.exit_code == 3
    assert field in done.output
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 3),
        (("--fresh", "--resume"), 2),
        (("--fresh", "--mode", "shim", "--through", "nosuch"), 4),
        (("--fresh", "--profile", "other"), 2),
        (("--fresh", "--key-env", "NO_SUCH_VARIABLE"), 2),
        (("--fresh", "--policy", "clever"), 2),
    ],
)
def test_a_file_with_records_is_never_emptied_by_what_cannot_run(out: Path, words: tuple[str, ...], code: int) -> None:
    before = out.read_bytes()
    done = call(*RUN, "-o", str(out), *words)
    assert (done.exit_code, out.read_bytes()) == (code, before)
    if not words:
        assert all(way in done.output for way in ("--resume", "--fresh", "another file"))


def test_fresh_drops_records_but_never_another_s_file(out: Path, tmp_path: Path) -> None:
    words = ("run", "--policy", "hasty", "--profile", "scale", "-n", "2", "--fresh")
    assert call(*words, "-o", str(out)).exit_code == 0
    assert {r.agent for r in read_file(out).records} == {"hasty"}
    for content in ("notes of mine", '{"a": 1}\n{"b": 2}\n'):
        other = tmp_path / "other.txt"
        other.write_text(content)
        assert call(*words, "-o", str(other)).exit_code == 3
        assert other.read_text() == content


def test_a_torn_last_line_is_cut_on_resume_and_left_out_of_reports(out: Path) -> None:
    whole = out.read_bytes()
    for cut in (1, 40, 3000):
        out.write_bytes(whole[:-cut])
        shown = call("report", str(out), "--json")
        assert shown.exit_code == 0
        if cut > 1:
            assert "torn" in shown.stderr
        done = call(*RUN, "-o", str(out), "--resume")
        assert done.exit_code == 0, done.output
        assert sorted(out.read_bytes().splitlines()) == sorted(whole.splitlines())


def test_damage_in_the_middle_is_named_and_nothing_is_written(out: Path) -> None:
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join([*lines[:2], "{rubbish}\n", *lines[2:]]))
    before = out.read_bytes()
    for words in (("report", str(out)), (*RUN, "-o", str(out), "--resume")):
        done = call(*words)
        assert done.exit_code == 3
        assert "r.jsonl:3" in done.output
    assert out.read_bytes() == before


def test_a_file_without_settings_is_reported_with_a_notice_and_not_gone_on_with(
    record: RunRecord, tmp_path: Path
) -> None:
    old = tmp_path / "old.jsonl"
    write_records(old, [record])
    shown = call("report", str(old), "--json")
    assert shown.exit_code == 0
    assert "no line of settings" in json.loads(shown.stdout)["notices"][0]
    done = call(*RUN, "-o", str(old), "--resume")
    assert done.exit_code == 3
    assert "another file" in done.output


def test_a_failed_try_is_run_again_and_the_last_one_counts(record: RunRecord, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    assert begin(path, SETTINGS) == ()
    failed = replace(record, strict=False, ended="harness", failure="harness: HarnessCrash: gone")
    down = replace(record, task="forge-999", strict=False, ended="provider", provider_failure=True)
    for one in (failed, down):
        append_record(path, one)
    assert begin(path, SETTINGS, resume=True) == ()
    append_record(path, record)
    assert begin(path, SETTINGS, resume=True) == (record,)
    assert read_file(path).records == (down, record)
    assert len(read_file(path).all_records) == 3


def test_a_report_shows_seed_and_isolation_and_refuses_to_mix(record: RunRecord, tmp_path: Path) -> None:
    def file(name: str, harness: str = "bare", **settings: object) -> Path:
        path = tmp_path / name
        write_records(path, [replace(record, harness=harness)], replace(SETTINGS, **settings))  # type: ignore[arg-type]
        return path

    bare = file("bare")
    loose, tight = file("loose", "nanobot", isolation=0), file("tight", "openclaw", isolation=2)
    shown = call("report", str(bare), str(tight))
    assert "seed 0" in shown.stdout
    assert "isolation 2" in shown.stdout
    assert call("report", str(loose), str(tight)).exit_code == 3
    assert "isolation 0, 2" in call("report", str(loose), str(tight), "--allow-mixed").stdout
    with pytest.raises(JournalError, match=r"seed is 0 in .*bare and 1 in .*other"):
        gather([bare, file("other", seed=1)], allow_mixed=True)
    with pytest.raises(JournalError, match="one column"):
        gather([bare, file("mocked", mode="mock")])
    with pytest.raises(JournalError, match="horizon is 25"):
        gather([bare, file("short", "nanobot", horizon=5)])


def test_records_of_other_tasks_with_the_same_ids_are_not_mixed(record: RunRecord, tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    write_records(path, [record, replace(record, trial=1, instruction="something else")])
    with pytest.raises(JournalError, match="not the same tasks"):
        gather([path])


def test_a_record_is_never_joined_to_a_torn_line(record: RunRecord, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write_records(path, [record, record])
    whole = path.read_bytes()
    for cut, left in ((1, 3), (50, 2)):
        path.write_bytes(whole[:-cut])
        append_record(path, record)
        assert len(read_file(path).all_records) == left
