"""How long `claw --help` takes, as a multiple of an empty Python, in one run."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

CLAW = Path(sys.executable).with_name("claw")
ROUNDS, LIMIT = 25, 1.5


def seconds(*argv: str) -> float:
    started = time.perf_counter()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> int:
    """Interleaved, so that both see the same machine; medians; exit status 1 over the limit."""
    empty, help_ = [], []
    for _ in range(ROUNDS):
        empty.append(seconds(sys.executable, "-c", "pass"))
        help_.append(seconds(str(CLAW), "--help"))
    ratio = statistics.median(help_) / statistics.median(empty)
    print(f"python -c pass {statistics.median(empty) * 1000:.0f} ms, claw --help {statistics.median(help_) * 1000:.0f} ms: "
          f"{ratio:.2f} times (limit {LIMIT:g})")  # fmt: skip
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
