"""Semantic rules: contradictions, statements and checks against layer 0 and the visible evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from claw_adapter.finding import Finding
from claw_adapter_scenarios.compiler.beliefs import Beliefs, Claim, feature
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.compiler.questions import CompiledRound
from claw_adapter_scenarios.language.expressions import names_in
from claw_adapter_scenarios.language.people import split_name
from claw_adapter_scenarios.language.values import SeriesValue
from claw_adapter_scenarios.spec.truth import Contradiction
from claw_adapter_scenarios.validation.rules import spec_finding
from claw_adapter_scenarios.validation.texts import spec_texts

__all__ = ["semantic"]

_DATE = re.compile(r"(?<!\d)20\d\d-\d\d-\d\d(?!\d)")
_FIELDS = re.compile(r"\{[^{}\n]*\}")


Clash = tuple[str, str, str]
"""A fact, and two marks that claim other values that are as good as each other, so that none decides it."""


def semantic(made: Compiled) -> Iterator[Finding]:
    """All semantic findings."""
    yield from _kinds(made)
    for name, contradiction in made.spec.truth.contradictions.items():
        yield from _contradiction(made, name, contradiction)
    yield from _scattered(made)
    clashes: dict[Clash, list[Finding]] = {}
    for one in made.rounds:
        yield from _statements(made, one, clashes)
        yield from _work(made, one, clashes)
        yield from _tags(made, one)
    yield from _clashes(made, clashes)
    yield from _coverage(made)
    yield from _typed(made)
    yield from _wrong_claims(made)


def _kinds(made: Compiled) -> Iterator[Finding]:
    names = list(made.spec.truth.contradictions)
    where = made.spec.where("0-truth", "contradictions")
    agreements = [name for name in names if name.startswith("C3")]
    if len(agreements) != 1:
        yield spec_finding("SPEC-030", f"there are {len(agreements)} of kind C3", where)
    for kind in ("C1", "C2", "C4"):
        if not any(name.startswith(kind) for name in names):
            yield spec_finding("SPEC-031", f"there is no {kind}", where)


def _contradiction(made: Compiled, name: str, about: Contradiction) -> Iterator[Finding]:
    def where(*path: str) -> str:
        return made.spec.where("0-truth", "contradictions", name, *path)

    pair = [_claim(made, about.a, about.fact), _claim(made, about.b, about.fact)]
    for field, claim in zip(("a", "b"), pair, strict=True):
        if claim is None:
            wanted = getattr(about, field)
            yield spec_finding("SPEC-032", f"{name}: there is no claim {wanted!r} about {about.fact!r}", where(field))
    a, b = pair
    if a is None or b is None:
        return
    same = feature(a.value) == feature(b.value)
    if name.startswith("C3") and not same:
        yield spec_finding("SPEC-034", f"{name}: {a.value!r} and {b.value!r} do not agree", where())
    if not name.startswith("C3") and same:
        yield spec_finding("SPEC-033", f"{name}: both claims say {a.value!r}", where())
    if a.place == b.place:
        yield spec_finding("SPEC-035", f"{name}: both claims stand in {a.place}", where())
    yield from _resolution(made, name, about, where())


def _claim(made: Compiled, name: str, fact: str) -> Claim | None:
    return next((c for c in made.material.claims if c.fragment == name and c.fact == fact), None)


def _resolution(made: Compiled, name: str, about: Contradiction, where: str) -> Iterator[Finding]:
    final = Beliefs(made.canon, made.material.claims, len(made.rounds) - 1)
    truth = made.canon.value(about.fact)
    if not final.known(about.fact) or feature(final.value(about.fact)) != feature(truth):
        yield spec_finding(
            "SPEC-036", f"{name}: in the end {final.value(about.fact)!r} is believed, not {truth!r}", where
        )
        return
    if len(_places(made, final, about.fact)) < 2:
        yield spec_finding("SPEC-037", f"{name}: only one place supports the truth about {about.fact!r}", where)
    if about.reversed_by is not None:
        start = made.starts[about.reversed_by]
        before = Beliefs(made.canon, made.material.claims, start, without=frozenset({about.reversed_by}))
        after = Beliefs(made.canon, made.material.claims, start)
        if feature(before.value(about.fact)) == feature(truth) and before.known(about.fact):
            yield spec_finding("SPEC-038", f"{name}: the truth is known before {about.reversed_by!r}", where)
        elif feature(after.value(about.fact)) != feature(truth):
            yield spec_finding("SPEC-038", f"{name}: {about.reversed_by!r} does not establish the truth", where)


def _places(made: Compiled, beliefs: Beliefs, fact: str) -> set[str]:
    """Places that by themselves or together support the believed value."""
    best = feature(beliefs.value(fact))
    fragments = {f for h in beliefs.holdings(fact) if feature(h.value) == best for f in h.fragments}
    return {claim.place for claim in made.material.claims if claim.fragment in fragments}


def _scattered(made: Compiled) -> Iterator[Finding]:
    facts = {c.fact for c in made.spec.truth.contradictions.values()}
    told: dict[str, set[str]] = {}
    for claim in made.material.claims:
        if claim.true and claim.fact in facts:
            told.setdefault(claim.place, set()).add(claim.fact)
    for place, known in told.items():
        if len(facts) > 1 and known == facts:
            where = made.spec.where("0-truth", "contradictions")
            yield spec_finding("SPEC-051", f"{place} tells the truth of every contradiction", where)


def _clash(made: Compiled, beliefs: Beliefs, names: Iterable[str]) -> Clash | None:
    """The first clash about one of these facts, or about one that it is made of."""
    for name in names:
        held = beliefs.holdings(name)
        if held and not beliefs.deciding(name):
            rival = next(one for one in held if feature(one.value) != feature(held[0].value))
            pair = [fragment for one in (held[0], rival) for fragment in sorted(one.fragments)[:1]]
            return (name, pair[0], pair[1]) if len(pair) == 2 else None
        fact = made.spec.truth.facts.get(name)
        if not held and fact and fact.expr and (found := _clash(made, beliefs, names_in(fact.expr))):
            return found
    return None


def _clashes(made: Compiled, clashes: Mapping[Clash, Sequence[Finding]]) -> Iterator[Finding]:
    """One finding for each clash, at one of its marks: all that hangs on it follows from it."""
    claims = {claim.fragment: claim for claim in made.material.claims}
    for (fact, one, other), found in clashes.items():
        a, b = claims[one], claims[other]
        said = f"the marks {a.fragment!r} and {b.fragment!r} ({a.place}, {b.place}) claim other values of {fact!r} at one rank"
        hang = f"nothing decides it, and {len(found)} statements and checks need it"
        way_out = "give one a source of higher rank, or let an update bring it"
        yield spec_finding(found[0].id, f"{said}: {hang}; {way_out}", made.spec.find(b.written, found[0].where))


def _statements(made: Compiled, one: CompiledRound, clashes: dict[Clash, list[Finding]]) -> Iterator[Finding]:
    def where(number: int | None = None) -> str:
        path: tuple[str | int, ...] = ("rounds", one.index)
        return made.spec.where("3-rounds", *path, *(() if number is None else ("options", number)))

    texts: set[str] = set()
    for option in one.options:
        if not option.verdict.facts:
            yield spec_finding("SPEC-040", f"{option.spec.condition!r} speaks of no fact", where(option.number))
        elif not option.verdict.sets:
            message = f"round {one.spec.id!r}: nothing visible decides {option.spec.condition!r}"
            found = spec_finding("SPEC-039", message, where(option.number))
            if clash := _clash(made, one.beliefs, option.verdict.facts):
                clashes.setdefault(clash, []).append(found)
            else:
                yield found
        if option.text.casefold() in texts:
            yield spec_finding("SPEC-047", f"the statement is there twice: {option.text!r}", where(option.number))
        texts.add(option.text.casefold())
    count, true = len(one.options), sum(bool(option.verdict.value) for option in one.options)
    if one.options and (not 5 <= count <= 10 or not 2 <= true < count):
        yield spec_finding("SPEC-041", f"round {one.spec.id!r} has {count} statements, {true} of them true", where())


def _work(made: Compiled, one: CompiledRound, clashes: dict[Clash, list[Finding]]) -> Iterator[Finding]:
    where = made.spec.where("3-rounds", "rounds", one.index)
    for name in one.needed_facts:
        fact = made.spec.truth.facts.get(name)
        if fact is None or fact.given or isinstance(made.canon.value(name), SeriesValue):
            continue
        if not one.beliefs.deciding(name):
            found = spec_finding("SPEC-042", f"round {one.spec.id!r}: nothing visible tells {name!r}", where)
            if clash := _clash(made, one.beliefs, (name,)):
                clashes.setdefault(clash, []).append(found)
            else:
                yield found
    for name in one.needed_claims:
        if one.beliefs.claim(name) is None:
            yield spec_finding("SPEC-042", f"round {one.spec.id!r}: no claim {name!r} can be seen", where)


def _tags(made: Compiled, one: CompiledRound) -> Iterator[Finding]:
    where = made.spec.where("3-rounds", "rounds", one.index)
    tagged = "DU" in one.spec.dimensions
    if tagged != one.dependent:
        message = "depends on no update" if tagged else "depends on an update"
        yield spec_finding("SPEC-043", f"round {one.spec.id!r} {message}", where)
    if "MS" in one.spec.dimensions:
        named = {n for option in one.options for group in option.verdict.sets for n in group} | set(one.evidence.needs)
        places = {claim.place for claim in made.material.claims if claim.fragment in named}
        if len(places) < 2:
            yield spec_finding("SPEC-052", f"round {one.spec.id!r} rests on {len(places)} place", where)


def _coverage(made: Compiled) -> Iterator[Finding]:
    where = made.spec.where("3-rounds", "rounds")
    skills = {one.spec.skill for one in made.rounds}
    if len(skills) < 2:
        yield spec_finding("SPEC-045", f"all rounds are of {skills.pop()}", where)
    if not any(one.spec.limits and any("unknown(" in o.spec.condition for o in one.options) for one in made.rounds):
        said = "no round with 'limits' has an unknown() statement"
        if left := [
            r.id for r in made.spec.rounds.rounds if r.limits and any("unknown(" in o.condition for o in r.options)
        ]:
            said = f"the unknown() statement of round {left[0]!r} is not among those drawn: give it 'always: true'"
        yield spec_finding("SPEC-046", said, where)
    asked: dict[str, bool] = {}
    flips = False
    for one in made.rounds:
        for option in one.options:
            truth = bool(option.verdict.value)
            flips |= asked.get(option.spec.condition, truth) != truth
            asked[option.spec.condition] = truth
    if not flips:
        yield spec_finding("SPEC-044", "no statement that is asked twice changes its truth", where)


def _typed(made: Compiled) -> Iterator[Finding]:
    names = {part for full in made.canon.people.values() for part in (full, split_name(full)[0])}
    words = [
        re.escape(name) if name[0] > "\u2e7f" else rf"\b{re.escape(name)}\b"
        for name in sorted(names, key=len, reverse=True)
    ]
    pattern = re.compile("|".join(words))
    for text in spec_texts(made.spec):
        if text.expression or text.layer == "5-controls" or text.path[0] in ("preferences", "actors"):
            continue
        plain = _FIELDS.sub("", text.text)
        if found := pattern.search(plain) or _DATE.search(plain):
            where = made.spec.where(text.layer, *text.path)
            yield spec_finding("SPEC-048", f"{found[0]!r} is typed; write a reference", where)


def _wrong_claims(made: Compiled) -> Iterator[Finding]:
    if made.spec.truth.switches:  # what somebody says may be right in one world and wrong in another
        return
    for text in spec_texts(made.spec):
        if text.expression:
            continue
        from claw_adapter_scenarios.language.templates import heads_in

        for head in heads_in(text.text):
            for fact, said in head.claims:
                if said not in (fact, "unknown") and feature(made.canon.value(said)) == feature(made.canon.value(fact)):
                    where = made.spec.where(text.layer, *text.path)
                    yield spec_finding("SPEC-049", f"{said!r} has the value of {fact!r}", where)
