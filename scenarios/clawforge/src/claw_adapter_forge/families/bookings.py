"""A workshop that is to be booked: suppliers answer, take back and run out while one works. In the set ``hard``."""

from __future__ import annotations

from dataclasses import replace

from claw_adapter_forge.families.bookings_plan import KNOBS, WORKSHOPS, BookingPlan
from claw_adapter_forge.families.bookings_scene import BookingScene, sheet
from claw_adapter_forge.families.bookings_story import Story, draw_story
from claw_adapter_forge.families.texts_bookings import RULES, TEXTS
from claw_adapter_forge.policies import experts_bookings
from claw_adapter_forge.tasks.family import Draft, Family, Plan
from claw_adapter_forge.tasks.scene import Scene
from claw_adapter_forge.tasks.slots import CITIES, Slots
from claw_adapter_forge.tasks.spec import Goal

__all__ = ["BOOKINGS"]


def _build(slots: Slots) -> Draft:
    scene = Scene(slots)
    scene.rules = RULES
    story = draw_story(slots)
    work = BookingScene(story, scene)
    work.lay_out()
    _decoys(slots, story, scene)
    start = scene.freeze()
    return Draft(
        start,
        (Goal("as the desk books", tuple(work.wants())),),
        "host" if slots.flag else "another",
        ("missing", "stale", "wrong", "interrupted", "contradictory", "decoy"),
        tuple(work.evidence()),
        words={"topic": story.topic},
        spare=dict(slots.knobs)["spare"],
        knobs=slots.knobs,
        derived=tuple(work.derived()),
    )


def _decoys(slots: Slots, story: Story, scene: Scene) -> None:
    """Sheets of other workshops: of the same name elsewhere, of nearly the same name here."""
    near = [name for name in WORKSHOPS if name != story.topic]
    names = [(slots.decoy, story.topic), (slots.city, near[0]), (slots.city, near[1])]
    for place, (city, topic) in enumerate(names[: story.knob["decoys"]]):
        ref = story.near_ref(place)
        other = replace(slots, city=city, zone=CITIES[city][0], ref=ref)
        sheet(BookingPlan(other, f"decoy {place}", topic=topic), scene)


BOOKINGS = Family(
    slug="bookings",
    asks=r"\bworkshop\b",
    expert=experts_bookings.book,
    ability="workflow_completion",
    tags=("workflow_completion", "multi_source_reasoning", "state_inspection", "state_repair"),
    plan=(Plan("bookings", 0),),
    texts=TEXTS,
    build=_build,
    knobs=KNOBS,
)
