"""``claw scenarios``: write, build, validate, document and preview scenario specs; figures of suites."""

from claw_adapter_scenarios.cli.group import scenarios

__all__ = ["scenarios"]
