r"""Multiple choice: statements of which a set is right; the answer is ``\bbox{A,C}``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import ClassVar, Literal

from claw_adapter.data_format.prompt import COMPAT, COMPAT_INSTRUCTION, COMPAT_UPDATE_NOTE
from claw_adapter.protocol import Agreement, ChoiceDetail, Gold, Round, Score, TurnResult
from claw_adapter.question import QuestionType, ScoringContext
from claw_adapter.questions.extract import extract, extract_compat
from claw_adapter.questions.key import key_of
from claw_adapter.questions.words import words

__all__ = ["MultiChoice", "agreement", "option_lines"]


class MultiChoice(QuestionType):
    """Scores 1 if exactly the right statements are chosen, else 0; everything finer is recorded only."""

    name: ClassVar[str] = "multi_choice"

    def prompt(self, item: Round, *, compat: str | None = None) -> str:
        """Question, statements, instruction. With `compat` the published format, which has its own update notice in it."""
        options = option_lines(item)
        if compat == COMPAT:
            note = f"{COMPAT_UPDATE_NOTE}\n" if item.updates else ""
            return f"{note}{item.question}\n{options}\n\n{COMPAT_INSTRUCTION}"
        return f"{item.question}\n\n{options}\n\n{words(item.language).choose}"

    async def score(self, item: Round, turn: TurnResult, context: ScoringContext) -> Score:
        """Score the letters of the reply against the key."""
        gold = key_of(item, context.gold).answer
        read = extract_compat(turn.text) if context.compat == COMPAT else extract(turn.text, item.options)
        if read.letters is None:
            return Score(value=0.0, malformed=read.malformed)
        detail = ChoiceDetail(statements=agreement(read.letters, gold, item.options))
        return Score(value=float(set(read.letters) == set(gold)), answer=read.letters, detail=detail)

    def feedback(self, item: Round, score: Score, gold: Gold) -> str:
        """What was right, or what is to be said about each statement wrongly chosen or missed."""
        feedback = key_of(item, gold).feedback
        if score.value is None:
            return ""
        if score.answer is None:
            return words(item.language).reminder
        if score.value >= 1:
            return feedback.correct
        chosen, right = set(score.answer), set(key_of(item, gold).answer)
        lines = [feedback.incorrect] if feedback.incorrect else []
        said = words(item.language)
        for letter in sorted(chosen ^ right):
            line = said.verdict.format(letter=letter, verdict=said.wrong if letter in chosen else said.missed)
            text = feedback.options.get(letter, "")
            lines.append(line + (said.reason.format(text=text) if text else ""))
        return "\n".join(lines)


def option_lines(item: Round) -> str:
    """One line ``A. text`` per statement, in the order of the letters."""
    return "\n".join(f"{letter}. {text}" for letter, text in sorted(item.options.items()))


def agreement(chosen: Collection[str], gold: Collection[str], options: Mapping[str, str]) -> Agreement:
    """Set measures, never scored: IoU, precision, recall, F1, the outcome per statement, and v1's per-option score.

    Two empty sets agree fully (1); one empty set agrees with none (0). ``v1`` is 1 − (fp + fn)/n over n statements
    (ClawArena v1, §3); only letters that are statements count in it.
    """
    picked, right = set(chosen), set(gold)
    both = len(picked & right)
    perfect = picked == right
    precision = both / len(picked) if picked else float(perfect)
    recall = both / len(right) if right else float(perfect)
    outcome = {letter: _outcome(letter in picked, letter in right) for letter in sorted(options)}
    wrong = sum(value in ("fp", "fn") for value in outcome.values())
    return Agreement(
        iou=both / len(picked | right) if picked | right else 1.0,
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if both else float(perfect),
        v1=1 - wrong / len(outcome) if outcome else float(perfect),
        options=outcome,
    )


def _outcome(picked: bool, right: bool) -> Literal["tp", "fp", "fn", "tn"]:
    return ("tp" if right else "fp") if picked else ("fn" if right else "tn")
