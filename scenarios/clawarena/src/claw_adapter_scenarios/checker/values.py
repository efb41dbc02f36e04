"""Typed values; in a compiled scenario the folder of core stands here."""

from claw_adapter.values import Description, Money, Refused, clean, fold, parse, same, says_another

__all__ = ["Description", "Money", "Refused", "clean", "fold", "parse", "same", "says_another"]
