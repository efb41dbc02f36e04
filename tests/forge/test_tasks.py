"""Task compiler: published counts, own texts, the same bytes from the same seed."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest

from claw_adapter.errors import InternalError, ScenarioError
from claw_adapter_forge.families import families
from claw_adapter_forge.generator.compiler import check_task
from claw_adapter_forge.generator.task_sets import blueprints, generate, round_length
from claw_adapter_forge.policies.offline import POLICIES
from claw_adapter_forge.proof.replay import replay
from claw_adapter_forge.tasks.manifest import canonical, manifest_lines, task_from_json, task_to_json
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.spec import ForgeTask

TWO_WAYS = {"live", "async", "wet", "dry", "primary", "backup"}
COUNTS = {
    "inbox_followthrough": 12,
    "release_recovery_runbook": 10,
    "channel_incident_recovery": 10,
    "daily_ops_commitment_loop": 10,
    "release_gate_followthrough": 30,
    "delivery_update_followthrough": 10,
    "ops_review_followthrough": 30,
    "existing_state_followthrough": 10,
    "duplicate_avoidance_followthrough": 10,
    "multi_source_decision_followthrough": 20,
    "state_repair_followthrough": 46,
    "completion_gap_followthrough": 12,
    "branch_resolution_followthrough": 40,
    "already_done_skip_followthrough": 10,
    "wrong_state_replacement_followthrough": 46,
    "interrupted_workflow_resume": 30,
    "contradictory_source_resolution": 26,
}
ABILITIES = {
    "duplicate_avoidance": 20,
    "gap_completion": 52,
    "information_transfer": 32,
    "multi_source_reasoning": 86,
    "state_repair": 92,
    "workflow_completion": 80,
}
LENGTHS_OF_ALL = {5: 77, 6: 115, 7: 45, 8: 53, 9: 72}
LENGTHS = {
    ("inbox_followthrough", 7): 5,
    ("inbox_followthrough", 8): 4,
    ("inbox_followthrough", 9): 3,
    ("release_gate_followthrough", 9): 23,
    ("release_gate_followthrough", 8): 7,
    ("delivery_update_followthrough", 6): 6,
    ("delivery_update_followthrough", 5): 4,
    ("state_repair_followthrough", 7): 30,
    ("state_repair_followthrough", 6): 16,
    ("wrong_state_replacement_followthrough", 6): 33,
    ("wrong_state_replacement_followthrough", 5): 13,
}


def test_the_published_counts_hold(paper: tuple[ForgeTask, ...]) -> None:
    assert Counter(t.meta.family for t in paper) == COUNTS
    assert Counter(t.meta.ability for t in paper) == ABILITIES
    assert Counter(t.meta.length for t in paper) == LENGTHS_OF_ALL
    assert Counter(t.meta.style for t in paper) == {"brief": 175, "underspecified": 187}
    assert [t.number for t in paper] == list(range(1, 363))
    by_family = Counter((t.meta.family, t.meta.length) for t in paper)
    assert LENGTHS.items() <= by_family.items()


def test_the_published_branches_hold(paper: tuple[ForgeTask, ...]) -> None:
    branches = Counter((t.meta.family, t.meta.branch) for t in paper)
    for family, live, later in (
        ("branch_resolution_followthrough", 26, 14),
        ("multi_source_decision_followthrough", 12, 8),
        ("contradictory_source_resolution", 9, 17),
        ("delivery_update_followthrough", 2, 8),
        ("inbox_followthrough", 5, 7),
    ):
        assert (branches[family, "live"], branches[family, "async"]) == (live, later)


def test_variants_and_branches_agree_in_the_set_scale() -> None:
    for task in generate("scale", 3, 300):
        if task.meta.ability == "multi_source_reasoning":
            assert task.meta.variant.startswith(task.meta.branch)


def test_another_process_generates_the_same_bytes(paper: tuple[ForgeTask, ...]) -> None:
    here = hashlib.sha256("".join(manifest_lines(paper)).encode()).hexdigest()
    code = (
        "import hashlib;from claw_adapter_forge.generator.task_sets import generate;"
        "from claw_adapter_forge.tasks.manifest import manifest_lines;"
        "print(hashlib.sha256(''.join(manifest_lines(generate('paper362',0))).encode()).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == here


def test_seeds_differ_and_instructions_are_their_own(paper: tuple[ForgeTask, ...]) -> None:
    starts = {canonical(task_to_json(t)["start"]) for t in paper}
    assert len(starts) == len(paper)
    others = tuple(generate("paper362", 1))
    assert not starts & {canonical(task_to_json(t)["start"]) for t in others}
    assert len({t.instruction for t in paper}) > 320
    assert Counter(t.meta.length for t in others) == LENGTHS_OF_ALL, "other seeds have the published tables too"


def test_a_task_survives_json(paper: tuple[ForgeTask, ...]) -> None:
    for task in paper[::11]:
        assert task_from_json(json.loads(canonical(task_to_json(task)))) == task


def test_a_foreign_task_file_is_refused_with_a_way_out() -> None:
    with pytest.raises(ScenarioError, match="not a forge/2 task"):
        task_from_json({"format": "other", "id": "x"})


def test_no_answer_stands_in_the_instruction(paper: tuple[ForgeTask, ...]) -> None:
    for task in paper:
        for want in (w for goal in task.goals for w in goal.wants):
            refs = [c.values[1] for c in want.conds if c.op == "titled"]
            refs += [c.values[2] for c in want.conds if c.op == "line" and c.values[1] == "ref"]
            assert not any(ref in task.instruction for ref in refs)


def test_every_family_has_two_texts_in_each_style_and_declares_its_tags() -> None:
    assert len(families()) == 17
    for family in families():
        assert {style: len(texts) for style, texts in family.texts.items()} == {"brief": 2, "underspecified": 2}
        assert family.ability in family.tags


def test_an_unknown_set_and_an_empty_one_are_refused() -> None:
    with pytest.raises(ScenarioError, match="no task set"):
        list(blueprints("paper", 0))
    with pytest.raises(ScenarioError, match="cannot be generated"):
        list(blueprints("scale", 0, 0))


def test_policies_are_all_there() -> None:
    assert set(POLICIES) == {"careful", "hasty", "half-finisher", "re-creator", "decoy-copier"}


def test_a_task_whose_reference_fails_is_never_handed_out(paper: tuple[ForgeTask, ...]) -> None:
    with pytest.raises(InternalError, match="does not solve"):
        check_task(replace(paper[0], reference=paper[0].reference[:-1]))
    with pytest.raises(InternalError, match="does not solve"):
        check_task(replace(paper[0], reference=("ls", *paper[0].reference)))


def test_refs_of_a_task_are_no_fixed_distance_apart(paper: tuple[ForgeTask, ...]) -> None:
    slots = [b.slots for b in blueprints("paper362", 0)]
    numbers = [(int(s.ref[3:]), int(s.decoy_ref[3:]), int(s.void_ref[3:])) for s in slots]
    assert all(len(set(three)) == 3 for three in numbers)
    assert len({(decoy - own) % 9000 for own, decoy, _ in numbers}) > 300


def test_both_states_of_a_channel_occur_in_scale_and_the_expired_one_alone_in_the_paper(
    paper: tuple[ForgeTask, ...],
) -> None:
    def states(tasks: list[ForgeTask]) -> Counter[tuple[str, bool]]:
        posting = [t for t in tasks if any(w.table == "messages" for g in t.goals for w in g.wants)]
        return Counter((t.meta.family, any("channels login" in line for line in t.reference)) for t in posting)

    assert states(list(paper)) == {("channel_incident_recovery", True): 10, ("delivery_update_followthrough", True): 10}
    scaled = states(list(generate("scale", 3, 200)))
    assert len(scaled) == 4
    assert min(scaled.values()) >= 4


def test_a_paused_check_is_enabled_and_not_made_again() -> None:
    task = next(t for t in generate("scale", 3, 60) if t.meta.variant == "paused_cron")
    paused = [c for c in task.start.rows("cron") if getattr(c, "status", "") == "paused"]
    assert len(paused) == 1
    assert f"openclaw cron enable {paused[0].id}" in task.reference
    assert "pause" in task.instruction or "runs" in task.instruction
    added = f"openclaw cron add --name x --cron '{paused[0].schedule}' --message '{paused[0].message}'"
    again = [added if line.startswith("openclaw cron enable") else line for line in task.reference]
    assert not replay(task, again).verdict.strict


def _of_variant(variant: str) -> ForgeTask:
    return next(t for t in generate("scale", 3, round_length()) if t.meta.variant == variant)


def _instead(task: ForgeTask, head: str, *lines: str) -> bool:
    """Whether the reference with other lines in the place of those that begin with `head` passes strictly."""
    assert any(line.startswith(head) for line in task.reference)
    kept = [line for line in task.reference if not line.startswith(head)]
    at = next(i for i, line in enumerate(task.reference) if line.startswith(head))
    return replay(task, (*kept[:at], *lines, *kept[at:])).verdict.strict


def test_a_handoff_that_is_begun_is_finished_and_not_begun_anew() -> None:
    task = _of_variant("handoff_begun")
    append = next(line for line in task.reference if line.startswith("file append"))
    begun = next(f.content for f in task.start.rows("files") if f"--path {f.id} " in append)
    added = append.partition("--content ")[2].strip("'")
    anew = append.replace("file append", "file create")
    assert not _instead(task, "file append", anew)
    assert _instead(task, "file append", anew.replace(added, begun + added))
    journal = next(line for line in task.reference if line.startswith("file read")).partition("--path ")[2]
    assert not _instead(task, "file append", append.replace(append.split()[3], journal))


def test_of_two_copies_the_stale_one_goes() -> None:
    task = _of_variant("twice")
    gone = next(line for line in task.reference if line.startswith("calendar delete-event"))
    stale = gone.split()[-1]
    right = next(e for e in task.start.rows("events") if task.meta.city in e.title and e.id != stale)
    assert "duplicate" in task.meta.conflict
    assert not _instead(task, gone)
    assert not _instead(task, gone, f"calendar delete-event --id {right.id}")
    assert not _instead(task, gone, f"calendar update-event --id {stale} --start {right.start}")


@pytest.mark.parametrize("variant", ["task_waited_for", "calendar_waited_for"])
def test_what_waited_for_the_void_item_waits_for_the_valid_one(variant: str) -> None:
    task = _of_variant(variant)
    update = next(line for line in task.reference if line.startswith("tasks update"))
    waiting = next(t for t in task.start.rows("tasks") if t.id == update.split()[3])
    assert waiting.note.startswith("Waits for: ")
    assert not _instead(task, "tasks update")
    assert not _instead(task, "tasks update", f"tasks complete --id {waiting.id}")
    assert not _instead(task, "tasks update", f"tasks update --id {waiting.id} --note ''")
    both = f"{update[:-1]}, formerly {waiting.note.removeprefix('Waits for: ')}'"
    assert not _instead(task, "tasks update", both)
    words = update.replace("Waits for: ", "It was something else before.\n- **Waits for**: ")
    assert _instead(task, "tasks update", words)


def test_of_two_paused_checks_the_one_for_today_is_enabled() -> None:
    task = _of_variant("checks_paused")
    enable = next(line for line in task.reference if line.startswith("openclaw cron enable"))
    paused = [c.id for c in task.start.rows("cron") if c.status == "paused"]
    assert len(paused) == 2
    other = enable.replace(enable.split()[-1], next(c for c in paused if c != enable.split()[-1]))
    assert not _instead(task, enable, other)
    assert not _instead(task, enable, enable, other)
    assert not {t for t in task.phrasings if "missing" in t}


def test_branches_are_balanced_in_scale() -> None:
    branches: Counter[tuple[str, str]] = Counter(
        (t.meta.family, t.meta.branch) for t in generate("scale", 3, 8 * round_length())
    )
    by_family = {f: [n for (family, b), n in branches.items() if family == f and b in TWO_WAYS] for f, _ in branches}
    for family, counts in by_family.items():
        assert not counts or max(counts) == min(counts), (family, counts)


def test_the_agent_is_told_in_which_time_zone_things_are_noted(paper: tuple[ForgeTask, ...]) -> None:
    for task in paper[::40]:
        told = first_observation(task.instruction, task.start)
        assert "the city's wall time" in told
        assert "of these labels those that tell what was asked for and no other" in told


def test_no_text_asks_for_what_the_verdict_punishes() -> None:
    texts = [t for f in families() for style in f.texts.values() for t in style]
    assert not any("set a wrong model" in t for t in texts)
    assert not any(re.search(r"[Cc]lose the \{topic\} thread|[Ww]ork off|to a close", t) for t in texts)


@pytest.mark.parametrize("task_set", ["paper362", "scale"])
def test_a_decoy_has_neither_the_day_nor_the_hour_that_is_asked_for(task_set):
    build = {one.slug: one.build for one in families()}
    for blueprint in blueprints(task_set, 0):
        slots, start = blueprint.slots, build[blueprint.family](blueprint.slots).start
        found = [("tasks", row.title, row.due == slots.due) for row in start.rows("tasks")]
        found += [("events", row.title, row.start == slots.slot) for row in start.rows("events")]
        same = [(table, title) for table, title, equal in found if equal and slots.decoy in title]
        assert not same, f"{blueprint.family}, task {blueprint.number}"
