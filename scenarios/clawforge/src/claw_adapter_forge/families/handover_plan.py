"""What is drawn for a handover, and where it lies in the office.

Every value is drawn from the slots by its name, so that siblings of a task keep it; `KNOBS` are the settings of difficulty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from claw_adapter_forge.families.texts_handover import FILLER, FORMS, jobs_text, mail_text
from claw_adapter_forge.tasks.labels import LABELS
from claw_adapter_forge.tasks.scene import Scene
from claw_adapter_forge.tasks.slots import OWNERS, SCHEDULES, Draw, Slots
from claw_adapter_forge.tasks.spec import Evidence
from claw_adapter_forge.world.times import add_days

__all__ = ["KNOBS", "HandoverJob", "HandoverPlan"]

KNOBS: Mapping[str, tuple[int, int]] = {
    "chain": (2, 4),
    "decoys": (1, 3),
    "near": (0, 3),
    "spread": (1, 3),
    "corrections": (1, 3),
    "length": (0, 8),
    "stale": (0, 1),
    "done": (0, 1),
    "forms": (0, 1),
}
"""Setting of difficulty → least and most: jobs in the chain, other cities' handovers, refs of one digit's difference,
surfaces that an owner's name has to be followed over, corrections of one value, sentences of talk in a document, a job that is
there with a value out of date, a job that is done, labels that stand in a form to be found."""

_BOTH = ("live", "async")
_KINDS = ("step", "check", "handoff", "post")


@dataclass(frozen=True, slots=True)
class HandoverJob:
    """One job: its kind, its slots (with its ref), what its card notes, and what of that holds after all corrections."""

    kind: str
    slots: Slots
    note: Mapping[str, str]
    holds: Mapping[str, str]

    @property
    def card(self) -> str:
        """The card's note."""
        return "; ".join(f"{key}: {value}" for key, value in self.note.items())


class HandoverPlan:
    """All that is drawn for one handover of a city; a decoy's has another city and ref."""

    def __init__(self, slots: Slots, name: str) -> None:
        self.slots, self.name = slots, name
        self.knob = dict(slots.knobs)
        self.draw = Draw("handover", slots.ref, slots.owner, slots.topic, name)
        self.live = not slots.wet and not slots.blocked
        self.branch = "live" if self.live else "async"
        self.owners = dict(
            zip(self.draw.shuffled("desks", ["D1", "D2", "D3", "D4"]), self.owners_drawn(), strict=False)
        )
        kinds = ["call", *self.draw.shuffled("kinds", _KINDS)[: self.knob["chain"] - 1]]
        self.jobs = [self._job(kind, self._ref(place)) for place, kind in enumerate(kinds)]

    def owners_drawn(self) -> list[str]:
        """Four people, one a desk."""
        return self.draw.shuffled("owners", OWNERS)[:4]

    def _ref(self, place: int) -> str:
        first = int(self.slots.ref[3:])
        return f"{self.slots.ref[:3]}{1000 + (first - 1000 + place * (137 + self.draw.number('gap', 700))) % 9000}"

    def day(self, name: str, near: int = 3) -> str:
        """A day after today."""
        return add_days(self.slots.now[:10], near + self.draw.number(name, 14))

    def moment(self, name: str, near: int = 4) -> str:
        """A half hour of a day after today."""
        day = add_days(self.slots.now[:10], near + self.draw.number(name, 5))
        clock = 8 + self.draw.number(f"{name} hour", 9)
        return f"{day}T{clock:02d}:{('00', '30')[self.draw.number(f'{name} half', 2)]}"

    def _drawn(self, kind: str, turn: int) -> dict[str, str]:
        """What a kind's card (turn 0) or the correction of that turn notes."""
        d, s = self.draw, self.slots
        if kind == "call":
            return {"call at": self.moment(f"call {turn}", 4 + 5 * turn)}
        if kind == "step":
            return {f"due if {b}": self.day(f"due {b} {turn}", 3 + 14 * i) for i, b in enumerate(_BOTH)}
        if kind == "check":
            schedules = d.shuffled("schedules", SCHEDULES)
            return {f"check if {b}": schedules[2 * turn + i] for i, b in enumerate(_BOTH)}
        if kind == "handoff":
            return {"file": f"/handoff/{s.city.lower()}-{s.topic}-{d.number(f'file {turn}', 900) + 100}.txt"}
        return {f"severity if {b}": f"sev{1 + (d.number('severity', 3) + i) % 3}" for i, b in enumerate(_BOTH)}

    def history(self, kind: str) -> list[dict[str, str]]:
        """What the card notes, then what each correction says in its place; the last one holds."""
        depth = {"call": self.knob["corrections"], "post": 0}.get(kind, self.knob["corrections"] - 1)
        return [self._drawn(kind, turn) for turn in range(max(0, depth) + 1)]

    @property
    def slot(self) -> str:
        """The moment that holds."""
        return self.history("call")[-1]["call at"]

    def _job(self, kind: str, ref: str) -> HandoverJob:
        d = self.draw
        first, *_, last = [*self.history(kind), *self.history(kind)[-1:]]
        slots = replace(self.slots, ref=ref, slot=self.slot, owner=self.owner(kind))
        desks = d.shuffled(f"{kind} desk", sorted(self.owners))
        note = first | {f"desk if {b}": desks[i] for i, b in enumerate(_BOTH)}
        if kind == "step":
            note["priority"] = d.pick("priority", ("high", "low"))
            slots = replace(slots, due=last[f"due if {self.branch}"], priority=note["priority"])
        if kind == "check":
            slots = replace(slots, schedule=last[f"check if {self.branch}"])
        if kind == "post":
            slots = replace(slots, severity=last[f"severity if {self.branch}"])
        return HandoverJob(kind, slots, note, last)

    def owner(self, kind: str) -> str:
        """Who owns a job, by the branch's desk."""
        desk = self.draw.shuffled(f"{kind} desk", sorted(self.owners))[_BOTH.index(self.branch)]
        return self.owners[desk]

    def lay_out(self, scene: Scene) -> list[Evidence]:
        """Mail, job list, cards, desks and corrections; what of it is decisive."""
        s, low = self.slots, self.slots.city.lower()
        fill = [self.draw.shuffled("talk", FILLER)[i % len(FILLER)] for i in range(self.knob["length"])]
        paths = {
            "jobs": f"/ops/{low}-{s.topic}.txt",
            "form": f"/office/{low}-form.txt",
            "desks": f"/office/{low}-desks.txt",
        }
        form = paths["form"] if self.knob["forms"] else ""
        scene.mail(f"{self.name} mail", f"handover: {s.topic}, {s.city}", mail_text(s.city, paths["jobs"], form, fill))
        jobs = jobs_text(s.city, [(j.kind, j.slots.ref) for j in self.jobs], paths["desks"], fill)
        scene.file(paths["jobs"], jobs)
        if form:
            scene.file(form, "\n".join([*fill[:2], *(f"{LABELS[f]} is written {w}" for f, w in self.labels.items())]))
        self._desks(scene, paths["desks"], fill)
        for job in self.jobs:
            scene.task(f"{self.name} {job.kind}", job.slots.title(f"{s.topic} {job.kind} card"), note=job.card)
            for i, fixed in enumerate(self.history(job.kind)[1:]):
                body = "\n".join([*fill[:3], *(f"{key}: {value}" for key, value in fixed.items())])
                subject = f"correction, {s.city}, {job.slots.ref}"
                scene.mail(f"{self.name} {job.kind} fix {i}", subject, body, days_ago=12 - 3 * i)
        last, call = self.jobs[-1], self.jobs[0]
        shown = [Evidence("file", f"{last.kind}, {last.slots.ref}"), Evidence("tasks", call.card)]
        return [*shown, Evidence("email", f"call at: {self.slot}")]

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels of the city's texts."""
        if not self.knob["forms"]:
            return LABELS
        return {fact: words[self.draw.number(f"label {fact}", len(words))] for fact, words in FORMS.items()}

    def _desks(self, scene: Scene, path: str, fill: list[str]) -> None:
        """Who sits where: in the list itself, in a rota file that it names, or in a mail that the rota names."""
        city, spread = self.slots.city, self.knob["spread"]
        people = [f"{desk}: {owner}" for desk, owner in self.owners.items()]
        rota, subject = path.replace("desks", "rota"), f"seats, {city}"
        if spread == 1:
            scene.file(path, "\n".join([f"Desks in {city}", *fill[:2], *people]))
            return
        scene.file(path, f"Desks in {city} change often; who sits where is in the rota\nrota: {rota}")
        if spread > 2:
            scene.file(rota, f"The rota of {city} goes round by mail, subject: {subject}")
            scene.mail(f"{self.name} seats", subject, "\n".join([*fill[:2], *people]), days_ago=2)
            return
        scene.file(rota, "\n".join([f"Rota of {city}", *people]))
