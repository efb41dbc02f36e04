"""The world as programs on PATH, so that a real harness works in it with its own tools.

One server per episode on a Unix socket, a tiny client for every program, the step budget on the server, the world's files as a
real directory. `claw_adapter_forge.environment` puts them together.
"""

from __future__ import annotations
