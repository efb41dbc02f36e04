"""What is said: prompts, answers, and turns that are long, wordless or the same as one before."""

from __future__ import annotations

from typing import Final

from claw_adapter.certify.plans.drawing import GRANTED, LONG, Drawing, Unit
from claw_adapter.certify.plans.plan import PlanFile, PlanTurn
from claw_adapter.endpoint.models.played import CommandEffect, PlayedReply, ToolUse

__all__ = [
    "asked",
    "halting",
    "long_answer",
    "many_steps",
    "plain",
    "repeated",
    "said_again",
    "scripts",
    "short_answers",
    "to_do",
    "wordless",
]

STEPS: Final = (23, 28)
"""Replies with calls of a long turn."""
PAUSE: Final = 3.0
"""Seconds in which nothing of a reply comes."""
LASTS: Final = 50.0
"""Seconds that a command takes which some programs would end."""
EQUAL: Final = 30
"""Lines of an answer that all say the same."""
RUNNING: Final = 6
"""How often the same call is made in one reply after another."""
AGAIN: Final = 5
"""How often two commands are repeated in one turn."""
WORDLESS: Final = ("", " ", "\n\n")
SHORT: Final = ("OK", "No.", "42", "是", "B")
WRAPPED: Final = (
    '```json\n{{"text": "{0}"}}\n```', "```text\n{0}\n```", "```markdown\n# {0}\n```", "```python\nprint('{0}')\n```",
    '{{"answer": "{0}"}}', '["{0}"]', '"{0}"', "'{0}'", "`{0}`", "**{0}**", "<answer>{0}</answer>", "<result>\n{0}\n</result>",
    "\\boxed{{{0}}}", "({0})", "answer: {0}", "#### {0}",
)  # fmt: skip
"""All of an answer in a frame, which some programs take off."""
UNFINISHED: Final = (
    "Shall I go on?", "Do you want me to do that now?", "Next I will look at the files.", "Let me check that first.",
    "- [ ] the rest", "To be continued...", "I will now do the following:", "DONE", "Please confirm (yes/no).",
    "Step 1 of 3 is complete.", "```", "Let me know if you need more.", "I will wait for the rest.",
    "3. the first\n7. the second\n2. the third",
)  # fmt: skip
"""How answers end that some programs take for a question to themselves, or for the beginning of something."""
BEGINNINGS: Final = (
    "Sure, ", "Of course! ", "Great question. ", "Based on the file, ", "Certainly: ", "Here is the answer:\n\n", "Okay.\n",
    "As you asked, ", "Final answer: ", "**Answer:** ", "Thanks! ", "> ", "I could not find that: ", "Sorry, but ",
    "I was unable to tell; ", "Unfortunately, ", "I cannot do more than this: ", "I don't know, but ", "Nothing to do: ",
    "No changes. ", "Error: none. ", "I apologise, ",
)  # fmt: skip
"""How answers begin that some programs take for no part of them."""


def plain(drawing: Drawing) -> list[Unit]:
    """A prompt and an answer."""
    return [[drawing.turn(drawing.says())]]


def to_do(drawing: Drawing) -> list[Unit]:
    """A prompt and an answer, twice; where a tool takes a list of what is to do, it is given one, and later another."""
    entries = [drawing.texts.sentence() for _ in range(5)]
    noted = (ToolUse(kind="todo", target="", names=tuple(names)) for names in (entries[:4], entries[1:]))
    return [[drawing.turn(drawing.does(use), drawing.says())] for use in noted]


def short_answers(drawing: Drawing) -> list[Unit]:
    """Answers: a word, data as no program writes it, about failures, of a talk, framed, as if they had begun or went on.

    One, and a prompt, has line ends of another system.
    """
    code, data = (
        f"```\n{drawing.texts.lines(2)}```",
        f'{{ "text":"{drawing.texts.sentence()}", "n":{drawing.texts.number()}.0,"e": 1e3,"e": "\\u00e9\\/" , "a":[ ]}}',
    )
    told = [f"{drawing.texts.sentence()}.\n{end}" for end in drawing.dealt(UNFINISHED)]
    told += [frame.format(drawing.texts.sentence()) for frame in drawing.dealt(WRAPPED)]
    told += [f"{begin}{drawing.texts.sentence()}." for begin in drawing.dealt(BEGINNINGS)]
    told += ["\n".join([drawing.texts.sentence()] * EQUAL)] if drawing.height == 0 else []
    told.append("\r\n".join(drawing.texts.sentence() for _ in range(3)))
    texts = (drawing.rng.choice(SHORT), code, data, drawing.texts.failure(), drawing.texts.quoted(), *told)
    units: list[Unit] = [
        [PlanTurn(question=drawing.texts.message(), replies=(PlayedReply(text=text),))] for text in texts
    ]
    ended = "\r\n".join((drawing.texts.sentence(), "", drawing.texts.sentence(), f"  {drawing.texts.sentence()}"))
    return [*units, [PlanTurn(question=ended, replies=(drawing.says(),))]]


def repeated(drawing: Drawing) -> list[Unit]:
    """The same prompt twice, one behind the other, partly in another script, with other answers; and one more.

    Then nothing but the same reading in four turns, and two commands of one reply that begin alike, at length; and in one
    turn a command that adds to that file, reply after reply, and then by turns with one that shows it, and the reading.
    """
    answer = PlayedReply(text=drawing.texts.foreign(drawing.texts.sentence()))
    turn = PlanTurn(question=drawing.texts.foreign(drawing.texts.message()), replies=(answer,))
    grown = drawing.file(drawing.rng.randrange(3, 9)).path
    look = ToolUse(kind="read", target=grown)
    looks = [drawing.turn(drawing.does(look), drawing.says()) for _ in range(4)]
    said = " ".join(drawing.texts.word() for _ in range(20))
    alike = [_echoes(f"{said} {drawing.texts.number()}") for _ in range(2)]
    add, show = ToolUse(kind="add", target=grown, content=drawing.texts.sentence()), ToolUse(kind="cat", target=grown)
    again = drawing.turn(
        *(drawing.does(*uses) for uses in (*[(add,)] * RUNNING, *((add,), (show, look)) * AGAIN)), drawing.says()
    )
    first: Unit = [turn, turn.model_copy(update={"replies": (drawing.says(),)}), drawing.turn(drawing.says())]
    return [first, [*looks, drawing.turn(drawing.does(*alike), drawing.says())], [again]]


def _echoes(words: str) -> ToolUse:
    """A command that says these words."""
    return ToolUse(kind="run", target=f"echo {words}", effect=CommandEffect(prints=f"{words}\n"))


def said_again(drawing: Drawing) -> list[Unit]:
    """The same answer twice; one that is the prompt, or begins as what was said beside a call; a prompt within another."""
    rng = drawing.rng
    done = PlayedReply(text=rng.choice(("Done.", "OK", drawing.texts.sentence())))
    asked, whole = drawing.texts.message(), f"{drawing.texts.sentence()}. {drawing.texts.sentence()}."
    look = ToolUse(kind="read", target=drawing.file(3).path)
    before = drawing.texts.sentence()
    says = PlayedReply(text=before, uses=(look,)), PlayedReply(text=f"{before}{rng.choice(('', '. And more.'))}")
    return [
        [drawing.turn(done), drawing.turn(done)],
        [PlanTurn(question=asked, replies=(PlayedReply(text=asked),))],
        [PlanTurn(question=whole, replies=says)],
        [PlanTurn(question=whole.partition(". ")[0], replies=(drawing.says(),))],
    ]


def asked(drawing: Drawing, characters: tuple[int, int]) -> list[Unit]:
    """A long prompt; a very long one has rules in it, which take fewer tokens."""
    turn = drawing.turn(drawing.says())
    made = drawing.texts.ruled if characters == LONG else drawing.texts.prose
    text = drawing.texts.across(made(drawing.rng.randrange(*characters)))
    return [[turn.model_copy(update={"question": f"{text}\n\n{turn.question}"})]]


def scripts(drawing: Drawing) -> list[Unit]:
    """A prompt, a file, an edit of it, another file and an answer that have no letter of English."""
    lines = [drawing.texts.in_script() for _ in range(drawing.rng.randrange(6, 12))]
    file = PlanFile(path=drawing.texts.path(), text="\n".join((*lines, "")))
    drawing.steps.append(file)
    look = ToolUse(kind="read", target=file.path)
    change = ToolUse(kind="edit", target=file.path, wanted=(lines[2],), content=drawing.texts.in_script())
    made = ToolUse(
        kind="write", target=drawing.texts.path(), content="\n".join(drawing.texts.in_script() for _ in range(3))
    )
    replies = map(drawing.does, (look, change, made, look))
    answer = PlayedReply(text=drawing.texts.in_script())
    return [[PlanTurn(question="\n".join(drawing.texts.in_script() for _ in range(2)), replies=(*replies, answer))]]


def long_answer(drawing: Drawing) -> list[Unit]:
    """In the first plan of Gold a long answer that comes in one piece, and one more turn."""
    if drawing.number:
        return []
    text = drawing.long_text()
    return [[drawing.turn(PlayedReply(text=text, piece=len(text)))], [drawing.turn(drawing.says())]]


def many_steps(drawing: Drawing) -> list[Unit]:
    """A turn of many steps."""
    file = drawing.file(60)
    looks = [
        drawing.does(ToolUse(kind="cat", target=file.path, starts=(2 * at + 1,), page=2))
        for at in range(drawing.rng.randrange(*STEPS))
    ]
    return [[drawing.turn(*looks, drawing.says())]]


def halting(drawing: Drawing) -> list[Unit]:
    """A reply in whose middle nothing comes for a while, and a command that takes one: a long one, or it is told how long."""
    file = drawing.file(drawing.rng.randrange(3, 20))
    reply = PlayedReply(text=drawing.texts.prose(400), pause=PAUSE)
    lasts, within = (PAUSE, GRANTED) if drawing.number else (LASTS, 0)
    slow = drawing.does(ToolUse(kind="cat", target=file.path, delay=lasts, within=within))
    return [[drawing.turn(slow, reply)]]


def wordless(drawing: Drawing) -> list[Unit]:
    """A reply says something and calls a tool, and the last one says nothing; then all is well again.

    In the first plan the model thinks before it says nothing at all, in the others it says nothing in some way.
    """
    look = ToolUse(kind="read", target=drawing.file(drawing.rng.randrange(3, 12)).path)
    before = PlayedReply(text=drawing.texts.prose(drawing.rng.choice((30, 300))), uses=(look,))
    if drawing.number:
        last = PlayedReply(text=drawing.rng.choice(WORDLESS), thought=drawing.thought())
    else:
        last = PlayedReply(thought=drawing.texts.prose(120))
    turn = PlanTurn(question=f"{drawing.texts.message()} What follows?", replies=(before, last), wordless=True)
    return [[turn], [drawing.turn(drawing.says())]]
