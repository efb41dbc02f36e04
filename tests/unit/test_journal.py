"""The journal loses no finished round and notices damage."""

import os

import pytest

from claw_adapter.errors import JournalError
from claw_adapter.protocol import Failure, Isolation, RoundRecord, Score, TrialEnd, TrialStart, Voided
from claw_adapter.runs.journal import Journal, read_all, read_journal
from claw_adapter.runs.retrying import find_retry, void_for_retry

DIGEST = "0" * 64


def start() -> TrialStart:
    return TrialStart(
        trial="t", scenario="s", scenario_digest=DIGEST, harness="h", model="m", seed=0,
        isolation=Isolation(harness=2, check=2),
    )  # fmt: skip


def finished(index: int, text: str = "answer\nwith lines \u2028 and ünïcode") -> RoundRecord:
    return RoundRecord(
        index=index, round=f"r{index}", type="multi_choice", prompt="?", text=text, score=Score(value=1),
        events=DIGEST, snapshot=DIGEST, checkpoint=None,
    )  # fmt: skip


def write(path, rounds: int) -> list:
    with Journal(path) as journal:
        journal.append(start())
        for index in range(rounds):
            journal.append(finished(index))
        return list(journal.records)


def test_what_was_appended_is_read_back(tmp_path):
    records = write(tmp_path / "j.jsonl", 3)
    assert read_journal(tmp_path / "j.jsonl") == records
    with Journal(tmp_path / "j.jsonl") as journal:
        journal.append(TrialEnd())
        assert journal.finished
    assert len(read_journal(tmp_path / "j.jsonl")) == 5


def test_a_line_torn_at_any_byte_costs_that_line_only(tmp_path):
    path = tmp_path / "j.jsonl"
    records = write(path, 2)
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for cut in range(last, len(whole)):
        path.write_bytes(whole[:cut])
        with Journal(path) as journal:
            assert journal.records == records[:-1]
            journal.append(records[-1])
        assert path.read_bytes() == whole


@pytest.mark.parametrize("position", [3, 30, 200])
def test_damage_before_the_end_is_an_error_that_names_the_line(tmp_path, position):
    path = tmp_path / "j.jsonl"
    write(path, 2)
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    path.write_bytes(data)
    with pytest.raises(JournalError, match=r"j\.jsonl:1"):
        read_journal(path)


def test_a_removed_line_is_noticed(tmp_path):
    path = tmp_path / "j.jsonl"
    write(path, 3)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], *lines[2:]]))
    with pytest.raises(JournalError, match=r"j\.jsonl:2"):
        read_journal(path)


def test_every_append_is_on_disk_when_it_returns(tmp_path, monkeypatch):
    synced = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: (synced.append(fd), real(fd)))
    write(tmp_path / "j.jsonl", 2)
    assert len(synced) == 3


def test_what_was_voided_stays_in_the_file_and_counts_no_longer(tmp_path):
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        for record in (start(), finished(0), finished(1), TrialEnd()):
            journal.append(record)
        journal.append(Voided(index=1, rounds=1))
        assert journal.records == [start(), finished(0)]
        assert not journal.finished
        journal.append(finished(1, "again"))
    assert [r.text for r in read_journal(path) if isinstance(r, RoundRecord)] == [finished(0).text, "again"]
    assert [r.kind for r in read_all(path)] == ["start", "round", "round", "end", "void", "round"]
    with Journal(path) as journal:
        assert [r.text for r in journal.rounds] == [finished(0).text, "again"]


SCORED, CRASH, PROVIDER, CHECK, NO_WAY = "scored", "harness", "endpoint", "sandbox", "reader-no-way"


def outcome(index: int, what: str) -> RoundRecord:
    if what == SCORED:
        return finished(index)
    owner = "endpoint" if what == NO_WAY else what
    failure = Failure(owner=owner, kind=what if what == NO_WAY else "SomeError", what="it failed")
    return finished(index).model_copy(update={"score": Score(value=None, cause=failure)})


@pytest.mark.parametrize(
    ("outcomes", "retried", "rewound"),
    [
        ([SCORED, SCORED], None, None),
        ([SCORED, PROVIDER, PROVIDER], 1, 1),
        ([SCORED, CHECK], 1, 1),
        ([PROVIDER, PROVIDER], 0, 0),
        ([SCORED, CRASH, PROVIDER], 2, 2),
        ([SCORED, PROVIDER, CRASH], 1, 1),
        ([SCORED, CRASH], None, None),
        ([SCORED, NO_WAY], None, None),
        ([PROVIDER, SCORED, SCORED], None, 0),
        ([PROVIDER, SCORED, NO_WAY, PROVIDER], 3, 0),
        ([NO_WAY, SCORED], None, None),
        ([], None, None),
    ],
)
def test_which_rounds_are_tried_again(outcomes, retried, rewound):
    rounds = [outcome(index, what) for index, what in enumerate(outcomes)]
    assert find_retry(rounds) == retried
    assert find_retry(rounds, rewind=True) == rewound


def test_voiding_says_what_is_given_up(tmp_path):
    with Journal(tmp_path / "j.jsonl") as journal:
        for index, what in enumerate([SCORED, PROVIDER, SCORED]):
            journal.append(outcome(index, what))
        assert void_for_retry(journal) is None
        voided = void_for_retry(journal, rewind=True)
        assert (voided.index, voided.rounds, voided.scored, voided.cause.what) == (1, 2, 1, "it failed")
        assert void_for_retry(journal, rewind=True) is None
