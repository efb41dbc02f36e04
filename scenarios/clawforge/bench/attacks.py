# ruff: noqa: INP001
"""Random attacks on the state: edits of the reference and random walks; whatever passes with another state is printed.

Run: ``python scenarios/clawforge/bench/attacks.py --task-set hard -n 24 --episodes 200``. An episode drops, swaps, doubles and
adds commands or gives one another argument (a few edits at once, values from here and elsewhere), or walks at random. A strict
pass is *accepted* if its final difference is that of the reference or of a declared alternative, *reworded* if it is so but for
what docs/forge.md calls free (subjects, words of titles that are neither city nor ref, lines without a label), *foreseen* if
besides only mails of others differ (it used codes before they were given, so that a notice had no occasion to come). Any other
is played again and printed, with the rows by which it differs from the reference; whether it is an allowed repair is for the
reader to say.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from claw_adapter_forge.generator.task_sets import Blueprint, blueprints, compile_blueprint
from claw_adapter_forge.proof.alternatives import alternatives
from claw_adapter_forge.proof.mutate_world import SIDE_EFFECTS
from claw_adapter_forge.proof.replay import fingerprint, replay
from claw_adapter_forge.proof.script import Line, Script, parse_line, take_apart
from claw_adapter_forge.proof.siblings import minimal_pair
from claw_adapter_forge.tasks.slots import CITIES
from claw_adapter_forge.tasks.spec import ForgeTask
from claw_adapter_forge.world.difference import Change
from claw_adapter_forge.world.lines import labelled
from claw_adapter_forge.world.records import CronJob, field_names

Lines = tuple[str, ...]
REF = re.compile(r"\b[A-Z]{2}-\d{4,}")
WALK = 25
"""Commands of a random walk."""


def worded(changes: Sequence[Change]) -> Lines:
    """A difference without ids of what was made and without what is free."""
    found = []
    for change in (c for c in changes if c.table != "replies"):
        row = change.after if change.after is not None else change.before
        names = field_names(type(row)) if row is not None else ()
        shown = {name: _bound(name, getattr(row, name)) for name in names if name != "id" or change.kind != "created"}
        if isinstance(row, CronJob):  # name and message carry city and ref together
            shown |= {"name": "", "message": _bound("title", f"{row.name} {row.message}")}
        found.append(f"{change.kind} {change.table} {'' if change.kind == 'created' else change.key} {shown}")
    return tuple(sorted(found))


def _bound(name: str, value: object) -> object:
    """What of a field is not free."""
    if not isinstance(value, str) or name == "subject":
        return "" if name == "subject" else value
    if name == "title":
        cities = {city for city in CITIES if city.casefold() in value.casefold()}
        return sorted(cities), sorted(set(REF.findall(value.upper())))
    return labelled(value) if name in ("body", "content", "message", "note", "text") else value


def _own(rows: Lines) -> Lines:
    """A difference without received mails, which no command makes."""
    return tuple(row for row in rows if not row.startswith("created mails "))


def script_of(task: ForgeTask) -> Script:
    """The reference taken apart."""
    changes = [e.changes for e in replay(task, task.reference).executions]
    return take_apart(task, task.reference, changes, ())


def accepted(script: Script) -> tuple[set[Lines], set[Lines]]:
    """Final differences of the reference and of every declared alternative, whole and without what is free."""
    ways = (script.texts, *(way.lines for way in alternatives(script)))
    left = [replay(script.task, lines).verdict.changes for lines in ways]
    return {fingerprint(changes) for changes in left}, {worded(changes) for changes in left}


class Attacker:
    """Draws episodes; `pool` are commands of other tasks, whose values are put into this task's commands."""

    def __init__(self, script: Script, pool: Sequence[Line], draw: random.Random) -> None:
        self.lines = [line.text for line in script.lines]
        self.draw, self.pool = draw, [*pool, *script.lines]
        rows = [key for table in script.task.start.tables.values() for key in table]
        self.values = [*rows, *(w for line in script.lines for w in line.words[2:] if not w.startswith("--"))]
        blanks = {"{open}": "slack", "{model}": "openai/gpt-5.2", "{mail}": "mail_0001"}
        self.extra = [re.sub(r"\{\w+\}", lambda m: blanks[m[0]], line) for line in SIDE_EFFECTS]

    def episode(self) -> tuple[str, Lines]:
        """What was done, and the commands."""
        if self.draw.random() < 0.1:
            return "walk", tuple(self._any() for _ in range(WALK))
        lines = list(self.lines)
        done = [self._edit(lines) for _ in range(self.draw.randint(1, 4))]
        return "+".join(sorted(set(done))), tuple(lines)

    def _any(self) -> str:
        kind = self.draw.randrange(3)
        if kind == 0:
            return self.draw.choice(self.extra)
        return self._argument(self.draw.choice(self.lines)) if kind == 1 else self.draw.choice(self.pool).text

    def _edit(self, lines: list[str]) -> str:
        kind = self.draw.choice(("drop", "swap", "double", "argument", "argument", "extra"))
        writes = [i for i, line in enumerate(lines) if parse_line(line).writes]
        if not writes:
            kind = "extra"
        if kind == "extra":
            lines.insert(self.draw.randint(0, len(lines)), self._any())
            return kind
        place = self.draw.choice(writes)
        if kind == "drop":
            del lines[place]
        elif kind == "double":
            lines.insert(self.draw.randint(place, len(lines)), lines[place])
        elif kind == "swap":
            other = self.draw.choice(writes)
            lines[place], lines[other] = lines[other], lines[place]
        else:
            lines[place] = self._argument(lines[place])
        return kind

    def _argument(self, text: str) -> str:
        """A command with another value at one place, from anywhere, or with one line of a text changed."""
        line = parse_line(text)
        places = [i for i, word in enumerate(line.words) if i > 1 and not word.startswith("--")]
        if not places:
            return text
        words, place = list(line.words), self.draw.choice(places)
        flag = words[place - 1]
        same = [other.flag(flag[2:]) for other in self.pool if flag in other.words] if flag.startswith("--") else []
        if "\n" in words[place] and self.draw.random() < 0.7:
            told = words[place].split("\n")
            at = self.draw.randrange(len(told))
            theirs = [said for value in same for said in value.split("\n")]
            told[at : at + 1] = self.draw.choice(([], [told[at]] * 2, [self.draw.choice(theirs or told)]))
            words[place] = "\n".join(told)
        else:
            words[place] = self.draw.choice(same if same and self.draw.random() < 0.7 else self.values)
        return Line(tuple(words), None).text


def others(known: Sequence[Blueprint], place: int) -> Iterator[Line]:
    """Commands of the minimal pair and of the next two tasks."""
    near = (minimal_pair(known[place]), *(known[(place + step) % len(known)] for step in (1, 2)))
    for blueprint in near:
        yield from (parse_line(line) for line in compile_blueprint(blueprint).reference)


def main() -> None:
    """Attack, and print what passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task-set", default="paper362")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-n", type=int, default=362)
    parser.add_argument("--episodes", type=int, default=80, help="per task")
    args = parser.parse_args()
    known = list(blueprints(args.task_set, args.seed, args.n))
    tried, passed = Counter[str](), Counter[str]()
    for place, blueprint in enumerate(known):
        task = compile_blueprint(blueprint)
        script = script_of(task)
        good, free = accepted(script)
        wanted = set(fingerprint(replay(task, task.reference).verdict.changes))
        attacker = Attacker(script, tuple(others(known, place)), random.Random(f"{args.seed} {task.id}"))
        for _ in range(args.episodes):
            done, lines = attacker.episode()
            tried[done] += 1
            verdict = replay(task, lines).verdict
            left = fingerprint(verdict.changes)
            if not verdict.strict:
                continue
            if left in good or worded(verdict.changes) in free:
                passed["accepted" if left in good else "reworded"] += 1
                continue
            if _own(worded(verdict.changes)) in map(_own, free):
                passed["foreseen"] += 1
                continue
            passed["other"] += 1
            again = replay(task, lines).verdict.strict
            sys.stdout.write(f"{task.id} {task.meta.family} {done} again={again}\n")
            sys.stdout.writelines(f"  lacks {row}\n" for row in sorted(wanted - set(left)))
            sys.stdout.writelines(f"  has   {row}\n" for row in sorted(set(left) - wanted))
    kinds = dict(tried.most_common(8))
    sys.stdout.write(
        f"{args.task_set} seed {args.seed}: {len(known)} tasks, {tried.total()} episodes, passed {dict(passed)}; {kinds}\n"
    )


if __name__ == "__main__":
    main()
