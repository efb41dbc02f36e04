"""Proof obligations: each can fail, and none does."""

from __future__ import annotations

import ast
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

import claw_adapter_forge
from claw_adapter_forge.generator.taint import trace
from claw_adapter_forge.generator.task_sets import blueprints, compile_blueprint
from claw_adapter_forge.policies.offline import decide
from claw_adapter_forge.proof.card import card_json, card_markdown
from claw_adapter_forge.proof.gate import prove
from claw_adapter_forge.proof.guessing import guess_faults, guesses
from claw_adapter_forge.proof.mutants import OPERATORS, mutants, try_mutants
from claw_adapter_forge.proof.replay import drive, fingerprint, replay
from claw_adapter_forge.proof.script import take_apart
from claw_adapter_forge.proof.siblings import metamorphic, minimal_pair
from claw_adapter_forge.proof.verify import Proofs, _chosen, verify
from claw_adapter_forge.tasks.manifest import task_hash
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.spec import ForgeTask


@pytest.fixture(scope="module")
def proofs() -> Proofs:
    """Every ninth task of the paper set, proven in this process."""
    chosen = list(blueprints("paper362", 0))[::9]
    return Proofs("paper362", 0, len(chosen), tuple(prove(b) for b in chosen))


def test_every_obligation_holds(proofs: Proofs) -> None:
    assert proofs.faults == ()


def test_the_mutants_are_many_varied_and_killed(proofs: Proofs) -> None:
    rows = proofs.mutants()
    assert len(rows) >= 13
    assert all(made for made, _, _ in rows.values())
    assert sum(made for made, _, _ in rows.values()) > 2000
    assert proofs.kill_rate() >= 0.99


def test_equivalent_means_the_same_difference_as_an_accepted_run(proofs: Proofs) -> None:
    for survivor in (s for p in proofs.proofs for s in p.tally.survivors):
        assert survivor.equivalent, survivor


def test_the_card_tells_what_was_found(proofs: Proofs) -> None:
    card = card_json(proofs)
    text = card_markdown(card)
    assert card["oracle"]["strict"] == card["proven"] == len(proofs.proofs)
    assert "| vandal | 0 |" in text
    assert all(row["tried"] == row["accepted"] for row in card["alternatives"].values())


def test_every_task_is_solved_by_one_who_reads_and_by_none_who_does_not(paper: tuple[ForgeTask, ...]) -> None:
    assert all(drive(t, "careful").verdict.strict for t in paper)
    for policy in ("hasty", "half-finisher", "re-creator", "decoy-copier"):
        assert not any(drive(t, policy).verdict.strict for t in paper[::3]), policy


def test_a_policy_that_is_shown_blank_output_passes_nothing(paper: tuple[ForgeTask, ...]) -> None:
    for task in paper[::5]:
        request = first_observation(task.instruction, task.start)
        for policy in ("careful", "half-finisher", "re-creator", "decoy-copier"):
            history: list[tuple[str, str]] = []
            for _ in range(25):
                line = decide(policy, request, history)
                if line == "done":
                    break
                history.append((line, ""))
            assert not replay(task, [line for line, _ in history]).verdict.strict


def _loosened(task: ForgeTask) -> ForgeTask:
    """The task with an evaluator that checks nothing but that something of the right kind was made."""
    free = ("value", "status", "start", "end", "title", "due", "priority", "content")
    goals = tuple(replace(g, wants=tuple(replace(w, conds=(), free=free) for w in g.wants)) for g in task.goals)
    return replace(task, goals=goals)


def test_a_loose_evaluator_is_caught_by_the_mutants(paper: tuple[ForgeTask, ...]) -> None:
    blueprint = next(b for b in blueprints("paper362", 0) if b.family == "release_gate_followthrough")
    task = _loosened(compile_blueprint(blueprint))
    run = replay(task, task.reference)
    other = compile_blueprint(minimal_pair(blueprint))
    script = take_apart(task, task.reference, [e.changes for e in run.executions], other.reference)
    tally = try_mutants(script, {fingerprint(run.verdict.changes)})
    left = {s.operator for s in tally.survivors if not s.equivalent}
    assert {"wrong_value", "wrong_fact", "vague", "leak", "wrong_entity"} <= left


def test_an_argument_out_of_thin_air_is_caught_by_the_trace(paper: tuple[ForgeTask, ...]) -> None:
    task = paper[60]
    lines = (*task.reference[:2], "tasks add --title 'Brandnew undertaking' --due 2026-12-24")
    run = replay(task, lines)
    missing = {t.flag for t in trace(first_observation(task.instruction, task.start), run.executions) if t.source < 0}
    assert {"title", "due"} <= missing


def test_siblings_differ_from_the_task_and_pairs_in_their_verdict() -> None:
    blueprint = next(b for b in blueprints("paper362", 0) if b.family == "branch_resolution_followthrough")
    task = compile_blueprint(blueprint)
    names = []
    for name, other in metamorphic(blueprint):
        sibling = compile_blueprint(other)
        names.append(name)
        assert (sibling.instruction, sibling.start) != (task.instruction, task.start)
    assert names == ["paraphrase", "style", "id_order", "distractors", "clock_shift", "city_swap"]
    pair = compile_blueprint(minimal_pair(blueprint))
    assert {task.meta.branch, pair.meta.branch} == {"live", "async"}
    assert pair.instruction == task.instruction


def test_mutants_are_made_by_every_operator_somewhere(paper: tuple[ForgeTask, ...]) -> None:
    seen: set[str] = set()
    for blueprint in list(blueprints("paper362", 0))[::15]:
        task = compile_blueprint(blueprint)
        run = replay(task, task.reference)
        other = compile_blueprint(minimal_pair(blueprint))
        script = take_apart(task, task.reference, [e.changes for e in run.executions], other.reference)
        seen |= {m.operator for m in mutants(script)}
    assert seen | {"overwrite"} == set(OPERATORS)


def test_a_big_set_is_sampled_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("claw_adapter_forge.proof.verify.SAMPLE", 4)
    found = verify("scale", 5, 40, jobs=1)
    card = card_json(found)
    assert (card["tasks"], card["proven"], card["sampled"]) == (40, 4, True)
    assert "sample" in card_markdown(card)


def test_one_who_reads_all_and_guesses_the_branch_passes_one_of_a_pair() -> None:
    with_decision = 0
    for blueprint in list(blueprints("scale", 3, 47)):
        own = guesses(compile_blueprint(blueprint))
        pair = guesses(compile_blueprint(minimal_pair(blueprint)))
        assert guess_faults(own, pair) == []
        with_decision += not all(own)
    assert with_decision > 15
    assert guess_faults((True, False), (True, False)) == ["a constant guess passes both members of the pair"]
    assert len(guess_faults((False, False), (True, True))) == 1


def test_a_set_in_which_one_guess_is_better_is_a_fault(proofs: Proofs) -> None:
    one = replace(next(p for p in proofs.proofs if not all(p.guesses)), guesses=(True, False))
    other = replace(one, guesses=(False, True))
    assert Proofs("scale", 0, 50, (one,) * 25 + (other,) * 25).faults == ()
    assert Proofs("paper362", 0, 50, (one,) * 50).faults == ()
    assert Proofs("scale", 0, 50, (one,) * 35 + (other,) * 15).faults == (
        (one.family, "a constant guess is right in 35 of 50"),
    )


def test_hedging_a_fact_is_caught_in_every_text(paper: tuple[ForgeTask, ...], proofs: Proofs) -> None:
    made, killed, equivalent = proofs.mutants()["hedge"]
    assert (killed, equivalent) == (made, 0)
    assert made > 300


def test_a_sample_meets_every_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stretch of five and the round of variants must not fall in step."""
    monkeypatch.setattr("claw_adapter_forge.proof.verify.SAMPLE", 400)
    total, chosen = _chosen("scale", 7, 2000)
    assert (total, len(chosen)) == (2000, 400)
    every = {(b.family, b.slots.variant) for b in blueprints("scale", 7, 200)}
    assert {(b.family, b.slots.variant) for b in chosen} == every


def _imports(folder: str) -> set[str]:
    """Every module of ours that the modules of a package import."""
    found: set[str] = set()
    for path in (Path(claw_adapter_forge.__file__).parent / folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("claw_adapter_forge."):
                found.add((node.module or "").split(".")[1])
    return found


def test_expert_and_evaluator_share_nothing_but_the_world_and_its_commands() -> None:
    assert not _imports("policies") & {"evaluation", "tasks", "families", "proof"}
    assert not _imports("evaluation") & {"policies", "proof"}
    # a family names its script, and shares nothing else with it
    assert not _imports("families") & {"evaluation", "proof"}


def test_the_committed_card_is_of_these_very_tasks(paper: tuple[ForgeTask, ...]) -> None:
    path = Path(__file__).parents[2] / "scenarios" / "clawforge" / "quality" / "paper362-seed0.json"
    card = json.loads(path.read_text(encoding="utf-8"))
    digest = hashlib.sha256("".join(task_hash(t) for t in paper).encode()).hexdigest()
    assert card["digest"] == digest, "prove again: claw forge verify --card scenarios/clawforge/quality"
    assert card["faults"] == []
    assert card["mutants"]["operators"] == len(OPERATORS)
