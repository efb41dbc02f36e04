"""Inputs that a program has not seen: the input files of a round changed by seed, and what the oracle prints on them."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Final

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.compiler.canon import Canon
from claw_adapter_scenarios.language.draw import dice
from claw_adapter_scenarios.spec.rounds import ScriptRule, UnseenRule

__all__ = ["RUNS", "change", "trials_of"]

RUNS: Final = 3
"""How many unseen inputs each program is run on."""
SECONDS: Final = 60
DRIVER: Final = """
import contextlib, io, json, os, runpy, sys
program, arguments, folders = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]
done = []
for folder in folders:
    os.chdir(folder)
    sys.argv = [program, *arguments]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        runpy.run_path(program, run_name="__main__")
    done.append(out.getvalue())
print(json.dumps(done))
"""


def trials_of(
    round_id: str, script: ScriptRule, world: Mapping[str, str], canon: Canon, program: str
) -> list[tuple[dict[str, str], str]]:
    """The files that each run changes and what the oracle prints there: first on the inputs as they are, then on unseen ones.

    Raises:
        ScenarioError: an input file is not there, has not got what is to change, or the oracle program fails.
    """
    rules = {canon.render(path).text: rule for path, rule in script.unseen.items()}
    if missing := sorted(set(rules) - set(world)):
        raise ScenarioError(f"'unseen' changes {missing[0]}, which is not there at this round")
    arguments = [canon.render(one).text for one in script.arguments]
    beside = {path: text for path, text in world.items() if path in program or path in arguments}
    changed: list[dict[str, str]] = [{}]
    for number in range(RUNS):
        rng = dice(canon.seed, canon.spec.truth.id, "unseen", round_id, number)
        changed.append({path: change(world[path], rule, number, rng, canon) for path, rule in rules.items()})
    said = outputs_on(program, arguments, [{**beside, **{p: world[p] for p in rules}, **files} for files in changed])
    return list(zip(changed, said, strict=True))


def change(text: str, rule: UnseenRule, number: int, rng: Random, canon: Canon) -> str:
    """One input file as it is in the unseen run `number`, from 0.

    Raises:
        ScenarioError: the file has not got what the rule changes.
    """
    for old, new in rule.replace.items():
        found = canon.render(old).text
        if found not in text:
            raise ScenarioError(f"{found!r} is not in the input file", remedy="'replace' names text that stands there.")
        text = text.replace(found, canon.render(new[number % len(new)]).text)
    return _table(text, rule, rng, canon.render(rule.keep).text) if rule.draw or rule.permute or rule.drop else text


def _table(text: str, rule: UnseenRule, rng: Random, keep: str) -> str:
    head, *rows = list(csv.reader(io.StringIO(text)))
    if unknown := {*rule.draw, *rule.permute} - set(head):
        raise ScenarioError(
            f"the input file has no column {', '.join(sorted(unknown))}", remedy=f"It has {', '.join(head)}."
        )
    free = [row for row in rows if len(row) == len(head) and not (keep and keep in ",".join(row))]
    for name in rule.permute:
        column = head.index(name)
        cells = [row[column] for row in free]
        rng.shuffle(cells)
        for row, cell in zip(free, cells, strict=True):
            row[column] = cell
    for name, (low, high) in rule.draw.items():
        column = head.index(name)
        for row in rows:
            if len(row) == len(head) and _is_number(row[column]):
                decimals = len(row[column].partition(".")[2])
                row[column] = f"{rng.uniform(low, high):.{decimals}f}"
    gone = {id(row) for row in rng.sample(free, min(rule.drop, max(0, len(free) - 1)))}
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows([head, *(row for row in rows if id(row) not in gone)])
    return made.getvalue()


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def outputs_on(program: str, arguments: Sequence[str], inputs: Sequence[Mapping[str, str]]) -> list[str]:
    """What a program of the spec prints in a folder with each of these sets of files.

    Raises:
        ScenarioError: it fails.
    """
    return list(_outputs(program, tuple(arguments), tuple(tuple(sorted(files.items())) for files in inputs)))


@lru_cache(maxsize=64)
def _outputs(
    program: str, arguments: tuple[str, ...], inputs: tuple[tuple[tuple[str, str], ...], ...]
) -> tuple[str, ...]:
    with tempfile.TemporaryDirectory(prefix="claw-oracle-") as name:
        root = Path(name).resolve()
        script = root / "oracle.py"
        script.write_text(program, "utf-8")
        for number, files in enumerate(inputs):
            for path, text in files:
                place = root / str(number) / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, "utf-8")
        folders = [str(root / str(number)) for number in range(len(inputs))]
        command = [sys.executable, "-I", "-X", "utf8", "-c", DRIVER, str(script), json.dumps(arguments), *folders]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise ScenarioError("the oracle program does not end") from None
    if done.returncode != 0:
        last = done.stderr.strip().rpartition("\n")[2]
        raise ScenarioError(f"the oracle program fails: {last}", remedy="It is run with its input files alone.")
    return tuple(json.loads(done.stdout))
