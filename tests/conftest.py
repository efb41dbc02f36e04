"""Settings for all tests."""

import os
from pathlib import Path

from hypothesis import settings

HOME = Path(__file__).parents[1] / ".claw"

# No test asserts a wall-clock time: what is slow on a busy machine is not wrong. CI tries the same examples every time,
# so that it fails for what was changed; everywhere else new ones are tried.
settings.register_profile("claw", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("claw")

# The harnesses that `make` installed beside this checkout, for every test alike.
if not os.environ.get("CLAW_HOME") and (HOME / "frameworks").is_dir():
    os.environ["CLAW_HOME"] = str(HOME)
