"""PLAN-004 in a window that fills: a harness that sums up is sound, and one that loses something over it is found."""

from __future__ import annotations

import json

import pytest

from claw_adapter.certify.bench import Bench
from claw_adapter.certify.checks.plan import _window
from claw_adapter.certify.judge import certify, plan
from claw_adapter.certify.lite import drawn_scenarios
from claw_adapter.protocol import Clip, WindowLimit
from support.misbehaving import Wire, declaring

LIMIT = WindowLimit(tokens=200_000, then="summary", reserve=4_000)
CUT = 8_000
ASKS = {"role": "user", "content": "Write a summary of all that was said so far."}


class Cuts(Wire):
    """Shows so much of a result that no single one fills the window."""

    def change(self, agent):
        super().change(agent)
        run = agent._run

        def cut(name, arguments):
            text, failed = run(name, arguments)
            return text[:CUT], failed

        agent._run = cut


class SumsUp(Cuts):
    """Sends, of what would not fit, a summary instead; the turn under way stays."""

    def __init__(self, inner, ctx):
        super().__init__(inner, ctx)
        self.window, self.upto, self.summary = ctx.endpoint.window, 1, []

    def posted(self, post, body):
        data = json.loads(body)
        messages = data["messages"]
        sent = [messages[0], *self.summary, *messages[self.upto :]]
        if self.window is not None and len(json.dumps(sent)) // 3 > self.window * 9 // 16:
            asked = json.dumps({**data, "messages": self.to_sum(sent, messages)}).encode()
            said = self.agent._message(*post(asked))["content"]
            self.summary = self.summed(said)
            self.upto = self.cut(messages)
            sent = [messages[0], *self.summary, *messages[self.upto :]]
        return post(json.dumps({**data, "messages": sent}).encode())

    def summed(self, said):
        return [{"role": "user", "content": f"What was said before, in short:\n{said}"}]

    def to_sum(self, sent, messages):
        return [*sent, ASKS]

    def cut(self, messages):
        return self.own(messages)[-1]


class ForgetsTheSummaryBefore(SumsUp):
    def to_sum(self, sent, messages):
        return [messages[0], *messages[self.upto :], ASKS]


class KeepsNoSummary(SumsUp):
    """What the model has written is read from a field that there is not."""

    def summed(self, said):
        return []


class DropsThePrompt(SumsUp):
    def cut(self, messages):
        return max(n for n, one in enumerate(messages) if one["role"] in ("user", "assistant")) + (
            messages[-1]["role"] == "user"
        )


async def worked(conversation, tmp_path, monkeypatch):
    harness = declaring(conversation, renderings=("insert",), losses=(LIMIT, Clip(of="result", characters=CUT)))()

    async def last(rng, count):
        asked, scenarios = await drawn_scenarios(rng, count)
        return asked, dict([*scenarios.items()][-1:])

    monkeypatch.setattr("claw_adapter.certify.checks.plan.drawn_scenarios", last)
    async with Bench(harness, out=tmp_path / "out", isolation=0, nonce="autumn", shrinking=0) as bench:
        (result,) = await certify(bench, plan("gold", only=["PLAN-004"]))
    return result


@pytest.mark.parametrize(
    ("conversation", "key"),
    [
        (SumsUp, ""),
        (ForgetsTheSummaryBefore, "M30 summary-without"),
        (KeepsNoSummary, "M30 summary-unused"),
        (DropsThePrompt, "M13 prompt-missing"),
        (Cuts, ""),
    ],
)
async def test_what_is_lost_when_a_window_fills_is_found(tmp_path, monkeypatch, conversation, key):
    result = await worked(conversation, tmp_path, monkeypatch)
    assert (result.outcome, result.what.partition(":")[0]) == (("failed", key) if key else ("passed", "")), result.what
    assert "in a window of 40,000 tokens" in "".join(result.notes)
    assert ("turns ended with an error" in "".join(result.warnings)) == (conversation is Cuts)


@pytest.mark.parametrize(
    ("losses", "window"),
    [
        ((), None),
        ((LIMIT,), 40_000),
        ((WindowLimit(tokens=200_000, then="oldest", reserve=20_000, share=0.75),), 68_000),
        ((WindowLimit(tokens=200_000, then="error"),), None),
        ((WindowLimit(tokens=200_000, then="error", told="summary"),), 40_000),
        ((WindowLimit(tokens=200_000, then="summary", told="error"),), None),
        ((WindowLimit(tokens=20_000, then="summary"),), None),
        ((WindowLimit(tokens=200_000, then="summary", reserve=100_000),), None),
    ],
    ids=[
        "none",
        "sums up",
        "counts more",
        "an error",
        "unless told",
        "if told",
        "a small one of its own",
        "keeps too much",
    ],
)
def test_a_window_is_the_smallest_that_leaves_room_for_a_conversation(losses, window):
    assert _window((Clip(of="result", characters=1_000), *losses)) == window


def test_what_comes_of_a_result_may_depend_on_the_window_that_is_told():
    clip = Clip(of="result", characters=32_000, told=((1, 16_000), (100_000, 32_000)))
    assert [clip.at(tokens).characters for tokens in (40_000, 100_000, 300_000)] == [16_000, 32_000, 32_000]
    assert Clip(of="file", characters=9).at(40_000) == Clip(of="file", characters=9)
