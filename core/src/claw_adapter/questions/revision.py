"""Revision: does a conclusion change when the evidence does, and is what arrived named as the reason?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import ClassVar, Final

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Gold, RevisionDetail, Round, Score, TurnResult
from claw_adapter.question import QuestionType, ScoringContext
from claw_adapter.questions.extract import extract
from claw_adapter.questions.key import key_of
from claw_adapter.questions.multi_choice import agreement, option_lines
from claw_adapter.questions.words import words

__all__ = ["RevisionQuestion", "cited", "normalised"]

EMPHASIS: Final = re.compile(r"[*`_>|\\]+")
SPACE: Final = re.compile(r"\s+")


class RevisionQuestion(QuestionType):
    """Scores 1, 0.5 or 0 by rule.

    1 if the conclusion is the updated truth and something that arrived with the update is cited; 0.5 if it is cited but the
    conclusion is still the one of the old evidence, or the one given in the earlier round; 0 otherwise.
    """

    name: ClassVar[str] = "revision"

    def prompt(self, item: Round, *, compat: str | None = None) -> str:
        """Question, statements, and the request to name the evidence."""
        del compat
        return f"{item.question}\n\n{option_lines(item)}\n\n{words(item.language).revise}"

    async def score(self, item: Round, turn: TurnResult, context: ScoringContext) -> Score:
        """Compare with the key, the old conclusion and the earlier answer, and look for citations."""
        key = key_of(item, context.gold)
        revision = key.revision
        if revision is None:
            where = str(context.gold.root / "answers.yaml")
            raise ScenarioError(f"round {item.id!r} has no 'revision'", where=where)
        names = cited(revision.cites, turn.text, context.gold)
        earlier = context.answers.get(revision.of)
        stale = set(revision.stale)
        was_stale = None if earlier is None else set(earlier) == stale
        read = extract(turn.text, item.options)
        if read.letters is None:
            detail = RevisionDetail(of=revision.of, cited=names, was_stale=was_stale, revised=False)
            return Score(value=0.0, malformed=read.malformed, detail=detail)
        chosen = set(read.letters)
        revised = chosen == set(key.answer)
        unchanged = not revised and (chosen == stale or (earlier is not None and chosen == set(earlier)))
        value = (1.0 if revised else 0.5 if unchanged else 0.0) if names else 0.0
        statements = agreement(read.letters, key.answer, item.options)
        detail = RevisionDetail(
            of=revision.of, cited=names, was_stale=was_stale, revised=revised, statements=statements
        )
        return Score(value=value, answer=read.letters, detail=detail)

    def feedback(self, item: Round, score: Score, gold: Gold) -> str:
        """The text of the outcome, or the reminder how to answer."""
        feedback = key_of(item, gold).feedback
        if score.value is None:
            return ""
        if score.answer is None:
            return words(item.language).reminder
        return feedback.correct if score.value >= 1 else feedback.incorrect


def cited(names: Iterable[str], reply: str, gold: Gold) -> tuple[str, ...]:
    """Those of `names` that the reply cites: the literal text of a fragment by its id, or a source name itself.

    Both sides are normalised; a name must not be part of a longer word (``a.md`` is not cited by ``data.md``).
    """
    fragments = gold.evidence.fragments if gold.evidence is not None else {}
    text = normalised(reply)
    found: list[str] = []
    for name in names:
        literal = normalised(fragments[name].text if name in fragments else name)
        if literal and re.search(rf"(?<![0-9a-z-]){re.escape(literal)}(?![0-9a-z])", text):
            found.append(name)
    return tuple(found)


def normalised(text: str) -> str:
    """NFKC, lower case, without Markdown emphasis, quoting and table bars, runs of white space as one space."""
    text = EMPHASIS.sub("", unicodedata.normalize("NFKC", text))
    return SPACE.sub(" ", text).strip().casefold()
