"""Workspaces of millions of tokens: a world is laid out once, and what programs did to it is put right."""

import shutil
from pathlib import Path

import pytest

from claw_adapter_scenarios.authoring import EXAMPLE
from claw_adapter_scenarios.compiler import compile_spec
from claw_adapter_scenarios.proof.laid import LaidOut
from claw_adapter_scenarios.proof.stage import staged
from claw_adapter_scenarios.spec import load_spec
from support.running import experiment, run_sync

CSV = """
  - path: building/climate.csv
    kind: csv
    source: paper
    carries: the limit and the lot again
    columns: [time, room, celsius]
    series:
      fact: flood
      row: "{at|iso},corridor,{value|n2}"
      marks: {"#clim-limit limit_c": "at(date(flood_peak), '12:00')", "#clim-lot lot, spare": flood_peak}
  - path: building/doors.log
    kind: log
    source: paper
    role: background
    lines:
      - {at: off_at, text: door seven shut}
    noise:
      - {from: 2025-06-01 00:00, until: 2026-03-10 07:00, count: LINES, lines: ["door {any:east|west} {n} opened by a badge"]}
"""
FACTS = """facts:
  flood:
    what: readings of the building
    series: {start: 2025-01-01 00:00, step: 1, count: READINGS, base: 20, noise: 1.5, digits: 2}
  flood_peak: {what: the warmest time, expr: peak_at(flood)}
"""


def heavy(folder: Path, readings: int, lines: int) -> Path:
    """A copy of the example with generated files of that many lines."""
    root = folder / "heavy"
    shutil.copytree(EXAMPLE, root)
    truth, workspace = root / "0-truth.yaml", root / "1-workspace.yaml"
    text = truth.read_text("utf-8").replace("facts:\n", FACTS.replace("READINGS", str(readings)), 1)
    truth.write_text(text.replace("id: clinic-fridge\n", "id: heavy\n"), "utf-8")
    workspace.write_text(workspace.read_text("utf-8") + CSV.replace("LINES", str(lines)), "utf-8")
    return root


def test_proofs_lay_a_large_world_out_once(tmp_path: Path):
    made = compile_spec(load_spec(heavy(tmp_path, 2000, 1000)))
    with staged(made) as stage:
        for one in made.rounds:
            for _ in range(2):
                with stage.workspace(one, {"notes/new.md": "x"}) as folder:
                    expected = {**stage.worlds[one.index].files, "notes/new.md": b"x"}
                    seen = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
                    assert seen == expected
        final = sum(map(len, stage.worlds[-1].files.values()))
        assert final > 100_000
        assert stage.laid.written < 1.5 * final


def test_what_a_program_did_to_a_world_is_put_right(tmp_path: Path):
    laid, files = LaidOut(tmp_path / "w"), {"a.txt": b"one", "deep/b.txt": b"two", "c/d": b"x"}
    folder = laid.show(files)
    (folder / "a.txt").write_bytes(b"eno")
    (folder / "deep" / "b.txt").unlink()
    (folder / "new" / "er").mkdir(parents=True)
    (folder / "new" / "er" / "e.txt").write_text("!")
    shutil.rmtree(folder / "c")
    (folder / "c").write_text("a file where a folder was")
    (folder / "loop").symlink_to(folder)
    laid.show(files)
    assert {p.relative_to(folder).as_posix() for p in folder.rglob("*")} == {"a.txt", "deep", "deep/b.txt", "c", "c/d"}
    assert (folder / "a.txt").read_bytes() == b"one"


def test_a_file_can_become_a_folder_from_one_world_to_the_next(tmp_path: Path):
    laid = LaidOut(tmp_path / "w")
    laid.show({"a": b"file"})
    laid.show({"a/b": b"below"})
    folder = laid.show({"a": b"file again"})
    assert (folder / "a").read_bytes() == b"file again"


@pytest.mark.parametrize("size", [(4000, 2000)])
def test_the_careful_reader_is_right_among_generated_files(tmp_path: Path, size: tuple[int, int]):
    from claw_adapter_scenarios.compiler import build

    root = build(load_spec(heavy(tmp_path, *size)), tmp_path / "out")
    records = next(iter(run_sync(tmp_path / "run", experiment(root)).values()))
    assert [record.score.value for record in records] == [1.0] * 12
