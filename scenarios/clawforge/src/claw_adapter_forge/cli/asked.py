"""What the options of ``claw forge run`` ask for, checked before anything is touched."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

if TYPE_CHECKING:
    from claw_adapter_forge.runner.settings import Settings
    from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["BARE", "Asked", "checked", "settings_of"]

BARE = "bare"


@dataclass(frozen=True, slots=True)
class Asked:
    """How trials are run; `through` is ``bare``, ``shell`` or a harness's name."""

    names: tuple[str, ...]
    base_url: str
    key_env: str
    mode: str
    through: str
    history: str
    horizon: int
    blank: bool
    isolation: int
    timeout: float
    jobs: int

    @property
    def harnessed(self) -> bool:
        """Whether a real harness stands between agent and world."""
        return self.through not in {BARE, "shell"}

    @property
    def real(self) -> bool:
        """Whether ``openclaw`` is the real program."""
        return self.mode in {"real", "hybrid"}


def checked(policies: tuple[str, ...], model: str, through: str, mode: str, **more: object) -> Asked:
    """The options, once it is clear that they go together and that everything they name is there.

    Raises:
        click.UsageError: they do not go together, or a name, an address or a key is wrong.
        PluginError, HarnessNotFound, SandboxError: what they name is not here.
    """
    from claw_adapter_forge.policies.offline import POLICIES

    unknown = [p for p in policies if p not in POLICIES]
    if unknown:
        raise click.UsageError(f"no policy {unknown[0]!r}; there are {', '.join(POLICIES)}")
    names = (model,) if model else tuple(dict.fromkeys(policies)) or tuple(POLICIES)
    typed = "shell" if mode == "shim" and through == BARE else through
    asked = Asked(names, mode=mode, through=typed, **more)  # type: ignore[arg-type]  # the rest of the fields, by name
    if mode != "shim" and (asked.blank or through != BARE):
        raise click.UsageError("--blank and --through need --mode shim")
    if bool(model) != bool(asked.base_url) or (model and policies):
        raise click.UsageError("--model and --base-url go together, without --policy")
    if model and typed == "shell":
        raise click.UsageError("in shim mode a model needs a harness: --through NAME")
    _check_provider(asked)
    _check_programs(asked)
    return asked


def _check_provider(asked: Asked) -> None:
    url = urlsplit(asked.base_url)
    if asked.base_url and (url.scheme not in {"http", "https"} or not url.hostname):
        raise click.UsageError(f"--base-url {asked.base_url!r} is no http address; give one that ends in /v1")
    if asked.key_env and not asked.base_url:
        raise click.UsageError("--key-env goes with --model and --base-url")
    if asked.key_env and not os.environ.get(asked.key_env):
        raise click.UsageError(f"--key-env: the variable {asked.key_env} is not set; export it, or leave --key-env out")


def _check_programs(asked: Asked) -> None:
    """The harness or the real program, and the isolation it is to have."""
    from claw_adapter.sandbox import IsolationLevel, require

    if asked.real:
        from claw_adapter_forge.real.program import installed

        installed()
    if asked.harnessed:
        _ready(asked.through)
    if asked.real or asked.harnessed:
        require(IsolationLevel(asked.isolation))


def _ready(harness: str) -> dict[str, str]:
    from claw_adapter import plugins
    from claw_adapter.errors import HarnessNotFound

    probe = plugins.create("harness", harness).probe()
    if not probe.ready:
        raise HarnessNotFound(probe.reason, where=f"harness {harness}", remedy=probe.remedy)
    return dict(probe.versions)


def settings_of(asked: Asked, profile: str, seed: int, count: int, tasks: Sequence[ForgeTask]) -> Settings:
    """What the file's first line says; `tasks` are all of the profile."""
    from claw_adapter_forge.runner.settings import Settings, own_versions, tasks_digest

    url = urlsplit(asked.base_url)
    return Settings(
        profile=profile,
        seed=seed,
        count=count if profile == "scale" else None,
        tasks=tasks_digest(tasks),
        mode=asked.mode,
        through=asked.through,
        horizon=asked.horizon,
        history=None if asked.mode == "shim" else asked.history,
        blank=asked.blank,
        isolation=asked.isolation if asked.real or asked.harnessed else None,
        timeout=asked.timeout if asked.harnessed else None,
        # a key that stands in the address is none of the file's business
        provider=url._replace(netloc=url.netloc.rpartition("@")[2], query="").geturl(),
        versions=own_versions() | (_ready(asked.through) if asked.harnessed else {}),
    )
