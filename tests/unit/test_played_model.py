"""What is a harness's own affair uses nothing up of the plan that a model plays."""

import json

import pytest

from claw_adapter.endpoint.models.played import ASIDE, UNDONE, PlayedModel, PlayedReply, PlayedRound, ToolUse
from claw_adapter.model import Call, Line, ModelRequest, Tool, TurnId

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS = (Tool("read_file", "Read a file.", SCHEMA),)
MARK = "the prompt of round one"
PROMPT = (Line("system", "You help."), Line("user", f"{MARK}: look into a.md."))
TITLE = (Line("system", "Give this a title."), Line("user", f"{MARK}: look into a.md."))
SUMMARY = (*PROMPT[:1], Line("user", "Sum up what was said. Call no tools."))


def model():
    uses = (ToolUse(kind="read", target="a.md", wanted=("forty",)),)
    replies = (PlayedReply(uses=uses), PlayedReply(text="It says forty."))
    made = PlayedModel((PlayedRound(round="r1", mark=MARK, replies=replies),), "/w")
    made.begin(TurnId("t", "r1", 1), None)
    return made


async def ask(made, lines, tools=TOOLS):
    """What it says, and the id of the call it makes."""
    text, call = "", ""
    async for delta in made.answer(ModelRequest(tuple(lines), tools, [], [], {})):
        text += delta.text
        call = next((one.id for one in delta.calls), call)
    return text, call


def gone_on(call, result="forty"):
    path = json.dumps({"path": "a.md"})
    return (*PROMPT, Line("assistant", "", (Call(call, "read_file", path),)), Line("tool", result, call_id=call))


@pytest.mark.parametrize(
    ("lines", "tools"),
    [(TITLE, ()), (SUMMARY, TOOLS), (SUMMARY, ())],
    ids=["title", "summary with tools", "summary without"],
)
async def test_it_calls_and_answers_as_if_the_other_request_had_not_been_there(lines, tools):
    made = model()
    await ask(made, lines, tools)
    _, call = await ask(made, PROMPT)
    assert call
    await ask(made, lines, tools)
    assert await ask(made, gone_on(call)) == ("It says forty.", "")


async def test_who_asks_without_tools_in_the_middle_of_something_gets_no_call():
    """As for a summary of the conversation so far, or for the last word, behind a reply that was empty."""
    made = model()
    _, call = await ask(made, PROMPT)
    asked = (*gone_on(call, "nothing is there"), Line("user", "Sum up what was said."))
    assert await ask(made, asked, ()) == (UNDONE, "")
    assert (await ask(made, gone_on(call, "nothing is there")))[1], "it goes on behind that"


async def test_every_call_has_an_id_of_its_own_also_where_those_of_a_turn_are_alike():
    ids = list[str]()
    for number in range(8):
        uses = tuple(ToolUse(kind="read", target=f"{name}.md") for name in "abc")
        made = PlayedModel((PlayedRound(round=f"r{number}", mark=MARK, replies=(PlayedReply(uses=uses),)),), "/w")
        made.begin(TurnId("t", f"r{number}", 1), None)
        request = ModelRequest(PROMPT, TOOLS, [], [], {})
        ids += [one.id for delta in [d async for d in made.answer(request)] for one in delta.calls if one.id]
    assert len(ids) == len(set(ids)) == 24
    assert {len({one[:-1] for one in ids[start : start + 3]}) for start in range(0, 24, 3)} == {1, 3}


async def test_a_summary_is_answered_aside_also_where_it_offers_tools():
    made = model()
    assert await ask(made, SUMMARY) == (ASIDE, "")
    _, call = await ask(made, PROMPT)
    assert await ask(made, SUMMARY) == (ASIDE, "")
    shorter = (Line("user", "Before: a.md was read."), *gone_on(call)[2:])
    assert await ask(made, shorter) == (
        "It says forty.",
        "",
    )  # the prompt is summed up, the result of this turn is there


async def test_results_of_a_turn_before_do_not_make_a_request_this_turns():
    made = model()
    _, call = await ask(made, PROMPT)
    made.begin(TurnId("t", "r1", 2), None)
    assert (await ask(made, PROMPT))[1]
    assert await ask(made, (*gone_on(call)[2:], *SUMMARY)) == (ASIDE, "")


async def test_who_hangs_up_before_the_calls_have_come_gets_them_when_he_asks_again():
    uses = (ToolUse(kind="read", target="a.md"),)
    replies = (PlayedReply(text="I look into it.", uses=uses, piece=1), PlayedReply(text="It says forty."))
    made = PlayedModel((PlayedRound(round="r1", mark=MARK, replies=replies),), "/w")
    made.begin(TurnId("t", "r1", 1), None)
    cut_off = made.answer(ModelRequest(PROMPT, TOOLS, [], [], {}))
    assert (await anext(cut_off)).text == "I"
    await cut_off.aclose()
    _, call = await ask(made, PROMPT)
    assert await ask(made, gone_on(call)) == ("It says forty.", "")


async def test_a_harness_without_tools_has_its_answer_every_time():
    made = model()
    assert [await ask(made, PROMPT, ()) for _ in range(2)] == [("It says forty.", "")] * 2


EDIT = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("path", "old_text", "new_text")},
    "required": ["path", "old_text", "new_text"],
}


@pytest.mark.parametrize(
    ("said", "shown", "calls"),
    [
        ("edited {}", "", ["edit_file"]),
        (
            "error: {} was not read. Read it with read_file first",
            'the old "line"',
            ["edit_file", "read_file", "edit_file"],
        ),
        ("read_file first: {}", json.dumps({"text": 'the old "line"'}), ["edit_file", "read_file", "edit_file"]),
        ("edited {}; no need for read_file", "new line", ["edit_file", "read_file"]),
        ("not saved: {}; call save_buffer", ("saved", "new line"), ["edit_file", "save_buffer", "read_file"]),
        ("{} is locked, see unlock", ("open", 'the old "line"'), ["edit_file", "unlock", "read_file", "edit_file"]),
    ],
)
@pytest.mark.parametrize("path", ["a.md", f"a folder; [1]/{'a long name ' * 20}.md"])
async def test_an_edit_is_made_again_when_a_notice_names_a_tool_and_the_text_is_still_there(said, shown, calls, path):
    others = (Tool(name, "", SCHEMA) for name in ("save_buffer", "unlock"))
    tools = (*TOOLS, Tool("edit_file", "Replace a text in a file.", EDIT), *others)
    results = [said.format(path), *([shown] if isinstance(shown, str) else shown), "edited"]
    assert await edited(tools, path, 'the old "line"', "new line", results) == calls


@pytest.mark.parametrize(
    ("old", "new", "shown", "again"),
    [
        ("the old line", "    the old line", "1\tfirst\n2\tthe old line\n", True),
        ("the old line", "    the old line", "1\tfirst\n2\t    the old line\n", False),
        ("the old line", "the last line", "the old line\nthe last line\n", True),
        ("the old line", "the old line and more", "the old line and more\n", False),
        ("the old line", "the old line and more", "the old line\n", True),
    ],
)
async def test_an_edit_whose_new_text_stands_elsewhere_or_has_the_old_one_in_it_is_made_again(old, new, shown, again):
    tools = (*TOOLS, Tool("edit_file", "Replace a text in a file.", EDIT))
    names = await edited(tools, "a.md", old, new, ["read_file first: a.md", shown, "edited"])
    assert names == ["edit_file", "read_file", *(["edit_file"] if again else [])]


async def edited(tools, path, old, new, results):
    """The tools that are called for an edit, with these results."""
    results = iter(results)
    use = ToolUse(kind="edit", target=path, wanted=(old,), content=new)
    made = PlayedModel(
        (PlayedRound(round="r1", mark=MARK, replies=(PlayedReply(uses=(use,)), PlayedReply(text="Done."))),), "/w"
    )
    made.begin(TurnId("t", "r1", 1), None)
    lines, names = PROMPT, []
    for _ in range(6):
        found = [delta async for delta in made.answer(ModelRequest(lines, tools, [], [], {}))]
        pieces = [one for delta in found for one in delta.calls]
        if not pieces:
            break
        call, arguments = pieces[0], "".join(one.arguments for one in pieces)
        names.append(call.name)
        assert json.loads(arguments)["path"].endswith(path)
        made_call = Call(call.id, call.name, arguments)
        lines = (*lines, Line("assistant", "", (made_call,)), Line("tool", next(results), call_id=call.id))
    return names


WRITES = {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}
SAVES = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


@pytest.mark.parametrize(("size", "again"), [(100, True), (30_000, False)])
async def test_what_is_written_is_read_again_but_for_a_long_text(size, again):
    text = "".join(f"line {number} of it\n" for number in range(size // 10))
    uses = (ToolUse(kind="write", target="b.md", content=text),)
    replies = (PlayedReply(uses=uses), PlayedReply(text="Written."))
    made = PlayedModel((PlayedRound(round="r1", mark=MARK, replies=replies),), "/w")
    made.begin(TurnId("t", "r1", 1), None)
    tools, lines = (*TOOLS, Tool("write_file", "Write a file.", WRITES)), list(PROMPT)
    names = []
    while True:
        called = Called()
        async for delta in made.answer(ModelRequest(tuple(lines), tools, [], [], {})):
            called.take(delta)
        if not called.name:
            break
        names.append(called.name)
        result = (
            "no such file" if not any("write" in name for name in names) else text if names[-1] == "read_file" else "ok"
        )
        lines.append(Line("assistant", "", (Call(called.id, called.name, called.arguments),)))
        lines.append(Line("tool", result, call_id=called.id))
    assert "write_file" in names
    assert ("read_file" in names[names.index("write_file") :]) == again


@pytest.mark.parametrize("tool", ["read_file", "save_buffer"])
async def test_what_a_write_asks_for_is_done_also_where_blanks_alone_differ(tool):
    before, text = "one line of it\nand another\n", "one line of it\n    and another\n"
    uses = (ToolUse(kind="write", target="b.md", content=text, alike=True),)
    replies = (PlayedReply(uses=uses), PlayedReply(text="Written."))
    made = PlayedModel((PlayedRound(round="r1", mark=MARK, replies=replies),), "/w")
    made.begin(TurnId("t", "r1", 1), None)
    tools, lines = (
        (*TOOLS, Tool("write_file", "Write a file.", WRITES), Tool("save_buffer", "Save.", SAVES)),
        list(PROMPT),
    )
    there, buffer, seen = before, "", False
    while True:
        called = Called()
        async for delta in made.answer(ModelRequest(tuple(lines), tools, [], [], {})):
            called.take(delta)
        if not called.name:
            break
        if called.name == "read_file":
            result, seen = there, True
        elif called.name == "save_buffer":
            result, there = "saved", buffer
        elif seen and tool == "read_file":
            result, there = "written", json.loads(called.arguments)["content"]
        else:
            result, buffer = f"call {tool} with this path first", json.loads(called.arguments)["content"]
        lines.append(Line("assistant", "", (Call(called.id, called.name, called.arguments),)))
        lines.append(Line("tool", result, call_id=called.id))
    assert there == text


class Called:
    """The call of a reply, put together of its pieces."""

    def __init__(self):
        self.id = self.name = self.arguments = ""

    def take(self, delta):
        for one in delta.calls:
            self.id, self.name = one.id or self.id, one.name or self.name
            self.arguments += one.arguments


@pytest.mark.parametrize(
    ("says", "told"), [("Search files by a regular expression.", "40|50[0-9]+"), ("Search files for a text.", "")]
)
async def test_a_regular_expression_is_for_a_tool_that_takes_such(says, told):
    schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    uses = (ToolUse(kind="search", target="", content="40|50[0-9]+", pattern=True),)
    made = PlayedModel((PlayedRound(round="r1", mark=MARK, replies=(PlayedReply(uses=uses),)),), "/w")
    made.begin(TurnId("t", "r1", 1), None)
    request = ModelRequest(PROMPT, (Tool("grep", says, schema),), [], [], {})
    calls = "".join([one.arguments for delta in [d async for d in made.answer(request)] for one in delta.calls])
    assert (json.loads(calls)["query"] if calls else "") == told


@pytest.mark.parametrize(
    ("name", "says", "more", "told"),
    [
        ("timeout", "Seconds to wait", {}, 30),
        ("timeout", "Optional timeout in milliseconds (max 600000)", {}, 30_000),
        ("timeout_ms", "How long", {"maximum": 20_000}, 20_000),
        ("timeoutSeconds", "", {"minimum": 60}, 60),
        ("timeout", "Seconds, or milliseconds from 1000 on", {}, None),
        ("timeout", "How long", {}, None),
        ("delay", "Seconds before it begins", {}, None),
    ],
)
async def test_how_long_a_command_may_take_is_told_in_the_unit_that_a_tool_names(name, says, more, told):
    given = {"command": {"type": "string"}, name: {"type": "integer", "description": says, **more}}
    tools = (Tool("bash", "Run a command.", {"type": "object", "properties": given, "required": ["command"]}),)
    uses = (ToolUse(kind="run", target="date", within=30),)
    made = PlayedModel(
        (PlayedRound(round="r1", mark=MARK, replies=(PlayedReply(uses=uses), PlayedReply(text="So."))),), "/w"
    )
    made.begin(TurnId("t", "r1", 1), None)
    arguments = "".join(
        [call.arguments async for delta in made.answer(ModelRequest(PROMPT, tools, [], [], {})) for call in delta.calls]
    )
    assert json.loads(arguments) == {"command": "date"} | ({} if told is None else {name: told})


async def called(tools, use):
    """What the first call for a purpose is given, with tools of these names; None where there is none."""
    made = PlayedModel(
        (PlayedRound(round="r1", mark=MARK, replies=(PlayedReply(uses=(use,)), PlayedReply(text="So."))),), "/w"
    )
    made.begin(TurnId("t", "r1", 1), None)
    offered = []
    for name, (given, needed) in tools.items():
        schema = {"type": "object", "properties": given, "required": [*given][:needed]}
        offered.append(Tool(name, f"{name.replace('_', ' ')}: files of the workspace", schema))
    found = Called()
    async for delta in made.answer(ModelRequest(PROMPT, tuple(offered), [], [], {})):
        found.take(delta)
    return (found.name, json.loads(found.arguments)) if found.name else None


TEXT, FLAG, NUMBER = {"type": "string"}, {"type": "boolean"}, {"type": "integer"}


@pytest.mark.parametrize(
    ("use", "more", "told"),
    [
        ({"around": 3}, {"context": NUMBER}, {"context": 3}),
        ({"around": 3}, {"-C": NUMBER}, {"-C": 3}),
        ({"around": 3}, {"limit": NUMBER}, None),
        ({"any_case": True}, {"ignore_case": FLAG}, {"ignore_case": True}),
        ({"any_case": True}, {"caseSensitive": FLAG}, {"caseSensitive": False}),
        ({"any_case": True}, {}, None),
    ],
)
async def test_what_a_search_is_told_besides(use, more, told):
    made = await called(
        {"grep": ({"pattern": TEXT, **more}, 1)}, ToolUse(kind="search", target="", content="4711", **use)
    )
    assert made == (None if told is None else ("grep", {"pattern": "4711", **told}))


@pytest.mark.parametrize(
    ("tool", "more", "told"),
    [
        ("append_file", {}, {}),
        ("write_file", {"append": FLAG}, {"append": True}),
        ("write_file", {"mode": {"enum": ["overwrite", "append"]}}, {"mode": "append"}),
        ("write_file", {}, None),
    ],
)
async def test_a_text_is_put_behind_a_file_by_a_tool_for_that(tool, more, told):
    given = {"path": TEXT, "content": TEXT, **more}
    made = await called({tool: (given, 2)}, ToolUse(kind="append", target="a.md", content="more\n"))
    assert made == (None if told is None else (tool, {"path": "a.md", "content": "more\n", **told}))


async def test_a_command_that_takes_longer_is_run_only_where_its_limit_can_be_told():
    use = ToolUse(kind="run", target="sleep 4", within=1, over=True)
    limit = {"timeout": {**NUMBER, "description": "Milliseconds"}}
    assert await called({"run": ({"command": TEXT}, 1)}, use) is None
    assert await called({"run": ({"command": TEXT, **limit}, 1)}, use) == (
        "run",
        {"command": "sleep 4", "timeout": 1000},
    )
    apart = ToolUse(kind="cat", target="notes/a.md", apart=True)
    assert await called({"run": ({"command": TEXT}, 1)}, apart) is None
    made = await called({"run": ({"command": TEXT, "workdir": TEXT}, 1)}, apart)
    assert made == ("run", {"command": "cat a.md", "workdir": "notes"})
