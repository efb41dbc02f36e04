"""Ask the judge: decide preferences and patterns about agent-made text in the sandbox, in bounded time and memory."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from claw_adapter.errors import SandboxError, ScenarioError
from claw_adapter.protocol import Gold, Preference
from claw_adapter.questions import judge
from claw_adapter.sandbox import IsolationLevel, run_check

__all__ = ["Verdict", "decide_rules", "found", "preferences"]

JUDGE: Final = Path(judge.__file__).absolute()
SECONDS: Final = 5.0
"""One rule may take this long; then it counts as broken."""
START_SECONDS: Final = 15.0
KILLED: Final = 128
"""A shell reports a child that a signal ended as this plus the signal."""
SHOWN_CHARACTERS: Final = 300


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a rule was kept, and if not, by what it was broken."""

    passed: bool
    why: str = ""


def preferences(gold: Gold, ids: Iterable[str], where: str) -> dict[str, Preference]:
    """The preferences with these ids.

    Raises:
        ScenarioError: there is none of that id.
    """
    known = gold.answers.preferences
    for name in (chosen := tuple(ids)):
        if name not in known:
            raise ScenarioError(f"there is no preference {name!r}", where=where, remedy=f"Known: {', '.join(known)}.")
    return {name: known[name] for name in chosen}


async def decide_rules(
    rules: Mapping[str, Preference],
    *,
    answer: str,
    workspace: Path | None,
    isolation: int,
    changed: Collection[str] | None = None,
) -> dict[str, Verdict]:
    """Decide rules about the reply and about the files of a workspace copy; nothing is changed.

    With `changed`, the paths of the files that were created or changed in the round, no other file counts: what was there
    before is no work product of the round. Without it all files count.

    Patterns are searched for, ``^`` and ``$`` standing for line ends in texts. Of each text the first MiB counts; links
    are no files. A rule about files is broken when no file matches. A rule that takes longer than 5 seconds is broken.

    Raises:
        SandboxError: the isolation level cannot be provided, or the judge broke down.
    """
    if not rules:
        return {}
    wanted = {name: rule.model_dump(exclude={"feedback", "rule", "dimension"}) for name, rule in rules.items()}
    return await _ask(wanted, answer, workspace, isolation, changed)


async def found(pattern: str, text: str, *, isolation: int) -> Verdict:
    """Whether a regular expression is found in an agent-made text (``^`` and ``$`` standing for line ends), in bounded time."""
    return (await _ask({"": {"answer": True, "contains": pattern}}, text, None, isolation))[""]


async def _ask(
    rules: Mapping[str, Mapping[str, Any]],
    answer: str,
    workspace: Path | None,
    isolation: int,
    changed: Collection[str] | None = None,
) -> dict[str, Verdict]:
    with tempfile.TemporaryDirectory(prefix="claw-judge-") as name:
        folder = Path(name).resolve()
        (folder / "empty").mkdir()
        request = folder / "request.json"
        # lone surrogates of a reply survive only as escapes, so this JSON is ASCII
        asked = {
            "seconds": SECONDS,
            "answer": answer[: judge.TEXT_BYTES],
            "changed": None if changed is None else sorted(changed),
            "rules": rules,
        }
        request.write_text(json.dumps(asked), "ascii")
        place = (workspace or folder / "empty").resolve()
        done = await run_check(
            shlex.join(["python", "-I", str(JUDGE), str(request), str(place)]),
            workspace=place,
            level=IsolationLevel(isolation),
            deadline=START_SECONDS + SECONDS * len(rules),
            readable=(request, JUDGE),
        )
    if done.timed_out or done.exit.code is None or done.exit.code >= KILLED:
        return {name: Verdict(False, "not decided in time or memory") for name in rules}
    try:
        verdicts = json.loads(done.stdout.data)
        return {name: Verdict(bool(verdicts[name][0]), _excerpt(str(verdicts[name][1]))) for name in rules}
    except (ValueError, KeyError, TypeError, IndexError):
        said = done.stderr.text.strip()[-500:]
        raise SandboxError(f"rules could not be decided ({done.exit}): {said}", where=str(JUDGE)) from None


def _excerpt(text: str) -> str:
    """Bounded, and without the lone surrogates that an undecodable file name has: it goes into the journal."""
    return text[:SHOWN_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
