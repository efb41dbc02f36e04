"""A harness that does not show a file a second time which the conversation has, and two that should have."""

from __future__ import annotations

import pytest

from certification.planted import with_conversation
from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.plan import PlanChange, PlanFile, PlanTurn
from claw_adapter.certify.plans.trial import PlanRunner
from claw_adapter.endpoint.models.played import PlayedReply, ToolUse
from support.misbehaving import Agent

LINES = "".join(f"The sealed valve {number} waits for the second sensor.\n" for number in range(40))
PATH = "ledger.md"


class PointsBack(Agent):
    """Of a file that was shown, and is as it was, the next reading says that."""

    def change(self, agent):
        read, self.shown = agent.tool_read_file, {}

        def once(path, **more):
            text = read(path, **more)
            if self.same(path, text):
                return "This file is as it was when it was read before: see above."
            self.shown[path] = text
            return text

        agent.tool_read_file = once

    def same(self, path, text):
        return self.shown.get(path) == text


class PointsBackToAnything(PointsBack):
    """The next reading says that whatever the file is now."""

    def same(self, path, text):
        return path in self.shown


class PointsBackToNothing(PointsBack):
    """The first reading says so as well."""

    def same(self, path, text):
        return True


def read_twice(between=()):
    """Two turns that read a file; it is not to be had otherwise."""
    read = PlayedReply(uses=(ToolUse(kind="read", target=PATH, whole=True),))
    turns = [
        PlanTurn(
            question=f"Please look whether the {word} was counted on Monday 31055?",
            replies=(read, PlayedReply(text=said)),
        )
        for word, said in (("ferry", "It was counted."), ("museum", "All of it was."))
    ]
    steps = (PlanFile(path=PATH, text=LINES), turns[0], *between, turns[1])
    return draw("four", 0, "bronze").model_copy(update={"steps": steps})


CHANGED = (PlanChange(path=PATH, action="new", text=LINES.replace("second", "third")),)


@pytest.mark.parametrize(
    ("kind", "between", "found"),
    [
        (PointsBack, (), set()),
        (PointsBack, CHANGED, set()),
        (PointsBackToAnything, CHANGED, {"M20 file-unchanged"}),
        (PointsBackToNothing, (), {"M20 file-unread"}),
    ],
    ids=lambda one: one.__name__ if isinstance(one, type) else "",
)
async def test_who_points_to_what_the_conversation_has_hides_nothing(kind, between, found):
    harness = with_conversation(kind)()
    (outcome,) = await PlanRunner(harness).outcomes([read_twice(between)])
    assert ({*outcome.keys}, outcome.unjudged) == (found, "")
