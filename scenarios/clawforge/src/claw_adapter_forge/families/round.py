"""A round of visits: a register, a handbook that mails amend, a board filled by somebody who read neither. The set ``hard``."""

from __future__ import annotations

from dataclasses import replace

from claw_adapter_forge.families.round_office import RoundOffice
from claw_adapter_forge.families.round_plan import KNOBS, ROUNDS, RoundPlan, draw_round
from claw_adapter_forge.families.texts_round import ROUND_RULES, TEXTS
from claw_adapter_forge.policies import experts_round
from claw_adapter_forge.tasks.family import Draft, Family, Plan
from claw_adapter_forge.tasks.scene import Scene
from claw_adapter_forge.tasks.slots import CITIES, Draw, Slots
from claw_adapter_forge.tasks.spec import Goal

__all__ = ["ROUND"]

_SMALL = {
    "sites": 7,
    "amendments": 2,
    "corrections": 2,
    "held": 0,
    "finished": 1,
    "agreed": 0,
    "contacts": 0,
    "closures": 0,
    "alarms": 0,
    "length": 1,
    "idle": 0,
}


def _decoys(slots: Slots, own: RoundPlan, scene: Scene) -> None:
    """Smaller rounds: of another city, of the same city under another name, of another city under another name."""
    knobs = tuple((own.knob | _SMALL | {"forms": own.knob["forms"]}).items())
    topics = [t for t in ROUNDS if t != own.topic]
    others = [c for c in Draw("others", slots.ref).shuffled("others", list(CITIES)) if CITIES[c][0] != slots.zone]
    third = next(c for c in others if c != slots.decoy)
    kinds = ((slots.decoy, own.topic), (slots.city, topics[0]), (third, topics[1]))
    for place, (city, topic) in enumerate(kinds[: own.knob["decoys"]]):
        ref = f"{slots.decoy_ref[:3]}{1000 + (int(slots.decoy_ref[3:]) - 1000 + 61 * place) % 9000}"
        other = replace(slots, city=city, zone=CITIES[city][0], ref=ref, flag=not slots.flag, knobs=knobs)
        RoundOffice(RoundPlan(other, f"decoy {place}", 0, topic), scene).lay_out(city != slots.city)


def _build(slots: Slots) -> Draft:
    scene = Scene(slots)
    scene.rules = ROUND_RULES
    plan = draw_round(slots, "own")
    work = RoundOffice(plan, scene)
    work.lay_out(True)
    _decoys(slots, plan, scene)
    start = scene.freeze()
    return Draft(
        start,
        (Goal("as the handbook says", tuple(work.wants())),),
        "withdrawn" if plan.gone else "standing",
        ("missing", "stale", "wrong", "duplicate", "done", "contradictory", "decoy"),
        tuple(work.evidence()),
        words={"topic": plan.topic},
        spare=dict(slots.knobs)["spare"],
        knobs=slots.knobs,
        derived=tuple(work.derived()),
    )


ROUND = Family(
    slug="round",
    asks=r"\bround\b",
    expert=experts_round.tour,
    ability="multi_source_reasoning",
    tags=("multi_source_reasoning", "workflow_completion", "state_inspection", "state_repair"),
    plan=(Plan("round", 0),),
    texts=TEXTS,
    build=_build,
    knobs=KNOBS,
)
