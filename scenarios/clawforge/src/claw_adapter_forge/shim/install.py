"""Writing the clients: one small shell script per program, all calling the same client file."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from pathlib import Path

from claw_adapter_forge.surfaces.registry import programs

__all__ = ["client_script", "install_clients"]


def install_clients(folder: Path, socket: str = "", token: str = "") -> Path:
    """Write a client for every program into `folder`; returns the folder.

    The server's address is written beside the client, so that it works in a harness that passes no environment on; without a
    `socket` the client reads ``FORGE_SOCKET`` and ``FORGE_TOKEN``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    library = folder.parent / "lib"
    library.mkdir(exist_ok=True)
    client = library / "client.py"
    shutil.copyfile(Path(__file__).with_name("client.py"), client)
    if socket:
        beside = library / "client.json"
        beside.write_text(json.dumps({"socket": socket, "token": token}), encoding="utf-8")
        beside.chmod(0o600)
    # the interpreter itself, which a sandbox shows, and not a virtual environment's link to it
    python = os.path.realpath(sys.executable)
    for name in programs():
        script = folder / name
        script.write_text(client_script(python, str(client), name), encoding="utf-8")
        script.chmod(0o755)
    return folder


def client_script(python: str, client: str, program: str) -> str:
    """The shell script that stands for `program`: `python` runs the file `client`."""
    start = " ".join(map(shlex.quote, (python, "-I", "-S", client, program)))
    return f'#!/bin/sh\nexec {start} "$@"\n'
