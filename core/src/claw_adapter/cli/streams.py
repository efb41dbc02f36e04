"""Streams that are there. On the way of ``claw --help``: nothing is imported that an empty Python has not imported."""

import os
import sys

__all__ = ["get_ready"]


def get_ready() -> None:
    """Open what is missing of the three streams.

    A closed descriptor would be given to the next file that is opened, and what is printed would land in it.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere == number:  # the lowest number that is free, so it is this one
                os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))
    sys.unraisablehook = _unraisable


def _unraisable(hook: "sys.UnraisableHookArgs") -> None:
    """An interrupt that came where nothing can be raised is not worth a traceback: the command ends as interrupted anyway."""
    if not isinstance(hook.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(hook)
