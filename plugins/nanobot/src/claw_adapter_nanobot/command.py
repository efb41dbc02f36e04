"""How NanoBot's own command is called, in the modes that drive it."""

from __future__ import annotations

from typing import Final

from claw_adapter.frameworks import Installed
from claw_adapter_nanobot.options import Options
from claw_adapter_nanobot.state import ISOLATED

__all__ = ["command"]

PAUSED: Final = """
import runpy, sys
from nanobot.providers.base import LLMProvider
LLMProvider._CHAT_RETRY_DELAYS = tuple(float(pause) for pause in sys.argv[1].split())
del sys.argv[:2]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""The command with other pauses between repeated requests than its own: its configuration has no word for them."""


def command(there: Installed, options: Options) -> list[str]:
    """The beginning of a command line, up to NanoBot's own arguments; its program is changed only if the options ask for it."""
    interpreter, program = [str(there.python), *ISOLATED], str(there.program("nanobot"))
    if options.pauses == Options().pauses:
        return [*interpreter, program]
    return [*interpreter, "-c", PAUSED, " ".join(map(str, options.pauses)), program]
