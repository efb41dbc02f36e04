"""Messages of an export as a session of a spec: a file of prose, and the channel that shows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.imports.exports import Said
from claw_adapter_scenarios.spec.load import Spec
from claw_adapter_scenarios.spec.prose import FOLDER

__all__ = ["bring_in"]

MINUTE: Final = timedelta(minutes=1)
HAN: Final = "\u2e7f"
_BEGINS: Final = re.compile(r"(?m)^(?=#|>|: )")


def bring_in(
    spec: Spec,
    said: Sequence[Said],
    channel: str,
    *,
    known: Mapping[str, str],
    assistant: str = "",
    kind: str = "",
    program: str = "chat",
    source: str = "",
    days: int = 0,
) -> list[Path]:
    """Write the messages as a file of prose, and the channel into ``2-sessions.yaml``; returns the files.

    Names of the people in what they write become references, so that other seeds can draw others.

    Args:
        spec: where they go.
        said: the messages, in order.
        channel: the id of the new session.
        known: actor by the name that the export has.
        assistant: the name there of who stands for the agent: what it says is the reply to what came before.
        kind: ``group`` or ``direct``; without it by the number of people.
        program: what the channel is called, such as ``mail``.
        source: the kind of source; without it the lowest in rank.
        days: by which all times are moved.

    Raises:
        ScenarioError: somebody is no actor, the channel is there already, or what is said comes after the clock.
    """
    if any(one.id == channel for one in spec.sessions.channels):
        raise ScenarioError(
            f"there is a channel {channel!r}", where=spec.where("2-sessions"), remedy="Choose another id."
        )
    people = _people(spec, said, known, assistant)
    moved = [Said(one.at + timedelta(days=days), one.who, one.text) for one in said]
    clock = datetime.fromisoformat(spec.truth.clock) if re.match(r"\d{4}-", spec.truth.clock) else None
    if clock is not None and moved[-1].at.replace(tzinfo=None) >= clock:
        late = (moved[-1].at.replace(tzinfo=None) - clock).days + 1
        what = f"the last message is of {moved[-1].at:%Y-%m-%d %H:%M}, and the clock stands at {clock:%Y-%m-%d %H:%M}"
        raise ScenarioError(what, where=spec.where("0-truth", "clock"), remedy=f"Move them with --days {days - late}.")
    there = list(dict.fromkeys(people[one.who] for one in moved if one.who != assistant))
    prose = spec.root / FOLDER / f"{channel}.md"
    prose.parent.mkdir(exist_ok=True)
    prose.write_text("\n".join(_written(moved, people, _references(spec, people), assistant)) + "\n", "utf-8")
    sources = spec.truth.sources
    entry = {
        "id": channel,
        "kind": kind or ("group" if len(there) > 1 else "direct"),
        "channel": program,
        "title": channel.replace("-", " ").capitalize(),
        "participants": f"[{', '.join(there)}]",
        "source": source or min(sources, key=lambda name: sources[name].rank),
        "from": f"{moved[0].at:%Y-%m-%d %H:%M}",
        "until": f"{moved[-1].at + MINUTE:%Y-%m-%d %H:%M}",
        "phases": f"{{prose: {prose.name}}}",
    }
    return [prose, _listed(spec, entry)]


def _people(spec: Spec, said: Sequence[Said], known: Mapping[str, str], assistant: str) -> dict[str, str]:
    """Actor by name."""
    actors = spec.truth.actors
    by_name = {name.casefold(): key for key, one in actors.items() for name in (key, one.name, *_names(one.name))}
    found, strange = dict[str, str](), Counter[str]()
    for one in said:
        key = known.get(one.who) or by_name.get(one.who.casefold(), "")
        if key in actors:
            found[one.who] = key
        elif one.who != assistant:
            strange[one.who] += 1
    if strange:
        who = ", ".join(f"{name!r} ({count})" for name, count in strange.most_common())
        said_by = f"--as {strange.most_common(1)[0][0]!r}={next(iter(actors))}"
        remedy = f"Say who they are, as in {said_by}, or add actors. There are: {', '.join(actors)}."
        raise ScenarioError(
            f"messages of nobody who is an actor: {who}", where=spec.where("0-truth", "actors"), remedy=remedy
        )
    return found


def _names(name: str) -> tuple[str, str]:
    """The full name as a text has it, and the first name."""
    joined = name.replace(" ", "") if name[0] > HAN else name
    first, last = name.split(maxsplit=1)
    return joined, last if name[0] > HAN else first


def _references(spec: Spec, people: Mapping[str, str]) -> dict[str, str]:
    """The reference in the place of a name, longer names first."""
    found = dict[str, str]()
    for key, one in spec.truth.actors.items():
        full, first = _names(one.name)
        found |= {full: f"{{{key}}}", first: f"{{{key}.first}}"}
    for name, key in people.items():
        if len(name) > 1 and "@" not in name:
            found |= {name: f"{{{key}}}", name.split()[0]: f"{{{key}.first}}"}
    return dict(sorted(found.items(), key=lambda one: -len(one[0])))


def _written(
    said: Sequence[Said], people: Mapping[str, str], names: Mapping[str, str], assistant: str
) -> Iterator[str]:
    last: datetime | None = None
    replied = True
    yield "# brought in"
    for one in said:
        text = _text(one.text, names)
        if one.who == assistant:
            if last is not None and not replied:
                yield from (f"> {line}".rstrip() for line in text.splitlines())
                replied = True
            continue
        at = one.at.replace(second=0, microsecond=0)
        last = at if last is None or at > last else last + MINUTE  # two of a minute come one after the other
        yield from ("", f"## {last:%Y-%m-%d %H:%M}, {people[one.who]}", text)
        replied = False


def _text(text: str, names: Mapping[str, str]) -> str:
    """What was said, as prose of a spec: names as references, and without anything else that means something there."""
    text = text.replace("{", "{{").replace("}", "}}").replace("[[", "[ [").replace("]]", "] ]").replace("<!--", "<! --")
    for name, reference in names.items():
        edges = ("", "") if name[0] > HAN else (r"(?<![\w{.])", r"(?![\w}])")
        text = re.sub(f"{edges[0]}{re.escape(name)}{edges[1]}", reference.replace("\\", ""), text)
    return _BEGINS.sub(" ", text)


def _listed(spec: Spec, entry: Mapping[str, str]) -> Path:
    """Put the channel behind the others in ``2-sessions.yaml``."""
    path = spec.root / "2-sessions.yaml"
    lines = path.read_text("utf-8").rstrip("\n").splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("channels:"))
    end = next((n for n in range(start + 1, len(lines)) if re.match(r"[^\s#-]", lines[n])), len(lines))
    first = next((line for line in lines[start + 1 : end] if line.lstrip().startswith("- ")), "  - ")
    indent = first[: first.index("-")]
    fields = [f"{name}: {value}" for name, value in entry.items()]
    lines[end:end] = [f"{indent}- {fields[0]}", *(f"{indent}  {one}" for one in fields[1:])]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path
