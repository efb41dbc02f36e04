"""How people talk: what is counted of exchanges, and what is worse than in every published scenario."""

from dataclasses import replace

import pytest

from claw_adapter.scenario import load_scenario
from claw_adapter_scenarios.compiler import build
from claw_adapter_scenarios.realism.talk import BETTER, exchanges, published, shortfalls, talk
from claw_adapter_scenarios.spec import load_spec
from scenarios.patching import patched

SAID = "The clinic day stays where it is for now, I want to see paper first."
REPLY = """            say: The clinic day stays where it is for now, I want to see paper first.
            reply: Then the clinic day waits for the export of 14 March, in stock/list.csv.
"""


@pytest.fixture
def example(tmp_path):
    """The example with one exchange that is known word by word."""
    root = patched(tmp_path, ("2-sessions", f"            say: {SAID}\n", REPLY))
    return load_scenario(build(load_spec(root), tmp_path / "out"))


def test_an_exchange_is_what_a_person_says_without_the_stamp_and_the_reply(example):
    one = next(one for one in exchanges(example) if one.said == SAID)
    assert one.reply.startswith("Then the clinic day waits")
    assert not any(one.said.startswith("[") for one in exchanges(example))


def test_figures_of_a_scenario(example):
    found = talk([example])[example.id]
    told = exchanges(example)
    assert found.exchanges == len(told)
    assert found.numbers >= 1 / len(told)
    assert found.files >= 1 / len(told)
    assert 0 < found.uptake < 1
    assert found.alike == 0, "there is no other scenario"


def test_the_same_replies_in_another_scenario_are_found(example):
    twin = example.model_copy(update={"manifest": example.manifest.model_copy(update={"id": "twin"})})
    found = talk([example, twin])
    assert found["twin"].alike > 0.3
    assert found["twin"] == found[example.id]


def test_a_scenario_that_is_worse_than_every_published_one_is_told_in_what(example):
    figures = talk([example])[example.id]
    said = list(shortfalls(figures))
    assert any(line.startswith("reply words") for line in said)
    best = {
        name: (max if better > 0 else min)(getattr(one, name) for one in published().values())
        for name, better in BETTER.items()
    }
    assert not list(shortfalls(replace(figures, **best)))
