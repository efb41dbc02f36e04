"""Broken harnesses with one planted defect each."""
