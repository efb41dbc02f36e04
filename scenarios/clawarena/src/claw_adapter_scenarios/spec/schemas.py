"""JSON Schemas of the six files, for editors."""

from __future__ import annotations

from typing import Any

__all__ = ["schemas"]


def schemas() -> dict[str, dict[str, Any]]:
    """Schema by layer (``0-truth`` …)."""
    from claw_adapter_scenarios.spec.load import LAYERS, SPEC_VERSION

    made: dict[str, dict[str, Any]] = {}
    for name, model in LAYERS.items():
        made[name] = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"urn:claw-adapter:{SPEC_VERSION}:{name}",
            **model.model_json_schema(by_alias=True),
        }
    return made
