"""Structural rules: what can be seen in the six files before anything is compiled."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise

from claw_adapter.errors import ScenarioError
from claw_adapter.finding import Finding
from claw_adapter_scenarios.language.expressions import FUNCTIONS, names_in
from claw_adapter_scenarios.language.templates import expressions_in, heads_in, names_used, open_mark
from claw_adapter_scenarios.spec.load import Spec
from claw_adapter_scenarios.spec.rounds import FileRule
from claw_adapter_scenarios.spec.sessions import Loop
from claw_adapter_scenarios.validation.forms import forms
from claw_adapter_scenarios.validation.rules import describe, spec_finding
from claw_adapter_scenarios.validation.texts import SpecText, spec_texts

__all__ = ["structural"]

_SLOT = re.compile(r"\{slot\.(\w+)\}")
_EITHER_CASE = re.compile(r"\[([A-Za-z])(?i:\1)\]")
_FIELD = re.compile(r"\{[^{}\n]*\}")


def structural(spec: Spec) -> Iterator[Finding]:
    """All structural findings."""
    yield from _names(spec)
    yield from _people(spec)
    yield from _writers(spec)
    for text in spec_texts(spec):
        yield from _expression(spec, text) if text.expression else _template(spec, text)
    yield from _mark_ids(spec)
    yield from _sources(spec)
    yield from _updates(spec)
    yield from _channels(spec)
    yield from _rounds(spec)
    yield from _spacing(spec)
    yield from _preferences(spec)
    yield from _pools(spec)
    yield from _questions(spec)
    yield from forms(spec)


def _known(spec: Spec) -> set[str]:
    truth = spec.truth
    return {*truth.facts, *truth.actors, *truth.biases, *truth.phrases, "now"}


def _names(spec: Spec) -> Iterator[Finding]:
    truth = spec.truth
    layers: dict[str, Collection[str]] = {
        "facts": truth.facts,
        "actors": truth.actors,
        "biases": truth.biases,
        "phrases": truth.phrases,
    }
    counts = Counter(name for names in layers.values() for name in names)
    reserved = {"now", *FUNCTIONS}
    for kind, names in layers.items():
        for name in names:
            if name in reserved or (counts[name] > 1 and kind != "facts"):
                yield spec_finding("SPEC-003", f"the name {name!r} is taken", spec.where("0-truth", kind, name))


def _people(spec: Spec) -> Iterator[Finding]:
    for name, where in _persons(spec):
        if name not in spec.truth.actors:
            yield spec_finding("SPEC-004", f"there is no actor {name!r}", where)


def _persons(spec: Spec) -> Iterator[tuple[str, str]]:
    truth = spec.truth
    yield truth.protagonist, spec.where("0-truth", "protagonist")
    for i, event in enumerate(truth.timeline):
        yield from ((name, spec.where("0-truth", "timeline", i, "known_to")) for name in event.known_to)
    for fact, about in truth.facts.items():
        yield from ((name, spec.where("0-truth", "facts", fact, "known_by")) for name in about.known_by)
    for i, channel in enumerate(spec.sessions.channels):
        yield from ((name, spec.where("2-sessions", "channels", i, "participants")) for name in channel.participants)
    yield from ((loop.sender, where) for _, loop, where in _loops(spec))


def _writers(spec: Spec) -> Iterator[Finding]:
    """Who writes in a conversation takes part in it, or is the one whose agent it is."""
    people = {channel.id: {*channel.participants, spec.truth.protagonist} for channel in spec.sessions.channels}
    for name, loop, where in _loops(spec):
        if loop.sender in spec.truth.actors and loop.sender not in people.get(name, (loop.sender,)):
            said = f"{loop.sender!r} writes in {name!r} and is not among its 'participants'"
            yield spec_finding("SPEC-004", said, where)


def _loops(spec: Spec) -> Iterator[tuple[str, Loop, str]]:
    """Every written message: the conversation, the message, and where it stands."""
    for i, channel in enumerate(spec.sessions.channels):
        for j, phase in enumerate(channel.phases):
            for k, loop in enumerate(phase.loops):
                yield channel.id, loop, spec.where("2-sessions", "channels", i, "phases", j, "loops", k)
    for i, update in enumerate(spec.updates.updates):
        for j, growth in enumerate(update.grow):
            for k, loop in enumerate(growth.loops):
                yield growth.channel, loop, spec.where("4-updates", "updates", i, "grow", j, "loops", k)


def _expression(spec: Spec, text: SpecText) -> Iterator[Finding]:
    where = spec.where(text.layer, *text.path)
    plain = _FIELD.sub("0", text.text)
    try:
        unknown = [n for n in names_in(plain) if n not in spec.truth.facts and n not in text.extra and n != "now"]
    except ScenarioError as error:
        yield spec_finding("SPEC-007", describe(error), where)
        return
    if unknown:
        yield spec_finding("SPEC-007", f"there is no fact {unknown[0]!r}", where)
    yield from _template(spec, text)


def _template(spec: Spec, text: SpecText) -> Iterator[Finding]:
    where = spec.where(text.layer, *text.path)
    body = _SLOT.sub("", text.text)
    for name, _ in names_used(body):
        if name not in _known(spec) and name not in text.extra:
            yield spec_finding("SPEC-005", f"there is no {name!r}", where)
    for expression in expressions_in(body):
        try:
            unknown = [
                n for n in names_in(expression) if n not in spec.truth.facts and n not in text.extra and n != "now"
            ]
        except ScenarioError as error:
            yield spec_finding("SPEC-007", describe(error), where)
            continue
        if unknown:
            yield spec_finding("SPEC-007", f"there is no fact {unknown[0]!r}", where)
    try:
        heads = list(heads_in(body))
    except ScenarioError as error:
        yield spec_finding("SPEC-006", describe(error), where)
        return
    if cut := open_mark(body):
        said = f"a mark that is not closed on its line: {cut[:80]!r} (Write ]] on the same line.)"
        yield spec_finding("SPEC-006", said, spec.find(cut, where))
    for head in heads:
        for fact, said in head.claims:
            if missing := [n for n in (fact, said) if n not in spec.truth.facts and n != "unknown"]:
                yield spec_finding("SPEC-006", f"a mark names {missing[0]!r}, which is no fact", where)


def _mark_ids(spec: Spec) -> Iterator[Finding]:
    seen: set[str] = set()
    for text in spec_texts(spec):
        if text.expression:
            continue
        try:
            ids = [head.id for head in heads_in(text.text) if head.id]
        except ScenarioError:
            continue
        for name in ids:
            if name in seen:
                yield spec_finding(
                    "SPEC-006", f"the mark id {name!r} is used twice", spec.where(text.layer, *text.path)
                )
            seen.add(name)


def _sources(spec: Spec) -> Iterator[Finding]:
    named = [(d.source, spec.where("1-workspace", "documents", i)) for i, d in enumerate(spec.workspace.documents)]
    named += [(c.source, spec.where("2-sessions", "channels", i)) for i, c in enumerate(spec.sessions.channels)]
    named.append((spec.sessions.main.source, spec.where("2-sessions", "main", "source")))
    for i, update in enumerate(spec.updates.updates):
        named += [
            (d.source, spec.where("4-updates", "updates", i, "documents", j)) for j, d in enumerate(update.documents)
        ]
    for name, where in named:
        if name not in spec.truth.sources:
            yield spec_finding("SPEC-008", f"there is no kind of source {name!r}", where)


def _updates(spec: Spec) -> Iterator[Finding]:
    known = {update.id for update in spec.updates.updates}
    used: Counter[str] = Counter(name for item in spec.rounds.rounds for name in item.updates)
    for i, item in enumerate(spec.rounds.rounds):
        for name in item.updates:
            if name not in known:
                yield spec_finding(
                    "SPEC-009", f"there is no update {name!r}", spec.where("3-rounds", "rounds", i, "updates")
                )
            elif used[name] > 1:
                where = spec.where("3-rounds", "rounds", i, "updates")
                yield spec_finding("SPEC-009", f"{used[name]} rounds apply {name!r}", where)
    for i, update in enumerate(spec.updates.updates):
        if not used[update.id]:
            yield spec_finding("SPEC-009", f"no round applies {update.id!r}", spec.where("4-updates", "updates", i))


def _channels(spec: Spec) -> Iterator[Finding]:
    channels = Counter(channel.id for channel in spec.sessions.channels)
    updates = Counter(update.id for update in spec.updates.updates)
    for i, channel in enumerate(spec.sessions.channels):
        if channels[channel.id] > 1 or channel.id == "main":
            yield spec_finding(
                "SPEC-010", f"the id {channel.id!r} is taken", spec.where("2-sessions", "channels", i, "id")
            )
        if channel.arrives and channel.arrives not in updates:
            where = spec.where("2-sessions", "channels", i, "arrives")
            yield spec_finding("SPEC-010", f"there is no update {channel.arrives!r}", where)
    for i, update in enumerate(spec.updates.updates):
        if updates[update.id] > 1:
            yield spec_finding(
                "SPEC-010", f"the id {update.id!r} is taken", spec.where("4-updates", "updates", i, "id")
            )
        for j, growth in enumerate(update.grow):
            if growth.channel not in channels:
                where = spec.where("4-updates", "updates", i, "grow", j, "channel")
                yield spec_finding("SPEC-010", f"there is no channel {growth.channel!r}", where)
    yield from _truth_references(spec, set(channels), set(updates))


def _truth_references(spec: Spec, channels: set[str], updates: set[str]) -> Iterator[Finding]:
    truth = spec.truth
    places = [(bias.session, "biases", name) for name, bias in truth.biases.items()]
    places += [(phrase.session, "phrases", name) for name, phrase in truth.phrases.items()]
    for session, kind, name in places:
        if session not in channels:
            where = spec.where("0-truth", kind, name, "session")
            yield spec_finding("SPEC-010", f"there is no channel {session!r}", where)
    reversals = [(bias.reversed_by, "biases", name) for name, bias in truth.biases.items()]
    reversals += [(c.reversed_by, "contradictions", name) for name, c in truth.contradictions.items() if c.reversed_by]
    for update, kind, name in reversals:
        if update not in updates:
            where = spec.where("0-truth", kind, name, "reversed_by")
            yield spec_finding("SPEC-010", f"there is no update {update!r}", where)


def _rounds(spec: Spec) -> Iterator[Finding]:
    ids = [item.id for item in spec.rounds.rounds]
    for i, item in enumerate(spec.rounds.rounds):
        if ids.index(item.id) < i:
            yield spec_finding("SPEC-011", f"the id {item.id!r} is taken", spec.where("3-rounds", "rounds", i, "id"))
        if item.of and item.of not in ids[:i]:
            where = spec.where("3-rounds", "rounds", i, "of")
            yield spec_finding("SPEC-011", f"{item.of!r} is no earlier round", where)
    for name, trap in spec.truth.traps.items():
        for wanted in trap.rounds:
            if wanted not in ids:
                where = spec.where("0-truth", "traps", name, "rounds")
                yield spec_finding("SPEC-011", f"there is no round {wanted!r}", where)


def _spacing(spec: Spec) -> Iterator[Finding]:
    rounds = [i for i, item in enumerate(spec.rounds.rounds) if item.updates]
    for before, after in pairwise(rounds):
        if after - before < spec.controls.spacing and not spec.controls.dense:
            count = "1 round" if after - before == 1 else f"{after - before} rounds"
            said = f"{count} after the last update round; {spec.controls.spacing} are wanted"
            way_out = "ask more in between, or write in 5-controls.yaml another 'spacing', or in 'dense' why it is so"
            yield spec_finding("SPEC-012", f"{said}: {way_out}", spec.where("3-rounds", "rounds", after, "updates"))


def _preferences(spec: Spec) -> Iterator[Finding]:
    for i, item in enumerate(spec.rounds.rounds):
        for field in ("teach", "exam"):
            for name in getattr(item, field):
                if name not in spec.rounds.preferences:
                    where = spec.where("3-rounds", "rounds", i, field)
                    yield spec_finding("SPEC-013", f"there is no preference {name!r}", where)


def _pools(spec: Spec) -> Iterator[Finding]:
    for i, channel in enumerate(spec.sessions.channels):
        for name in channel.pools:
            if name not in spec.controls.noise:
                where = spec.where("2-sessions", "channels", i, "pools")
                yield spec_finding("SPEC-014", f"there is no pool {name!r}", where)
    for text in spec_texts(spec):
        for name in _SLOT.findall(text.text):
            if name not in spec.controls.slots or text.layer != "5-controls":
                yield spec_finding("SPEC-014", f"there is no slot {name!r} here", spec.where(text.layer, *text.path))


def _questions(spec: Spec) -> Iterator[Finding]:
    for i, item in enumerate(spec.rounds.rounds):
        for j, file in enumerate(item.files):
            for word in _asked(file):
                if " ".join(word.split()) not in " ".join(item.ask.split()):
                    where = spec.where("3-rounds", "rounds", i, "files", j)
                    yield spec_finding("SPEC-015", f"round {item.id!r}: the question does not name {word!r}", where)
            for word in _demanded(file, item.ask):
                where = spec.where("3-rounds", "rounds", i, "files", j, "find")
                what = f"round {item.id!r}: the question does not say that the file's name has {word!r} in it"
                yield spec_finding("SPEC-015", what, where)


def _demanded(file: FileRule, ask: str) -> Iterator[str]:
    """Words that a free name must have by its glob and that a question says nowhere but in a title or a label."""
    rest = ask.casefold()
    for section in file.sections:
        for text in (section.title, *section.labels):
            rest = rest.replace(text.casefold(), "", 1)
    name = file.find.rpartition("/")[2].rpartition(".")[0]
    for word in re.split(r"[*?]|\[[^\]]*\]", _EITHER_CASE.sub(r"\1", name)):
        if word.casefold() not in rest:
            yield word


def _asked(file: FileRule) -> Iterable[str]:
    """Words that a question has to have: the path (or the folder, when the name is free), keys, columns, sections, labels."""
    yield file.path if not file.find else f"{file.path.rpartition('/')[0]}/"
    for name in file.fields:
        yield from name.split(".")
    yield from file.rows.columns if file.rows else ()
    for section in file.sections:
        yield section.title
        yield from section.labels
    yield from file.script.prints if file.script else ()
