"""The bare loop: the command in a message, and what a request shows of the conversation."""

import pytest

from claw_adapter.bare.command import command_of
from claw_adapter.bare.history import NO_COMMAND, History
from claw_adapter.bare.options import BareOptions
from claw_adapter.harness import Message, ToolCall


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("tasks list", "tasks list"),
        ("```sh\n$ tasks list\n```", "tasks list"),
        ('{"command": "tasks list"}', "tasks list"),
        ("tasks list\nbecause I must", "tasks list"),
        ("  ", ""),
        ('{"say": 1}', '{"say": 1}'),
        ("file create --path /a --content 'one\n\n  two'\nand then", "file create --path /a --content 'one\n\n  two'"),
        ("```\nfile create --path /a --content 'one\ntwo'\n```", "file create --path /a --content 'one\ntwo'"),
        ("tasks add --title 'open\nand more", "tasks add --title 'open"),
        ('say "a \\" b\nc" d\ne', 'say "a \\" b\nc" d'),
        ("a | b 'c'\nd", "a | b 'c'"),
        ("`tasks list`", "tasks list"),
        ("<think>I should\nlook</think>\ntasks list", "tasks list"),
        ("<think>no end", ""),
        ("done.", "done"),
        ("Done!", "done"),
        ("tasks add --title End.", "tasks add --title End."),
        ("x '" + "line\n" * 20_000, "x 'line"),
    ],
)
def test_the_command_in_a_message(text, command):
    assert command_of(text) == command


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("tasks add --title 'run `email list`: email send'", "tasks add --title 'run `email list`: email send'"),
        ("Now I add it: tasks add --title 'x y'", "tasks add --title 'x y'"),
        ("**Command:** email list", "email list"),
        ("**Command**: `email list --unread`, then I read.", "email list --unread"),
        ("**email list**", "email list"),
        ("First I look at what there is.\n\n1. tasks list\n2. email list", "tasks list"),
        ("I'll use `tasks list --status all` to see the board.", "tasks list --status all"),
        ("Let me look.\n```bash\n$ tasks list\n```\nThen email list.", "tasks list"),
        ("> $ tasks list", "tasks list"),
        ("现在添加\uff1atasks add --title '复核'", "tasks add --title '复核'"),
        (
            "I write the note: file create --path /a --content 'one\ntwo'\nand go on",
            "file create --path /a --content 'one\ntwo'",
        ),
        ("All is in order now.\n\nDone.", "done"),
        ("**done**", "done"),
        ("**Command:** done", "done"),
        ("It is done: nothing to add here", "It is done: nothing to add here"),
        ("Now run **tasks list**.", "tasks list"),
        ("The **tasks** board first, then **email list**", "email list"),
        ("**file create --path /a --content '**Owner:** x'**", "file create --path /a --content '**Owner:** x'"),
        ('<tool_call>{"command": "tasks list"}</tool_call>', "tasks list"),
        ('Sure! {"name": "x"} {"command": "email list"}', "email list"),
        (
            """file create --path /a --content '{"command": "x"}'""",
            """file create --path /a --content '{"command": "x"}'""",
        ),
        ("The tasks listed above are fine", "The tasks listed above are fine"),
        ("tasksy list", "tasksy list"),
        ("Running: `date`", "date"),
        ("*email list*", "email list"),
        ("me@here:~$ tasks list", "tasks list"),
        ("COMMAND> tasks list", "tasks list"),
        ("<command>tasks list</command>", "tasks list"),
        ("All of it has been sent. DONE", "done"),
        ("# tasks of today", "# tasks of today"),
        ("I am not done", "I am not done"),
        ("Some say that it is well done", "Some say that it is well done"),
    ],
)
def test_the_command_where_a_person_would_look_for_it(text, command):
    assert command_of(text, ("tasks", "email", "file", "date")) == command


def talk(commands: int, *more: Message) -> list[Message]:
    """A prompt, and so many commands with what they printed."""
    pairs = [
        pair for n in range(commands) for pair in (("assistant", f"cmd {n}"), ("user", f"[exit 0]\nout {n}\nmore"))
    ]
    said = [("user", "prompt"), *pairs]
    return [*(Message(id=f"m{i}", role=role, text=text) for i, (role, text) in enumerate(said)), *more]


def test_full_history_shows_everything():
    shown, note = History(BareOptions()).shown(talk(12))
    assert (len(shown), note) == (1 + 2 * 12, "")
    assert shown[1:3] == [
        {"role": "assistant", "content": "cmd 0"},
        {"role": "user", "content": "[exit 0]\nout 0\nmore"},
    ]


def test_a_summary_has_the_prompt_the_first_lines_and_the_last_commands():
    shown, note = History(BareOptions(history="summary")).shown(talk(6))
    assert (shown[0]["content"], note) == ("prompt", "")
    assert shown[1] == {"role": "user", "content": "Earlier commands:\n$ cmd 0\n  out 0\n$ cmd 1\n  out 1"}
    assert [one["content"] for one in shown[2::2]] == ["cmd 2", "cmd 3", "cmd 4", "cmd 5"]
    assert History(BareOptions(history="summary")).shown(talk(4))[0] == History(BareOptions()).shown(talk(4))[0]


def test_auto_sums_up_when_the_conversation_has_grown():
    history = History(BareOptions(history="auto", context=150))
    assert history.shown(talk(5)) == (History(BareOptions()).shown(talk(5))[0], "")
    shown, note = history.shown(talk(9))
    assert len(shown) == 2 + 2 * 4
    assert "last 4 commands" in note


def test_what_was_too_long_is_halved_until_one_command_is_left():
    history = History(BareOptions())
    assert [bool(history.tighten()) for _ in range(4)] == [True, True, True, False]
    assert len(history.shown(talk(9))[0]) == 2 + 2
    assert bool(History(BareOptions(history="summary", keep=1)).tighten()) is False


def test_prompts_of_later_turns_and_messages_without_a_command():
    later = [
        Message(id="a", role="assistant", text=""),
        Message(id="b", role="user", text=NO_COMMAND),
        Message(id="c", role="assistant", text="done"),
        Message(id="d", role="user", text="next prompt"),
        *(Message(id=m.id + "x", role=m.role, text=m.text) for m in talk(5)[1:]),
    ]
    shown, _ = History(BareOptions(history="summary")).shown(talk(1, *later))
    assert [one["content"] for one in shown[:5]] == [
        "prompt", "Earlier commands:\n$ cmd 0\n  out 0\n$ \n  ", "done", "next prompt", "Earlier commands:\n$ cmd 0\n  out 0",
    ]  # fmt: skip


def test_tools_of_an_earlier_conversation_are_told_as_text():
    call = ToolCall(id="c", name="read", arguments={"path": "x"})
    earlier = [
        Message(id="1", role="system", text="be good"),
        Message(id="2", role="assistant", text="I look.", tool_calls=(call,)),
        Message(id="3", role="tool", text="it says y", tool_call_id="c"),
    ]
    assert [tuple(one.values()) for one in History(BareOptions()).shown(earlier)[0]] == [
        ("system", "be good"), ("assistant", 'I look.\nread {"path": "x"}'), ("user", "it says y"),
    ]  # fmt: skip
