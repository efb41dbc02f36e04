"""The offline policies behind an endpoint: what they read of a request."""

from __future__ import annotations

import json
import subprocess
import sys

from tests.support.forge import SCRIPTS_ALONE, known_scripts

from claw_adapter.reference.agent import TOOLS
from claw_adapter_forge.policies.chat import LAST_WORD, conversation, next_reply, shell_tool
from claw_adapter_forge.policies.offline import POLICIES
from claw_adapter_forge.proof.replay import drive
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.spec import ForgeTask


def test_the_shell_tool_is_found_by_its_parameters() -> None:
    assert shell_tool(TOOLS) == ("exec", "command")
    odd = {"name": "Terminal", "parameters": {"properties": {"cmd": {"type": "string"}}}}
    assert shell_tool([TOOLS[0], odd]) == ("Terminal", "cmd")
    assert shell_tool(TOOLS[:3]) is None


def test_without_a_request_or_a_shell_a_policy_only_says_its_last_word(paper: tuple[ForgeTask, ...]) -> None:
    assert next_reply("careful", [{"role": "user", "content": "hello"}], TOOLS).text == LAST_WORD
    assert next_reply("careful", [{"role": "user", "content": "Request:\nx"}], TOOLS[:3]).text == LAST_WORD


def test_the_conversation_is_read_from_calls_and_results() -> None:
    call = {"id": "c1", "function": {"name": "exec", "arguments": '{"command": "tasks list"}'}}
    other = {"id": "c2", "function": {"name": "read_file", "arguments": '{"path": "x"}'}}
    messages = [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": [{"type": "text", "text": "Hi\nRequest:\ndo it"}]},
        {"role": "assistant", "content": None, "tool_calls": [call, other]},
        {"role": "tool", "tool_call_id": "c2", "content": "zzz"},
        {"role": "tool", "tool_call_id": "c1", "content": "Tasks:"},
    ]
    assert conversation(messages) == ("Request:\ndo it", [("tasks list", "Tasks:")])


ALONE = f"""{SCRIPTS_ALONE}
from claw_adapter_forge.policies.chat import next_reply
for line in sys.stdin:
    policy, messages = json.loads(line)
    print(json.dumps(next_reply(policy, messages, ()).text))
"""


def test_without_generator_evaluator_and_tasks_the_policies_choose_the_same(paper: tuple[ForgeTask, ...]) -> None:
    asked, chosen = [], []
    for task in paper[::24]:
        for policy in POLICIES:
            messages = [{"role": "user", "content": first_observation(task.instruction, task.start)}]
            for execution in drive(task, policy).executions:
                asked.append(json.dumps([policy, messages]))
                chosen.append(execution.line)
                printed = f"[exit {execution.output.code}]\n{execution.text}"
                answer = {"role": "assistant", "content": execution.line}
                messages = [*messages, answer, {"role": "user", "content": printed}]
    done = subprocess.run(
        [sys.executable, "-c", ALONE],
        input=known_scripts() + "\n".join(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == chosen
