"""Whatever stands in a data set's files, checking it ends with findings or one clear error, never with a crash."""

from __future__ import annotations

import copy
import json
import runpy
import tempfile
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter.datasets.checking import check_data
from claw_adapter.datasets.measuring import measure
from claw_adapter.errors import ScenarioError
from claw_adapter.tokens.fast import Backend
from claw_adapter_clawarena.layouts import LAYOUTS

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "unit" / "published_data.py")))
ONES = Backend("ones", lambda texts: [1] * len(texts))
JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.sampled_from(["", "x", "s1", "../x", "a\0b", "new", "1", "group"]),
    lambda x: st.lists(x, max_size=2) | st.dictionaries(st.sampled_from(["id", "type", "files", "x"]), x, max_size=2),
    max_leaves=4,
)


def places(value, path=()):
    """Ways to every value but the whole."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield (*path, key)
        yield from places(inner, (*path, key))


def put(value, path, junk):
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = junk


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_junk_in_any_field_is_no_crash(data):
    layout = data.draw(st.sampled_from(sorted(LAYOUTS)))
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        tests = make.make(root, layout)
        file = data.draw(st.sampled_from([tests, root / layout / "manifest.json", root / "eval/s1/questions.json"]))
        content = json.loads(file.read_text())
        broken = copy.deepcopy(content)
        put(broken, data.draw(st.sampled_from(list(places(content)))), data.draw(JUNK))
        make.dump(file, broken)
        for work in (lambda: check_data(root).as_json(), lambda: measure(root, counter=ONES).as_json()):
            with suppress(ScenarioError):
                work()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_junk_in_any_session_file_is_no_crash(data):
    layout = data.draw(st.sampled_from(sorted(LAYOUTS)))
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        make.make(root, layout)
        files = [p for p in sorted(root.rglob("*")) if p.suffix in (".jsonl", ".md", ".json") and "eval" not in p.parts]
        file = data.draw(st.sampled_from(files))
        raw = file.read_bytes()
        at = data.draw(st.integers(0, len(raw)))
        junk = data.draw(
            st.sampled_from([b"", b"\xff", b"\n", b'"', b"{}", b"[", b"\\ud800", b"null", b"\0", b"---\n", b"```\n"])
        )
        file.write_bytes(raw[:at] + junk + raw[at + data.draw(st.integers(0, 30)) :])
        with suppress(ScenarioError):
            check_data(root).as_json()
            measure(root, counter=ONES).as_json()
