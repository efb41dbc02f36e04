"""Files that a harness keeps for itself are left out of a round's changes; work products never are, wherever they lie."""

import runpy
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.report.changes import Workspace
from claw_adapter.runs.load import load_run
from claw_adapter.runs.store import Store

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "unit" / "report_runs.py")))
PICOCLAW = ("sessions/**", "memory/**", "state/**")
NANOBOT = (".git/**", "AGENTS.md", "USER.md")


def changed(tmp_path, base, first, *rounds, memory=PICOCLAW):
    """The paths that each round changed; a round is the tree after it and what its record says besides."""
    tmp_path.mkdir(exist_ok=True)
    trial = make.spec("demo", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 1 + len(rounds)})

    def snapshot(files):
        folder = tmp_path / "tree"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        return runs.snapshots.take(folder)

    records, last = [], snapshot(base)
    start = runs.start(trial, snapshot=last, memory_files=memory)
    for index, (files, more) in enumerate((first, *rounds)):
        before = snapshot(more.pop("before")) if "before" in more else last
        last = snapshot(files)
        records.append(runs.record(index, 1.0, before=before, snapshot=last, **more))
    runs.write(trial, records, start=start)
    run = load_run(runs.root)
    workspace = Workspace(Store(run.store))
    found = [workspace.changes(run.trials[0], record.index, most=20, characters=100) for record in records]
    return [{item.path for item in one.files} for one in found]


@pytest.mark.parametrize(
    ("path", "memory"),
    [
        ("memory/handover.md", PICOCLAW),
        ("state/plan.csv", PICOCLAW),
        ("sessions/minutes.md", PICOCLAW),
        ("USER.md", NANOBOT),
        ("AGENTS.md", NANOBOT),
    ],
)
def test_what_the_scenario_laid_out_or_a_round_asks_for_is_shown(tmp_path, path, memory):
    own = "sessions/own.jsonl" if memory is PICOCLAW else ".git/HEAD"
    laid_out = changed(tmp_path / "a", {path: "one"}, ({path: "two", own: "x"}, {}), memory=memory)
    assert laid_out == [{path}]
    prompt = f"Write what is open into `{path}`."
    asked = changed(tmp_path / "b", {"a": "1"}, ({"a": "1", path: "two", own: "x"}, {"prompt": prompt}), memory=memory)
    assert asked == [{path}]
    by_itself = changed(tmp_path / "c", {"a": "1"}, ({"a": "2", path: "two", own: "x"}, {}), memory=memory)
    assert by_itself == [{"a"}]


def test_a_file_that_was_asked_for_once_or_came_with_an_update_stays_a_work_product(tmp_path):
    one, two = "memory/asked.md", "state/from-update.csv"
    found = changed(
        tmp_path,
        {},
        ({one: "1", "memory/MEMORY.md": "x"}, {"prompt": f"Keep ./{one}, always."}),
        ({one: "2", two: "edited"}, {"updates": ("u1",), "before": {one: "1", two: "as it came"}}),
        ({one: "3", two: "edited again", "memory/MEMORY.md": "y"}, {}),
    )
    assert found == [{one}, {one, two}, {one, two}]


def test_a_part_of_another_name_is_no_mention(tmp_path):
    prompt = "Read memory/handover.md-old and xmemory/handover.md."
    assert changed(tmp_path, {}, ({"memory/handover.md": "x"}, {"prompt": prompt})) == [set()]
