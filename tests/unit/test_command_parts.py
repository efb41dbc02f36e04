"""What adapters that are more than data take from core: session folders, message forms, words of failures, turns."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

import pytest

from claw_adapter.command.folder import OURS, SessionFolder, json_lines, ours_of, replace, session_of
from claw_adapter.command.messages import arguments_of, call_of, format_speaker, native_call, text_of, unused, utc
from claw_adapter.command.turns import OpenTurn, TurnConversation
from claw_adapter.command.words import ModelWords
from claw_adapter.errors import HarnessCrash, HarnessProtocolError
from claw_adapter.harness import Capabilities, Checkpoint, Message, Session, SessionChange, Support, ToolCall

CALL = ToolCall(id="c", name="read", arguments={"path": "ä"})


class Notes(SessionFolder):
    """A head, then a message a line."""

    title = "Notes"

    def file(self, session_id, folder):
        return folder / f"{session_id}.jsonl"

    def load(self, file):
        head, *records = self.lines(file)
        return session_of(head.get(OURS, {}), file.stem, [Message.model_validate(record) for record in records])

    def save(self, session, position, folder, there=None):
        records = [message.model_dump(mode="json") for message in session.messages]
        replace(self.file(session.id, folder), json_lines([{OURS: ours_of(session, position)}, *records]))

    def clear(self, folder):
        for file in self.files(folder):
            file.unlink()


def said(*texts: str) -> tuple[Message, ...]:
    return tuple(Message(id=text, role="user", text=text) for text in texts)


def test_a_folder_keeps_order_and_what_a_session_is_about(tmp_path):
    sessions = [
        Session(id="z", kind="group", channel="irc", title="T", participants=("Ann",), messages=said("a")),
        Session(id="a", messages=said("b")),
    ]
    Notes().write([*sessions, Session(id="old")], tmp_path)
    Notes().write(sessions, tmp_path)
    (tmp_path / "b.jsonl").write_text("{}\n")
    assert Notes().read(tmp_path) == [*sessions, Session(id="b")], "one that the harness has begun comes last"
    assert Notes().read(tmp_path / "z.jsonl") == sessions[:1]


def test_a_change_leaves_the_turns_that_were_added_since_and_a_new_session_comes_last(tmp_path):
    before = Session(id="m", messages=said("a"))
    Notes().write([before], tmp_path)
    Notes().save(before.with_messages(said("a", "turn")), 0, tmp_path)
    changes = [
        SessionChange(session="m", action="append", before=before, after=before.with_messages(said("a", "new"))),
        SessionChange(session="b", action="append", before=None, after=Session(id="b")),
    ]
    Notes().append(changes, tmp_path)
    main, other = Notes().read(tmp_path)
    assert ([message.text for message in main.messages], other.id) == (["a", "turn", "new"], "b")


@pytest.mark.parametrize("text", ["", "no JSON\n", "[]\n", '{"claw": {}}\n{"id": 1}\n', '{"claw": 1}\n'])
def test_what_is_no_session_is_a_failure_of_the_harness_with_its_file(tmp_path, text):
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(HarnessProtocolError, match="not a session") as caught:
        Notes().read(tmp_path)
    assert caught.value.where.endswith("x.jsonl")


def test_calls_texts_speakers_and_times_have_one_form():
    assert call_of(native_call(CALL)) == CALL
    assert json.loads(native_call(CALL)["function"]["arguments"]) == {"path": "ä"}
    assert call_of({"id": "x"}).arguments == {}
    assert [arguments_of(value) for value in ({"a": 1}, '{"a": 1}', "[1]", "{", None)] == [
        {"a": 1}, {"a": 1}, {"raw": "[1]"}, {"raw": "{"}, {"raw": None},
    ]  # fmt: skip
    assert text_of([{"text": "a"}, {"type": "image"}, "x", {"text": "b"}]) == "a\nb"
    assert (text_of("a"), text_of(None)) == ("a", "")
    assert (format_speaker("Ann"), format_speaker(None), format_speaker("Ann", "system")) == (
        "Ann: ",
        "",
        "[system] Ann: ",
    )
    assert utc(datetime(2026, 1, 1)).tzinfo == UTC  # noqa: DTZ001  # without a zone on purpose
    used = {"a"}
    assert (unused("a", used), unused("a", used)) == ("a'", "a''")


@pytest.mark.parametrize(
    ("text", "status", "kind"),
    [
        ("Content filter", 0, "EndpointFilteredError"),
        ("INVALID API KEY", 0, "EndpointAuthError"),
        ("sorry, no", 0, "EndpointAuthError"),
        ("rate-limit", 0, "EndpointQuotaError"),
        ("timed out", 0, "EndpointTransientError"),
        ("timed out", 401, "EndpointAuthError"),
        ("what?", 0, "EndpointError"),
        ("malformed", 400, "EndpointMalformedError"),
    ],
)
def test_a_failure_of_the_model_has_the_class_of_its_status_or_its_words(text, status, kind):
    error = ModelWords(auth=r"sorry").error(text, status)
    assert type(error).__name__ == kind
    assert error.where == (f"model request, status {status}" if status else "model request")


class Files:
    """Files of a conversation, in memory."""

    def __init__(self):
        self.kept, self.begun = {"log": b""}, 0

    def native(self):
        return dict(self.kept)

    def put_back(self, files):
        self.kept = dict(files)

    def begin(self):
        self.begun += 1

    def change(self, changes):
        pass

    def checkpoint(self):
        return Checkpoint(files=self.kept)


class Talk(TurnConversation):
    """Waits for ever, crashes or echoes."""

    async def turn(self, prompt: str, deadline: float, turn: OpenTurn) -> None:
        self._files.kept["log"] += prompt.encode()
        turn.text = prompt
        if prompt == "wait":
            await asyncio.Event().wait()
        if prompt == "crash":
            raise HarnessCrash("gone")


async def test_a_cancelled_turn_leaves_nothing_and_a_failed_one_ends_the_conversation():
    files = Files()
    talk = Talk("talk", files)
    sending = asyncio.create_task(talk.send("wait", 5))
    while files.kept["log"] != b"wait":  # noqa: ASYNC110
        await asyncio.sleep(0)
    await talk.cancel()
    assert (await sending).error.what == "the turn was cancelled"
    assert ((await talk.send("hello", 5)).text, files.kept) == ("hello", {"log": b"hello"})
    failed, after = await talk.send("crash", 5), await talk.send("hello", 5)
    assert (failed.error.kind, failed.text, after.error.kind) == ("HarnessCrash", "", "HarnessCrash")
    assert "last checkpoint" in after.error.remedy
    assert files.begun == 3


def test_capabilities_are_full_but_for_what_is_said():
    made = Capabilities.full(cancel=Support.unsupported("no"), usage="per_turn")
    assert (bool(made.turns), bool(made.cancel), made.usage, made.seed_history) == (True, False, "per_turn", "none")
