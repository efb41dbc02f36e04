"""The talk that a profile is measured in: a scenario of equal turns, and the plan by which a model plays its part in it.

Every turn brings three marks, each once in the whole scenario: one in the prompt, one in the file that the model then reads,
one in its answer. Where they stand in later requests says what a harness has kept.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

__all__ = ["KINDS", "Kind", "Talk", "TalkTurn", "write_histories"]

Kind = Literal["prompt", "result", "answer"]
KINDS: Final[tuple[Kind, ...]] = ("prompt", "result", "answer")
CLOCK: Final = "2026-01-05T09:00:00+00:00"
PROMPT_WORDS, FILE_WORDS, ANSWER_WORDS = 1_000, 700, 100
_WORDS: Final = (
    "river stone window paper garden market winter summer letter bridge corner valley engine copper silver timber "
    "harbour meadow candle basket hammer ladder saddle needle button pocket kettle mirror carpet ribbon anchor "
    "barrel blanket bucket canvas cellar chapel circle clover cotton desert dinner donkey feather fiddle finger "
    "forest gravel island jacket kitten lemon magnet marble morning mountain ocean orchard parcel pebble pepper "
    "pillow planet puddle rabbit saucer shadow spider spring station sunset table temple thunder ticket tunnel "
    "turnip velvet village violin walnut wheel willow yellow"
)


@dataclass(frozen=True, slots=True)
class TalkTurn:
    """One turn: its round, what its prompt begins with, and its marks."""

    round: str
    head: str
    marks: dict[Kind, str]


@dataclass(frozen=True, slots=True)
class Talk:
    """A talk of so many turns; `size` scales how long its texts are."""

    turns: int
    size: float = 1.0

    @property
    def scenario(self) -> str:
        """Id of its scenario."""
        return f"talk-{self.turns}"

    def __iter__(self) -> Iterator[TalkTurn]:
        for number in range(1, self.turns + 1):
            marks: dict[Kind, str] = {kind: _mark(kind, number) for kind in KINDS}
            yield TalkTurn(f"t{number:02}", f"Entry {number} of {self.turns}.", marks)

    def write(self, folder: Path) -> Path:
        """Write its scenario; returns the folder."""
        rounds, answers = [], {}
        for turn in self:
            text = self._text(f"prompt {turn.round}", PROMPT_WORDS)
            key = f"The key of this entry is {turn.marks['prompt']}."
            question = f"{turn.head} {key} {text} Read notes/{turn.round}.md, then answer."
            options = {"A": "The note has been read.", "B": "There is no such note."}
            rounds.append({"id": turn.round, "type": "multi_choice", "question": question, "options": options})
            answers[turn.round] = {"answer": ["A"]}
            note = folder / "workspace" / "notes" / f"{turn.round}.md"
            note.parent.mkdir(parents=True, exist_ok=True)
            lines = self._text(f"note {turn.round}", FILE_WORDS)
            note.write_text(f"The key of this note is {turn.marks['result']}.\n{lines}\n", "utf-8")
        _write(folder, self.scenario, rounds, {"rounds": answers})
        return folder

    def script(self) -> tuple[dict[str, Any], ...]:
        """What the model plays: it reads the turn's note, then answers."""
        return tuple(
            {
                "round": turn.round,
                "mark": turn.head,
                "replies": [
                    {"uses": [{"kind": "read", "target": f"notes/{turn.round}.md", "wanted": [turn.marks["result"]]}]},
                    {"text": self._answer(turn)},
                ],
            }
            for turn in self
        )

    def _answer(self, turn: TalkTurn) -> str:
        words = self._text(f"answer {turn.round}", ANSWER_WORDS)
        return f"I have filed it as {turn.marks['answer']}. {words} \\bbox{{A}}"

    def _text(self, name: str, words: int) -> str:
        drawn = random.Random(name)
        return " ".join(drawn.choice(_WORDS) for _ in range(max(int(words * self.size), 5)))


def _mark(kind: str, number: int) -> str:
    return f"{kind[0].upper()}K{number:02}-{random.Random(f'{kind} {number}').randrange(10**6, 10**7)}"


def write_histories(folder: Path, sizes: tuple[int, ...], parts: int = 10) -> Path:
    """Write a scenario with a history of each of these sizes, and a round that asks for ten of its messages.

    Each statement of a round is true by one message; these are spread evenly over the history.
    """
    rounds, answers, evidence, fragments = [], {}, {}, {}
    words = _WORDS.split()
    for size in sizes:
        name, options, deciding = f"h{size}", {}, {}
        places = [round((size - 1) * part / (parts - 1)) for part in range(parts)]
        lines = []
        for number in range(size):
            text = f"Message {number + 1}: the {words[number % len(words)]} of lot {number + 1} is in order."
            if number in places:
                letter = "ABCDEFGHIJ"[places.index(number)]
                text = f"The seal of crate {letter}{size} has the number {random.Random(f'{size} {number}').randrange(10**7)}."
                fragments[f"{name}-{letter}"] = {"where": f"session/{name}#m{number + 1}", "text": text}
                options[letter] = f"The seal of crate {letter}{size} has a number."
                deciding[letter] = {"supports": [[f"{name}-{letter}"]], "hasty": False}
            role = "user" if number % 2 == 0 else "assistant"
            lines.append({"id": f"m{number + 1}", "role": role, "text": text, "time": CLOCK})
        (folder / "sessions").mkdir(parents=True, exist_ok=True)
        (folder / "sessions" / f"{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
        question = f"Look into the history {name}: which statements are true?"
        rounds.append({"id": name, "type": "multi_choice", "question": question, "options": options})
        answers[name] = {"answer": sorted(options)}
        evidence[name] = {"options": deciding}
    _write(folder, "histories", rounds, {"rounds": answers}, [f"h{size}" for size in sizes])
    (folder / "gold" / "evidence.yaml").write_text(json.dumps({"fragments": fragments, "rounds": evidence}), "utf-8")
    return folder


def _write(
    folder: Path, name: str, rounds: list[Any], answers: dict[str, Any], histories: list[str] | None = None
) -> None:
    for part in ("workspace", "sessions", "gold/checks"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    hello = [{"role": "user", "text": "Good morning."}, {"role": "assistant", "text": "Good morning."}]
    (folder / "sessions/main.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in hello), "utf-8")
    (folder / "workspace" / "README.md").write_text("Notes are in the folder notes.\n", "utf-8")
    manifest = {
        "schema": "scenario/1", "id": name, "title": name, "clock": CLOCK, "main": {"id": "main"},
        "histories": [{"id": one, "channel": "slack"} for one in histories or []],
    }  # fmt: skip
    for file, data in (("scenario", manifest), ("rounds", {"rounds": rounds}), ("gold/answers", answers)):
        (folder / f"{file}.yaml").write_text(json.dumps(data), "utf-8")
