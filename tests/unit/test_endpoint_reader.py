"""The reader answers from what a harness delivers, and uses whatever tools it finds, recognised by their parameters."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from claw_adapter.endpoint.dialects.openai_chat import OpenAIChat
from claw_adapter.endpoint.models.reader import ReaderModel
from claw_adapter.endpoint.reader.reading import keywords
from claw_adapter.model import TurnId
from claw_adapter.protocol import ModelSpec
from claw_adapter.protocol.answer_key import AnswerKey, Locator
from claw_adapter.protocol.gold import OptionEvidence, RoundEvidence
from claw_adapter.toolbox.box import toolbox
from support.tool_agents import reply_of

SPEC = ModelSpec(name="reader", kind="reader")
S, N, B = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}


def schema(required, **properties):
    return {"type": "object", "properties": properties, "required": required}


@dataclass
class Agent:
    """A minimal agent loop in place of a harness: keeps history, runs tools, never more than 40 requests a turn."""

    workspace: Path
    tools: dict[str, tuple[dict, Callable[..., str]]]
    sessions: dict[str, str] = field(default_factory=dict)
    fresh: bool = False
    history: list[dict] = field(default_factory=list)
    calls: list[tuple[str, dict]] = field(default_factory=list)
    widest: int = 0

    async def turn(self, model: ReaderModel, prompt: str) -> str:
        if self.fresh:
            self.history.clear()
        self.history.append({"role": "user", "content": prompt})
        for _ in range(40):
            body = {"model": "any", "messages": [{"role": "system", "content": "You are an agent."}, *self.history]}
            body["tools"] = [
                {"type": "function", "function": {"name": name, "description": "", "parameters": parameters}}
                for name, (parameters, _) in self.tools.items()
            ]
            reply = await reply_of(model, body)
            self.history.append(reply.message())
            if not reply.calls:
                return reply.text
            self.widest = max(self.widest, len(reply.calls))
            for call in reply.calls:
                arguments = json.loads(call.arguments)
                self.calls.append((call.name, arguments))
                self.history.append(
                    {"role": "tool", "tool_call_id": call.id, "content": self.run(call.name, arguments)}
                )
        raise AssertionError("the reader never came to an end")

    def run(self, name: str, arguments: dict) -> str:
        parameters, tool = self.tools[name]
        if missing := [word for word in parameters.get("required", []) if word not in arguments]:
            return f"Error: missing required parameter {missing[0]}"
        if unknown := set(arguments) - set(parameters["properties"]):
            return f"Error: unknown parameters {unknown}"
        try:
            return tool(self, **arguments)
        except OSError as error:
            return f"Error: {error}"


def numbered(text: str, mark: str, start: int = 1) -> str:
    return "\n".join(f"{i}{mark}{line}" for i, line in enumerate(text.splitlines(), start))


def shell(agent: Agent, command: str = "", **_: object) -> str:
    done = subprocess.run(["/bin/sh", "-c", command], cwd=agent.workspace, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def forbidden(agent: Agent, **arguments: object) -> str:
    raise AssertionError(f"a tool that must not be used was called with {arguments}")


# NanoBot: many tools, line-numbered reading in pages of lines, JSON session tool that shows little but can search
def nb_read(agent: Agent, path: str, offset: int = 1, limit: int = 50, force: bool = False, pages: str = "") -> str:
    lines = (agent.workspace / path).read_text().splitlines()
    if offset > len(lines):
        return f"Error: offset {offset} is beyond end of file"
    end = min(len(lines), offset - 1 + limit)
    text = numbered("\n".join(lines[offset - 1 : end]), "| ", offset)
    return text + (f"\n\n(Showing lines {offset}-{end}. Use offset={end + 1} to continue.)" if end < len(lines) else "")


def nb_write(agent: Agent, path: str, content: str) -> str:
    (agent.workspace / path).parent.mkdir(parents=True, exist_ok=True)
    (agent.workspace / path).write_text(content)
    return f"Successfully wrote {len(content)} characters to {path}"


def nb_session(agent: Agent, session_key: str, query: str = "") -> str:
    if session_key not in agent.sessions:
        return f"Error: session not found: {session_key}"
    lines = [line for line in agent.sessions[session_key].splitlines() if query.casefold() in line.casefold()]
    return json.dumps({"query": query, "messages": [{"content": line} for line in lines[-2:]]})


NANOBOT = {
    "list_dir": (schema(["path"], path=S, recursive=B, max_entries=N), forbidden),
    "grep": (schema(["pattern"], pattern=S, path=S), forbidden),
    "apply_patch": (schema(["patch"], patch=S), forbidden),
    "edit_file": (schema(["path", "old_text", "new_text"], path=S, old_text=S, new_text=S), forbidden),
    "exec_session": (schema(["session_id"], session_id=S, input=S, terminate=B, until_exit=B), forbidden),
    "message": (schema(["content"], content=S, channel=S, chat_id=S), forbidden),
    "cron": (schema(["action"], action={**S, "enum": ["add", "list"]}, message=S, cron_expr=S), forbidden),
    "exec": (schema([], command=S, cmd=S, working_dir=S, timeout=N), shell),
    "read_session": (schema(["session_key"], session_key=S, query=S), nb_session),
    "search_sessions": (schema(["query"], query=S), forbidden),
    "read_file": (schema(["path"], path=S, offset=N, limit=N, pages=S, force=B), nb_read),
    "write_file": (schema(["path", "content"], path=S, content=S), nb_write),
}


# PicoClaw: pages of bytes, write refuses to overwrite, append has the parameters of write
def pc_read(agent: Agent, path: str, offset: int = 0, length: int = 2000) -> str:
    data = (agent.workspace / path).read_bytes()
    end = offset + min(length, 2000)
    mark = f"[TRUNCATED - file has more content. Call read_file again with offset={end} to continue.]"
    head = f"[file: {path} | total: {len(data)} bytes]\n{mark if end < len(data) else '[END OF FILE]'}"
    return f"{head}\n\n{data[offset:end].decode()}"


def pc_write(agent: Agent, path: str, content: str, overwrite: bool = False) -> str:
    if (agent.workspace / path).exists() and not overwrite:
        return "file already exists; set overwrite=true to replace it"
    return nb_write(agent, path, content)


PICOCLAW = {
    "append_file": (schema(["path", "content"], path=S, content=S), forbidden),
    "load_image": (schema(["path"], path=S), lambda agent, path: "not an image"),
    "send_file": (schema(["path"], path=S, filename=S), forbidden),
    "list_dir": (schema(["path"], path=S), lambda agent, path: "FILE: " + path),
    "read_file": (schema(["path"], path=S, offset={**N, "default": 0}, length={**N, "default": 65536}), pc_read),
    "write_file": (schema(["path", "content"], path=S, content=S, overwrite={**B, "default": False}), pc_write),
    "exec": (
        schema(["action"], action={**S, "enum": ["list", "poll", "run", "kill"]}, command=S, sessionId=S, data=S),
        lambda agent, action, **rest: shell(agent, **rest) if action == "run" else "Error: " + action,
    ),
}


# Claude Code: absolute paths only, arrows after line numbers, reading before replacing
def cc_read(agent: Agent, file_path: str, offset: int = 1, limit: int = 2000) -> str:
    if not file_path.startswith("/"):
        return "<tool_use_error>Path must be absolute</tool_use_error>"
    agent.sessions[file_path] = "read"
    return numbered(Path(file_path).read_text(), "\t")


def cc_write(agent: Agent, file_path: str, content: str) -> str:
    if not file_path.startswith("/"):
        return "<tool_use_error>Path must be absolute</tool_use_error>"
    if Path(file_path).exists() and file_path not in agent.sessions:
        return "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
    Path(file_path).write_text(content)
    return f"File created successfully at: {file_path}"


CLAUDE = {
    "LS": (schema(["path"], path=S, ignore={"type": "array"}), forbidden),
    "Bash": (schema(["command"], command=S, description=S, timeout=N), shell),
    "Read": (schema(["file_path"], file_path=S, offset=N, limit=N), cc_read),
    "Edit": (schema(["file_path", "old_string", "new_string"], file_path=S, old_string=S, new_string=S), forbidden),
    "Write": (schema(["file_path", "content"], file_path=S, content=S), cc_write),
    "Agent": (schema(["prompt", "description"], prompt=S, description=S), forbidden),
}


# OpenClaw: session history with a limit, plain reading without paging
def oc_history(agent: Agent, sessionKey: str, limit: int = 3, includeTools: bool = False) -> str:  # noqa: N803
    if sessionKey not in agent.sessions:
        return json.dumps({"status": "error", "error": f"unknown session {sessionKey}"})
    lines = agent.sessions[sessionKey].splitlines()[-limit:]
    return json.dumps({"messages": [{"content": [{"type": "text", "text": line}]} for line in lines]})


OPENCLAW = {
    "ls": (schema(["path"], path=S), lambda agent, path: path),
    "process": (schema(["action"], action={**S, "enum": ["list", "poll"]}, sessionId=S, data=S), forbidden),
    "sessions_send": (schema(["message"], sessionKey=S, message=S), forbidden),
    "session_status": (schema([], sessionKey=S, model=S), forbidden),
    "sessions_history": (schema(["sessionKey"], sessionKey=S, limit={**N, "minimum": 1}, includeTools=B), oc_history),
    "read": (schema(["path"], path=S), lambda agent, path: (agent.workspace / path).read_text()),
    "exec": (schema(["command"], command=S, workdir=S), shell),
    "write": (schema(["path", "content"], path=S, content=S), nb_write),
}

FAMILIES = {"nanobot": NANOBOT, "picoclaw": PICOCLAW, "claude": CLAUDE, "openclaw": OPENCLAW}
A_TEXT, B_TEXT, C_TEXT = (
    "budget was cut to 41,200 euro",
    'Mara said: "ship it on \\ Friday"',
    "approval came from the board",
)


@pytest.fixture(params=FAMILIES)
def agent(request: pytest.FixtureRequest, tmp_path: Path) -> Agent:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/budget.md").write_text("filler line\n" * 170 + f"the {A_TEXT}\n" + "filler line\n" * 40)
    (tmp_path / "plan.md").write_text(f"# Plan\n{B_TEXT}\n")
    tail = "nothing much\n" * 9
    return Agent(tmp_path, FAMILIES[request.param], {"k:board": f"{C_TEXT} yesterday\n{tail}"})


def evidence() -> RoundEvidence:
    return RoundEvidence(
        options={
            "A": OptionEvidence(supports=(("a",),), hasty=False),
            "B": OptionEvidence(supports=(("a", "b"),), hasty=False),
            "C": OptionEvidence(supports=(("a",),), refutes=(("b",),), hasty=True),
            "D": OptionEvidence(supports=(("ghost",),), hasty=True),
        }
    )


def answer_key(agent: Agent, kind: str = "multi_choice", name: str = "q1", **more: object) -> AnswerKey:
    fragments = (
        Locator(id="a", text=A_TEXT, path="notes/budget.md"),
        Locator(id="b", text=B_TEXT, path="plan.md"),
    )
    letters = ("A", "B", "C", "D") if kind != "exec_check" else ()
    values = {"evidence": evidence(), "fragments": fragments, "workspace": str(agent.workspace), "letters": letters}
    return AnswerKey(round=name, type=kind, **{**values, **more})


def model_for(told: AnswerKey | None, spec: ModelSpec = SPEC) -> ReaderModel:
    model = ReaderModel(spec, "t")
    model.begin(TurnId("t", told.round if told else "", 1), told)
    return model


async def test_a_careful_reader_reads_what_the_locators_name_and_decides_by_it(agent: Agent):
    model = model_for(answer_key(agent))
    text = await agent.turn(model, "Which statements are right?")
    assert text.splitlines()[-1] == r"\bbox{A,B,D}"
    assert "notes/budget.md" in text
    assert "plan.md" in text
    seen = model.seen()
    assert seen is not None
    assert seen.needed == ("a", "b", "ghost")
    assert seen.seen == ("a", "b")
    assert seen.decided == {"A": "supported", "B": "supported", "C": "refuted", "D": "hasty"}
    assert seen.calls == len(agent.calls) > 0


async def test_a_hasty_reader_calls_nothing_and_says_what_a_careless_one_would(agent: Agent):
    model = model_for(answer_key(agent), SPEC.model_copy(update={"policy": "hasty"}))
    text = await agent.turn(model, "Which statements are right?")
    assert text.splitlines()[-1] == r"\bbox{C,D}"
    assert agent.calls == []


async def test_a_hasty_reader_still_uses_what_stands_in_the_request(agent: Agent):
    model = model_for(answer_key(agent), SPEC.model_copy(update={"policy": "hasty"}))
    text = await agent.turn(model, f"Note that the {A_TEXT}. Which statements are right?")
    assert text.splitlines()[-1] == r"\bbox{A,C,D}"


async def test_what_is_still_in_the_history_is_not_read_again(agent: Agent):
    model = model_for(answer_key(agent))
    await agent.turn(model, "first")
    before = len(agent.calls)
    model.begin(TurnId("t", "q2", 1), answer_key(agent, name="q2"))
    assert (await agent.turn(model, "second")).splitlines()[-1] == r"\bbox{A,B,D}"
    assert len(agent.calls) == before


async def test_a_harness_that_loses_its_history_makes_a_forgetful_reader_fail_and_a_careful_one_read_again(
    agent: Agent,
):
    agent.fresh = True
    for policy, last in (("careful", r"\bbox{A,B,D}"), ("forgetful", r"\bbox{C,D}")):
        model = model_for(answer_key(agent), SPEC.model_copy(update={"policy": policy}))
        assert (await agent.turn(model, "first")).splitlines()[-1] == r"\bbox{A,B,D}"
        model.begin(TurnId("t", "q2", 1), answer_key(agent, name="q2"))
        assert (await agent.turn(model, "second")).splitlines()[-1] == last


async def test_a_second_attempt_at_a_round_may_read_what_the_first_one_read(agent: Agent):
    agent.fresh = True
    model = model_for(answer_key(agent), SPEC.model_copy(update={"policy": "forgetful"}))
    await agent.turn(model, "first")
    model.begin(TurnId("t", "q1", 2), answer_key(agent))
    assert (await agent.turn(model, "first")).splitlines()[-1] == r"\bbox{A,B,D}"


async def test_a_missing_file_ends_in_the_hasty_answer(agent: Agent):
    (agent.workspace / "plan.md").unlink()
    assert (await agent.turn(model_for(answer_key(agent)), "Which statements are right?")).splitlines()[
        -1
    ] == r"\bbox{A,C,D}"


@pytest.mark.parametrize("budget", [0, 1, 3])
async def test_the_budget_of_calls_is_kept_and_leaves_room_for_writing(agent: Agent, budget: int):
    for path in agent.workspace.rglob("*.md"):
        path.unlink()
    spec = SPEC.model_copy(update={"budget": budget})
    rounds = RoundEvidence(needs=("a", "b"), hasty_answer="Done.")
    told = answer_key(agent, "exec_check", evidence=rounds, workspace="", hasty={"out.md": "vague"})
    model = model_for(told, spec)
    assert await agent.turn(model, "Write it.") == "Done."
    assert len(agent.calls) == budget
    seen = model.seen()
    assert seen is not None
    assert seen.calls == budget
    assert budget == 0 or "vague" in agent.calls[-1][1].values()


async def test_a_harness_that_says_unchanged_instead_of_the_text_is_asked_again_with_force(tmp_path: Path):
    (tmp_path / "plan.md").write_text(B_TEXT)

    def read(agent: Agent, path: str, force: bool = False) -> str:
        return nb_read(agent, path) if force else f"[File unchanged since last read: {path}]"

    agent = Agent(tmp_path, {"read_file": (schema(["path"], path=S, force=B), read)})
    options = RoundEvidence(options={"A": OptionEvidence(supports=(("b",),), hasty=False)})
    told = answer_key(
        agent, evidence=options, letters=("A",), fragments=(Locator(id="b", text=B_TEXT, path="plan.md"),)
    )
    assert (await agent.turn(model_for(told), "?")).endswith(r"\bbox{A}")
    assert agent.calls[-1] == ("read_file", {"path": "plan.md", "force": True})


async def test_the_text_of_a_fragment_is_never_typed_into_a_reading_call(agent: Agent):
    (agent.workspace / "plan.md").write_text("nothing here\n")
    model = model_for(answer_key(agent))
    await agent.turn(model, "Which statements are right?")
    for _, arguments in agent.calls:
        assert A_TEXT not in json.dumps(arguments)
        assert "ship it" not in json.dumps(arguments)
    seen = model.seen()
    assert seen is not None
    assert seen.seen == ("a",)


async def test_complete_needs_write_the_oracle_files_and_incomplete_ones_the_hasty_files(agent: Agent):
    rounds = RoundEvidence(needs=("a", "b"), answer="All done, precisely.", hasty_answer="Done I guess.")
    files = {"oracle": {"out/report.md": "exact\n'quoted' $HOME\n"}, "hasty": {"out/report.md": "vague"}}
    told = answer_key(agent, "exec_check", evidence=rounds, **files)
    model = model_for(told)
    assert await agent.turn(model, "Write the report.") == "All done, precisely."
    assert (agent.workspace / "out/report.md").read_text() == "exact\n'quoted' $HOME\n"
    (agent.workspace / "plan.md").write_text("lost\n")
    agent.history.clear()
    agent.sessions.pop(str(agent.workspace / "out/report.md"), None)
    model.begin(TurnId("t", "q2", 1), told.model_copy(update={"round": "q2"}))
    assert await agent.turn(model, "Write it again.") == "Done I guess."
    assert (agent.workspace / "out/report.md").read_text() == "vague"
    seen = model.seen()
    assert seen is not None
    assert seen.decided == {"needs": "hasty"}


async def test_without_a_tool_for_writing_a_command_writes_the_file(agent: Agent):
    agent.tools = {name: tool for name, tool in agent.tools.items() if "rite" not in name and name != "append_file"}
    told = answer_key(
        agent, "exec_check", evidence=RoundEvidence(needs=("a",)), oracle={"deep/er/x y.txt": "it's\n"}, hasty={}
    )
    assert await agent.turn(model_for(told), "Write it.") == "Written: deep/er/x y.txt."
    assert (agent.workspace / "deep/er/x y.txt").read_text() == "it's\n"


async def test_without_a_tool_for_reading_a_command_reads_the_file(agent: Agent):
    agent.tools = {name: tool for name, tool in agent.tools.items() if name.lower() in ("exec", "bash")}
    assert (await agent.turn(model_for(answer_key(agent)), "Which?")).splitlines()[-1] == r"\bbox{A,B,D}"


@pytest.mark.parametrize("family", ["nanobot", "openclaw"])
async def test_a_session_is_read_under_the_key_the_harness_knows(family: str, tmp_path: Path):
    agent = Agent(tmp_path, FAMILIES[family], {"k:board": f"{C_TEXT} yesterday\n" + "nothing much\n" * 9})
    found = Locator(id="c", text=C_TEXT, session="board", key="k:board")
    options = RoundEvidence(options={"A": OptionEvidence(supports=(("c",),), hasty=False)})
    model = model_for(AnswerKey(round="q", type="multi_choice", letters=("A",), evidence=options, fragments=(found,)))
    text = await agent.turn(model, "Who approved?")
    assert text == "Based on board.\n\\bbox{A}"
    assert not any(C_TEXT in json.dumps(arguments) for _, arguments in agent.calls)


async def test_several_files_are_read_at_once_only_when_the_way_is_known(tmp_path: Path):
    names = [f"f{i}.md" for i in range(9)]
    for i, name in enumerate(names):
        (tmp_path / name).write_text(f"the fact number {i} is here")
    agent = Agent(tmp_path, OPENCLAW)
    fragments = tuple(Locator(id=n, text=f"fact number {i} is here", path=n) for i, n in enumerate(names))
    options = RoundEvidence(options={"A": OptionEvidence(supports=(tuple(names),), hasty=False)})
    model = model_for(AnswerKey(round="q", type="multi_choice", letters=("A",), evidence=options, fragments=fragments))
    assert (await agent.turn(model, "?")).endswith(r"\bbox{A}")
    assert len(agent.calls) == 9
    assert agent.widest == 4


async def test_its_own_words_are_no_evidence(tmp_path: Path):
    agent = Agent(tmp_path, {})
    agent.history = [{"role": "assistant", "content": f"Earlier statement: {B_TEXT}"}]
    options = RoundEvidence(options={"A": OptionEvidence(supports=(("b",),), hasty=False)})
    told = AnswerKey(
        round="q", type="revision", letters=("A",), evidence=options, fragments=(Locator(id="b", text=B_TEXT),)
    )
    model = model_for(told)
    text = await agent.turn(model, "?")
    assert B_TEXT in text, "a seeded assistant message is evidence, and a revision quotes it"
    own = agent.history[-1]
    for resumed in (model, ReaderModel(SPEC, "t")):
        agent.history = [{**own, "content": f"[10:00] {own['content']}"}]
        resumed.begin(TurnId("t", "q2", 1), told.model_copy(update={"round": "q2"}))
        assert (await agent.turn(resumed, "?")).endswith(r"\bbox{}")


async def test_own_answers_about_files_are_no_evidence_but_the_same_text_elsewhere_is(tmp_path: Path):
    agent = Agent(tmp_path, {})
    needs = RoundEvidence(needs=("b",), answer="yes", hasty_answer=f"I think {B_TEXT}")
    told = AnswerKey(round="q", type="exec_check", evidence=needs, fragments=(Locator(id="b", text=B_TEXT),))
    model = model_for(told)
    assert await agent.turn(model, "?") == f"I think {B_TEXT}"
    assert await agent.turn(model, "again?") == f"I think {B_TEXT}"
    assert await agent.turn(model, f"user: {B_TEXT}") == "yes"


async def test_a_revision_quotes_a_fragment_that_earlier_rounds_did_not_show(agent: Agent):
    model = model_for(answer_key(agent, fragments=(Locator(id="b", text=B_TEXT, path="plan.md"),)))
    await agent.turn(model, "first")
    model.begin(TurnId("t", "q2", 1), answer_key(agent, "revision", "q2"))
    text = await agent.turn(model, "second")
    assert A_TEXT in text
    assert B_TEXT not in text


async def test_without_evidence_the_answer_is_fixed_and_nothing_is_reported_as_seen(agent: Agent):
    model = model_for(AnswerKey(round="q", type="multi_choice", letters=("A", "B")))
    assert (await agent.turn(model, "?")).endswith(r"\bbox{A}")
    assert model.seen() is None
    assert await agent.turn(model_for(None), "feedback") == "Noted."
    assert agent.calls == []


async def test_tool_definitions_are_no_evidence(tmp_path: Path):
    tool = (schema(["x"], x={**S, "description": C_TEXT}), forbidden)
    agent = Agent(tmp_path, {"odd": tool})
    options = RoundEvidence(options={"A": OptionEvidence(supports=(("c",),), hasty=False)})
    told = AnswerKey(
        round="q", type="multi_choice", letters=("A",), evidence=options, fragments=(Locator(id="c", text=C_TEXT),)
    )
    assert (await agent.turn(model_for(told), "?")).endswith(r"\bbox{}")


async def test_a_harness_that_drops_results_cannot_hold_the_reader_for_ever(agent: Agent):
    agent.run = lambda name, arguments: "Error: the tool is broken"  # type: ignore[method-assign]
    assert (await agent.turn(model_for(answer_key(agent)), "?")).splitlines()[-1] == r"\bbox{C,D}"
    lost = Agent(agent.workspace, agent.tools)
    model = model_for(answer_key(agent))
    lost.run = lambda name, arguments: lost.history.clear() or "x"  # type: ignore[method-assign,func-returns-value]
    assert (await lost.turn(model, "?")).splitlines()[-1] == r"\bbox{C,D}"


def test_tools_are_sorted_by_parameters_whatever_they_are_called():
    renamed = {f"tool{i}": value for i, value in enumerate(NANOBOT.values())}
    body = {"messages": [{"role": "user", "content": "x"}]}
    body["tools"] = [{"type": "function", "function": {"name": n, "parameters": p}} for n, (p, _) in renamed.items()]
    box = toolbox(OpenAIChat().parse(body).tools)
    assert [c.tool for c in box.read] == ["tool10"]
    assert [c.tool for c in box.write] == ["tool11"]
    assert [c.tool for c in box.run] == ["tool7"]
    assert [c.tool for c in box.history] == ["tool8"]


def test_a_tool_with_a_verb_is_used_with_the_fitting_one():
    verbs = {**S, "enum": ["view", "create", "str_replace"]}
    parameters = schema(["command", "path"], command=verbs, path=S, file_text=S, old_str=S, new_str=S, insert_line=N)
    body = {"messages": [{"role": "user", "content": "x"}]}
    body["tools"] = [{"type": "function", "function": {"name": "editor", "parameters": parameters}}]
    box = toolbox(OpenAIChat().parse(body).tools)
    assert box.read[0].arguments("a.md") == {"command": "view", "path": "a.md"}
    assert box.write[0].fixed == {"command": "create"}
    assert box.write[0].content is not None
    assert box.write[0].content.name == "file_text"
    assert box.run == ()


@pytest.mark.parametrize("name", ["delete_file", "removePath", "send-file", "mkdir"])
def test_a_tool_whose_name_says_that_it_harms_is_never_used(name: str):
    body = {"messages": [{"role": "user", "content": "x"}]}
    body["tools"] = [{"type": "function", "function": {"name": name, "parameters": schema(["path"], path=S)}}]
    assert toolbox(OpenAIChat().parse(body).tools).read == ()


def test_a_search_word_is_shorter_than_any_fragment():
    assert keywords("internationalisation of the Friday release") == ["release", "Friday", "the", "internation"]


LOG = "Error: permission denied for user 7\ncat: no such file or directory\n" + f"but {A_TEXT}\n"


async def test_a_file_that_reads_like_an_error_is_read_and_written_with_one_call_each(tmp_path: Path):
    (tmp_path / "app.log").write_text(LOG)
    agent = Agent(tmp_path, OPENCLAW)
    needs = RoundEvidence(needs=("a",), answer="Done.", hasty_answer="Perhaps.")
    fragments = (Locator(id="a", text=A_TEXT, path="app.log"),)
    told = AnswerKey(
        round="q",
        type="exec_check",
        evidence=needs,
        fragments=fragments,
        workspace=str(tmp_path),
        oracle={"o.log": LOG},
    )
    assert await agent.turn(model_for(told), "?") == "Done."
    assert (tmp_path / "o.log").read_text() == LOG
    assert [name for name, _ in agent.calls] == ["read", "write", "read"]


@pytest.mark.parametrize("says", ["Error: it failed", '{"ok": false}', "Permission denied", "", "done " * 99])
async def test_what_a_tool_says_of_a_write_counts_for_nothing(tmp_path: Path, says: str):
    def write(agent: Agent, path: str, content: str) -> str:
        nb_write(agent, path, content)
        return says

    agent = Agent(tmp_path, {**OPENCLAW, "write": (OPENCLAW["write"][0], write)})
    needs = RoundEvidence(answer="Done.", hasty_answer="Perhaps.")
    model = model_for(AnswerKey(round="q", type="exec_check", evidence=needs, oracle={"o.md": "one\n"}))
    await agent.turn(model, "?")
    assert (tmp_path / "o.md").read_text() == "one\n"
    assert [name for name, _ in agent.calls] == ["write", "read"]
    assert model.seen().no_way == ()


@pytest.mark.parametrize("says", ["Nein.", "Successfully wrote 4 characters to o.md", "x" * 999])
async def test_a_write_that_nothing_shows_is_done_otherwise(tmp_path: Path, says: str):
    agent = Agent(tmp_path, {**OPENCLAW, "write": (OPENCLAW["write"][0], lambda _agent, path, content: says)})
    needs = RoundEvidence(answer="Done.", hasty_answer="Perhaps.")
    model = model_for(AnswerKey(round="q", type="exec_check", evidence=needs, oracle={"o.md": "one\n"}))
    await agent.turn(model, "?")
    assert (tmp_path / "o.md").read_text() == "one\n"
    assert model.seen().no_way == ()


async def test_a_tool_that_refuses_a_single_file_is_passed_over_for_a_command(tmp_path: Path):
    def read(agent: Agent, path: str) -> str:
        return "Zu groß!" if path.endswith("big.md") else (agent.workspace / path).read_text()

    (tmp_path / "a.md").write_text(A_TEXT)
    (tmp_path / "big.md").write_text(B_TEXT)
    agent = Agent(tmp_path, {**OPENCLAW, "read": (OPENCLAW["read"][0], read)})
    options = RoundEvidence(options={"A": OptionEvidence(supports=(("a", "b"),), hasty=False)})
    fragments = (Locator(id="a", text=A_TEXT, path="a.md"), Locator(id="b", text=B_TEXT, path="big.md"))
    told = AnswerKey(round="q", type="multi_choice", letters=("A",), evidence=options, fragments=fragments)
    assert (await agent.turn(model_for(told), "?")).endswith(r"\bbox{A}")


@pytest.mark.parametrize("kind", ["notice", "pages", "entities", "colours"])
async def test_a_text_is_found_whatever_way_a_tool_gives_it_away(tmp_path: Path, kind: str):
    text, tried = 'kilos <3> of "the seal" & 41 more', set()
    (tmp_path / "first.md").write_text("the first one stands here\n")
    (tmp_path / "long.md").write_text("".join(f"line {n} of the long file\n" for n in range(200)) + f"{text}\n")

    def read(agent: Agent, path: str, offset: int = 1, limit: int = 0) -> str:
        if kind == "notice" and path not in tried:
            tried.add(path)
            return "One at a time, please."
        lines = (agent.workspace / path).read_text().splitlines(keepends=True)
        if kind == "pages" and len(lines) > 100 and not limit:
            return "That is too much at once."
        shown = "".join(lines[offset - 1 :][: limit or None])
        if kind == "entities":
            return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
        return shown.replace("41", "\x1b[1;34m41\x1b[0m") if kind == "colours" else shown

    agent = Agent(tmp_path, {"read_file": (schema(["path"], path=S, offset=N, limit=N), read)})
    options = RoundEvidence(options={"A": OptionEvidence(supports=(("a", "b"),), hasty=False)})
    fragments = (
        Locator(id="a", text="the first one stands here", path="first.md"), Locator(id="b", text=text, path="long.md")
    )  # fmt: skip
    told = AnswerKey(round="q", type="multi_choice", letters=("A",), evidence=options, fragments=fragments)
    assert (await agent.turn(model_for(told), "?")).endswith(r"\bbox{A}")
