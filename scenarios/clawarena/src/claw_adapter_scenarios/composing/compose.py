"""A scenario laid out from a pack and patterns: six files, prose, and a card that says what is still to be written."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from claw_adapter.errors import ScenarioError
from claw_adapter.scenario.yamltext import yaml_text
from claw_adapter_scenarios.composing.data import Pack, Pattern
from claw_adapter_scenarios.composing.rounds import rounds_of
from claw_adapter_scenarios.spec import schemas

__all__ = ["compose"]

CARD: Final = """\
# {id}

## How it was made

Laid out by `claw scenarios new` from the pack {pack} and the patterns {patterns}. Say who wrote the rest, and from what.

## Worlds

{worlds}

## What makes it hard

To be written.

## Solved blind

Not yet.

## Disagreements

None yet, as nobody has solved it.

## Limits

To be written.
"""


def compose(name: str, out: Path, pack: Pack, patterns: Mapping[str, Pattern], pack_name: str) -> Path:
    """Write the spec `out`/`name`, with the JSON Schemas in `out`/schemas; returns its folder.

    Args:
        name: its id.
        out: where.
        pack: the domain.
        patterns: the conflicts by name, in the order of their updates U1, U2 …
        pack_name: for the card.

    Raises:
        ScenarioError: two patterns need the same name.
    """
    root, found = out / name, list(patterns.values())
    layers = {
        "0-truth": _truth(name, pack, found),
        "1-workspace": {
            **pack.workspace,
            "documents": [*pack.workspace["documents"], *(d for p in found for d in p.documents)],
        },
        "2-sessions": _sessions(pack, found),
        "3-rounds": rounds_of(pack, found),
        "4-updates": {"updates": [_update(pack, number, one) for number, one in enumerate(found, 1)]},
        "5-controls": {
            "noise": {},
            "replies": ["Noted.", "Thank you.", "All right."],
            "dense": "laid out, not written yet",
        },
    }
    (root / "prose").mkdir(parents=True)
    for layer, data in layers.items():
        text = yaml_text(data, width=140, flow=None, blocks=True)
        (root / f"{layer}.yaml").write_text(
            f"# yaml-language-server: $schema=../schemas/{layer}.schema.json\n{text}", "utf-8"
        )
    for channel, text in _prose(pack, found).items():
        (root / "prose" / f"{channel}.md").write_text(text, "utf-8")
    worlds = "\n".join(
        f"- {key}: {one['what']} ({', '.join(one['sides'])})" for p in found for key, one in p.switch.items()
    )
    (root / "card.md").write_text(
        CARD.format(id=name, pack=pack_name, patterns=", ".join(patterns), worlds=worlds or "none"), "utf-8"
    )
    (out / "schemas").mkdir(exist_ok=True)
    for layer, schema in schemas().items():
        text = json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
        (out / "schemas" / f"{layer}.schema.json").write_text(text, "utf-8")
    return root


def _truth(name: str, pack: Pack, found: Sequence[Pattern]) -> dict[str, Any]:
    facts, switches = dict(pack.truth["facts"]), dict[str, Any]()
    contradictions = dict[str, Any]()
    kinds = dict[str, int]()
    for one in found:
        if same := (facts.keys() & one.facts.keys()) | (switches.keys() & one.switch.keys()):
            raise ScenarioError(f"{min(same)!r} is there twice", remedy="Name each pattern once.")
        facts |= one.facts
        switches |= one.switch
        kinds[one.kind] = kinds.get(one.kind, 0) + 1
        contradictions[one.kind + ("" if kinds[one.kind] == 1 else chr(96 + kinds[one.kind]))] = one.contradiction
    about = {key: value for key, value in pack.agreement.items() if key in ("about", "fact", "a", "b")}
    contradictions["C3"] = {**about, "truth": pack.agreement["true"]}
    rest = {key: value for key, value in pack.truth.items() if key != "facts"}
    head = {"spec": "spec/1", "edition": 2, "id": name, "switches": switches}
    return {**head, **rest, "facts": facts, "contradictions": contradictions}


def _clock(pack: Pack) -> datetime:
    found = pack.truth["clock"]
    if isinstance(found, datetime):
        return found
    if isinstance(found, date):
        return datetime.combine(found, datetime.min.time())
    return datetime.fromisoformat(str(found))


def _sessions(pack: Pack, found: Sequence[Pattern]) -> dict[str, Any]:
    used = {one["channel"] for one in (*pack.messages, *(m for p in found for m in p.messages))}
    start = _clock(pack) - timedelta(days=2)
    times = {"from": f"{start:%Y-%m-%d} 06:00", "until": f"{_clock(pack):%Y-%m-%d %H:%M}"}
    channels = []
    for one in pack.sessions["channels"]:
        phases = {"phases": {"prose": f"{one['id']}.md"}} if one["id"] in used else {}
        channels.append({**one, **times, **phases})
    return {"main": pack.sessions["main"], "channels": channels}


def _prose(pack: Pack, found: Sequence[Pattern]) -> dict[str, str]:
    """The sessions before the clock, by channel, in the order of time."""
    said = defaultdict[str, list[tuple[str, str]]](list)
    for one in (*pack.messages, *(m for p in found for m in p.messages)):
        when = f"{_clock(pack) + timedelta(days=int(one['day'])):%Y-%m-%d} {one['at']}"
        reply = "".join(f"> {line}\n" for line in str(one.get("reply", "")).splitlines())
        said[one["channel"]].append((when, f"## {when}, {one['from']}\n{one['say']}\n{reply}"))
    return {channel: "# before\n" + "\n".join(text for _, text in sorted(parts)) for channel, parts in said.items()}


def _update(pack: Pack, number: int, one: Pattern) -> dict[str, Any]:
    """The update of a pattern. Its messages come after the clock, those of a later update later."""
    grow = defaultdict[str, list[dict[str, Any]]](list)
    for place, message in enumerate(one.later_messages):
        at = _clock(pack) + timedelta(minutes=50 * number + 2 * place)
        loop = {"at": f"{at:%Y-%m-%d %H:%M}", "from": message["from"], "say": message["say"]}
        grow[message["channel"]].append({**loop, "reply": message.get("reply", "")})
    made: dict[str, Any] = {"id": f"U{number}", "goal": one.about, "tags": dict(one.update)}
    if grow:
        made["grow"] = [{"channel": channel, "loops": loops} for channel, loops in grow.items()]
    if one.later_documents:
        made["documents"] = one.later_documents
    return made
