"""The bare loop as a plugin, found like any other."""

from claw_adapter.hooks import hookimpl

__all__ = ["claw_harness"]


@hookimpl
def claw_harness() -> type:
    """The adapter class, imported when it is asked for."""
    from claw_adapter.bare.adapter import BareHarness

    return BareHarness
