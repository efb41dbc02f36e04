"""The line map of a YAML file points to the line where the field stands, and reading gives back what was written."""

import json
import tempfile
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from claw_adapter.errors import ScenarioError
from claw_adapter.scenario.yamlsource import FieldPath, read_yaml
from claw_adapter.scenario.yamltext import yaml_text

keys = st.text(st.sampled_from("abcdefgh"), min_size=1, max_size=4)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**6), 10**6),
    st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"])),
)
trees = st.dictionaries(
    keys,
    st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=4), st.dictionaries(keys, inner, min_size=1, max_size=4)
        ),
        max_leaves=12,
    ),
    min_size=1,
    max_size=5,
)


def read(text: str):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.yaml"
        path.write_bytes(text.encode("utf-8"))
        return read_yaml(path)


def leaves(value: object, path: FieldPath = ()):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))
    else:
        yield path


@given(trees, st.sampled_from([40, 110, 10**9]), st.sampled_from([False, None]), st.booleans())
@example(
    {"a": ["0E0", "123e45", ".5e+3", "0o7", "0x1F", "1_000", "no", "12:30", "~", "", "a\tb", "\n"]}, 110, False, True
)
def test_reading_gives_back_what_was_written(tree: dict, width: int, flow: bool | None, blocks: bool):
    assert read(yaml_text(tree, width=width, flow=flow, blocks=blocks)).data == tree


def render(value: object, indent: str, out: list[tuple[str, FieldPath | None]], path: FieldPath = ()) -> None:
    """Block style, one field per line, with comment lines in between: the line of each field is known."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        here, label = (*path, key), f"{key}:" if isinstance(value, dict) else "-"
        out.append((f"{indent}# a comment", None))
        if isinstance(inner, (dict, list)):
            out.append((f"{indent}{label}", here if isinstance(value, dict) else None))
            render(inner, indent + "  ", out, here)
        else:
            out.append((f"{indent}{label} {json.dumps(inner, ensure_ascii=False)}", here))


@given(trees)
def test_every_field_is_found_on_its_line(tree: dict):
    out: list[tuple[str, FieldPath | None]] = []
    render(tree, "", out)
    source = read("\n".join(line for line, _ in out) + "\n")
    for number, (_, path) in enumerate(out, start=1):
        if path is not None:
            assert source.line(*path) == number, path
    assert set(leaves(source.data)) == set(leaves(tree))


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_with_a_line(text: str):
    text = text.encode("utf-8", "replace").decode("utf-8")
    try:
        read(text)
    except ScenarioError as error:
        line = int(error.where.rsplit(":", 1)[1])
        assert (
            1
            <= line
            <= text.count("\n")
            + text.count("\r")
            + text.count("\u2028")
            + text.count("\u2029")
            + text.count("\x85")
            + 2
        )
