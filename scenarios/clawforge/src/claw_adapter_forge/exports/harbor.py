"""Harbor task folders: ``task.toml``, ``instruction.md``, ``environment/``, ``solution/``, ``tests/``.

Two containers. The agent's has a Python script per program and nothing else of ours: no generator, no task, no log. The world's
holds the task and what was executed; they share a socket. When the agent is done the verifier, with a token that stands in
``tests/`` alone, asks the world for its verdict, and the first verdict ends the episode. So what an agent can forge in its own
container is not what is judged.
"""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path

from claw_adapter.programs import client
from claw_adapter.programs.server import client_script
from claw_adapter_forge import __version__
from claw_adapter_forge.shim.prompt import shell_prompt
from claw_adapter_forge.surfaces.registry import programs
from claw_adapter_forge.tasks.manifest import canonical, task_to_json
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["export_harbor"]

_TOML = """version = "1.0"

[metadata]
author_name = "claw-adapter-forge"
category = "{ability}"
tags = {tags}
difficulty = "hard"

[agent]
timeout_sec = 900.0

[verifier]
timeout_sec = 120.0

[environment]
build_timeout_sec = 600.0
"""

_AGENT_IMAGE = """# the agent's container: clients of the world, and nothing that knows the task
FROM python:3.12-slim
COPY client/ /opt/forge/
ENV CLAW_SOCKET=/run/forge/world.sock
ENV PATH=/opt/forge/bin:$PATH
WORKDIR /work
"""

_WORLD_IMAGE = f"""# the world's container: the task, the log and the judge; the agent has no way in but the socket
FROM python:3.12-slim
COPY wheels/ /opt/wheels/
RUN pip install --no-cache-dir --find-links /opt/wheels claw-adapter-forge=={__version__}
COPY task.json token /opt/forge/
CMD ["python", "-m", "claw_adapter_forge.shim.serve", "/opt/forge/task.json", "--socket", "/run/forge/world.sock", \\
     "--token-file", "/opt/forge/token"]
"""

_COMPOSE = """services:
  main:
    build:
      context: .
    depends_on:
      world:
        condition: service_healthy
    volumes:
      - forge-socket:/run/forge
  world:
    build:
      context: ./world
    network_mode: none
    volumes:
      - forge-socket:/run/forge
    healthcheck:
      test: ["CMD", "test", "-S", "/run/forge/world.sock"]
      interval: 1s
      timeout: 5s
      retries: 60
volumes:
  forge-socket: {}
"""

_SOLVE = "#!/bin/sh\nset -e\n{commands}\n"

_TEST = """#!/bin/sh
# the world's own container knows what was executed; the token that makes it judge came with this folder
mkdir -p /logs/verifier
python3 -I -S "$(dirname "$0")/ask.py" > /logs/verifier/reward.json
"""

_ASK = '''"""Ask the world for its verdict and print it. Standard library only."""

import json
import os
import socket
import sys

here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "token"), encoding="utf-8") as file:
    request = {"verdict": True, "token": file.read().strip()}
link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
link.connect(os.environ.get("CLAW_SOCKET", "/run/forge/world.sock"))
link.sendall(json.dumps(request).encode() + b"\\n")
reward = json.loads(link.makefile("r", encoding="utf-8").readline())
sys.stdout.write(json.dumps({name: reward[name] for name in ("reward", "progress")}) + "\\n")
'''

_README = f"""# Harbor task folders of claw-adapter-forge {__version__}

Each folder is one task with two containers, so it needs an environment that starts `environment/docker-compose.yaml`: the
agent's (`main`), which has clients of the commands, and the world's (`world`), which has the task, the log and the judge.

* The world's image installs `claw-adapter-forge=={__version__}`. **It must be on a package index your builder can reach, or
  you put wheels of it and of `claw-adapter` into `environment/world/wheels/`** (`pip wheel --no-deps -w DIR PATH` for
  each; their dependencies come from the index either way).
* The verifier's script runs in the agent's container, as is usual there: an agent with root could put another interpreter or
  another reward file in its place. The verdict and every command stand in the output of the `world` container as well
  (`docker compose logs world`), which no agent can reach: compare them before you publish.
* An agent that ends the world's socket ends its own episode: the verifier then finds no world and gives no reward.
* The generator is public, and a task of a known set and seed can be generated again by anyone who has it. For results
  that count, generate with a seed of your own, and keep the folders: `tests/` and `environment/world/` hold the solution.
* `curl` is not replaced in the agent's container, since installers of agents need it; `weather` has what it would tell.
* The token in `tests/` and `environment/world/` is drawn anew by every export.
"""
_LEFT = frozenset({"curl"})
"""Programs that keep their own meaning in the agent's container."""


def _write(path: Path, text: str, *, executable: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if executable:
        path.chmod(0o755)


def _agent(folder: Path) -> None:
    """What the agent's image is built from."""
    _write(folder / "Dockerfile", _AGENT_IMAGE)
    _write(folder / "docker-compose.yaml", _COMPOSE)
    _write(folder / ".dockerignore", "world\n")
    (folder / "client" / "lib").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(client.__file__, folder / "client" / "lib" / "client.py")
    for name in (p for p in programs() if p not in _LEFT):
        text = client_script("python3", "/opt/forge/lib/client.py", name)
        _write(folder / "client" / "bin" / name, text, executable=True)


def _world(folder: Path, task: ForgeTask, token: str) -> None:
    """What the world's image is built from."""
    _write(folder / "Dockerfile", _WORLD_IMAGE)
    _write(folder / "task.json", canonical(task_to_json(task)))
    _write(folder / "token", token)
    _write(folder / "wheels" / "README", "Wheels for the image, if the packages are on no index.\n")


def _prompt(task: ForgeTask) -> str:
    told = f"{first_observation(task.instruction, task.start)}\n\n{shell_prompt(task.meta.horizon, mirrored=False)}"
    kept = [x for x in told.split("\n") if x.split(" ")[0] not in _LEFT]
    return "\n".join(kept) + "\n"


def export_harbor(tasks: Iterable[ForgeTask], target: Path) -> int:
    """Write one folder per task, and a README; returns how many."""
    count = 0
    for task in tasks:
        folder, token = target / task.id, secrets.token_hex(16)
        tags = json.dumps([task.meta.family, *task.meta.tags])
        _write(folder / "task.toml", _TOML.format(ability=task.meta.ability, tags=tags))
        _write(folder / "instruction.md", _prompt(task))
        _agent(folder / "environment")
        _world(folder / "environment" / "world", task, token)
        _write(folder / "solution" / "solve.sh", _SOLVE.format(commands="\n".join(task.reference)), executable=True)
        _write(folder / "tests" / "token", token)
        _write(folder / "tests" / "ask.py", _ASK)
        _write(folder / "tests" / "test.sh", _TEST, executable=True)
        count += 1
    _write(target / "README.md", _README)
    return count
