"""Counting a published data set in four layouts: equal text once, against every file of every layout by itself with tiktoken.

Both sides read the same files in one run, take turns, and must agree on the totals; a side's time is its least. The
limits are ratios: 2.5 with tiktoken on both sides, 10 with the extra `fast` on ours. The other side is written the plain way,
from the rules of ClawArena v2, appendix E, and shares none of our code but the rendering of one session.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from claw_adapter.datasets.measuring import measure
from claw_adapter.tokens import cl100k
from claw_adapter.tokens.fast import Backend, backend
from claw_adapter_clawarena.entries import AgentEntry
from claw_adapter_clawarena.layouts import LAYOUTS
from claw_adapter_clawarena.render import feedback_text, preference_text, question_text, session_text

DATA = Path(__file__).parents[2] / "../shared/clawarena/tests.json"
TURNS, LIMIT, FAST_LIMIT = 9, 2.5, 10.0


def separately(data: Path) -> dict[str, int]:
    """Tokens per layout, every file of every layout read, parsed and encoded by itself."""
    return {name: one_layout(data, name) for name in LAYOUTS}


def one_layout(data: Path, name: str) -> int:
    """Tokens of one layout."""
    root, layout = data.parent / name, LAYOUTS[name]
    manifest = json.loads((root / "manifest.json").read_text("utf-8"))
    tokens = 0
    for test in json.loads(data.read_text("utf-8"))["tests"]:
        agent = AgentEntry.read(manifest["agents"][test["id"]])
        if main := layout.main(root, agent):
            tokens += encoded(session_text(main.read_text("utf-8"), layout.main_format))
        for path in layout.histories(root, agent):
            tokens += encoded(session_text(path.read_text("utf-8"), layout.history_format))
        workspace = root / agent.workspace
        for path in workspace.rglob("*"):
            if path.is_file() and path.relative_to(workspace).parts[0] not in layout.session_folders:
                tokens += encoded(path.read_text("utf-8"))
        for update in manifest["updates"].get(test["id"], {}).values():
            for file in update.get("files", []):
                text = (root / update["dir"] / (file if isinstance(file, str) else file["name"])).read_text("utf-8")
                is_session = update["type"] == layout.session_update
                tokens += encoded(session_text(text, layout.history_format) if is_session else text)
        questions = json.loads((data.parent / "eval" / test["eval"] / "questions.json").read_text("utf-8"))
        for item in questions["rounds"]:
            tokens += sum(encoded(text(item)) for text in (question_text, feedback_text, preference_text))
    return tokens


def encoded(text: str) -> int:
    """Tokens of one text, as tiktoken counts them."""
    return len(cl100k.encoding().encode_ordinary(text))


def together(data: Path, counter: Backend) -> dict[str, int]:
    """Tokens per layout, by `claw tokens`."""
    return {name: made.table8.total for name, made in measure(data, counter=counter).tables.items()}


def timed(work: Callable[[], dict[str, int]]) -> tuple[float, dict[str, int]]:
    """Seconds and result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main() -> int:
    """Print the times and the ratios; exit status 1 when a limit is not met or totals differ."""
    if not DATA.is_file():
        print(f"skipped: no published data at {DATA}")
        return 0
    plain = Backend("tiktoken", lambda texts: [cl100k.count(text) for text in texts])
    sides = {"separately": lambda: separately(DATA), "tiktoken": lambda: together(DATA, plain)}
    best = backend()
    if not best.name.startswith("tiktoken"):
        sides["fast"] = lambda: together(DATA, best)
    for work in sides.values():
        work()  # vocabularies are loaded, files are in memory
    times: dict[str, list[float]] = {name: [] for name in sides}
    totals = {}
    for _ in range(TURNS):
        for name, work in sides.items():
            seconds, totals[name] = timed(work)
            times[name].append(seconds)
    best_of = {name: min(values) for name, values in times.items()}
    base, fine = best_of["separately"], True
    print(f"every file by itself: {1000 * base:.0f} ms; totals {totals['separately']}")
    for name, limit in (("tiktoken", LIMIT), ("fast", FAST_LIMIT)):
        if name not in best_of:
            print(f"{name}: not measured ({best.notice or 'the extra is not installed'})")
            continue
        ratio, same = base / best_of[name], totals[name] == totals["separately"]
        fine = fine and same and ratio >= limit
        verdict = "" if same else "; TOTALS DIFFER"
        print(
            f"claw tokens, {name}: {1000 * best_of[name]:.0f} ms, {ratio:.1f} times as fast; limit {limit:g}{verdict}"
        )
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
