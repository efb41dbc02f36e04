"""Broken specs: the worked example and one patch each, with the rule that must be tripped and what stands on its line."""

# ruff: noqa: E501, ISC004 - a fixture is one patch, and its texts are as long as the lines of the spec
from dataclasses import dataclass


@dataclass(frozen=True)
class Broken:
    """One patch: in `layer`, the first `old` becomes `new`; `line` stands on the reported line (default: the new text's)."""

    rule: str
    layer: str
    old: str
    new: str
    line: str
    also: tuple[tuple[str, str, str], ...] = ()
    """Further replacements: layer, old, new."""


T, W, S, R, U, C = "0-truth", "1-workspace", "2-sessions", "3-rounds", "4-updates", "5-controls"

BROKEN = (
    Broken("SPEC-001", T, "domain: hospital", "domian: hospital", "domian"),
    Broken("SPEC-001", S, "    kind: direct\n    channel: telegram", "    kind: crowd\n    channel: telegram", "kind: crowd"),
    Broken("SPEC-002", T, "trays: {expr: doses // 10", "trays: {expr: doses // 0", "trays"),
    Broken("SPEC-002", S, "reply: \"{B2}\"", "read: nowhere.txt\n            reply: \"{B2}\"", "spec:"),
    Broken("SPEC-003", T, "  A1: {kind", "  B1: {kind", "B1: {kind", ((S, "{A1}", "{B1}"),)),
    Broken("SPEC-004", S, "participants: [ben]", "participants: [benjamin]", "benjamin"),
    Broken("SPEC-005", T, "Whether its\n  {doses} doses", "Whether its\n  {dozes} doses", "summary"),
    Broken("SPEC-005", R, "{doses} doses.\"", "{dose} doses.\"", "{dose} doses"),
    Broken("SPEC-006", S, "[[#ben-short outage_min=said_min:", "[[#ben-short outage=said_min:", "ben-short"),
    Broken("SPEC-006", S, "[[#dora-spare spare:", "[[#ben-short spare:", "#ben-short spare"),
    Broken("SPEC-007", R, "peak_c > 12,", "peak_c > > 12,", "peak_c > > 12"),
    Broken("SPEC-007", R, "if: not released", "if: not relaesed", "relaesed"),
    Broken("SPEC-007", T, "value: =off_at + minutes(dark_min)", "value: =off_at + minutos(dark_min)", "minutos"),
    Broken("SPEC-008", W, "source: paper\n    carries: limit", "source: papers\n    carries: limit", "path: procedures"),
    Broken("SPEC-009", R, "updates: [U2]", "updates: [U1]", "updates: [U1]"),
    Broken("SPEC-010", U, "channel: pharmacy-mail", "channel: pharmacy-post", "pharmacy-post"),
    Broken("SPEC-010", T, "reversed_by: U1\n  C2", "reversed_by: U7\n  C2", "U7"),
    Broken("SPEC-011", T, "rounds: [r5, r7]", "rounds: [r5, r77]", "r77"),
    Broken("SPEC-011", R, "of: r1", "of: r9", "of: r9"),
    Broken("SPEC-012", C, "messages: [20, 400]", "messages: [20, 400]\nspacing: 6", "updates: [U2]"),
    Broken("SPEC-013", R, "teach: [dated]", "teach: [daded]", "daded"),
    Broken("SPEC-013", R, "exam: [dated]", "exam: [dated, daded]", "daded"),
    Broken("SPEC-014", C, "{slot.colour} mug", "{slot.color} mug", "slot.color"),
    Broken("SPEC-014", S, "noise: 2\n", "noise: 2\n    pools: [garden]\n", "garden"),
    Broken("SPEC-015", R, "short_of (how many doses", "(how many doses", "path: reports/stock.json"),
    Broken("SPEC-015", R, "decision.md\n        find: notes/*.md", "decision.md\n        find: notes/*decision*.md", "*decision*"),
    Broken("SPEC-016", S, "at: 2026-03-10 17:40", "at: 2026-03-11 17:40", "17:40"),
    Broken("SPEC-016", U, "at: 2026-03-11 11:30", "at: 2026-03-10 09:10", "grow"),
    Broken("SPEC-017", T, "what: doses in the spare fridge F5,", "known_by: {dora: 2026-03-10 12:00}, what: doses in F5,", "at: 2026-03-10 10:15"),
    Broken("SPEC-030", T, "  C3:\n    about: how many", "  C4b:\n    about: how many", "contradictions", (
        (T, "    b: carla-doses", "    b: ben-doses"),
        (S, "say: Has anybody got the export of the recorder? It must have stored the whole night.", 'say: "[[#ben-doses doses=spare: There were {spare} doses in F2]]."'),
    )),
    Broken("SPEC-031", T, "  C4:\n", "  C1b:\n", "contradictions"),
    Broken("SPEC-032", T, "a: ben-short", "a: ben-shorter", "ben-shorter"),
    Broken("SPEC-033", T, "a: ben-short", "a: panel", "C1:"),
    Broken("SPEC-034", T, "said_min: {value: 10,", "said_doses: {expr: doses - 10}\n  said_min: {value: 10,", "C3:", (
        (S, "[[#carla-doses doses: I counted {doses} doses", "[[#carla-doses doses=said_doses: I counted {said_doses} doses"),
        (U, "        text: |-\n\n          ## Register", "        text: |-\n\n          [[doses: Checked on Monday: {doses} in F2.]]\n          ## Register"),
    )),
    Broken("SPEC-035", T, "b: dora-denies", "b: carla-too", "C2:", (
        (S, "say: The clinic day stays where it is for now, I want to see paper first.", 'say: "[[#carla-too released: nobody has seen a release on paper]]."'),
    )),
    Broken("SPEC-036", S, "[[#ben-reported reported_at=reported_said:", "[[#ben-reported reported_at=reported_said:", "C4:", (
        (S, "    source: word\n    from: 2026-03-10 07:00", "    source: recorder\n    from: 2026-03-10 07:00"),
    )),
    Broken("SPEC-037", U, "[[#panel outage_min: The meter of the distribution panel has F2 dark for {outage_min} minutes.]]", "The meter was read.", "C1:"),
    Broken("SPEC-038", T, "reversed_by: U2\n  C3", "reversed_by: U1\n  C3", "C2:"),
    Broken("SPEC-018", R, 'first: {equals: first_warm, form: "HH:MM"}', "first: {equals: first_warm, form: hm}", "id: r6"),
    Broken("SPEC-039", R, "{if: limit_c == 8,", "{if: peak_c > 12,", "peak_c > 12"),
    Broken("SPEC-040", R, "{if: report_due > 120,", "{if: 2 > 3,", "2 > 3"),
    Broken("SPEC-041", R, "{if: report_due > 120,", "{if: report_due > 20,", "id: r1", (
        (R, "spare == {=spare + 15}", "spare == {spare}"), (R, "lot == 'RB-0198'", "lot != 'RB-0198'"),
    )),
    Broken("SPEC-042", R, "    stage: feedback\n    ask: >-\n      Leave a note", "    stage: feedback\n    needs: [peak_c]\n    ask: >-\n      Leave a note", "id: r3"),
    Broken("SPEC-043", R, "dimensions: [MS, DU]\n    skill: recall", "dimensions: [MS]\n    skill: recall", "id: r5"),
    Broken("SPEC-045", R, "skill: reasoning", "skill: recall", "rounds:"),
    Broken("SPEC-046", R, "    limits: true\n", "", "rounds:"),
    Broken("SPEC-047", R, "The fridge had no power for more than an hour.", "F2 was without power for less than a quarter of an hour.", "outage_min > 60"),
    Broken("SPEC-048", S, "Has anybody got", "Ben, has anybody got", "Ben, has"),
    Broken("SPEC-049", T, "said_min: {value: 10,", "said_spare: {expr: spare}\n  said_min: {value: 10,", "#dora-spare", (
        (S, "[[#dora-spare spare:", "[[#dora-spare spare=said_spare:"),
    )),
    Broken("SPEC-044", R, "{if: outage_min < 15, text: F2 was without power for less than a quarter of an hour.}", "{if: outage_min > 1, text: F2 was without power for longer than a minute.}", "rounds:"),
    Broken("SPEC-050", R, "{if: outage_min > 60,", "{if: outage_min == 95,", "outage_min == 95"),
    Broken("SPEC-051", T, "said_min: {value: 10,", "said_min: {value: 10,", "contradictions", (
        (U, "          [[released: Lot", "          [[outage_min, doses, reported_at: {outage_min} minutes, {doses} doses, told at {reported_at|hm}.]]\n          [[released: Lot"),
    )),
    Broken("SPEC-052", R, "dimensions: [P]\n    skill: recall", "dimensions: [MS]\n    skill: recall", "id: r3"),
    Broken("SPEC-060", S, "Noted. {B1}", "Noted.", "B1:"),
    Broken("SPEC-061", T, "    reversed_by: U2\n\nphrases", "    reversed_by: U3\n\nphrases", "B2:", (
        (U, "  - id: U2", "  - id: U3\n    goal: A remark.\n    tags: {nature: objective, effect: extends, spread: concentrated}\n"
            "    append: [{path: building/cleaning_plan.md, text: The plan is kept.}]\n  - id: U2"),
        (R, "    updates: [U2]", "    updates: [U2, U3]"),
    )),
    Broken("SPEC-062", S, "About the fridge, {A1}.", "About the fridge, trust me.", "A1:"),
    Broken("SPEC-063", C, "messages: [20, 400]", "messages: [20, 400]\nnoise_share: [0.6, 0.7]", "noise_share"),
    Broken("SPEC-064", W, "    why: it has the evening's cleaning of the corridor; it does not say who touched the plug\n", "", "path: building/cleaning_plan.md"),
    Broken("SPEC-065", R, "Write reports/stock.json for me: lot,", "Write reports/stock.json for me ({doses} doses): lot,", "ask:"),
    Broken("SPEC-066", R, "    stage: silent\n", "", "exam: [dated]"),
    Broken("SPEC-067", R, "path: notes/limits.md", "path: \"notes/{now|date}_decision_limits.md\"", "teach: [dated]"),
    Broken("SPEC-068", C, "messages: [20, 400]", "messages: [200, 400]", "messages"),
)  # fmt: skip
