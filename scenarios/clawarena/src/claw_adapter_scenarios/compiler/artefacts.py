"""Checks and artefacts from the same predicates: what the check expects, what an oracle writes, what a hasty reader writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from claw_adapter.protocol import Program
from claw_adapter_scenarios.compiler.expected import Expected, Setting
from claw_adapter_scenarios.compiler.written import DocumentWriter
from claw_adapter_scenarios.language.values import Value
from claw_adapter_scenarios.spec.rounds import Follow, PreferenceSpec, RoundSpec

__all__ = ["Work", "compile_work"]


@dataclass(frozen=True, slots=True)
class Work:
    """One round's work: the expectations of the check, and the files that two readers write."""

    expected: dict[str, Any]
    oracle: dict[str, str]
    hasty: dict[str, str]
    programs: tuple[Program, ...] = ()
    """What is run before the check."""
    unseen: Mapping[str, str] = field(default_factory=dict)
    """Files of the unseen inputs, by path below the folder of checks."""


def compile_work(item: RoundSpec, setting: Setting) -> Work:
    """What a round's files must be, on what is believed at the round.

    Raises:
        ScenarioError: a predicate cannot be evaluated, or does not fit its type.
    """
    beliefs, followed = setting.beliefs, setting.followed
    made = Expected(item, setting)
    plain = DocumentWriter(made)
    oracle = DocumentWriter(made, [one.files for one in followed.values() if one.follow.labels == "table"]).write(
        beliefs.evaluated
    )
    for preference in followed.values():
        oracle = _follow(preference, oracle, made)
    hasty = plain.write(lambda expression: beliefs.evaluated(expression, naive=True), hasty=True)
    if hasty == oracle or (not followed and hasty == plain.write(beliefs.evaluated)):
        hasty = plain.write(beliefs.evaluated, hasty=True, spoil=made.types.spoilt)
    expected = made.expected()
    return Work(expected, oracle, hasty, tuple(made.programs), made.unseen)


def _follow(preference: PreferenceSpec, files: dict[str, str], made: Expected) -> dict[str, str]:
    """The files as somebody writes them who keeps to a preference."""
    how: Follow = preference.follow
    done: dict[str, str] = {}
    for path, text in files.items():
        place = PurePosixPath(path)
        if not preference.files or not place.match(preference.files):
            done[path] = text
            continue
        extra: dict[str, Value] = {"stem": place.stem, "suffix": place.suffix}
        name = made.canon.render(how.rename, extra).text if how.rename else place.name
        before, after = made.canon.render(how.prepend).text, made.canon.render(how.append).text
        done[(place.parent / name).as_posix()] = f"{before}{text}{after}"
    return done
