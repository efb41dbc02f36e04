"""Published numbers that the scoring must give back exactly."""

import json
from pathlib import Path

import pytest

from claw_adapter.scoring import RoundScore, Streaks, aggregate, composite_reliability

RESULTS = Path(__file__).resolve().parents[3] / "shared" / "clawarena-results" / "gpt-5.5_openclaw"

# ClawArena v1: table 2 (Overall), table 3 (phase means), phases of rounds 1-12, 13-25, 26-39, 40-52, 53-66.
PHASES = (12, 13, 14, 13, 14)
V1 = {
    "MetaClaw": (0.603, (0.872, 0.497, 0.557, 0.569, 0.548)),
    "OpenClaw": (0.579, (0.858, 0.497, 0.471, 0.477, 0.619)),
    "Claude Code": (0.566, (0.886, 0.523, 0.414, 0.600, 0.453)),
    "PicoClaw": (0.515, (0.872, 0.513, 0.400, 0.492, 0.347)),
    "NanoBot": (0.511, (0.753, 0.472, 0.374, 0.446, 0.536)),
}

# The verdicts of the shipped files, in round order, and the counts read off them by hand.
SHIPPED = {
    "hil_d3": ("011110111011111111111101111111", (26, 4, 4, 4), 22 / 29, 1.0),
    "hil_g1": ("110011110101011111111101101111", (23, 7, 7, 6), 16 / 29, 28 / 29),
}


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([1, 0, 1, 0, 1], (0, 1, 0, 0.6, 0.3)), ([1, 1, 1, 0, 0], (0.5, 0.75, 0.375, 0.6, 0.4875))],
)
def test_worked_examples_of_the_paper(scores, expected):
    got = Streaks.of(scores)
    assert (got.sc, got.fd, got.robustness, got.tcr, got.crs) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("framework", V1)
@pytest.mark.parametrize("kind", ["multi_choice", "exec_check"])
def test_phase_means_of_v1_give_its_overall(framework, kind):
    overall, phases = V1[framework]
    values = [value for value, length in zip(phases, PHASES, strict=True) for _ in range(length)]
    rounds = [
        RoundScore("outage", str(i), kind, value if kind == "exec_check" else 0.0, per_option=value)
        for i, value in enumerate(values)
    ]
    assert len(rounds) == 66
    assert round(aggregate({"outage": rounds}, "v1", "strict").overall, 3) == overall


def pooled_rows():
    """337 rounds with 72 of 95 choices and 192 of 242 checks right, dealt to 12 scenarios."""
    scores = [("multi_choice", i < 72) for i in range(95)] + [("exec_check", i < 192) for i in range(242)]
    names = [f"s{i % 12:02}" for i in range(len(scores))]
    return {
        name: [
            RoundScore(name, str(i), kind, float(won))
            for i, ((kind, won), owner) in enumerate(zip(scores, names, strict=True))
            if owner == name
        ]
        for name in sorted(set(names))
    }


def test_the_pooled_part_of_the_first_row_of_v2_table_3():
    got = aggregate(pooled_rows(), "published", "strict")
    assert got.rounds == 337
    assert [round(100 * value, 3) for value in (got.tcr, got.mc, got.ec)] == [78.338, 75.789, 79.339]


def test_the_composite_of_the_first_row_of_v2_table_3_from_its_parts():
    robustness = 0.61244 * 0.95057  # known to 5 digits, which leaves CRS uncertain in its 6th
    assert round(100 * robustness, 2) == 58.22
    crs = 100 * composite_reliability(264 / 337, robustness)
    assert round(crs, 2) == 68.28
    assert crs == pytest.approx(68.278, abs=1e-3)


def shipped_rounds(scenario):
    folder = RESULTS / scenario
    if not folder.is_dir():
        pytest.skip(f"the published results are not here ({scenario} under ../shared/clawarena-results)")
    files = sorted(folder.glob("q*/infer_result.json"), key=lambda path: int(path.parent.name[1:]))
    records = [json.loads(path.read_text(encoding="utf-8")) for path in files]
    return [
        RoundScore(scenario, r["meta"]["round_id"], r["meta"]["question_type"], float(r["inline_score"]["passed"]))
        for r in records
    ]


@pytest.mark.parametrize("scenario", SHIPPED)
def test_streaks_of_the_shipped_rounds(scenario):
    verdicts, counts, sc, fd = SHIPPED[scenario]
    scores = [r.score for r in shipped_rounds(scenario)]
    assert "".join(str(int(score)) for score in scores) == verdicts
    got = Streaks.of(scores)
    assert (got.s, got.k, got.s_f, got.k_f) == counts
    assert (got.sc, got.fd) == (pytest.approx(sc), pytest.approx(fd))


def test_the_two_shipped_scenarios_together():
    got = aggregate({name: shipped_rounds(name) for name in SHIPPED}, "published", "strict")
    assert (got.rounds, got.scored) == (60, 60)
    assert (got.tcr, got.mc, got.ec) == (pytest.approx(49 / 60), pytest.approx(12 / 16), pytest.approx(37 / 44))
    assert got.robustness == pytest.approx(19 / 29 * 57 / 58)
    assert got.crs == pytest.approx((49 / 60 + 19 / 29 * 57 / 58) / 2)
