from claw_adapter.api.repeating import repeat_round as repeat_round
from claw_adapter.api.results import Run as Run
from claw_adapter.api.results import aopen_run as aopen_run
from claw_adapter.api.results import open_run as open_run
from claw_adapter.api.running import arun as arun
from claw_adapter.api.running import estimate as estimate
from claw_adapter.api.running import run as run
from claw_adapter.errors import ClawError as ClawError
from claw_adapter.runs.plan import Experiment as Experiment

__all__ = [
    "API_VERSION",
    "ClawError",
    "Experiment",
    "Run",
    "__version__",
    "aopen_run",
    "arun",
    "estimate",
    "open_run",
    "repeat_round",
    "run",
]

__version__: str
API_VERSION: str
