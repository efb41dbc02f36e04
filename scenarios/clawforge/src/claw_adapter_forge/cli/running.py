"""``claw forge run``: agents that we bring, policies or a model, at work on tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from claw_adapter_forge.cli.common import (
    JSON,
    OUT,
    as_json,
    fail_clean,
    pick_tasks,
    profile_options,
    progress_line,
    stratified,
)

if TYPE_CHECKING:
    from claw_adapter_forge.runner.records import RunRecord
    from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["run"]

Job = tuple[str, "ForgeTask", int]
Keep = Callable[["RunRecord"], None]
BARE = "bare"


@dataclass(frozen=True, slots=True)
class _Asked:
    """What the options of ``run`` say, checked."""

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


def _checked(policies: tuple[str, ...], model: str, through: str, mode: str, **more: object) -> _Asked:
    from claw_adapter_forge.policies.offline import POLICIES

    asked = _Asked((model,) if model else policies or tuple(POLICIES), mode=mode, through=through, **more)  # type: ignore[arg-type]  # the rest of the fields, by name
    unknown = [p for p in policies if p not in POLICIES]
    if unknown:
        raise click.UsageError(f"no policy {unknown[0]!r}; there are {', '.join(POLICIES)}")
    if mode != "shim" and (asked.blank or through != BARE):
        raise click.UsageError("--blank and --through need --mode shim")
    if bool(model) != bool(asked.base_url) or (model and policies):
        raise click.UsageError("--model and --base-url go together, without --policy")
    if model and mode == "shim" and through == BARE:
        raise click.UsageError("in shim mode a model needs a harness: --through NAME")
    return asked


@click.command()
@profile_options
@click.option("--policy", "policies", multiple=True, help="An offline policy; several may be given (default: all).")
@click.option("--model", default="", help="A model behind an OpenAI-compatible endpoint instead of policies.")
@click.option("--base-url", default="", help="Its address, ending in /v1.")
@click.option("--key-env", default="", help="The environment variable that holds its key.")
@click.option(
    "--mode", default="multi", show_default=True, type=click.Choice(["mock", "multi", "real", "hybrid", "shim"])
)
@click.option(
    "--through",
    default=BARE,
    show_default=True,
    help="In shim mode: a harness by name (see `claw plugins`); without one, commands are typed into a shell.",
)
@click.option(
    "--isolation", default=2, show_default=True, help="Of a harness's processes, or of the real program: 0, 1 or 2."
)
@click.option("--timeout", default=300.0, show_default=True, help="Seconds a harness may take for one task.")
@click.option("--jobs", default=1, show_default=True, help="Episodes at a time in shim mode.")
@click.option("--history", default="full", show_default=True, type=click.Choice(["full", "summary", "auto"]))
@click.option("--sample", default=0, help="Only so many tasks, spread over the families.")
@click.option("--trials", default=1, show_default=True)
@click.option("--horizon", default=25, show_default=True, help="H: commands per episode.")
@click.option("--blank", is_flag=True, help="Shim mode: show nothing of what commands print (a control).")
@click.option("-o", "--out", type=OUT, required=True, help="Where the records go (JSON lines).")
@click.option("--resume", is_flag=True, help="Keep the records that are there and run only what is missing.")
@JSON
@fail_clean
def run(
    profile: str,
    seed: int,
    count: int,
    sample: int,
    trials: int,
    out: Path,
    resume: bool,
    json_out: bool,
    **options: object,
) -> None:
    """Let offline policies, or a model, work on tasks: in the bare loop, or through a harness."""
    asked = _checked(**options)  # type: ignore[arg-type]  # click passes options by name
    tasks = stratified(list(pick_tasks(profile, seed, count)), sample)
    before = _there(out) if resume else []
    if not resume:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text("", encoding="utf-8")
    known = {r.identity for r in before}
    through = "shell" if asked.mode == "shim" and asked.through == BARE else asked.through
    plan = [(p, t, k) for p in asked.names for t in tasks for k in range(trials)]
    plan = [j for j in plan if (asked.mode, through, j[0], j[1].id, j[2]) not in known]
    made = _work(plan, asked, through, out)
    _tell([*before, *made], out, asked, through, len(tasks) * trials, json_out=json_out)


def _there(out: Path) -> list[RunRecord]:
    from claw_adapter_forge.runner.records import read_records

    return list(read_records(out)) if out.exists() else []


def _work(plan: list[Job], asked: _Asked, through: str, out: Path) -> list[RunRecord]:
    """Run, and write each record down as it comes."""
    from claw_adapter_forge.runner.records import append_record

    progress = progress_line("running")
    made: list[RunRecord] = []

    def keep(record: RunRecord) -> None:
        append_record(out, record)
        made.append(record)
        progress(len(made), len(plan))

    if asked.mode == "shim":
        _in_shim(plan, asked, through, keep)
    else:
        _in_process(plan, asked, keep)
    return made


def _in_process(plan: list[Job], asked: _Asked, keep: Keep) -> None:
    import os

    from claw_adapter_forge.runner.agents import policy_agent
    from claw_adapter_forge.runner.chat_agent import ChatAgent
    from claw_adapter_forge.runner.loop import LoopConfig, run_episode

    url, key = asked.base_url, os.environ.get(asked.key_env, "") if asked.key_env else ""
    config = LoopConfig(
        mode=asked.mode,
        history=asked.history,
        horizon=asked.horizon,
        backoff=1.0 if url else 0.0,
        isolation=asked.isolation,
    )
    agents = {name: ChatAgent(name, url, key) if url else policy_agent(name) for name in asked.names}
    for name, task, trial in plan:
        keep(run_episode(agents[name], task, config, trial))


def _in_shim(plan: list[Job], asked: _Asked, through: str, keep: Keep) -> None:
    import asyncio

    from claw_adapter_forge.shim.policies import ShimSettings, run_policies

    settings = ShimSettings(
        through=through,
        horizon=asked.horizon,
        blank=asked.blank,
        isolation=asked.isolation,
        timeout=asked.timeout,
        jobs=asked.jobs,
        base_url=asked.base_url,
        key_env=asked.key_env,
    )
    asyncio.run(run_policies(plan, settings, keep))


def _tell(records: list[RunRecord], out: Path, asked: _Asked, through: str, each: int, *, json_out: bool) -> None:
    passed = dict.fromkeys(asked.names, 0) | Counter(r.agent for r in records if r.strict)
    failed = [f"{r.agent}, {r.task}: {r.failure}" for r in records if r.failure]
    bypassed = sum(bool(r.bypasses) for r in records)
    if json_out:
        told = {"records": len(records), "out": str(out), "mode": asked.mode, "through": through, "strict": passed}
        as_json(told | {"of": each, "failures": failed, "bypassed": bypassed})
        return
    for policy, strict in passed.items():
        click.echo(f"{policy}: strict {strict} of {each}")
    for line in failed:
        click.echo(f"failed: {line}", err=True)
    if bypassed:
        click.echo(f"{bypassed} episodes used tools that do not work in the world", err=True)
