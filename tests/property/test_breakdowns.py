"""Every breakdown by tags of one value each adds up to the whole, whatever the tags and scores are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.scoring.breakdown import breakdown
from claw_adapter.scoring.observed import Observation

SCORES = st.sampled_from([None, 0.0, 0.5, 1.0])
VALUES = st.sampled_from(["", "a", "b", "10", "9"])


@st.composite
def rounds(draw):
    """Rounds of up to three scenarios under two configurations, each with at most one value of two tags."""
    found = []
    for config in ("left", "right"):
        for scenario in draw(st.lists(st.sampled_from("xyz"), unique=True)):
            for index in range(draw(st.integers(0, 5))):
                score = draw(SCORES)
                tags = {name: (value,) for name in ("topic", "level") if (value := draw(VALUES))}
                unread = score == 0 and draw(st.booleans())
                kind = draw(st.sampled_from(["multi_choice", "exec_check"]))
                found.append(Observation(config, config, scenario, f"r{index}", index, kind, score, tags, unread))
    return [*found, Observation("left", "left", "w", "r0", 0, "exec_check", 1.0, {"topic": ("a",), "level": ("b",)})]


@given(rounds(), st.lists(st.sampled_from(["topic", "level", "scenario", "round", "type"]), unique=True))
def test_the_rows_add_up_to_the_whole(found, by):
    rows = breakdown(found, by, metric_set="published")
    for whole in breakdown(found, metric_set="published"):
        mine = [row for row in rows if row.config == whole.config]
        for count in ("n", "scored", "unscored", "unread"):
            assert sum(getattr(row, count) for row in mine) == getattr(whole, count)
        total = sum((row.mean or 0) * row.scored for row in mine)
        assert abs(total - (whole.mean or 0) * whole.scored) < 1e-9
        strict = sum(row.strict["tcr"] * row.n for row in mine)
        assert abs(strict - whole.strict["tcr"] * whole.n) < 1e-9
        assert len({row.values for row in mine}) == len(mine)


def test_variants_of_one_story_count_as_one_scenario():
    def told(scenario: str, story: str, score: float) -> list[Observation]:
        tags = {"variant_of": (story,)} if story else {}
        return [Observation("c", "c", scenario, f"r{n}", n, "exec_check", score, tags) for n in range(6)]

    def both(a: str, b: str) -> list[Observation]:
        return [*told("a", a, 1.0), *told("a-v1", a, 1.0), *told("b", b, 0.0), *told("b-v1", b, 0.0)]

    (apart,), (together,), (alone,) = (breakdown(found, ()) for found in (both("", ""), both("a", "b"), both("a", "a")))
    assert apart.interval is not None
    assert together.interval is not None
    assert (round(apart.interval.effective), round(together.interval.effective)) == (4, 2)
    assert alone.interval is None, "one story says nothing about another"
