"""Rounds: questions, options in shuffled order with computed gold, evidence, feedback, revisions, preferences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from string import ascii_uppercase

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Answer, Check, Feedback, Fragment, Preference, Round
from claw_adapter.protocol.gold import OptionEvidence, Revision, RoundEvidence
from claw_adapter.protocol.tags import RoundTags
from claw_adapter_scenarios.compiler.artefacts import Work, compile_work
from claw_adapter_scenarios.compiler.beliefs import Beliefs, Claim, Verdict
from claw_adapter_scenarios.compiler.canon import Canon
from claw_adapter_scenarios.compiler.drawing import drawn
from claw_adapter_scenarios.compiler.expected import Setting, rests_on
from claw_adapter_scenarios.compiler.lessons import lesson
from claw_adapter_scenarios.compiler.material import Material, Places
from claw_adapter_scenarios.compiler.sources import Sources
from claw_adapter_scenarios.language.draw import dice
from claw_adapter_scenarios.language.wording import sentence, words_of
from claw_adapter_scenarios.spec.load import Spec
from claw_adapter_scenarios.spec.rounds import OptionSpec, PreferenceSpec, RoundSpec

__all__ = ["CompiledRound", "Decided", "compile_preferences", "compile_rounds", "teaching_fragments"]


@dataclass(frozen=True, slots=True)
class Decided:
    """One option: where the author wrote it, its letter, and what decides it."""

    number: int
    """Position in the spec."""
    letter: str
    spec: OptionSpec
    text: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class CompiledRound:
    """One round, its key and its evidence."""

    spec: RoundSpec
    index: int
    round: Round
    answer: Answer
    evidence: RoundEvidence
    options: tuple[Decided, ...]
    work: Work | None
    beliefs: Beliefs
    needed_facts: tuple[str, ...]
    needed_claims: tuple[str, ...]
    """Claims that the predicates of the work compare."""
    dependent: bool
    """Whether what decides it came with an update."""


def compile_preferences(spec: Spec, canon: Canon) -> dict[str, Preference]:
    """The preferences as scenario/1 has them."""
    made: dict[str, Preference] = {}
    for name, given in spec.rounds.preferences.items():
        told = Feedback(correct=canon.render(given.correct).text, incorrect=canon.render(given.incorrect).text)
        fields = given.model_dump(
            include={"dimension", "files", "answer", "name", "contains", "lacks", "format", "headings"}
        )
        made[name] = Preference(rule=canon.render(given.rule).text, feedback=told, **fields)
    return made


def teaching_fragments(spec: Spec, preferences: Mapping[str, Preference]) -> dict[str, Fragment]:
    """The sentence that teaches a preference, as a fragment of the feedback of the round that teaches it first."""
    found: dict[str, Fragment] = {}
    for item in spec.rounds.rounds:
        for name in item.teach:
            if name in preferences and f"habit-{name}" not in found:
                text = preferences[name].feedback.incorrect.strip()
                found[f"habit-{name}"] = Fragment(where=f"feedback/{item.id}", text=text)
    return found


def compile_rounds(spec: Spec, canon: Canon, places: Places, material: Material) -> list[CompiledRound]:
    """All rounds in order; claims of feedback texts come into the material on the way.

    Raises:
        ScenarioError: with file and line of the round.
    """
    made: list[CompiledRound] = []
    taught: set[str] = set()
    written: set[str] = set()
    for index, item in enumerate(spec.rounds.rounds):
        beliefs = Beliefs(canon, material.claims, index)
        files = frozenset(material.files) | {c.path for c in material.changes if places.starts[c.update] <= index}
        try:
            one = _Compiler(spec, canon, places, material, made).compile(
                item, index, beliefs, frozenset(taught), files | written
            )
            told = canon.render(item.correct)
            material.claims += [
                replace(claim, first=index + 1)
                for claim in places.claims(told.marks, f"feedback/{item.id}", spec.sessions.main.source)
            ]
        except ScenarioError as error:
            where = error.where or spec.where("3-rounds", "rounds", index)
            raise ScenarioError(f"round {item.id!r}: {error.what}", where=where, remedy=error.remedy) from None
        taught.update(item.teach)
        if one.work is not None:
            written.update(one.work.oracle)
        made.append(one)
    return made


class _Compiler:
    """Compiles one round."""

    def __init__(
        self, spec: Spec, canon: Canon, places: Places, material: Material, earlier: Sequence[CompiledRound]
    ) -> None:
        self.spec, self.canon, self.starts, self.material = spec, canon, places.starts, material
        self.earlier = {one.spec.id: one for one in earlier}
        self.updates = {claim.fragment for claim in material.claims if claim.update}

    def compile(
        self, item: RoundSpec, index: int, beliefs: Beliefs, taught: frozenset[str], files: frozenset[str]
    ) -> CompiledRound:
        options = self._options(item, index, beliefs)
        work: Work | None = None
        facts: tuple[str, ...] = ()
        claims: tuple[str, ...] = ()
        if item.files:
            followed = {n: self._preference(n) for n in item.exam if n in taught}
            sources = Sources(self.material, self.starts, beliefs)
            setting = Setting(
                beliefs, self._before_updates(index), sources, followed, files, self.material.world(index, self.starts)
            )
            work, (facts, claims) = compile_work(item, setting), rests_on(item, beliefs)
        evidence = self._evidence(item, index, options, beliefs, (facts, claims))
        question = Round(
            id=item.id, type=item.type, question=self._asked(item),
            options={one.letter: one.text for one in options}, updates=item.updates,
            tags=RoundTags(dimensions=item.dimensions, skill=item.skill), stage=item.stage,
        )  # fmt: skip
        return CompiledRound(
            item, index, question, self._answer(item, index, options, evidence, work), evidence, options, work, beliefs, facts,
            claims, self._dependent(evidence),
        )  # fmt: skip

    def _before_updates(self, index: int) -> tuple[Beliefs, ...]:
        """What was visible in the rounds before each update that has come."""
        first = sorted({start for start in self.starts.values() if 0 < start <= index})
        return tuple(Beliefs(self.canon, self.material.claims, start - 1) for start in first)

    def _asked(self, item: RoundSpec) -> str:
        """The question, and what all such questions say: how values stand beside labels, and what is not to be refuted."""
        asked, words = self.canon.render(item.ask).text.strip(), words_of(self.canon.language)
        labelled = any(section.labels for file in item.files for section in file.sections)
        said = [asked, words["value alone"]] if labelled else [asked]
        if any(file.lacks for file in item.files):
            said.append(words["only what holds"])
        return words["between sentences"].join(said)

    def _preference(self, name: str) -> PreferenceSpec:
        if name not in self.spec.rounds.preferences:
            raise ScenarioError(f"there is no preference {name!r}")
        return self.spec.rounds.preferences[name]

    def _options(self, item: RoundSpec, index: int, beliefs: Beliefs) -> tuple[Decided, ...]:
        asked, order = item, list[int]()
        if item.type == "revision" and not item.options:
            if item.of not in self.earlier:
                raise ScenarioError(f"it revises {item.of!r}, which is not an earlier round")
            before = self.earlier[item.of]
            asked, index, order = before.spec, before.index, [option.number for option in before.options]
        verdicts = [self._verdict(option, index, number, beliefs) for number, option in enumerate(asked.options)]
        if asked is item:
            true = {number for number, verdict in enumerate(verdicts) if verdict.value}
            order = drawn(item, true, dice(self.canon.seed, self.spec.truth.id, "options", item.id))
        made = []
        for letter, number in zip(ascii_uppercase, order, strict=False):
            option = asked.options[number]
            text = self.canon.render(option.text).text.strip()
            made.append(Decided(number, letter, option, text, verdicts[number]))
        return tuple(made)

    def _verdict(self, option: OptionSpec, index: int, number: int, beliefs: Beliefs) -> Verdict:
        try:
            return beliefs.verdict(option.condition)
        except ScenarioError as error:
            where = self.spec.where("3-rounds", "rounds", index, "options", number)
            raise ScenarioError(error.what, where=where, remedy=error.remedy) from None

    def _evidence(
        self, item: RoundSpec, index: int, options: Sequence[Decided], beliefs: Beliefs, work: tuple[Iterable[str], ...]
    ) -> RoundEvidence:
        entries = {}
        for one in options:
            sets = tuple(tuple(sorted(names)) for names in one.verdict.sets)
            holds = bool(one.verdict.value)
            hasty = one.spec.hasty if one.spec.hasty is not None else not holds
            entries[one.letter] = OptionEvidence(
                supports=sets if holds else (), refutes=() if holds else sets, hasty=hasty
            )
        needs: dict[str, None] = {}
        facts, claims = work
        for name in facts:
            for holding in beliefs.deciding(name)[:1]:
                needs.update(dict.fromkeys(sorted(holding.fragments)))
        needs.update({name: None for name in claims if beliefs.claim(name)})
        needs.update({f"habit-{name}": None for name in item.exam if name in self._taught_before(index)})
        said, unsaid = self._replies(item)
        return RoundEvidence(options=entries, needs=tuple(needs), answer=said, hasty_answer=unsaid)

    def _taught_before(self, index: int) -> set[str]:
        return {name for item in self.spec.rounds.rounds[:index] for name in item.teach}

    def _replies(self, item: RoundSpec) -> tuple[str, str]:
        words = words_of(self.canon.language)
        if item.type == "revision":
            return words["changed"], words["not changed"]
        if not item.files:
            return "", ""
        said = words["done"]
        for name in item.exam:
            if own := self._preference(name).follow.answer:
                said = self.canon.render(own).text
        return said, words["written"]

    def _answer(
        self, item: RoundSpec, index: int, options: Sequence[Decided], evidence: RoundEvidence, work: Work | None
    ) -> Answer:
        gold = tuple(one.letter for one in options if one.verdict.value)
        words = words_of(self.canon.language)
        correct = self.canon.render(item.correct).text or words["right"]
        incorrect = self.canon.render(item.incorrect).text or (
            words["wrong work"].format(lesson=lesson(work.expected, self.canon.language)) if work else words["wrong"]
        )
        feedback = Feedback(
            correct=correct, incorrect=incorrect, options={one.letter: self._why(one) for one in options}
        )
        programs = work.programs if work else ()
        command = f"python ${{checks}}/check.py ${{checks}}/{item.id}.json ${{workspace}}"
        named = any(file.find for file in item.files)
        read = " ${outputs} ${changed}" if named else " ${outputs}" if programs else ""
        check = Check(command=command + read, programs=programs, timeout=item.timeout)
        return Answer(
            answer=gold, check=check if item.files else None, exam=item.exam, teach=item.teach, feedback=feedback,
            revision=self._revision(item, index, evidence),
        )  # fmt: skip

    def _why(self, one: Decided) -> str:
        if one.spec.why:
            return self.canon.render(one.spec.why).text
        names = {name for group in one.verdict.sets for name in group}
        places = dict.fromkeys(self._called(c) for c in self.material.claims if c.fragment in names)
        words = words_of(self.canon.language)
        key = "holds" if one.verdict.value else "does not hold"
        return sentence(key, self.canon.language, places=words["comma"].join(places))

    def _called(self, claim: Claim) -> str:
        kind, _, place = claim.place.partition("/")
        words = words_of(self.canon.language)
        if kind == "workspace":
            return place
        if kind == "feedback":
            return words["told"]
        titles = {entry.id: words["conversation"].format(title=entry.title) for entry in self.material.entries}
        return titles.get(place, words["own"])

    def _revision(self, item: RoundSpec, index: int, evidence: RoundEvidence) -> Revision | None:
        if item.type != "revision" or item.of not in self.earlier:
            return None
        before = self.earlier[item.of]
        named = {
            name
            for option in evidence.options.values()
            for group in (*option.supports, *option.refutes)
            for name in group
        }
        fresh = [
            c for c in self.material.claims if c.fragment in named and before.index < c.first <= index and c.update
        ]
        if not fresh:
            raise ScenarioError(f"nothing that decides it has come since {item.of!r}")
        cites = dict.fromkeys(c.fragment for c in fresh)
        titles = {entry.id: entry.title for entry in self.material.entries}
        for claim in fresh:
            kind, _, place = claim.place.partition("/")
            cites.update({place: None, PurePosixPath(place).name: None})
            if kind == "session" and titles.get(place):
                cites[titles[place]] = None
        return Revision(of=item.of, stale=before.answer.answer, cites=tuple(cites))

    def _dependent(self, evidence: RoundEvidence) -> bool:
        """Whether withholding the updates changes what a careful reader answers."""
        for option in evidence.options.values():
            sets = option.supports or option.refutes
            if sets and all(self.updates.intersection(group) for group in sets):
                return True
        return bool(self.updates.intersection(evidence.needs))
