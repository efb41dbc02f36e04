"""Scenarios for claw-adapter, found by name through the entry point group ``claw_adapter``."""
