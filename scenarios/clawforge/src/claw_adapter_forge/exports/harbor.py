"""Harbor task folders: ``task.toml``, ``instruction.md``, ``environment/``, ``solution/``, ``tests/``.

The container holds the shim's server and clients and the first state, and neither goal nor reference; the verifier's folder,
which is mounted after the agent is done, holds the task and writes the reward.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from claw_adapter_forge import __version__
from claw_adapter_forge.surfaces.registry import hints
from claw_adapter_forge.tasks.manifest import canonical, task_to_json
from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["export_harbor", "public_task"]

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

_DOCKERFILE = f"""FROM python:3.12-slim
RUN pip install --no-cache-dir claw-adapter-forge=={__version__}
COPY task.json /opt/forge/task.json
ENV FORGE_SOCKET=/run/forge/world.sock
RUN mkdir -p /run/forge /opt/forge/bin && python -m claw_adapter_forge.shim.install /opt/forge/bin
ENV PATH=/opt/forge/bin:$PATH
COPY entry.sh /opt/forge/entry.sh
ENTRYPOINT ["/bin/sh", "/opt/forge/entry.sh"]
CMD ["sleep", "infinity"]
"""

_ENTRY = """# the world runs beside whatever the container was started for
python -m claw_adapter_forge.shim.serve /opt/forge/task.json \\
  --socket /run/forge/world.sock --log /opt/forge/log.json &
exec "$@"
"""

_SOLVE = "#!/bin/sh\nset -e\n{commands}\n"

_TEST = """#!/bin/sh
# the log is what the server wrote down: the commands that were executed, in order
mkdir -p /logs/verifier
python -m claw_adapter_forge.shim.verify /tests/task.json /opt/forge/log.json > /logs/verifier/reward.json
"""


def public_task(task: ForgeTask) -> str:
    """The task without what would give it away: goals, reference, evidence."""
    data = task_to_json(task)
    data["goals"], data["reference"], data["allowed"], data["phrasings"] = [], [], [], []
    data["meta"] |= {"evidence": [], "preserved": [], "alternatives": [], "branch": "", "conflict": [], "variant": ""}
    return canonical(data)


def _write(path: Path, text: str, *, executable: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    if executable:
        path.chmod(0o755)


def export_harbor(tasks: Iterable[ForgeTask], target: Path) -> int:
    """Write one folder per task; returns how many."""
    count = 0
    for task in tasks:
        folder = target / task.id
        tags = json.dumps([task.meta.family, *task.meta.tags])
        prompt = f"{task.instruction}\n\nCommands:\n\n```\n{hints()}\n```\n"
        _write(folder / "task.toml", _TOML.format(ability=task.meta.ability, tags=tags))
        _write(folder / "instruction.md", prompt)
        _write(folder / "environment" / "Dockerfile", _DOCKERFILE)
        _write(folder / "environment" / "entry.sh", _ENTRY)
        _write(folder / "environment" / "task.json", public_task(task))
        _write(folder / "solution" / "solve.sh", _SOLVE.format(commands="\n".join(task.reference)), executable=True)
        _write(folder / "tests" / "task.json", canonical(task_to_json(task)))
        _write(folder / "tests" / "test.sh", _TEST, executable=True)
        count += 1
    return count
