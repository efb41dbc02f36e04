"""The author's guide says what the code does: its examples load, its names are the code's."""

import re
import textwrap
from pathlib import Path
from typing import get_args

import yaml

from claw_adapter.reference.agent import READ_LIMIT
from claw_adapter_scenarios.compiler.canon import draw_canon
from claw_adapter_scenarios.spec import load_spec
from claw_adapter_scenarios.spec.rounds import Dimension, FieldRule, OptionSpec, PreferenceSpec
from scenarios.patching import patched

GUIDE = Path(__file__).parents[2].joinpath("docs", "scenarios.md").read_text("utf-8")


def line(start: str) -> str:
    """The example line that begins so."""
    found = re.search(rf"(?m)^    {re.escape(start)}.*$", GUIDE)
    assert found, f"the guide has no example {start!r}"
    return found[0].strip()


def test_the_example_of_private_variants_varies_every_answer_it_names(tmp_path: Path):
    block = re.search(r"(?m)^    facts:\n(?:      .*\n)+    require:.*\n", GUIDE)[0]
    root = patched(tmp_path)
    file = root / "0-truth.yaml"
    others = re.sub(r"(?ms)^(facts|require):.*?(?=^\w)", "", file.read_text("utf-8"))
    file.write_text(f"{others}\n{textwrap.dedent(block)}", "utf-8")
    canons = [draw_canon(load_spec(root), seed) for seed in range(8)]
    for name in ("outage_min", "warm_min", "said_min", "off_at"):
        assert len({str(canon.value(name)) for canon in canons}) > 2, name
    assert len({canon.value("first_warm").time() for canon in canons}) > 2


def test_the_examples_of_quoting_are_what_they_look_like():
    option = OptionSpec.model_validate(yaml.safe_load(line('- {if: "agree'))[0])
    assert option.text.endswith("doses, no more.")
    for start in ("agree: {", "said_by: {"):
        (rule,) = yaml.safe_load(line(start)).values()
        assert FieldRule.model_validate(rule).equals
    (preference,) = yaml.safe_load(line("calm: {dimension")).values()
    assert PreferenceSpec.model_validate(preference).lacks == "[!?]{2,}"


def test_names_and_limits_are_those_of_the_code():
    assert f"`{' '.join(get_args(Dimension))}`" in GUIDE
    assert f"first {READ_LIMIT:,} characters" in GUIDE
