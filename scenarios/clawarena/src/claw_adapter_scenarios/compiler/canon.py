"""The truth of one variant: every fact's value, everybody's name, the calendar; drawn from the spec by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Final

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.language.draw import dice
from claw_adapter_scenarios.language.expressions import evaluate
from claw_adapter_scenarios.language.people import FAMILY, FAMILY_ZH, FIRST, FIRST_ZH, split_name
from claw_adapter_scenarios.language.templates import Rendered, render
from claw_adapter_scenarios.language.values import Reading, SeriesValue, Value, parse_moment, to_value
from claw_adapter_scenarios.spec.load import Spec
from claw_adapter_scenarios.spec.truth import Fact, Series, Vary

__all__ = ["Canon", "draw_canon"]

ATTEMPTS: Final = 400
NOW: Final = "now"
"""The scenario's clock, as a name in templates and expressions."""


class Canon:
    """What names mean in one variant; a `Scope` for templates."""

    def __init__(
        self, spec: Spec, seed: int, base: Mapping[str, Value], people: Mapping[str, str], shift: timedelta
    ) -> None:
        self.spec = spec
        self.seed = seed
        self.people = people
        self._base = base
        self._shift = shift
        self._values: dict[str, Value] = {}
        self._busy: set[str] = set()
        self._dice = dice(seed, spec.truth.id, "choices")

    @property
    def language(self) -> str:
        """The scenario's language."""
        return self.spec.truth.language

    def value(self, name: str) -> Value:
        """The true value of a fact.

        Raises:
            ScenarioError: there is no such fact, or it depends on itself.
        """
        if name in self._values:
            return self._values[name]
        if name == NOW:
            return self.moment(self.spec.truth.clock)
        fact = self.spec.truth.facts.get(name)
        if fact is None:
            raise ScenarioError(f"there is no fact {name!r}")
        if name in self._busy:
            raise ScenarioError(f"the fact {name!r} depends on itself")
        self._busy.add(name)
        try:
            self._values[name] = self._compute(name, fact)
        finally:
            self._busy.discard(name)
        return self._values[name]

    def _compute(self, name: str, fact: Fact) -> Value:
        if fact.expr is not None:
            value = evaluate(fact.expr, self.value)
        elif fact.series is not None:
            value = self._series(name, fact.series)
        else:
            value = self._base[name]
            if isinstance(value, str) and value.startswith("="):
                value = evaluate(value[1:], self.value)
        return self.render(value).text if isinstance(value, str) and "{" in value else value

    def _series(self, name: str, series: Series) -> SeriesValue:
        noise = dice(self.seed, self.spec.truth.id, "series", name)
        start, readings = self.moment(series.start), []
        bumps = [
            (self.moment(b.start), self.moment(b.top), self.moment(b.until), self._number(b.peak)) for b in series.bumps
        ]
        for index in range(series.count):
            at = start + timedelta(minutes=index * series.step)
            level = series.base
            for first, top, until, peak in bumps:
                level += (peak - series.base) * _share(at, first, top, until)
            value = round(level + noise.uniform(-series.noise, series.noise), series.digits)
            readings.append(Reading(at, value))
        return SeriesValue(tuple(readings), series.step)

    def _number(self, given: str | float) -> float:
        return float(evaluate(given, self.value) if isinstance(given, str) else given)

    def text(self, name: str, attribute: str) -> str | None:
        """The text of an actor (or one of its attributes), a bias or a phrase; None for other names."""
        truth = self.spec.truth
        if name in truth.biases and not attribute:
            return self.render(truth.biases[name].phrase).text
        if name in truth.phrases and not attribute:
            return self.render(truth.phrases[name].phrase).text
        if name not in truth.actors:
            return None
        full = self.people[name]
        first, last = split_name(full)
        handle = f"{first[0]}.{last}".lower().replace(" ", "")
        handle = (
            handle if handle.isascii() or not handle[0] > "\u2e7f" else name
        )  # mail addresses are not written in Han characters
        known = {
            "": full, "first": first, "last": last, "handle": handle,
            "role": truth.actors[name].role, "mail": f"{handle}@{self._domain()}",
        }  # fmt: skip
        if attribute not in known:
            raise ScenarioError(f"{name!r} has no attribute {attribute!r}")
        return known[attribute]

    def _domain(self) -> str:
        fact = self.spec.truth.facts.get("mail_domain")
        return str(self.value("mail_domain")) if fact else f"{self.spec.truth.id.lower()}.example"

    def choose(self, choices: Sequence[str]) -> str:
        """One of the choices, by the variant's dice."""
        return self._dice.choice(list(choices))

    def moment(self, text: str) -> datetime:
        """A moment of the spec: a literal, moved to this variant's calendar, or an expression.

        Raises:
            ScenarioError: it is neither.
        """
        literal = parse_moment(text)
        found = literal + self._shift if literal is not None else evaluate(text, self.value)
        if not isinstance(found, datetime):
            raise ScenarioError(
                f"{text!r} is no moment", remedy="Write 2026-03-10 21:55, or an expression that gives one."
            )
        return found

    def render(self, template: str, extra: dict[str, Value] | None = None) -> Rendered:
        """A template with the true values."""
        return render(template, self, extra=extra)


def _share(at: datetime, first: datetime, top: datetime, until: datetime) -> float:
    if not first <= at <= until:
        return 0.0
    if at <= top:
        return (at - first) / (top - first) if top > first else 1.0
    return (until - at) / (until - top)


def draw_canon(spec: Spec, seed: int) -> Canon:
    """The variant of a seed: 0 is the spec as written, others draw names, varied facts and a shift of whole weeks.

    Raises:
        ScenarioError: no draw fulfils what the spec requires.
    """
    for attempt in range(ATTEMPTS if seed else 1):
        rng = dice(seed, spec.truth.id, "draw", attempt)
        shift = timedelta(weeks=rng.randint(1, 48)) if seed else timedelta()
        base = {name: _draw(fact, rng, shift, varied=bool(seed)) for name, fact in spec.truth.facts.items()}
        canon = Canon(spec, seed, base, _people(spec, rng, varied=bool(seed)), shift)
        if all(evaluate(demand, canon.value) for demand in spec.truth.require):
            return canon
    broken = next((demand for demand in spec.truth.require if not evaluate(demand, canon.value)), "")
    raise ScenarioError(
        f"no draw of seed {seed} fulfils {broken!r}",
        where=spec.where("0-truth", "require"),
        remedy="Vary less." if seed else "Change the values as they are written, or what is required.",
    )


def _draw(fact: Fact, rng: Random, shift: timedelta, *, varied: bool) -> Value:
    value = to_value(fact.value)
    if fact.vary is not None:
        drawn = _varied(fact.vary, value, rng)  # drawn even for seed 0, so that adding a fact moves no other draw
        value = drawn if varied else value
    return value + shift if isinstance(value, date) else value


def _varied(vary: Vary, value: Value, rng: Random) -> Value:
    if vary.choices:
        return to_value(rng.choice(list(vary.choices)))
    if vary.range is not None:
        low, high = vary.range
        drawn = low + vary.step * rng.randint(0, int((high - low) / vary.step + 1e-9))
        return int(drawn) if isinstance(value, int) else round(drawn, 6)
    low, high = vary.shift or (0, 0)
    step = int(vary.step)
    return _moved(value, timedelta(minutes=step * rng.randint(-(-low // step), high // step)))


def _moved(value: Value, by: timedelta) -> Value:
    if isinstance(value, time):
        return (datetime.combine(date.min + timedelta(days=1), value) + by).time()
    if not isinstance(value, date):
        raise ScenarioError(f"'shift' moves moments, not {value!r}", remedy="Vary it by 'range' or 'choices'.")
    return value + by


def _people(spec: Spec, rng: Random, *, varied: bool) -> dict[str, str]:
    if spec.truth.language.startswith("zh"):
        return _people_zh(spec, rng, varied=varied)
    if not varied:
        return {key: actor.name for key, actor in spec.truth.actors.items()}
    used = {part for actor in spec.truth.actors.values() for part in actor.name.split()}
    people: dict[str, str] = {}
    for key, actor in spec.truth.actors.items():
        first = rng.choice([name for name in FIRST[actor.gender] if name not in used])
        family = rng.choice([name for name in FAMILY if name not in used])
        used |= {first, family}
        people[key] = f"{first} {family}"
    return people


def _people_zh(spec: Spec, rng: Random, *, varied: bool) -> dict[str, str]:
    """Chinese names, family name first and without a blank; the spec writes ``陈 晓岚``."""
    own = {key: actor.name.split() for key, actor in spec.truth.actors.items()}
    if not varied:
        return {key: "".join(parts) for key, parts in own.items()}
    used = {part for parts in own.values() for part in parts}
    people: dict[str, str] = {}
    for key, actor in spec.truth.actors.items():
        family = rng.choice([name for name in FAMILY_ZH if name not in used])
        first = rng.choice([name for name in FIRST_ZH[actor.gender] if name not in used])
        used |= {family, first}
        people[key] = f"{family}{first}"
    return people
