"""Run, certify and compare agent harnesses.

The public surface: `claw_adapter.harness` (what an adapter implements), `claw_adapter.protocol` (the neutral records),
`claw_adapter.errors` (the error tree) and `claw_adapter.hooks` (how a plugin makes itself known). Importing this package
does no work.
"""

__all__ = ["API_VERSION", "__version__"]

__version__ = "0.1.0"

#: The version of the interfaces in `claw_adapter.harness`; a plugin that names another one is not loaded.
API_VERSION = "claw/1"
