"""Run, certify and compare agent harnesses.

For programs: `run` and `open_run` give a `Run`, whose trials, rounds, requests and scores are data; `arun` and `aopen_run` are
the same for an event loop, and `estimate` says what a run will take. Every mistake is a `ClawError` (docs/python.md).

For plugins: `claw_adapter.harness` (what an adapter implements), `claw_adapter.protocol` (the neutral records),
`claw_adapter.errors` (the error tree) and `claw_adapter.hooks` (how a plugin makes itself known).

Importing this package does no work: the names are looked up when they are used, and `__init__.pyi` has their types.
"""

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

__version__ = "0.1.0"

#: The version of the interfaces in `claw_adapter.harness`; a plugin that names another one is not loaded.
API_VERSION = "claw/1"

_MODULES = {
    "ClawError": "claw_adapter.errors",
    "Experiment": "claw_adapter.runs.plan",
    "Run": "claw_adapter.api.results",
    "aopen_run": "claw_adapter.api.results",
    "arun": "claw_adapter.api.running",
    "estimate": "claw_adapter.api.running",
    "open_run": "claw_adapter.api.results",
    "repeat_round": "claw_adapter.api.repeating",
    "run": "claw_adapter.api.running",
}


def __getattr__(name: str) -> object:
    """Import what is asked for."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    """The public names, beside what is there already."""
    return sorted({*globals(), *__all__})
