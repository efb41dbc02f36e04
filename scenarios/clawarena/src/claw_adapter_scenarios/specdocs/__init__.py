"""The paper's seven template documents (Appendix F), written from a compiled spec."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.specdocs import evaluation, evidence, guide, narrative, sessions, updates, workspace

__all__ = ["DOCUMENTS", "documents"]

DOCUMENTS: Mapping[str, Callable[[Compiled], str]] = MappingProxyType(
    {
        "GUIDE.md": guide.text,
        "layer0-narrative.md": narrative.text,
        "evidence-map.md": evidence.text,
        "layer1-workspace.md": workspace.text,
        "layer2-sessions.md": sessions.text,
        "layer3-eval.md": evaluation.text,
        "layer4-dynamic.md": updates.text,
    }
)
"""Writer by file name, in the order of Appendix F."""


def documents(made: Compiled) -> dict[str, str]:
    """Text by file name."""
    return {name: write(made) for name, write in DOCUMENTS.items()}
