"""What each harness is told for an episode, and which of its own tools work in the world.

A tool that starts programs or reads and writes files of the working directory works in the world: programs are its clients,
files its table. Anything else a harness brings (its own schedules, messages, web, memory) bypasses the world. It is denied
through the adapter's options where there is one; whatever is used all the same is noted in the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from claw_adapter.harness import Event

__all__ = ["FITS", "Fit", "bypasses"]

_USUAL = frozenset({
    *("exec", "bash", "shell", "process", "read", "write", "edit", "ls", "glob", "grep"),
    *("multiedit", "bashoutput", "killshell", "list_files", "read_file", "write_file", "edit_file", "apply_patch"),
    *("list_dir", "find_files", "exec_session", "list_exec_sessions"),
})  # fmt: skip
"""Tools for programs and files, by the names harnesses give them (in lower case)."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How a harness is put into the world.

    `options` go to its adapter; with `path_option` the clients' folder does too, otherwise it is put on the PATH of the
    harness's own process.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    path_option: bool = False

    def options_for(self, clients: Path) -> dict[str, Any]:
        """The adapter's options for an episode whose clients are in `clients`."""
        return {**self.options, **({"path_prepend": str(clients)} if self.path_option else {})}


FITS: Mapping[str, Fit] = {
    "nanobot": Fit(
        {
            "histories": "files",
            # the world's paths are absolute, and NanoBot would take them for the machine's
            "restrict": False,
            "tools_denied": [
                *("create_goal", "update_goal", "message", "my", "spawn"),
                *("list_sessions", "read_session", "search_sessions", "send_session_message"),
            ],
        },
        path_option=True,
    ),
    # its allow-list holds tools for programs and files alone once histories are files; its own command would hide ours
    "openclaw": Fit({"histories": "files", "own_command": False, "loop_detection": False}, path_option=True),
    # its allow-list holds tools for programs and files alone; notes of its own would outlive nothing, and are off
    "claude-code": Fit({"memory": False}, path_option=True),
}
"""Harnesses with settings of their own; any other one is opened without options, the clients on its PATH."""


def bypasses(events: Iterable[Event]) -> tuple[str, ...]:
    """The uses of tools that do not work in the world, in order; those the harness refused are marked."""
    known = list(events)
    called = [e for e in known if e.kind == "tool_call" and e.name.lower() not in _USUAL]
    refused = {e.id for e in known if e.kind == "tool_result" and e.is_error}
    return tuple(f"{e.name} (refused)" if e.id in refused else e.name for e in called)
