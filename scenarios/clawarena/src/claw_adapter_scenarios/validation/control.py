"""Control rules: biases, phrases, noise, near-signal files, leaks, preferences, order of time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from claw_adapter.finding import Finding
from claw_adapter.protocol import Preference
from claw_adapter.questions.judge import decide as decide_rule
from claw_adapter.values import YES_NO
from claw_adapter_scenarios.compiler.beliefs import Beliefs, feature
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.compiler.questions import CompiledRound
from claw_adapter_scenarios.validation.rules import spec_finding

__all__ = ["control", "expected_values", "gives_away"]

HAN = "\u2e7f"
"""Beyond it lie the scripts that are written without blanks: there words have no boundaries to look for."""
LETTER = r"[^\W\u2e80-\u9fff\uf900-\ufaff]"
"""What makes a word or number longer: a letter or digit of a script that puts blanks between words."""

_CLAUSE = re.compile(r"[.;:()?!](?=\s|$)|[()\n\u3002\uff1b\uff1a\uff08\uff09\uff1f\uff01]")
_COMMAS = frozenset(",\u3001\uff0c")
_OR = re.compile(r"\bor\b|\u6216")
"""What makes an enumeration with commas a choice."""
_QUOTE = r"[\"'`*\u201c\u201d\u2018\u2019]*"
_SIGN = r"([,\u3001\uff0c/|\u6216]|\bor\b)"
_NEXT = re.compile(rf"{_QUOTE}\s*{_SIGN}")
_BEFORE = re.compile(rf"{_SIGN}\s*{_QUOTE}\Z")
"""What stands right after and right before a member of an enumeration."""


SKIPPED = frozenset({"as", "known"})


def control(made: Compiled) -> Iterator[Finding]:
    """All control findings."""
    yield from _biases(made)
    yield from _phrases(made)
    yield from _noise(made)
    yield from _near_signal(made)
    for one in made.rounds:
        yield from _leak(made, one)
    yield from _preferences(made)
    yield from _times(made)
    yield from _too_early(made)


def _spoken(made: Compiled, session: str, role: str) -> list[str]:
    messages = [*made.material.sessions.get(session, ())]
    messages += [m for gain in made.material.gains if gain.session == session for m in gain.messages]
    return [message.text for message in messages if message.role == role]


def _biases(made: Compiled) -> Iterator[Finding]:
    for name, bias in made.spec.truth.biases.items():
        where = made.spec.where("0-truth", "biases", name)
        phrase = made.canon.render(bias.phrase).text
        if not any(phrase in text for text in _spoken(made, bias.session, "assistant")):
            yield spec_finding("SPEC-060", f"{name} is in no reply of {bias.session!r}", where)
        if not _changes(made, bias.reversed_by):
            yield spec_finding("SPEC-061", f"{name}: {bias.reversed_by!r} changes nothing that is known", where)


def _changes(made: Compiled, update: str) -> bool:
    """Whether an update changes the believed value of some fact."""
    start = made.starts[update]
    before = Beliefs(made.canon, made.material.claims, start, without=frozenset({update}))
    after = Beliefs(made.canon, made.material.claims, start)
    facts = {claim.fact for claim in made.material.claims if claim.update == update}
    return any(before.known(f) and feature(before.value(f)) != feature(after.value(f)) for f in facts)


def _phrases(made: Compiled) -> Iterator[Finding]:
    for name, phrase in made.spec.truth.phrases.items():
        wanted = made.canon.render(phrase.phrase).text
        if not any(wanted in text for text in _spoken(made, phrase.session, "user")):
            where = made.spec.where("0-truth", "phrases", name)
            yield spec_finding("SPEC-062", f"{name} is in no message of {phrase.session!r}", where)


def _noise(made: Compiled) -> Iterator[Finding]:
    loops = made.material.loops
    share = sum(loop.label == "noise" for loop in loops) / len(loops)
    low, high = made.spec.controls.noise_share
    if made.spec.truth.edition == 1 and not low <= share <= high:  # the second edition counts what carries no evidence
        where = made.spec.where("5-controls", "noise_share")
        said = f"{share:.1%} of {len(loops)} loops are noise; 'noise_share' allows {low:.0%} to {high:.0%}"
        edition = "; with switches a spec is of the second edition: write 'edition: 2' in 0-truth.yaml"
        yield spec_finding("SPEC-063", said + (edition if made.spec.truth.switches else ""), where)
    if made.spec.controls.messages is not None:
        least, most = made.spec.controls.messages
        count = sum(len(loop.messages) for loop in loops)
        if not least <= count <= most:
            yield spec_finding("SPEC-068", f"there are {count} messages", made.spec.where("5-controls", "messages"))


def _near_signal(made: Compiled) -> Iterator[Finding]:
    final = Beliefs(made.canon, made.material.claims, len(made.rounds) - 1)
    deciding = {
        f for c in made.spec.truth.contradictions.values() for h in final.deciding(c.fact) for f in h.fragments
    }  # fmt: skip
    settled = {claim.place for claim in made.material.claims if claim.fragment in deciding}
    for i, document in enumerate(made.spec.workspace.documents):
        if document.role != "near_signal":
            continue
        where = made.spec.where("1-workspace", "documents", i)
        path = made.canon.render(document.path).text
        if not document.why:
            yield spec_finding("SPEC-064", f"{path}: 'why' is empty", where)
        if f"workspace/{path}" in settled:
            yield spec_finding("SPEC-064", f"{path} settles a contradiction", where)


def _leak(made: Compiled, one: CompiledRound) -> Iterator[Finding]:
    if one.work is None:
        return
    for wanted in expected_values(one.work.expected, keys=False):
        han = wanted[:1] > HAN
        if len(wanted) >= (2 if wanted.isdigit() or han else 4) and gives_away(one.round.question, wanted):
            where = made.spec.where("3-rounds", "rounds", one.index, "ask")
            yield spec_finding(
                "SPEC-065", f"round {one.spec.id!r}: the question has the expected {wanted!r} in it", where
            )


def gives_away(question: str, wanted: str) -> bool:
    """Whether a question has a value in it, other than as one of several that it offers to choose from."""
    bounds = ("", "") if wanted[:1] > HAN else (rf"(?<!{LETTER})(?<!\.)", rf"(?!(?:{LETTER}|\.)*{LETTER})")
    clauses = _CLAUSE.split(question)
    for found in (hit for clause in clauses for hit in re.finditer(re.escape(wanted).join(bounds), clause)):
        beside = (_NEXT.match(found.string, found.end()), _BEFORE.search(found.string[: found.start()]))
        signs = {sign[1] for sign in beside if sign is not None}
        if signs <= _COMMAS and not (signs and _OR.search(found.string)):
            return True
    return False


def expected_values(data: Any, *, keys: bool = True) -> Iterator[str]:
    """Texts, numbers and times that a check expects; not what is yes or no.

    Args:
        data: the data of a check, or a part of it.
        keys: also the cells that tell the rows of a table apart, which a question may well name.
    """
    if isinstance(data, dict):
        if "as" in data and "value" in data:
            kind, value = data["as"]["type"], data["value"]
            if not (kind == "choice" and data["as"]["of"] == YES_NO):
                yield str(value)[11:16] if kind == "moment" else str(value)[:5] if kind == "time" else str(value)
            return
        for key, item in data.items():
            if key == "runs":
                yield from expected_values(item[0], keys=keys)
            elif key in ("fields", "sections", "labels", "files", "rows") or (
                isinstance(item, dict) and key not in SKIPPED
            ):
                rows = key == "rows" and "key" in data and not keys
                yield from expected_values([row[data["key"] :] for row in item] if rows else item, keys=keys)
    elif isinstance(data, list):
        for item in data:
            yield from expected_values(item, keys=keys)


def _preferences(made: Compiled) -> Iterator[Finding]:
    taught: set[str] = set()
    for one in made.rounds:
        for name in one.spec.exam:
            where = made.spec.where("3-rounds", "rounds", one.index, "exam")
            if name not in taught:
                yield spec_finding("SPEC-066", f"{name!r} is examined before it is taught", where)
            elif one.spec.stage != "silent":
                yield spec_finding("SPEC-066", f"round {one.spec.id!r} examines and is not 'silent'", where)
        for name in one.spec.teach:
            if (
                name not in taught
                and one.work is not None
                and _keeps(made.preferences[name], one.work.oracle, one.evidence.answer)
            ):
                where = made.spec.where("3-rounds", "rounds", one.index, "teach")
                yield spec_finding("SPEC-067", f"round {one.spec.id!r}: a plain reader keeps {name!r} already", where)
            taught.add(name)


def _keeps(rule: Preference, files: dict[str, str], answer: str) -> bool:
    """Whether the files of a round and its reply keep a rule."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory(prefix="claw-spec-") as folder:
        for path, text in files.items():
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).write_text(text, "utf-8")
        return decide_rule(rule.model_dump(exclude={"feedback", "rule", "dimension"}), answer, folder)[0]


def _times(made: Compiled) -> Iterator[Finding]:
    now = made.canon.value("now")
    for i, channel in enumerate(made.spec.sessions.channels):
        if made.canon.moment(channel.start) >= made.canon.moment(channel.until):
            yield spec_finding(
                "SPEC-016", f"{channel.id!r} ends before it begins", made.spec.where("2-sessions", "channels", i)
            )
        if channel.arrives:
            continue
        for j, phase in enumerate(channel.phases):
            for k, loop in enumerate(phase.loops):
                if made.canon.moment(loop.at) >= now:
                    where = made.spec.where("2-sessions", "channels", i, "phases", j, "loops", k, "at")
                    yield spec_finding("SPEC-016", "a message of the histories after the clock", where)
    last: dict[str, Any] = {}
    for session, messages in made.material.sessions.items():
        last[session] = max((m.time for m in messages if m.time), default=None)
    for gain in sorted(made.material.gains, key=lambda g: made.starts[g.update]):
        times = [m.time for m in gain.messages if m.time]
        if times and last.get(gain.session) and min(times) < last[gain.session]:
            position = next(i for i, u in enumerate(made.spec.updates.updates) if u.id == gain.update)
            where = made.spec.where("4-updates", "updates", position, "grow")
            yield spec_finding("SPEC-016", f"{gain.update!r} adds to {gain.session!r} before its last message", where)
        if times:
            last[gain.session] = max(times)


def _too_early(made: Compiled) -> Iterator[Finding]:
    """Nobody tells the truth about a fact with 'known_by' before the moment given there."""
    from claw_adapter_scenarios.language.templates import heads_in

    truth = made.spec.truth
    for i, channel in enumerate(made.spec.sessions.channels):
        for j, phase in enumerate(channel.phases):
            for k, loop in enumerate(phase.loops):
                for head in heads_in(loop.say):
                    for fact, said in head.claims:
                        known = truth.facts[fact].known_by
                        if not known or said != fact:
                            continue
                        since = known.get(loop.sender)
                        if since is None or made.canon.moment(since) > made.canon.moment(loop.at):
                            where = made.spec.where("2-sessions", "channels", i, "phases", j, "loops", k)
                            yield spec_finding("SPEC-017", f"{loop.sender!r} cannot know {fact!r} yet", where)
