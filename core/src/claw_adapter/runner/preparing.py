"""Before a run: its harnesses are made, and all is looked at that a run would fail of, before anything is spent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import unquote, urlsplit

from claw_adapter import plugins
from claw_adapter.errors import ClawError, EndpointAuthError, EndpointError, HarnessNotFound, ScenarioError
from claw_adapter.harness import Harness
from claw_adapter.keys import key_in_url, key_of
from claw_adapter.protocol import EnvironmentSpec, ModelSpec, Scenario
from claw_adapter.protocol.model import BUILT_IN
from claw_adapter.reading import strings_of
from claw_adapter.redaction import Redactor
from claw_adapter.runner.overlays import make_overlays
from claw_adapter.runs.plan import Plan
from claw_adapter.sandbox import IsolationLevel, require

__all__ = ["prepare", "unprotected"]

NUMBERS: Final = frozenset({
    "frequency_penalty", "max_completion_tokens", "max_output_tokens", "max_tokens", "min_p", "n", "presence_penalty", "seed",
    "temperature", "top_k", "top_p",
})  # fmt: skip
"""Sampling parameters that are numbers in every dialect."""


KEY_HEADERS: Final = frozenset(
    {"authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"}
)


def prepare(plan: Plan, scenarios: Mapping[str, Scenario]) -> tuple[Plan, dict[str, Harness]]:
    """Make the harnesses of a plan and note their versions, before anything is spent.

    Raises:
        PluginError, AdapterError: a harness, a model or an environment has no plugin, or refuses its options.
        ScenarioError: a harness acts through environments only, and a scenario has none.
        HarnessNotFound, OverlayNotFound: a harness or an overlay is not installed.
        EndpointError: a model's key is not set, or its address or a parameter is none.
        SandboxError: the isolation level cannot be provided here.
    """
    for level in {trial.settings.isolation for trial in plan.trials}:
        require(IsolationLevel(level))
    for model in {trial.model.name: trial.model for trial in plan.trials}.values():
        _check_model(model)
    harnesses: dict[str, Harness] = {}
    for trial in plan.trials:
        if trial.harness.label not in harnesses:
            harnesses[trial.harness.label] = plugins.create("harness", trial.harness.name, dict(trial.harness.options))
    versions: dict[str, dict[str, str]] = {}
    for label, harness in harnesses.items():
        probe = harness.probe()
        if not probe.ready:
            raise HarnessNotFound(f"harness {label!r} is not ready: {probe.reason}", remedy=probe.remedy)
        versions[label] = probe.versions
    for stack in {tuple(overlay.label for overlay in t.overlays): t.overlays for t in plan.trials}.values():
        make_overlays(stack)
    _check_environments([scenarios[name] for name in plan.scenarios], harnesses.values())
    return plan.model_copy(update={"versions": versions}), harnesses


def _check_environments(scenarios: Iterable[Scenario], harnesses: Iterable[Harness]) -> None:
    """Whether each environment can be made, and no harness that needs one lacks it."""
    alone = next((harness for harness in harnesses if not harness.executes), None)
    made: list[EnvironmentSpec] = []
    for scenario in scenarios:
        named = scenario.manifest.environment
        if named is None and alone is not None:
            raise ScenarioError(
                f"harness {alone.name!r} acts through a scenario's environment, and {scenario.id!r} has none",
                remedy="Choose scenarios with an environment, such as those of `forge`, or a harness with tools of its own.",
            )
        if named is not None and named not in made:
            plugins.create("environment", named.name, dict(named.options))
            made.append(named)


def _check_model(model: ModelSpec) -> None:
    """What every request to a model would fail of, as far as it can be known without one."""
    where = f"model {model.name}"
    if model.embedded and model.kind not in BUILT_IN:
        plugins.create("model", model.kind, model.plugin_options)
    if model.key_env and not key_of(model.key_env):
        what = f"the environment variable {model.key_env} is not set"
        raise EndpointAuthError(
            what, where=where, remedy="Set it to the provider's key, then run the same command again."
        )
    _refuse_keys(model, where)
    if model.base_url and not _is_address(model.base_url):
        remedy = "Give an address that begins with http:// or https://, such as http://127.0.0.1:8000/v1."
        raise EndpointError(f"{model.base_url!r} is not a valid address", where=f"{where}, base_url", remedy=remedy)
    for name in sorted(NUMBERS & set(model.params)):
        value = model.params[name]
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            remedy = "Write a number, without quotation marks."
            raise EndpointError(f"{value!r} is not a number", where=f"{where}, params.{name}", remedy=remedy)


def _refuse_keys(model: ModelSpec, where: str) -> None:
    """Addresses and headers are written into the run folder, so no key may stand there."""
    redactor = Redactor([key_of(model.key_env)])
    places = {"base_url": model.base_url, **{f"options.{name}": value for name, value in model.options.items()}}
    for name, value in places.items():
        for text in strings_of(value):
            found = key_in_url(text) if "://" in text else ""
            if found or any(redactor.spans(form) for form in (text, unquote(text))):
                raise _stored(found or "the key itself", f"{where}, {name}")
    headers = model.options.get("headers")
    names = [name for name in headers if name.lower() in KEY_HEADERS] if isinstance(headers, dict) else []
    if names:
        raise _stored(f"the header {names[0]!r}", f"{where}, options.headers")


def _stored(what: str, where: str) -> ClawError:
    remedy = "Leave it out, put the key into an environment variable, and name that with --key-env (key_env)."
    return EndpointAuthError(f"{what} would be stored with the run, and may be a key", where=where, remedy=remedy)


def unprotected(plan: Plan) -> str:
    """What the isolation of a run does not protect because we are root; empty where that makes no difference."""
    level = min((trial.settings.isolation for trial in plan.trials), default=IsolationLevel.NAMESPACE)
    if level >= IsolationLevel.NAMESPACE or os.geteuid() != 0:
        return ""
    return (
        f"isolation {int(level)} as root: harnesses and checks can read and change every file of this machine, and the memory "
        "of every process, provider keys included; run as an ordinary user, or with --isolation 2"
    )


def _is_address(text: str) -> bool:
    try:
        address = urlsplit(text)
    except ValueError:
        return False
    return address.scheme in ("http", "https") and bool(address.hostname)
