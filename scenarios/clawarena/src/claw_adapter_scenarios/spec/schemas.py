"""JSON Schemas of the six files, for editors."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["schemas"]

_CHOICE: Final = "SideChoice"
_GUARD: Final = "SideGuard"
_BRANCHES: Final[dict[str, dict[str, Any]]] = {
    _CHOICE: {
        "type": "object",
        "anyOf": [{"required": ["switch"]}, {"required": ["prose"], "additionalProperties": False}],
        "properties": {"switch": {"type": "string"}, "prose": {"type": "string"}},
        "description": "{switch: NAME, SIDE: value, …}, or {prose: FILE} of the folder prose.",
    },
    _GUARD: {
        "type": "object",
        "additionalProperties": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        "description": "{SWITCH: SIDE}: it is there only where that side holds.",
    },
}
"""What may stand in a spec with switches beside what its records say; see `worlds` and `prose`."""


def schemas() -> dict[str, dict[str, Any]]:
    """Schema by layer (``0-truth`` …)."""
    from claw_adapter_scenarios.spec.load import LAYERS, SPEC_VERSION

    made: dict[str, dict[str, Any]] = {}
    for name, model in LAYERS.items():
        schema = model.model_json_schema(by_alias=True)
        schema["$defs"] = {key: _branching(value) for key, value in schema.get("$defs", {}).items()} | _BRANCHES
        made[name] = {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": f"urn:claw-adapter:{SPEC_VERSION}:{name}",
            **_branching(schema),
        }
    return made


def _branching(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a mapping that may be there in some worlds only, and in which a choice may stand for any value."""
    if "properties" not in schema:
        return schema
    fields = {key: {"anyOf": [value, {"$ref": f"#/$defs/{_CHOICE}"}]} for key, value in schema["properties"].items()}
    return {**schema, "properties": {**fields, "when": {"$ref": f"#/$defs/{_GUARD}"}}}
