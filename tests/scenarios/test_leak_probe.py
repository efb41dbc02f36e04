"""The leak probe finds what is planted, and nothing in statements whose outside says nothing."""

from random import Random

import pytest

from claw_adapter_scenarios.compiler import compile_spec
from claw_adapter_scenarios.proof.leaks import Statement, area, asked, leaks
from claw_adapter_scenarios.spec import load_spec
from scenarios.patching import patched

WORDS = tuple("the door was open when they came back from lunch and nobody had seen the key since".split())  # noqa: SIM905


def statements(seeds: int = 4, *, longer: int = 0, word: str = "") -> list[Statement]:
    """Statements of 12 scenarios of 10 rounds: drawn words, true ones `longer`, or with a `word` of their own."""
    rng, found = Random(7), []
    for scenario in range(12):
        for number in range(10):
            truths = [rng.random() < 0.6 for _ in range(6)]
            texts = [rng.choices(WORDS, k=rng.randint(6, 14)) for _ in truths]
            for position, (holds, words) in enumerate(zip(truths, texts, strict=True)):
                more = rng.choices(WORDS, k=longer) + ([word] if word and rng.random() < 0.5 else []) if holds else []
                for seed in range(seeds):
                    text = " ".join([*words, *more])
                    found.append(
                        Statement(
                            f"s{scenario}", seed, f"r{number}", (number, position), text, "?", position / 5, 6, holds
                        )
                    )
    return found


def found(given: list[Statement]) -> set[str]:
    return {one.feature for one in leaks(given, shuffles=60) if one.leaks}


def test_statements_whose_outside_says_nothing_leak_nothing_however_often_they_come_again():
    assert found(statements(seeds=1)) == set()
    assert found(statements(seeds=4)) == set()


def test_longer_true_statements_are_found():
    assert "length" in found(statements(longer=3))


def test_a_word_that_true_statements_have_in_all_scenarios_is_found_by_the_classifier():
    assert {"classifier", "exact matches"} <= found(statements(word="however"))


@pytest.mark.parametrize(
    ("values", "labels", "expected"),
    [
        ([1, 2, 3, 4], [False, False, True, True], 1),
        ([1, 1, 1, 1], [True, False, True, False], 0.5),
        ([1, 2], [True, True], 0.5),
    ],
)
def test_the_area_counts_pairs_and_ties_half(values, labels, expected):
    assert area(values, labels) == expected


def test_statements_that_are_asked_again_are_left_out(tmp_path):
    made = compile_spec(load_spec(patched(tmp_path)))
    rounds = {one.round for one in asked(made)}
    assert rounds == {
        one.spec.id for one in made.rounds if one.options and (one.spec.type != "revision" or one.spec.options)
    }
    assert {one.position for one in asked(made) if one.round == "r1"} == {n / 5 for n in range(6)}
