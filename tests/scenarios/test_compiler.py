"""The compiler is deterministic, its variants differ in everything but structure, and what it writes is a sound scenario."""

import json
import re
import shutil
from pathlib import Path

import pytest

from claw_adapter.scenario import findings, load_gold, load_scenario
from claw_adapter_scenarios.authoring import EXAMPLE
from claw_adapter_scenarios.compiler import build, compile_spec
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.spec import load_spec

SPEC = load_spec(EXAMPLE)
SEEDS = range(8)


class Variants(dict[int, Compiled]):
    """Each is compiled when a test asks for it: a worker that runs none of them compiles none."""

    def __missing__(self, seed: int) -> Compiled:
        self[seed] = compile_spec(SPEC, seed)
        return self[seed]

    def all(self) -> list[Compiled]:
        return [self[seed] for seed in SEEDS]


VARIANTS = Variants()


@pytest.mark.parametrize("seed", [0, 5])
def test_the_same_seed_gives_the_same_bytes(seed: int):
    assert compile_spec(load_spec(EXAMPLE), seed).files == VARIANTS[seed].files


@pytest.mark.parametrize("seed", SEEDS)
def test_every_variant_is_a_sound_scenario(seed: int, tmp_path: Path):
    root = build(SPEC, tmp_path, seed)
    scenario = load_scenario(root)
    assert findings(scenario, load_gold(scenario)) == []


def test_only_computed_evidence_may_let_one_fragment_decide_several_statements(tmp_path: Path):
    root = build(SPEC, tmp_path)
    (root / "gold" / "truth.yaml").unlink()
    scenario = load_scenario(root)
    assert {one.id for one in findings(scenario, load_gold(scenario))} == {"SCN-142"}


def test_variants_differ_in_names_numbers_and_dates():
    people = [frozenset(made.canon.people.values()) for made in VARIANTS.all()]
    dates = {made.canon.value("off_at").date() for made in VARIANTS.all()}
    numbers = {
        (made.canon.value("doses"), made.canon.value("outage_min"), made.canon.value("off_at").time())
        for made in VARIANTS.all()
    }
    assert len(frozenset.union(*people)) == sum(map(len, people))
    assert len(dates) == len(numbers) == len(SEEDS)


def test_nothing_of_the_written_values_is_left_in_a_variant():
    for made in VARIANTS.all()[1:]:
        written = {
            path: data for path, data in made.files.items() if "checks/checker/" not in str(path)
        }  # no program of ours
        text = b"\n".join(written.values()).decode()
        names = [name for actor in SPEC.truth.actors.values() for name in actor.name.split()]
        left = [name for name in names if re.search(rf"\b{name}\b", text)]
        assert left == []
        assert "2026-03-10" not in text


def shape(made) -> list:
    return [
        (
            one.spec.id, one.spec.type, one.spec.updates, one.dependent,
            tuple(sorted((o.number, bool(o.verdict.value), len(o.verdict.sets)) for o in one.options)),
            tuple(sorted(file["format"] for file in one.work.expected["files"])) if one.work else (),
        )
        for one in made.rounds
    ]  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_variants_keep_the_structure(seed: int):
    made = VARIANTS[seed]
    assert shape(made) == shape(VARIANTS[0])
    assert len(made.files) == len(VARIANTS[0].files)
    assert {c.fragment for c in made.material.claims} == {c.fragment for c in VARIANTS[0].material.claims}


def test_option_letters_are_shuffled_by_seed():
    keys = {made.rounds[0].answer.answer for made in VARIANTS.all()}
    assert len(keys) > 2


def test_sessions_read_like_conversations():
    made = VARIANTS[0]
    for entry in made.material.entries:
        users = [m for m in made.material.sessions[entry.id] if m.role == "user"]
        prefixed = [
            bool(re.match(r"\[\w+ [^|\]]+ \| [^|\]]+ \| \w{3} \d{4}-\d\d-\d\d \d\d:\d\d [+-]\d\d:\d\d\] ", m.text))
            for m in users
        ]
        assert all(prefixed) if entry.kind == "group" else not any(prefixed)
    opening, reply = made.material.main[:2]
    assert "${roster}" in opening.text
    assert "workspace" in reply.text
    assert "session tools" in reply.text


def test_the_five_agent_files_are_there():
    assert {"AGENTS.md", "IDENTITY.md", "SOUL.md", "TOOLS.md", "USER.md"} <= VARIANTS[0].material.files.keys()


def test_every_option_has_feedback():
    for one in VARIANTS[0].rounds:
        assert one.answer.feedback.options.keys() == one.round.options.keys()
        assert all(one.answer.feedback.options.values())


MORE = """
  - path: mail/thread.txt
    kind: mail
    source: paper
    subject: The night to Tuesday
    mails:
      - {from: carla, to: [ana, dora], at: 2026-03-10 08:00, text: "Who keeps the keys of the corridor?"}
      - {from: ana, to: [carla], at: 2026-03-10 08:20, text: "I do."}
  - path: minutes/staff.md
    kind: minutes
    source: paper
    meeting: staff of ward 3
    at: 2026-03-09 13:00
    present: [ana, carla]
    items:
      - {topic: rota, text: "{carla.first} takes the early shifts.", decision: agreed}
    actions: ["{carla}: new rota"]
  - path: exports/house.json
    kind: json
    source: paper
    data: {house: "{clinic}", beds: "=10 + 2", rooms: [{name: "R1"}]}
"""


def extended(folder: Path) -> Path:
    root = folder / "spec"
    shutil.copytree(EXAMPLE, root)
    path = root / "1-workspace.yaml"
    path.write_text(path.read_text("utf-8") + MORE, "utf-8")
    return root


def test_documents_have_the_formats_of_their_domain(tmp_path: Path):
    files = compile_spec(load_spec(extended(tmp_path)), 2).material.files
    assert re.search(
        r"^From: .+ <.+@.+>\nTo: .+\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0100\nSubject: ",
        files["mail/thread.txt"],
    )
    assert "Subject: Re: " in files["mail/thread.txt"]
    assert "## 1. rota" in files["minutes/staff.md"]
    assert json.loads(files["exports/house.json"])["beds"] == 12
    assert files["procedures/cold_chain.md"].count("## ") == 3
    assert re.search(r"(?m)^Ticket:    TD-20418$", files["tickets/technical_desk.txt"])
    log = [line.split()[0] for line in files["building/ward_desk.log"].splitlines()]
    assert log == sorted(log)
    assert len(log) == 42


def test_a_replaced_document_takes_its_claims_with_it(tmp_path: Path):
    root = extended(tmp_path)
    path = root / "4-updates.yaml"
    new = (
        "    documents: [{path: building/cleaning_plan.md, kind: text, source: paper, "
        'text: "[[floor_done: The floor was polished indeed, says the firm.]]"}]\n'
    )
    path.write_text(
        path.read_text("utf-8").replace(
            "    append:\n      - path: procedures", f"{new}    append:\n      - path: procedures"
        ),
        "utf-8",
    )
    made = compile_spec(load_spec(root))
    old = [c for c in made.material.claims if c.where == "workspace/building/cleaning_plan.md" and not c.update]
    assert old
    assert all(c.until == made.starts["U2"] for c in old)


def test_a_session_can_arrive_with_an_update(tmp_path: Path):
    root = extended(tmp_path)
    path = root / "2-sessions.yaml"
    more = """
  - id: late-dm
    kind: direct
    channel: telegram
    title: Cleaning firm
    participants: [carla]
    source: word
    from: 2026-03-11 11:00
    until: 2026-03-11 12:00
    arrives: U2
    phases:
      - name: late
        loops:
          - {at: 2026-03-11 11:10, from: carla, say: "The firm has called back."}
"""
    path.write_text(path.read_text("utf-8") + more, "utf-8")
    scenario = load_scenario(build(load_spec(root), tmp_path / "out"))
    assert not [one for one in findings(scenario, load_gold(scenario)) if one.severity == "error"]
    assert any(a.session == "late-dm" and a.action == "new" for a in scenario.updates["U2"].actions)


def test_a_build_does_not_overwrite_what_is_no_scenario(tmp_path: Path):
    from claw_adapter.errors import ScenarioError

    (tmp_path / SPEC.truth.id).mkdir()
    (tmp_path / SPEC.truth.id / "mine.txt").write_text("keep")
    with pytest.raises(ScenarioError, match="no scenario"):
        build(SPEC, tmp_path)
    assert (tmp_path / SPEC.truth.id / "mine.txt").read_text() == "keep"
