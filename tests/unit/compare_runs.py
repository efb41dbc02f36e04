"""Run folders for the tests of comparisons. Loaded by path: tests are no package."""

import runpy
from pathlib import Path
from types import SimpleNamespace

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "report_runs.py")))


def run_of(root, sides, *, model=None, isolation=(2, 2), settings=None, digests=None, version="1.2.3", end=True):
    """A run folder: label → scenario → seed → scores (None is a round the endpoint lost); one row per label."""
    model = model or make.READER
    cells = [(name, label, seed) for label, names in sides.items() for name in names for seed in names[name]]
    specs = {
        (name, label, seed): make.spec(name, label, model=model, seed=seed, settings=settings)
        for name, label, seed in cells
    }
    rounds = {name: max(len(s) for n in sides.values() for s in n.get(name, {}).values()) for name, _, _ in cells}
    runs = make.Runs(root, specs.values(), rounds)
    for (name, label, seed), spec in specs.items():
        records = [
            runs.record(i, value, cause=make.LATE if value is None else None, kind="multi_choice" if i % 2 else "exec_check",
                        evidence=make.seen(["f"], ["f"]))
            for i, value in enumerate(sides[label][name][seed])
        ]  # fmt: skip
        level = make.Isolation(harness=isolation[0], check=isolation[1])
        runs.write(spec, records, isolation=level, versions={label: version}, end=end)
    if digests:
        path = runs.root / "run.json"
        text = path.read_text("utf-8")
        for name, digest in digests.items():
            text = text.replace(f'"{name}": "{"d" * 64}"', f'"{name}": "{digest * 64}"')
        path.write_text(text, "utf-8")
    return runs.root


def flat(scores, *, scenarios=12, seed=0):
    """The same scores in every scenario."""
    return {f"s{n:02}": {seed: list(scores)} for n in range(scenarios)}
