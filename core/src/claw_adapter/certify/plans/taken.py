"""What the tools of a harness are taken for by the model that plays plans."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from claw_adapter.endpoint.dialects.openai_chat import assemble
from claw_adapter.toolbox.box import toolbox
from claw_adapter.toolbox.candidates import Candidate
from claw_adapter.toolbox.todos import planners
from claw_adapter.toolbox.uses import listers, replacers

__all__ = ["taken_for"]


def taken_for(offers: Iterable[Sequence[dict[str, Any]]]) -> tuple[str, str]:
    """Which tools are called first for what; and for what none is known. In words, or empty.

    Histories may be files, so that a tool for them is not missed.

    Args:
        offers: the tools of each request, in the form of OpenAI chat.
    """
    known = {json.dumps(tool, sort_keys=True): tool for tools in offers for tool in tools}
    box = toolbox(assemble("", {}, [], list(known.values()), {}).tools)
    needed: dict[str, Sequence[Candidate]] = {
        "reading": box.read,
        "writing": box.write,
        "replacing a text": [*replacers(box)],
        "listing a folder": [*listers(box)],
        "commands": box.run,
    }
    found = [(what, tools[0].tool) for what, tools in {**needed, "histories": box.history}.items() if tools]
    found += [("lists of what is to do", tool) for tool, _ in [*planners(box)][:1]]
    taken = ", ".join(f"{tool} for {what}" for what, tool in found)
    missing = ", ".join(what for what, tools in needed.items() if not tools)
    return (
        f"tools were taken so: {taken}" if taken else "",
        f"no tool was known for {missing}: nothing of that was tried" if missing else "",
    )
