"""What a newcomer gets wrong is found, once, at its line, with the way out."""

# ruff: noqa: E501 - a case is one patch of a line of the spec

from pathlib import Path

import pytest

from claw_adapter_scenarios.compiler import compile_spec
from claw_adapter_scenarios.spec import load_spec
from claw_adapter_scenarios.validation import validate_spec
from claw_adapter_scenarios.validation.rules import spec_finding
from claw_adapter_scenarios.validation.worlds import other_seeds
from scenarios.patching import patched

T, W, S, R, C = "0-truth", "1-workspace", "2-sessions", "3-rounds", "5-controls"
SWITCHES = "switches:\n  stock: {what: how many doses there are, sides: [many, few]}\nfacts:\n"
MANY = "    options:\n" + "".join(
    f"      - {{if: report_due > {n}, text: Due after {n}.}}\n" for n in (*range(1, 30), *range(900, 930))
)
DOSES = "doses: {value: 140, what: doses of the lot in F2, vary: {range: [120, 190], step: 10}}"


def said(root: Path, seeds: int = 0) -> list[tuple[str, str, str]]:
    """Rule, message and the text of the line of every finding."""
    found = []
    for one in validate_spec(root, seeds=seeds):
        file, _, number = one.where.rpartition(":")
        found.append((one.id, one.message, Path(file).read_text("utf-8").splitlines()[int(number) - 1]))
    return found


@pytest.mark.parametrize("typed", ["140", "one hundred forty"])
def test_a_value_that_seeds_change_is_not_typed_into_a_mark(typed, tmp_path):
    [(rule, message, line)] = said(patched(tmp_path, (S, "I counted {doses} doses", f"I counted {typed} doses")), 3)
    assert rule == "SPEC-048"
    assert message == f"'{typed}' is typed into a mark, and in other seeds 'doses' is another: write {{doses}}"
    assert "carla-doses" in line


def test_a_value_that_no_seed_changes_may_be_typed_into_a_mark(tmp_path):
    fixed = (T, DOSES, "doses: {value: 140, what: doses of the lot in F2}")
    found = validate_spec(patched(tmp_path, fixed, (S, "I counted {doses} doses", "I counted 140 doses")), seeds=3)
    assert not any(one.id == "SPEC-048" for one in found)


def test_a_number_beside_a_reference_may_be_the_same(tmp_path):
    beside = (S, "I counted {doses} doses", "I counted {doses} doses in 140 places")
    assert said(patched(tmp_path, beside), 3) == []


def test_who_writes_takes_part_or_is_the_protagonist(tmp_path):
    direct = (S, "participants: [ben]", "participants: [carla]")
    assert ("SPEC-004", "'ben' writes in") in {(rule, text[:15]) for rule, text, _ in said(patched(tmp_path, direct))}


@pytest.mark.parametrize(
    ("change", "rule", "words", "line"),
    [
        ((S, "on Monday]]", "on Monday"), "SPEC-006", "Write ]] on the same line", "carla-doses"),
        ((R, "{if: outage_min > 60,", '{if: "off_at > {off_at}",'), "SPEC-002", "Quote a moment", "off_at > {off_at}"),
        ((R, "    options:\n", "    optoins:\n"), "SPEC-001", "did you mean 'options'?", "optoins"),
        ((R, "text: The fridge had no power for", "text: The fridge, it seems, had no power for"), "SPEC-001", "a comma within", "it seems"),
        ((T, "domain: hospital", "domain: {hospital}"), "SPEC-001", "begins with { needs quotes", "domain"),
        ((C, "messages: [20, 400]", "messages: [20, 400]\nspacing: 6"), "SPEC-012", "'dense'", "updates"),
        ((C, "messages: [20, 400]", "messages: [20, 400]\nnoise_share: [0.6, 0.7]"), "SPEC-063", "allows 60% to 70%", "noise_share"),
    ],
)  # fmt: skip
def test_a_finding_has_its_line_and_a_way_out(change, rule, words, line, tmp_path):
    found = said(patched(tmp_path, change))
    assert {one[0] for one in found} == {rule}, found
    assert any(words in text and line in written for _, text, written in found), found


def test_an_unknown_statement_that_is_not_drawn_is_to_be_kept(tmp_path):
    root = patched(tmp_path)
    path = root / "3-rounds.yaml"
    before, mark, rest = path.read_text("utf-8").partition("    limits: true\n")
    path.write_text(before + mark + "    draw: 5\n" + rest.replace("    options:\n", MANY, 1), "utf-8")
    assert any("give it 'always: true'" in text for rule, text, _ in said(root) if rule == "SPEC-046"), said(root)


def test_drawn_messages_of_the_second_edition_have_no_pool_to_be_filled(tmp_path):
    second = (T, "spec: spec/1\n", "spec: spec/1\nedition: 2\n")
    root = patched(tmp_path, second)
    path = root / "5-controls.yaml"
    text = path.read_text("utf-8")
    start, end = text.index("noise:"), text.index("context:")
    path.write_text(text[:start] + "noise: {}\n" + text[end:], "utf-8")
    found = said(root)
    assert any(rule == "SPEC-002" and "leave out 'noise' and 'context'" in text for rule, text, _ in found), found


def test_a_short_span_is_found_at_its_mark_with_the_limit(tmp_path):
    short = (
        S,
        "[[#carla-doses doses: I counted {doses} doses",
        "I counted [[#carla-doses doses: {doses} doses]]. [[doses: The list has {doses} doses",
    )
    [(rule, message, line)] = said(patched(tmp_path, short))
    assert rule == "SPEC-002"
    assert "12 characters" in message
    assert "carla-doses" in line


def test_a_slip_in_prose_is_named_by_the_way_the_spec_was_named(tmp_path, monkeypatch):
    root = patched(tmp_path, (W, "text: |-\n          After an outage", "text: {prose: a.md}\n#"))
    (root / "prose").mkdir()
    (root / "prose" / "a.md").write_text("One.\n\nTwo [[doses: three\nmore]] words.\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert any(one.where == "spec/prose/a.md:3" for one in validate_spec(Path("spec"), seeds=0))


def test_two_marks_of_one_rank_are_named_once_and_hold_back_what_follows(tmp_path):
    below = (T, "recorder: {rank: 6,", "recorder: {rank: 1,"), (T, "paper: {rank: 4,", "paper: {rank: 1,")
    found = said(patched(tmp_path, *below, (T, "pharmacy: {rank: 5,", "pharmacy: {rank: 1,")))
    clashes = [(text, line) for _, text, line in found if "at one rank" in text]
    [(text, line)] = clashes
    assert text.startswith(
        "the marks 'ben-reported' and 'reported-at' (session/porter-dm, workspace/building/ward_desk.log)"
    )
    assert "[[reported_at: " in line
    assert not any("nothing visible decides" in text for _, text, _ in found), found
    assert not any(rule.startswith("SCN") for rule, _, _ in found)


def test_what_all_seeds_have_in_common_is_said_once(tmp_path):
    changes = ((T, "facts:\n", SWITCHES), (T, DOSES, "doses: {value: {switch: stock, many: 140, few: 90}}"))
    made = compile_spec(load_spec(patched(tmp_path, *changes)))

    def look(one):
        yield spec_finding("SPEC-082", f"numbers: {one.canon.seed}, and 9", "a:1")
        if one.spec.world["stock"] == "few":
            yield spec_finding("SPEC-041", "few", "b:1")

    found = sorted(one.message for one in other_seeds(made, 3, look))
    assert found[0] == "in seeds 0 to 3: numbers: 0, and 9"
    assert found[1].endswith("(stock few): few")
    assert len(found) == 2
