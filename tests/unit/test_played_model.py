"""What is a harness's own affair uses nothing up of the plan that a model plays."""

import json

import pytest

from claw_adapter.endpoint.models.played import ASIDE, PlayedModel, PlayedReply, PlayedRound, ToolUse
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


async def test_a_harness_without_tools_has_its_answer_every_time():
    made = model()
    assert [await ask(made, PROMPT, ()) for _ in range(2)] == [("It says forty.", "")] * 2
