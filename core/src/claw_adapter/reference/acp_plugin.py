"""Any ACP agent as a plugin."""

from claw_adapter.hooks import hookimpl

__all__ = ["claw_harness"]


@hookimpl
def claw_harness() -> type:
    """The adapter class, imported when it is asked for."""
    from claw_adapter.reference.acp_harness import AcpHarness

    return AcpHarness
