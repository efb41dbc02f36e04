"""Chains of turns by what they try; each function draws one, for `plans.draw`."""
