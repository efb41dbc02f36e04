"""Draft texts of a spec and write what was proposed, with what was rejected and why; the spec itself is not touched."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal

from claw_adapter.errors import ScenarioError
from claw_adapter.scenario.yamltext import yaml_text
from claw_adapter_scenarios.compiler.canon import Canon, draw_canon
from claw_adapter_scenarios.drafting.check import faults
from claw_adapter_scenarios.spec.load import Spec, load_spec

__all__ = ["WHAT", "Draft", "What", "draft"]

What = Literal["noise", "wording", "filler"]
WHAT: Final = ("noise", "wording", "filler")
Ask = Callable[[str, str], str]
"""Task and text to the model's reply."""

_RULES: Final = (
    "Keep everything in [[double brackets]] and every {field in braces} exactly as it is, each once. Type no name of a person, "
    "no number, no date and no time. Reply with the text alone."
)
TASKS: Mapping[str, str] = MappingProxyType({
    "wording": f"Reword this message so that it sounds like a person at work; same meaning, about the same length. {_RULES}",
    "filler": f"Reword this background document, same form and meaning, at most twice as long. {_RULES}",
    "noise": (
        "Write ten more lines of small talk like these, for a group chat at work. One a line, as: message => short reply. They "
        f"settle nothing and are about nothing of importance. {{any:a|b|c}} draws one of several words. {_RULES}"
    ),
})  # fmt: skip
"""What the model is told, by what is drafted."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One draft; `why` is empty for one that may be used."""

    where: str
    before: str
    after: str
    why: tuple[str, ...] = ()


def draft(root: Path, what: What, ask: Ask, *, limit: int = 10) -> tuple[Path, list[Draft]]:
    """Draft at most `limit` texts (for noise: pools), one request each, and write a proposal to `root`/drafts.

    Args:
        root: the spec's folder.
        what: `noise` (new lines for the pools), `wording` (written messages), `filler` (background documents).
        ask: the model.
        limit: the most requests.

    Raises:
        ScenarioError: the spec cannot be read.
        EndpointError: the model cannot be asked; nothing is written.
    """
    spec = load_spec(root)
    canon, drafts = draw_canon(spec, 0), list[Draft]()
    for number, (where, before) in enumerate(_texts(spec, what)):
        if number == limit:
            break
        said = ask(TASKS[what], before)
        drafts += _lines(where, said, canon, spec) if what == "noise" else [_checked(where, before, said, canon)]
    return _write(root, what, drafts), drafts


def _texts(spec: Spec, what: What) -> Iterator[tuple[str, str]]:
    """Place and text of what can be drafted."""
    if what == "noise":
        for name, pool in spec.controls.noise.items():
            yield spec.where("5-controls", "noise", name), "\n".join(f"{line.say} => {line.reply}" for line in pool)
    elif what == "wording":
        for i, channel in enumerate(spec.sessions.channels):
            for j, phase in enumerate(channel.phases):
                for k, loop in enumerate(phase.loops):
                    at = ("channels", i, "phases", j, "loops", k, "say")
                    yield spec.where("2-sessions", *at), loop.say.strip()
    else:
        for i, document in enumerate(spec.workspace.documents):
            if document.role != "signal" and document.kind in ("markdown", "text"):
                text: str = getattr(document, "text")  # noqa: B009 - only these kinds have one
                yield spec.where("1-workspace", "documents", i, "text"), text.strip()


def _checked(where: str, before: str, after: str, canon: Canon) -> Draft:
    why = faults(before, after, canon)
    return Draft(where, before, after, (*why, *(["it is what it was"] if after == before else [])))


def _lines(where: str, said: str, canon: Canon, spec: Spec) -> Iterator[Draft]:
    for line in filter(None, (line.strip() for line in said.splitlines())):
        say, arrow, reply = line.partition("=>")
        why = [] if arrow and say.strip() and reply.strip() else ["it is not of the form: message => reply"]
        filled = line
        for slot in re.findall(r"\{slot\.(\w+)\}", line):
            if slot in spec.controls.slots:
                filled = filled.replace(f"{{slot.{slot}}}", "")
            else:
                why.append(f"there is no slot {slot!r}")
        yield Draft(where, "", line, (*why, *faults("", filled, canon)))


def _write(root: Path, what: What, drafts: list[Draft]) -> Path:
    """Into the next free file of the folder `drafts`."""
    folder = root / "drafts"
    folder.mkdir(exist_ok=True)
    data: dict[str, Any] = {
        "accepted": [{k: v for k, v in asdict(one).items() if k != "why"} for one in drafts if not one.why],
        "rejected": [{**asdict(one), "why": list(one.why)} for one in drafts if one.why],
    }
    text = yaml_text(data)
    for number in range(1, 10_000):
        try:
            with (folder / f"{what}-{number}.yaml").open("x", encoding="utf-8") as out:
                out.write(
                    f"# A proposal: copy what you like into the spec; nothing here is read by the compiler.\n{text}"
                )
        except FileExistsError:
            continue
        return folder / f"{what}-{number}.yaml"
    raise ScenarioError("ten thousand drafts lie there", where=str(folder), remedy="Remove the old ones.")
