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
            asked, text = (path, *more.items()), read(path, **more)
            if self.same(asked, text):
                return "This file is as it was when it was read before: see above."
            self.shown[asked] = text
            return text

        agent.tool_read_file = once

    def same(self, asked, text):
        return self.shown.get(asked) == text


class PointsBackToAnything(PointsBack):
    """The next reading says that whatever the file is now."""

    def same(self, asked, text):
        return asked in self.shown


class PointsBackToNothing(PointsBack):
    """The first reading says so as well."""

    def same(self, asked, text):
        return True


WHOLE = ToolUse(kind="read", target=PATH, whole=True)
PAGES = ToolUse(kind="pages", target=PATH, starts=(1, 21), page=20)


def read_twice(use, between):
    """Two turns that read a file; it is not to be had otherwise."""
    read = PlayedReply(uses=(use,))
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
    ("kind", "use", "between", "found"),
    [
        (PointsBack, WHOLE, (), set()),
        (PointsBack, WHOLE, CHANGED, set()),
        (PointsBack, PAGES, (), set()),
        (PointsBack, PAGES, CHANGED, set()),
        (PointsBackToAnything, WHOLE, CHANGED, {"M20 file-unchanged"}),
        (PointsBackToNothing, WHOLE, (), {"M20 file-unread"}),
    ],
    ids=lambda one: one.__name__ if isinstance(one, type) else one.kind if isinstance(one, ToolUse) else "",
)
async def test_who_points_to_what_the_conversation_has_hides_nothing(kind, use, between, found):
    harness = with_conversation(kind)()
    (outcome,) = await PlanRunner(harness).outcomes([read_twice(use, between)])
    assert ({*outcome.keys}, outcome.unjudged) == (found, "")
