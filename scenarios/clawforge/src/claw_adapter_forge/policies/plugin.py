"""The offline policies as a plugin that brings a model: ``-m policy:careful``."""

from claw_adapter.hooks import hookimpl

__all__ = ["claw_model"]


@hookimpl
def claw_model() -> type:
    """The class of the model, imported when it is asked for."""
    from claw_adapter_forge.policies.model import PolicyModel

    return PolicyModel
