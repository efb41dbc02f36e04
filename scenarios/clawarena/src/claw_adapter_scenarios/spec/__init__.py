"""The spec format (``spec/1``): six YAML files in one folder, one per layer."""

from claw_adapter_scenarios.spec.load import LAYERS, SPEC_VERSION, Spec, load_spec
from claw_adapter_scenarios.spec.schemas import schemas

__all__ = ["LAYERS", "SPEC_VERSION", "Spec", "load_spec", "schemas"]
