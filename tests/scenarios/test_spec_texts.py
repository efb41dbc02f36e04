"""Names that an author gives (keys of a JSON document, slots) do not make a text a moment or an expression."""

from pathlib import Path

from claw_adapter_scenarios.compiler import compile_spec
from claw_adapter_scenarios.spec import load_spec
from claw_adapter_scenarios.validation import validate_spec
from claw_adapter_scenarios.validation.texts import spec_texts
from scenarios.patching import patched

DOCUMENT = """  - path: building/clocks.json
    kind: json
    source: word
    role: background
    data:
      clock: wall clock of the ward
      at: "{ana.role}"
      equals: not an expression
      source: "made for {now|date}"
      limit: =limit_c
      marks: {clock: half past}
"""


def test_a_key_of_a_json_document_may_be_called_like_a_field(tmp_path: Path):
    root = patched(
        tmp_path,
        ("1-workspace", "documents:\n", f"documents:\n{DOCUMENT}"),
        ("5-controls", "slots:\n", "slots:\n  at: [dawn, noon]\n"),
    )
    assert validate_spec(root, seeds=1) == []
    found = {text.path[-1]: text for text in spec_texts(load_spec(root)) if "data" in text.path}
    assert {name for name, text in found.items() if text.expression} == {"limit"}
    assert '"clock": "wall clock of the ward"' in compile_spec(load_spec(root)).material.files["building/clocks.json"]


def test_a_template_in_a_json_document_is_looked_at_whatever_its_key_is(tmp_path: Path):
    wrong = DOCUMENT.replace("{now|date}", "{nowhere}")
    root = patched(tmp_path, ("1-workspace", "documents:\n", f"documents:\n{wrong}"))
    assert {one.id for one in validate_spec(root, seeds=1)} == {"SPEC-005"}
