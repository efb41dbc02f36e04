"""A checkpoint loses its keys as it does when all of it is looked at, and only what is new in it is."""

import pytest

from claw_adapter.protocol import Checkpoint, Message, Session
from claw_adapter.redaction import Redactor
from claw_adapter.runner.redacting import CheckpointRedactor

KEY = "sk-0123456789-abcdefghijkl"


def checkpoint(rounds: int, *, head: str = "", rewritten: bool = False) -> Checkpoint:
    texts = [f"answer {n} " + (KEY if n % 3 == 2 else "without") for n in range(rounds)]
    if rewritten:
        texts[0] = f"another beginning, with {KEY[:15]}"
    lines = "".join(f"{text}\n" for text in texts) + f"half a line {KEY}"[: 5 * rounds]
    messages = tuple(Message(id=f"m{n}", role="user", text=text) for n, text in enumerate(texts))
    files = {"s.jsonl": f"{head}{lines}".encode(), "open": f"no line ends here {KEY[:rounds]}".encode()}
    return Checkpoint(
        sessions=(Session(id="main", title=KEY, messages=messages), Session(id="slack")),
        files=files,
        overlays={"skills": {"s.jsonl": lines.encode()}},
    )


def test_a_growing_checkpoint_is_redacted_as_a_whole_one_is():
    plain = Redactor([KEY])
    growing = CheckpointRedactor(plain)
    for rounds in range(1, 30):
        made = checkpoint(rounds, head=f"rounds: {rounds * 7}\n", rewritten=rounds == 20)
        assert growing.record(made) == plain.record(made)
    clean = Checkpoint(sessions=(Session(id="main", messages=(Message(id="a", role="user", text="hello"),)),))
    assert growing.record(clean) is clean


@pytest.mark.parametrize("keys", [[], ["short"]])
def test_without_a_key_of_some_length_nothing_is_looked_at(keys):
    made = checkpoint(3)
    assert CheckpointRedactor(Redactor(keys)).record(made) is made


def test_what_stood_there_before_is_not_looked_at_again(monkeypatch):
    sizes = []
    looked_at = Redactor.spans
    monkeypatch.setattr(Redactor, "spans", lambda self, text: sizes.append(len(text)) or looked_at(self, text))
    growing = CheckpointRedactor(Redactor([KEY]))
    messages = [Message(id=f"m{n}", role="user", text=f"reply {n} " * 20) for n in range(100)]
    for count in (90, 100):
        sizes.clear()
        data = "".join(f"{message.text}\n" for message in messages[:count])
        told = Checkpoint(sessions=(Session(id="main", messages=tuple(messages[:count])),), files={"s": data.encode()})
        assert growing.record(told) is told
    assert sum(sizes) < 20 * 220 + 1000
