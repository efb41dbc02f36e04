"""The options of an experiment for this overlay, and what MetaClaw is told because of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from claw_adapter.errors import OverlayError
from claw_adapter.harness import Endpoint
from claw_adapter.options import FromOne, checked
from claw_adapter_metaclaw.pool import Pool

__all__ = ["Options", "configuration", "environment"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What an experiment may set.

    Attributes:
        skills: folder of ``<name>/SKILL.md`` that every trial starts with; empty: no skills.
        carry: the artefact ``after`` of an earlier trial (its skills and its memory) that every trial starts with; this, and
            only this, carries anything from one trial into another.
        evolution: whether MetaClaw makes skills of what it sees, with model requests of its own.
        evolve_every: after how many model requests of the harness it does so.
        memory: whether it remembers what was said, and injects what fits; what is said in a round is remembered after it.
        top_k, task_top_k: how many general and task-specific skills it injects.
    """

    skills: str = ""
    carry: str = ""
    evolution: bool = True
    evolve_every: FromOne = 10
    memory: bool = False
    top_k: FromOne = 6
    task_top_k: FromOne = 10

    @classmethod
    def parse(cls, given: dict[str, Any]) -> Self:
        """Check what an experiment says.

        Raises:
            OverlayError: an unknown option, or a value it cannot have.
        """
        return checked(cls, given, "overlay metaclaw", OverlayError)

    def missing(self) -> str:
        """What a trial would start with and is not there; empty if all is."""
        for name, folder in (("skills", self.skills), ("carry", self.carry)):
            if folder and not Path(folder).is_dir():
                return f"option {name!r}: {folder} is not a folder (relative to the current one)"
        return ""


def configuration(endpoint: Endpoint, options: Options, pool: Pool, port: int) -> dict[str, Any]:
    """MetaClaw's configuration: the proxy and nothing else, on loopback; by itself it would train and listen everywhere."""
    return {
        "mode": "skills_only",
        "llm": {
            "provider": "custom",
            "auth_method": "api_key",
            "model_id": endpoint.model,
            "api_base": endpoint.openai,
            "api_key": endpoint.key,
        },
        "proxy": {"host": "127.0.0.1", "port": port},
        "skills": {
            "enabled": True,
            "dir": str(pool.skills),
            "retrieval_mode": "template",
            "top_k": options.top_k,
            "task_specific_top_k": options.task_top_k,
            "auto_evolve": options.evolution,
            "evolution_every_n_turns": options.evolve_every,
        },
        "rl": {"enabled": False, "prm_url": ""},
        "memory": {
            "enabled": options.memory,
            "dir": str(pool.memory),
            "retrieval_mode": "keyword",
            "use_embeddings": False,
            "auto_upgrade_enabled": False,
            # It would remember a session when that ends; a trial is one session, and its rounds are what is to be remembered.
            "manual_trigger": True,
        },
        "scheduler": {"enabled": False},
    }


def environment(stand_ins: Path, programs: Path, temporary: Path) -> dict[str, str]:
    """Variables for MetaClaw's process; a PATH without ``openclaw`` keeps it from editing that harness's configuration.

    It leaves its configuration, with the key in it, where temporary files go.
    """
    return {
        "TMPDIR": str(temporary),
        "PATH": str(programs),
        "PYTHONPATH": str(stand_ins),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "TZ": "UTC",
        "DO_NOT_TRACK": "1",
        "HF_HUB_OFFLINE": "1",
    }
