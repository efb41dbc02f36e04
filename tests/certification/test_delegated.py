"""What another agent is told, sees, says and costs: sound and broken tools for having one work, in drawn sessions."""

from __future__ import annotations

import itertools

import pytest

from certification.planted import Planted, with_conversation
from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.layout import lay_out
from claw_adapter.certify.plans.trial import PlanRunner
from claw_adapter.testing import PlantedConversation
from support.misbehaving import SAID, Agent
from support.plans import only


def helped():
    return only(draw("four", 0, "bronze"), lambda turn, _: turn.delegates)


def while_helping(agent, name, other):
    """The agent has another tool of this name as long as the other agent works."""
    own = getattr(agent, name)

    def helped(task):
        setattr(agent, name, other)
        try:
            return type(agent).tool_task(agent, task)
        finally:
            setattr(agent, name, own)

    agent.tool_task = helped


class ReportsItsFirstWords(Agent):
    """The result is what the other agent says first, and not what it says last."""

    def change(self, agent):
        ask = agent._ask

        def first(task):
            said, times = [], itertools.count()

            def asked(messages):
                reply = ask(messages)
                said.extend([reply["content"]] if next(times) == 0 else [])
                return reply

            agent._ask = asked
            try:
                type(agent).tool_task(agent, task)
            finally:
                agent._ask = ask
            return said[0]

        agent.tool_task = first


class GivesTheFirstLineOn(Agent):
    """Of a task the other agent is told the first line."""

    def change(self, agent):
        agent.tool_task = lambda task: type(agent).tool_task(agent, task.partition("\n")[0])


class CutsReports(Agent):
    """A report ends at 2,000 characters."""

    def change(self, agent):
        agent.tool_task = lambda task: type(agent).tool_task(agent, task)[:2_000]


class CountsNoHelp(Agent):
    """What the other agent has cost is not counted."""

    def change(self, agent):
        def uncounted(task):
            before = dict(agent.usage)
            report = type(agent).tool_task(agent, task)
            agent.usage = before
            return report

        agent.tool_task = uncounted


class HelpsWithOldFiles(Agent):
    """The other agent is shown files as they were when they were first read."""

    def change(self, agent):
        read, kept = agent.tool_read_file, {}

        while_helping(agent, "tool_read_file", lambda path, **more: kept.setdefault(path, read(path, **more)))


class HelpsInACopy(Agent):
    """Files as they were when somebody was first asked for help in the turn."""

    def change(self, agent):
        read, self.kept = agent.tool_read_file, {}

        def helped(task):
            self.kept = self.kept or {path: read(path) for path in agent.tool_list_files().splitlines()}
            agent.tool_read_file = lambda path, **_: self.kept[path]
            try:
                return type(agent).tool_task(agent, task)
            finally:
                agent.tool_read_file = read

        agent.tool_task = helped

    async def send(self, prompt, deadline):
        self.kept = {}
        return await super().send(prompt, deadline)


class CountsOneOfTwo(Agent):
    """Of two that are asked by one reply, the last one is counted."""

    def change(self, agent):
        ask, self.before = agent._ask, {}

        def asked(said):
            reply = ask(said)
            if said is agent.main["messages"]:
                self.before = dict(agent.usage)
            return reply

        def counted(task):
            agent.usage = dict(self.before)
            return type(agent).tool_task(agent, task)

        agent._ask, agent.tool_task = asked, counted


class AnswersByItself(Agent):
    """There is no other agent."""

    def change(self, agent):
        agent.tool_task = lambda task: "The task was done."


class RemembersReports(Agent):
    """Who gives the same task again has the report of the first time."""

    def change(self, agent):
        reports = SAID.setdefault(f"reports {agent.workspace}", {})
        agent.tool_task = lambda task: reports.get(task) or reports.setdefault(task, type(agent).tool_task(agent, task))


class RunsCommandsInACopy(Agent):
    """What the other agent writes is there, and nothing that its commands change."""

    def change(self, agent):
        run = agent.tool_exec

        def apart(command):
            there = {path: path.read_bytes() for path in agent.workspace.rglob("*") if path.is_file()}
            said = run(command)
            for path in [one for one in agent.workspace.rglob("*") if one.is_file() and one not in there]:
                path.unlink()
            for path, data in there.items():
                path.write_bytes(data)
            return said

        while_helping(agent, "tool_exec", apart)


class CopiesForEachOfTwo(Agent):
    """Two that are asked by one reply begin with the same files, and what the last one leaves is there."""

    def change(self, agent):
        ask, self.before = agent._ask, {}

        def files():
            return {path: path.read_bytes() for path in agent.workspace.rglob("*") if path.is_file()}

        def asked(said):
            if said is agent.main["messages"]:
                self.before = files()
            return ask(said)

        def helped(task):
            for path, data in self.before.items():
                path.write_bytes(data)
            return type(agent).tool_task(agent, task)

        agent._ask, agent.tool_task = asked, helped


class CutsWhatHelpersRead(Agent):
    """Results of the other agent's tools end at 6,000 characters."""

    def change(self, agent):
        read = agent.tool_read_file
        while_helping(agent, "tool_read_file", lambda path, **more: read(path, **more)[:6_000])


class PointsToWhatAHelperRead(Agent):
    """A file that the other agent has read counts as shown to this one."""

    def change(self, agent):
        read, seen, self.helping = agent.tool_read_file, {}, False

        def once(path, **more):
            text = read(path, **more)
            known, seen[path] = seen.get(path), text
            return text if self.helping or known != text else "(unchanged since it was last read, see above)"

        def helped(task):
            self.helping = True
            try:
                return type(agent).tool_task(agent, task)
            finally:
                self.helping = False

        agent.tool_read_file, agent.tool_task = once, helped


class InAFrame(Agent):
    """The report stands in a frame, and each line of it is set in."""

    def change(self, agent):
        def framed(task):
            report = type(agent).tool_task(agent, task)
            return "<report agent='helper'>\n" + "\n".join(f"  {line}" for line in report.splitlines()) + "\n</report>"

        agent.tool_task = framed


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        (PlantedConversation, []),
        (InAFrame, []),
        (ReportsItsFirstWords, ["M17 report-missing"]),
        (GivesTheFirstLineOn, ["M17 task-missing"]),
        (CutsReports, ["M17 report-missing"]),
        (CountsNoHelp, ["M18 usage-differs"]),
        (HelpsWithOldFiles, ["M20 file-stale"]),
        (HelpsInACopy, ["M20 file-stale"]),
        (CountsOneOfTwo, ["M18 usage-differs"]),
        (AnswersByItself, ["M17 task-missing"]),
        (RemembersReports, ["M17 task-missing"]),
        (RunsCommandsInACopy, ["M17 written-missing"]),
        (CopiesForEachOfTwo, ["M17 written-changed", "M20 file-cut"]),
        (CutsWhatHelpersRead, ["M20 file-cut"]),
        (PointsToWhatAHelperRead, ["M20 file-unwritten", "M20 file-withheld"]),
    ],
    ids=lambda one: one.__name__ if isinstance(one, type) else "",
)
async def test_what_another_agent_is_told_sees_says_and_costs(kind, found):
    (outcome,) = await PlanRunner(with_conversation(kind)()).outcomes([helped()])
    assert (sorted(outcome.keys), outcome.unjudged) == (found, "")
    assert "task" not in {one.tool for one in outcome.left}


def test_where_no_tool_for_it_is_declared_nothing_is_delegated(tmp_path):
    assert [one.delegates for one in helped().turns] == [True] * 7
    for place, declared in (("without", None), ("with", Planted().capabilities().sub_agent)):
        (tmp_path / place).mkdir()
        laid = lay_out(helped(), tmp_path / place, lambda _: None, declared)
        assert len(laid.rounds) == (0 if declared is None else 7)
