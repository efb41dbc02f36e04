"""A checkpoint comes back as it was, whatever changed since the one before, and adds to the store what is new in it."""

import random
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter.protocol import Checkpoint, Message, Session
from claw_adapter.runs.checkpoints import BLOCK, Saved, load_checkpoint, save_checkpoint
from claw_adapter.runs.store import Store

PARTS = [b"a" * BLOCK, b"b" * BLOCK, b"c" * (BLOCK // 2), b"end", b"head\n", b"other head\n"]
FILE = st.lists(st.sampled_from(PARTS), max_size=9).map(b"".join)
FILES = st.dictionaries(st.sampled_from(["one", "two"]), FILE, max_size=2)
CHECKPOINTS = st.lists(
    st.tuples(st.lists(st.integers(0, 9), unique=True, max_size=8), FILES, FILES), min_size=1, max_size=6
)


def session(*numbers: int, name: str = "main") -> Session:
    return Session(id=name, messages=tuple(Message(id=f"m{n}", role="user", text=f"text {n}") for n in numbers))


def size(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())


@settings(max_examples=25)  # every blob is flushed to the disk
@given(CHECKPOINTS)
def test_a_chain_of_them_comes_back(tmp_path_factory, made):
    store, before, saved = Store(tmp_path_factory.mktemp("store")), None, []
    for numbers, files, overlay in made:
        overlays = {"skills": overlay} if overlay else {}
        checkpoint = Checkpoint(sessions=(session(*numbers), session(1, name="slack")), files=files, overlays=overlays)
        before = save_checkpoint(store, checkpoint, before)
        saved.append(before)
    for one in saved:
        assert load_checkpoint(store, one.digest) == one.checkpoint


def test_a_round_adds_what_is_new_to_it(tmp_path: Path):
    """Also to a file whose first line tells of the whole, and gets longer."""
    store, before, lines = Store(tmp_path), None, random.Random(1).randbytes(50 * BLOCK)
    grown = []
    for rounds in range(1, 51):
        lines += b"one more line of a session\n"
        files = {"state/sessions.jsonl": lines, "state/headed.jsonl": b"rounds: %d\n" % (rounds * 5) + lines}
        start = size(tmp_path)
        made = Checkpoint(sessions=(session(*range(rounds * 2)),), files=files)
        before = save_checkpoint(store, made, before)
        grown.append(size(tmp_path) - start)
    assert max(grown[1:]) < 2000
    assert load_checkpoint(Store(tmp_path), before.digest) == made


def test_one_of_an_earlier_version_comes_back_and_is_gone_on_from(tmp_path: Path):
    store = Store(tmp_path)
    old = {"main": session(1, 2).model_dump(mode="json"), "sessions": [], "files": {"f": store.put(b"x" * 5 * BLOCK)}}
    digest = store.put_json(old)
    found = load_checkpoint(store, digest)
    assert found == Checkpoint(sessions=(session(1, 2),), files={"f": b"x" * 5 * BLOCK})
    new = Checkpoint(sessions=(session(0, 1, 2, 3),), files={"f": b"x" * 5 * BLOCK + b"y"})
    assert load_checkpoint(store, save_checkpoint(store, new, Saved(found, digest)).digest) == new


def test_a_round_writes_and_hashes_what_is_new_to_it(tmp_path: Path, monkeypatch):
    """However long the histories and whatever else the harness keeps: neither is serialised again."""
    sizes: list[int] = []
    original = Store.put
    monkeypatch.setattr(Store, "put", lambda store, data: sizes.append(len(data)) or original(store, data))
    store, before = Store(tmp_path), None
    kept, history = random.Random(1).randbytes(50 * BLOCK), session(*range(500), name="slack")
    for rounds in range(1, 31):
        sizes.clear()
        main = session(*range(rounds * 2))
        before = save_checkpoint(store, Checkpoint(sessions=(main, history), files={"memory": kept}), before)
        assert rounds == 1 or sum(sizes) < 1000
    assert load_checkpoint(store, before.digest) == before.checkpoint
