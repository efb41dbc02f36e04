"""Switches, the worlds of seeds, prose in files of its own, options that are drawn, and what learned answers are worth."""

from itertools import combinations
from pathlib import Path

import pytest

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.compiler import compile_spec
from claw_adapter_scenarios.compiler.emit import emit
from claw_adapter_scenarios.spec import load_spec
from claw_adapter_scenarios.spec.worlds import world_of
from claw_adapter_scenarios.validation import validate_spec
from claw_adapter_scenarios.validation.memorised import memorised, statements
from claw_adapter_scenarios.validation.second import second_edition
from claw_adapter_scenarios.validation.worlds import other_seeds
from scenarios.patching import patched

SWITCHES = """facts:
"""
SWITCHED = """switches:
  length: {what: how long it was dark, sides: [long, short]}
  stock: {what: how many doses there are, sides: [many, few]}
facts:
"""
DOSES = "doses: {value: 140, what: doses of the lot in F2, vary: {range: [120, 190], step: 10}}"
TURNED = "doses: {value: {switch: stock, many: 140, few: 90}, what: doses of the lot in F2}"
STATEMENT = "      - {if: limit_c == 8, text: A single reading above eight degrees is already too much.}\n"
GUARDED = """      - {if: doses > 100, text: There are more than a hundred doses of the lot in F2.}
      - {if: doses > 100, when: {stock: few}, text: There are a hundred doses of the lot or more.}
"""
LOOP = """          - at: 2026-03-10 15:00
            from: ana
            say: The clinic day stays where it is for now, I want to see paper first.
      - name: the day before the decision
"""
PROSE = """# the morning after
## 2026-03-10 06:45, ben
F2 was dark on my round.
[[#ben-short outage_min=said_min: Cannot have been more than {said_min} minutes]], the plug was half out.
: effect=C1,B1

> Noted. {B1}

## 2026-03-10 07:10, carla
: read=stock/fridges_{off_at|date}.csv effect=C3
For the record, [[#carla-doses doses: I counted {doses} doses in F2 on Monday]], all one lot.

<!-- when stock=few -->
That is less than I thought.
<!-- otherwise -->
That is what I thought.
<!-- end -->

> That matches the stock list.

## 2026-03-10 09:20, carla
Good news: [[#carla-released released=released_said: the pharmacy has given the lot free again]], {A2}.
> {B2}
"""


def switched(folder: Path, *more: tuple[str, str, str]) -> Path:
    """The example with two switches, on one of which the doses hang."""
    return patched(folder, ("0-truth", SWITCHES, SWITCHED), ("0-truth", DOSES, TURNED), *more)


@pytest.mark.parametrize("sides", [{f"s{n}": ("a", "b") for n in range(4)}, {"x": ("a", "b", "c"), "y": ("d", "e")}])
def test_no_two_seeds_share_a_world_while_there_are_others_and_sides_are_balanced(sides):
    worlds = [tuple(world_of(seed, sides, "story").values()) for seed in range(16)]
    count = len({*worlds})
    assert worlds[0] == tuple(side[0] for side in sides.values()), "seed 0 is as written"
    assert count == min(16, len(sides["s0"]) ** 4 if "s0" in sides else 6)
    for number, side in enumerate(sides.values()):
        held = [sum(world[number] == one for world in worlds[:count]) for one in side]
        assert max(held) - min(held) <= 1
    assert worlds[count:] == worlds[: 16 - count]


def test_of_the_first_eight_worlds_of_four_switches_any_two_differ_in_two():
    worlds = [world_of(seed, {f"s{n}": ("a", "b") for n in range(4)}, "story") for seed in range(8)]
    assert min(sum(a[name] != b[name] for name in a) for a, b in combinations(worlds, 2)) == 2


def test_of_many_switches_each_is_turned_by_the_first_seeds():
    sides = {f"s{n}": ("a", "b") for n in range(20)}
    worlds = [world_of(seed, sides, "story") for seed in range(8)]
    assert all(3 <= sum(world[name] == "a" for world in worlds) <= 5 for name in sides)


def test_a_world_is_read_from_the_same_files_and_lines_stay_those_of_the_file(tmp_path):
    spec = load_spec(switched(tmp_path, ("3-rounds", STATEMENT, GUARDED + STATEMENT)))
    made = {seed: compile_spec(spec, seed) for seed in range(4)}
    assert {one.canon.value("doses") for one in made.values()} == {140, 90}
    few = next(one for one in made.values() if one.canon.value("doses") == 90)
    many = next(one for one in made.values() if one.canon.value("doses") == 140)
    texts = [{option.text for option in one.rounds[0].options} for one in (few, many)]
    assert texts[0] - texts[1] >= {"There are a hundred doses of the lot or more."}
    for one in (few, many):
        for option in one.rounds[0].options:
            where = one.spec.where("3-rounds", "rounds", 0, "options", option.number)
            line = (one.spec.root / "3-rounds.yaml").read_text("utf-8").splitlines()[int(where.rsplit(":", 1)[1]) - 1]
            assert option.spec.text.split("{")[0] in line
    found = [statements(one)["r1"] for one in (few, many)]
    both = found[0].keys() & found[1].keys()
    assert len(found[0]) == len(found[1]) + 1
    assert sum(found[0][key] != found[1][key] for key in both) == 1, "the one that hangs on the switch"


def test_prose_is_read_from_its_own_file_with_the_branches_of_the_world(tmp_path):
    root = switched(tmp_path)
    path = root / "2-sessions.yaml"
    text = path.read_text("utf-8")
    start, end = (
        text.index("    phases:\n      - name: the morning after"),
        text.index("      - name: the day before the"),
    )
    path.write_text(text[:start] + "    phases: {prose: ward.md}\n" + text[end:].partition("\n\n")[2], "utf-8")
    (root / "prose").mkdir()
    (root / "prose" / "ward.md").write_text(PROSE, "utf-8")
    spec = load_spec(root)
    said = {
        seed: "\n".join(message.text for message in compile_spec(spec, seed).material.sessions["ward-chat"])
        for seed in range(4)
    }
    assert not any("effect=" in text for text in said.values())
    assert {("less than I" in text, "That is what I" in text) for text in said.values()} == {
        (True, False),
        (False, True),
    }
    assert spec.where("2-sessions", "channels", 0, "phases", 0, "loops", 1).endswith("prose/ward.md:9")
    assert spec.where("2-sessions", "channels", 0, "title").split(":")[0].endswith("2-sessions.yaml")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("stock, many: 140", "stok, many: 140", "there is no switch 'stok'"),
        ("many: 140, few", "many: 140, fuw", "nothing is said of the side 'few'"),
        ("few: 90}", "few: 90, none: 0}", "'none' is no side of 'stock'"),
    ],
)
def test_a_slip_in_a_choice_between_sides_is_named_with_its_line(old, new, said, tmp_path):
    root = switched(tmp_path)
    path = root / "0-truth.yaml"
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(ScenarioError, match=said) as raised:
        load_spec(root)
    line = int(str(raised.value).split("0-truth.yaml:")[1].split(":")[0].split()[0].rstrip(":,"))
    assert "doses:" in path.read_text("utf-8").splitlines()[line - 1]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("# one\n## 2026-03-10 06:45 ben\nHello there.\n", 2, "names its moment"),
        ("# one\n## 2026-03-10 06:45, ben\n> Only a reply.\n", 2, "nothing is said"),
        ("# one\n## 2026-03-10 06:45, ben\nHello.\n> Yes.\nMore.\n", 5, "text after the reply"),
        ("# one\n## 2026-03-10 06:45, ben\n: colour=red\nHello.\n", 3, "'colour' is no field"),
        ("Hello.\n# one\n", 1, "before the first phase"),
        ("# one\n<!-- when stock=few -->\n## 2026-03-10 06:45, ben\nHello.\n", 2, "has no end"),
        ("# one\n<!-- when stock=none -->\n<!-- end -->\n", 2, "is no side"),
        ("# one\n<!-- end -->\n", 2, "no branch is open"),
    ],
)
def test_a_slip_in_prose_is_named_with_its_line(text, line, said, tmp_path):
    root = switched(tmp_path)
    path = root / "2-sessions.yaml"
    path.write_text(path.read_text("utf-8").replace("    phases:\n", "    phases: {prose: a.md}\n#", 1), "utf-8")
    whole = path.read_text("utf-8")
    cut = whole.index("#      - name: the morning after") if "#      - name" in whole else whole.index("#")
    rest = whole[cut:].partition("\n\n")[2]
    path.write_text(whole[:cut] + rest, "utf-8")
    (root / "prose").mkdir()
    (root / "prose" / "a.md").write_text(text, "utf-8")
    with pytest.raises(ScenarioError, match=said) as raised:
        load_spec(root)
    assert f"a.md:{line}" in str(raised.value)


@pytest.mark.parametrize("name", ["../0-truth.yaml", "absent.md"])
def test_prose_lies_in_its_folder(name, tmp_path):
    root = patched(tmp_path, ("1-workspace", "text: |-\n          After an outage", f"text: {{prose: {name}}}\n#"))
    (root / "prose").mkdir()
    with pytest.raises(ScenarioError, match=r"1-workspace\.yaml:"):
        load_spec(root)


def test_options_are_drawn_by_seed_and_a_round_has_true_and_false_ones(tmp_path):
    more = "".join(
        f'      - {{if: "doses > {n}", text: "More than {n} doses are in the fridge."}}\n' for n in (1, 2, 900, 901)
    )
    spec = load_spec(
        patched(
            tmp_path,
            ("3-rounds", "    options:\n", "    draw: 5\n    options:\n"),
            ("3-rounds", "{if: outage_min < 15,", "{if: outage_min < 15, always: true,"),
            ("3-rounds", STATEMENT, more),
        )
    )
    drawn = {}
    for seed in range(6):
        one = compile_spec(spec, seed).rounds[0]
        true = sum(bool(option.verdict.value) for option in one.options)
        assert len(one.options) == 5
        assert 2 <= true < 5
        assert 0 in {option.number for option in one.options}, "it is always asked: a later round revises it"
        drawn[seed] = frozenset(option.number for option in one.options)
    assert len({*drawn.values()}) > 2


def test_what_learned_answers_are_worth_is_measured(tmp_path):
    same = memorised(load_spec(patched(tmp_path)), range(3))
    assert (same.turned, same.sets, same.right) == (0, 1, 1)
    assert len([*same.shortfalls]) >= 3
    assert same.still
    assert all(line.endswith(" in all 3 seeds") for line in same.still)
    assert any("seeds 0 and 1" in line for line in same.shortfalls)
    (tmp_path / "two").mkdir()
    moved = memorised(load_spec(switched(tmp_path / "two", ("3-rounds", STATEMENT, GUARDED + STATEMENT))), range(4))
    assert 0 < moved.turned < 1 / 3
    assert 0 == moved.least < moved.turned, "two of the four seeds are the same world"
    assert {line.split(":")[0] for line in same.still} - {line.split(":")[0] for line in moved.still}
    assert any(line.endswith(" in all 2 seeds that ask it, of 4") for line in moved.still), (
        "asked in two worlds of four"
    )
    assert moved.sets < 1
    assert moved.right < 1


def test_the_second_edition_asks_for_switches_that_turn_something(tmp_path):
    root = switched(tmp_path, ("0-truth", "spec: spec/1\n", "spec: spec/1\nedition: 2\n"))
    made = compile_spec(load_spec(root))
    found = {(one.id, one.message) for one in other_seeds(made, 1, lambda _: iter(()))}
    assert ("SPEC-080", "there are 2 switches") in found
    assert ("SPEC-080", "nothing hangs on 'length'") in found
    assert any(name == "SPEC-081" for name, _ in found)


def test_a_card_has_its_sections_and_all_variants_of_a_spec_bear_one_canary(tmp_path):
    root = switched(tmp_path, ("0-truth", "spec: spec/1\n", "spec: spec/1\nedition: 2\n"))
    (root / "card.md").write_text("# A card\n\n## Limits\n", "utf-8")
    variants = [compile_spec(load_spec(root), seed) for seed in (0, 1)]
    said = [one.message for one in second_edition(variants[0]) if one.id == "SPEC-087"]
    assert "card.md has no section 'Worlds'" in said
    assert "card.md has no section 'Limits'" not in said
    lines = [[one for one in emit(made)["scenario.yaml"].splitlines() if b"anary" in one] for made in variants]
    assert lines[0] == lines[1] != []


def test_the_second_edition_asks_for_talk_that_is_written_and_statements_that_are_joined(tmp_path):
    root = switched(
        tmp_path,
        ("0-truth", "spec: spec/1\n", "spec: spec/1\nedition: 2\n"),
        ("5-controls", "messages: [20, 400]", "messages: [20, 400]\nnoise_share: [0.9, 1]"),
        (
            "3-rounds",
            "{if: limit_c == 8, text: A single reading above eight",
            "{if: limit_c == 8, text: A reading above 9",
        ),
    )
    found = {one.id: one for one in validate_spec(root, seeds=0)}
    assert {"SPEC-083", "SPEC-084", "SPEC-085", "SPEC-086", "SPEC-087"} == found.keys()
    assert "has 9, and its predicate has not" in found["SPEC-086"].message
    assert "'noise_share' allows 90% to 100%" in found["SPEC-084"].message
    assert "statements rest on" in found["SPEC-085"].message
    assert found["SPEC-087"].message == "there is no card.md"
