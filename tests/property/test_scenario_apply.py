"""Laws of updates: merging twice is merging once, deleting what was inserted restores, for sessions and for lines."""

from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.protocol import Message, Session
from claw_adapter.scenario import apply_lines, apply_session

names = st.lists(st.integers(0, 30).map(lambda n: f"m{n}"), max_size=8, unique=True)


def messages(ids: list[str]) -> list[Message]:
    return [Message(id=name, role="user", text=f"text of {name}") for name in ids]


def session(ids: list[str]) -> Session:
    return Session(id="s", messages=tuple(messages(ids)))


@given(names, names)
def test_append_is_idempotent_by_id(base: list[str], more: list[str]):
    once = apply_session(session(base), "append", messages(more))
    assert apply_session(once, "append", messages(more)) == once
    assert [m.id for m in once.messages] == base + [name for name in more if name not in base]


@given(names, names, st.data())
def test_deleting_what_was_inserted_restores_a_session(base: list[str], more: list[str], data: st.DataObject):
    fresh = [name for name in more if name not in base]
    after = data.draw(st.integers(0, len(base)))
    grown = apply_session(session(base), "insert", messages(more), after=after)
    assert len(grown.messages) == len(base) + len(fresh)
    ranges = [(after + 1, after + len(fresh))] if fresh else []
    assert apply_session(grown, "delete", ranges=ranges) == session(base)


lines = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=5)
texts = st.builds(lambda ls, end: "\n".join(ls) + end, st.lists(lines, max_size=6), st.sampled_from(["", "\n"]))


def line_count(text: str) -> int:
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


@given(texts, st.lists(lines, min_size=1, max_size=4), st.data())
def test_deleting_what_was_inserted_restores_a_text(text: str, more: list[str], data: st.DataObject):
    after = data.draw(st.integers(0, line_count(text)))
    grown = apply_lines(text, "insert", "\n".join(more) + "\n", after=after)
    assert line_count(grown) == line_count(text) + len(more)
    restored = apply_lines(grown, "delete", ranges=[(after + 1, after + len(more))])
    ended_by_empty_line = after == line_count(text) and not more[-1] and bool(text)
    assert restored == (text.removesuffix("\n") + "\n" if ended_by_empty_line else text)


@given(texts, texts)
def test_append_keeps_both_texts_and_adds_a_line_feed_at_most(text: str, more: str):
    grown = apply_lines(text, "append", more)
    assert grown.startswith(text)
    assert grown.endswith(more)
    assert len(grown) - len(text) - len(more) in ((0, 1) if text and not text.endswith("\n") else (0,))
