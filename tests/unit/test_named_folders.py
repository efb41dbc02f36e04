"""What a run records of failures and checks names no folder of the machine: journals are passed on."""

from pathlib import Path

import pytest

from claw_adapter.errors import Owner
from claw_adapter.protocol import CheckDetail, CheckFault, CheckRun, Failure, RoundRecord, Score, TrialEnd
from claw_adapter.runs.journal import Journal, read_all
from claw_adapter.runs.named_folders import NamedFolders


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "ann"))
    monkeypatch.setenv("CLAW_HOME", str(tmp_path / "ann/programs"))
    return tmp_path / "ann"


def test_the_longest_folder_is_the_one_that_is_named(home):
    folders = NamedFolders(home / "runs/one")
    assert folders.text(f"{home}/runs/one/live/t: none, {home}/programs/x and '{home}'") == (
        "$RUN/live/t: none, $CLAW_HOME/x and '~'"
    )


def test_a_part_of_a_longer_name_stays(home):
    text = f"{home}e/x /mnt{home}/y {home}-2"
    assert NamedFolders(Path("/nowhere")).text(text).count("~") == 0


def test_a_folder_after_an_escaped_end_of_line_is_named(home):
    assert NamedFolders(Path("/nowhere")).text(f"ends with:\\n{home}/x") == "ends with:\\n~/x"


def test_a_folder_is_found_by_the_path_without_links_too(home, tmp_path):
    (home / "runs").mkdir(parents=True)
    (tmp_path / "link").symlink_to(home / "runs")
    assert NamedFolders(tmp_path / "link").text(f"{home}/runs/a {tmp_path}/link/b") == "$RUN/a $RUN/b"


def test_failures_and_checks_are_journalled_without_folders_and_answers_as_they_are(home):
    failure = Failure(
        owner=Owner.HARNESS, kind="HarnessCrash", what=f"no {home}/a", where=f"{home}/b", remedy=f"rm {home}"
    )
    check = CheckRun(
        level=2, exit=1, seconds=0.1, why="exit 1", stdout=f"{home}/c", stderr=f'File "{home}/runs/one/d.py", line 1',
        faults=(CheckFault(file=f"{home}/runs/one/e", kind="missing"),),
    )  # fmt: skip
    record = RoundRecord(
        index=0, round="r1", type="exec_check", prompt="?", text=f"It is in {home}.", error=failure,
        earlier_failures=(failure,), score=Score(cause=failure, detail=CheckDetail(check=check)),
        events="0" * 64, snapshot="0" * 64, checkpoint=None,
    )  # fmt: skip
    path = home / "runs/one/trials/t/journal.jsonl"
    with Journal(path, folders=NamedFolders(home / "runs/one")) as journal:
        journal.append(record)
        journal.append(TrialEnd(error=failure))
    told, end = read_all(path)
    assert (told.error.what, told.error.where, told.error.remedy) == ("no ~/a", "~/b", "rm ~")
    assert told.earlier_failures[0] == told.score.cause == end.error == told.error
    assert told.score.detail.check.stderr == 'File "$RUN/d.py", line 1'
    assert told.score.detail.check.faults[0].file == "$RUN/e"
    assert path.read_text().count(str(home)) == 1
    assert told.text == record.text
