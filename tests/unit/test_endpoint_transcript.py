"""A transcript gives back every exchange exactly, stays small however long the history, and survives a torn line."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.errors import JournalError
from claw_adapter.redaction import REDACTED, Redactor
from claw_adapter.runs.transcript import Exchange, Transcript, is_line, read_transcript


def exchange(number: int, *texts: str, **more) -> Exchange:
    values = {"at": "2026-01-01T00:00:00Z", "seconds": 0.1, "dialect": "openai-chat", "stream": False, "status": 200}
    messages = tuple({"role": "user", "content": text} for text in texts)
    return Exchange(number=number, asked="m", messages=messages, **{**values, **more})


@given(st.lists(st.lists(st.text(max_size=20), max_size=6), max_size=8), st.data())
def test_what_is_written_is_read_back(tmp_path_factory: pytest.TempPathFactory, requests: list[list[str]], data):
    path = tmp_path_factory.mktemp("t") / "t.jsonl"
    tools = ({"type": "function", "function": {"name": "f"}},)
    made = [exchange(i, *texts, tools=tools, params={"n": i % 2}, round="q") for i, texts in enumerate(requests)]
    cut = data.draw(st.integers(0, len(made)))
    for part in (made[:cut], made[cut:]):
        with Transcript(path) as transcript:
            for item in part:
                transcript.append(item)
    assert list(read_transcript(path)) == made
    assert all(map(is_line, path.read_bytes().split(b"\n")[:-1]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"status": 200', b'"status": 200.0'),
        (b'"stream": false', b'"stream": 0'),
        (b'"keep": 0', b'"keep": false'),
        (b'"number": 1', b'"number": true'),
        (b'"kind": "part"', b'"kind": "part", "note": 1'),
        (b'"asked": "m"', b'"asked": "n", "asked": "m"'),
        (b'"round": "", ', b""),
    ],
)
def test_a_line_is_held_to_the_letter_in_which_it_is_written(tmp_path: Path, old, new):
    with Transcript(tmp_path / "t.jsonl") as transcript:
        transcript.append(exchange(1, "one"))
    lines = (tmp_path / "t.jsonl").read_bytes().split(b"\n")[:-1]
    changed = [line.replace(old, new) for line in lines]
    assert lines != changed
    with suppress(ValueError):
        assert not all(map(is_line, changed))


def test_a_part_may_be_written_as_the_helper_for_large_requests_does_and_anything_else_is_no_line():
    assert is_line(b'{"kind":"part","sha":"a1","value":{"content":"\\u2014","role":"user"}}')
    for other in (
        b'{"kind":"part","sha":"a1","value":{"role":"user","content":"b"}}',
        b"[]",
        b'{"kind": "part"}',
        b"{}",
        b"7",
    ):
        assert not is_line(other)


def test_a_long_history_is_not_repeated(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    texts = [f"message number {i} " + "x" * 2000 for i in range(200)]
    with Transcript(path) as transcript:
        for i in range(1, 201):
            transcript.append(exchange(i, *texts[:i]))
    assert path.stat().st_size < 200 * 3000
    *_, last = read_transcript(path)
    assert [message["content"] for message in last.messages] == texts


def test_a_torn_last_line_is_left_out_and_then_cut(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    with Transcript(path) as transcript:
        transcript.append(exchange(1, "a"))
        transcript.append(exchange(2, "a", "b"))
    whole = path.read_bytes()
    for size in range(len(whole)):
        path.write_bytes(whole[:size])
        kept = list(read_transcript(path))
        assert [item.number for item in kept] == list(range(1, len(kept) + 1))
    path.write_bytes(whole[:-5])
    with Transcript(path) as transcript:
        transcript.append(exchange(3, "a", "b", "c"))
    assert [(item.number, len(item.messages)) for item in read_transcript(path)] == [(1, 1), (3, 3)]


@pytest.mark.parametrize(
    "line", ["no json", '{"kind": "exchange", "keep": 0, "more": ["0"]}', "[]", '{"kind": "part"}']
)
def test_damage_before_the_end_is_an_error_that_names_the_line(tmp_path: Path, line: str):
    path = tmp_path / "t.jsonl"
    with Transcript(path) as transcript:
        transcript.append(exchange(1, "a"))
    number = len(path.read_text().splitlines()) + 1
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(JournalError, match=f"t.jsonl:{number}"):
        list(read_transcript(path))


def test_secrets_are_blanked_out_wherever_they_stand(tmp_path: Path):
    path = tmp_path / "t.jsonl"
    secret = 'sk-"quoted"\\key'
    with Transcript(path, Redactor([secret, ""])) as transcript:
        transcript.append(exchange(1, f"env: KEY={secret}", reply={"content": secret}))
    assert secret not in path.read_text()
    assert json.dumps(secret)[1:-1] not in path.read_text()
    (item,) = read_transcript(path)
    assert item.messages[0]["content"] == f"env: KEY={REDACTED}"


HABITS = ("title in between", "clock in the first message", "forgets the oldest", "two conversations", "all in one")


@pytest.mark.parametrize("habit", HABITS)
def test_what_an_exchange_adds_depends_on_what_is_new_in_it(tmp_path: Path, habit: str):
    path = tmp_path / "t.jsonl"
    texts = [f"message number {i}" for i in range(400)]
    made: list[tuple[str, ...]] = []
    for i in range(1, 201):
        asked = tuple(texts[: 2 * i])
        match habit:
            case "title in between":
                made += [asked, (f"a title for {i}",)]
            case "clock in the first message":
                made.append((f"it is {i} o'clock", *asked))
            case "forgets the oldest":
                made.append(("be brief", *asked[max(0, i - 50) :]))
            case "all in one":
                made.append((f"Instructions.\n{' '.join(text * 9 for text in asked)}\nNow answer.",))
            case "two conversations":
                made += [asked, ("summary", *(f"other {text}" for text in asked))]
    sizes = []
    with Transcript(path) as transcript:
        for number, asked in enumerate(made, 1):
            transcript.append(exchange(number, *asked))
            sizes.append(path.stat().st_size)
    assert sizes[-1] - sizes[-11] < 1.5 * (sizes[20] - sizes[10])
    assert [tuple(message["content"] for message in item.messages) for item in read_transcript(path)] == made


@pytest.mark.parametrize(
    ("limit", "most", "said"),
    [
        ("MOST_MESSAGES", 8, "a request of more than 8 messages"),
        ("MOST_BYTES", 36_000, "a request of more than 36000 bytes"),
        ("MOST_HELD", 400, "what it refers to has more than 400 bytes"),
        ("MOST_HELD", 9_000, "what it refers to has more than 9000 bytes"),
    ],
)
def test_references_that_make_much_of_little_are_damage(tmp_path: Path, monkeypatch, limit: str, most: int, said: str):
    path, long = tmp_path / "t.jsonl", "x" * 4000
    with Transcript(path) as transcript:
        for number in range(8):
            transcript.append(
                exchange(number, *[f"{before} {long}" for before in range(number)], *[f"{number} {long}"] * 2)
            )
    assert len(list(read_transcript(path))) == 8
    monkeypatch.setattr(f"claw_adapter.runs.transcript.{limit}", most)
    with pytest.raises(JournalError, match=f"damaged transcript: {said}"):
        list(read_transcript(path))
