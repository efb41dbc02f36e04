"""An experiment from what is typed: names with options as on the command line, records, or a file."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias, TypedDict

from pydantic import BaseModel, JsonValue, ValidationError

from claw_adapter.errors import ArgumentError, ClawError
from claw_adapter.protocol import HarnessSpec, ModelSpec, OverlaySpec, RunSettings, StopRules
from claw_adapter.protocol.tokens import TokenUse
from claw_adapter.runs.plan import Experiment, served_model
from claw_adapter.runs.prices import cost, is_sold
from claw_adapter.runs.providers import provider_model

__all__ = ["ExperimentOptions", "Scenarios", "StopOptions", "check_names", "make_experiment", "make_rules"]

Scenarios: TypeAlias = str | Path | Experiment | Sequence[str | Path]
"""Names and folders of scenarios; or one experiment: a record, or a file that ends in .yaml or .yml."""
HarnessLike: TypeAlias = str | Mapping[str, JsonValue] | HarnessSpec
"""``NAME``, ``NAME:key=value,…``, ``NAME+OVERLAY``; or the entry of an experiment file."""
ModelLike: TypeAlias = str | Mapping[str, JsonValue] | ModelSpec
"""``reader``, ``reader:hasty``, the name of an upstream plugin or of a known model; or the entry of an experiment file."""
OverlayLike: TypeAlias = str | Mapping[str, JsonValue] | OverlaySpec
Spelling: TypeAlias = Callable[[str], str]


class ExperimentOptions(TypedDict, total=False):
    """What is run; what is not given is as `claw run` has it."""

    harnesses: HarnessLike | Sequence[HarnessLike]
    """Default: ``reference``."""
    model: ModelLike
    """Default: ``reader``."""
    models: Sequence[ModelLike]
    """Several, in place of `model`."""
    base_url: str
    """OpenAI-compatible upstream of a model that is given as text, ending in /v1."""
    key_env: str
    """Environment variable that holds the upstream's key."""
    overlays: OverlayLike | Sequence[OverlayLike | Sequence[OverlayLike]]
    """Stacks of overlays, each run with every harness; ``none`` is the harness alone, and the default."""
    seeds: int | Sequence[int]
    """Default: 0."""
    repeats: int
    """How often each trial is repeated, with the same seed. Default: 1."""
    isolation: int
    """0 none, 1 process, 2 namespaces. Default: 2."""
    deadline: float
    """Seconds one turn may take. Default: 600."""
    attempts: int
    """How often a round is tried when the harness or endpoint fails. Default: 2."""
    max_memory: int
    """Bytes of memory that the processes of a harness may have together; over a limit they are ended. Default: 8e9."""
    max_processes: int
    """How many there may be at once. Default: 1000."""
    max_disk: int
    """Bytes in workspace and state directory. Default: 5e9."""
    max_shm: int
    """Bytes in /dev/shm. Default: 5e8."""
    compat: str
    """``clawarena-1.0``: published prompt format and feedback."""


class StopOptions(TypedDict, total=False):
    """What the run puts up with and may spend; it may change when a run is continued."""

    patience: float | str
    """How long a provider may be away before the run stops: seconds, or ``10m``. Default: 10 minutes."""
    max_cost: float | str
    """US dollars, at list price, at which the run stops."""
    max_tokens: int
    """Tokens, sent and received, at which the run stops."""
    max_requests: int
    """Requests to the model at which the run stops."""
    requests_per_minute: int
    """Requests that may go out to each model in a minute."""
    tokens_per_minute: int
    """Tokens, sent and received, of each model in a minute."""
    concurrent: int
    """Requests to each model that may be under way at a time."""
    budget: str
    """URL of a ``claw budget``, whose limits hold for all runs that name it together."""


_NO_NAME: Final = ("string_pattern_mismatch", "string_too_short")
"""Kinds of mistake in what must be an identifier."""


def check_names(options: Mapping[str, object], known: Sequence[str]) -> None:
    """Refuse a keyword that there is not.

    Raises:
        ArgumentError: with the keyword that was probably meant.
    """
    for name in options:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            remedy = f"Did you mean {near[0]!r}?" if near else f"There are: {', '.join(known)}."
            raise ArgumentError(f"there is no argument {name!r}", remedy=remedy)


def make_experiment(scenarios: Scenarios, options: ExperimentOptions, spell: Spelling = str) -> Experiment:
    """The experiment that is asked for.

    Args:
        scenarios: see `Scenarios`.
        options: None stands for what is not given.
        spell: an argument's name as the user knows it, such as its flag on the command line.

    Raises:
        ArgumentError: an argument is wrong, or excludes another one.
        ScenarioError: the experiment file is missing or wrong.
    """
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    names = _several(scenarios)
    if len(names) == 1 and _is_experiment(names[0]):
        return _whole(names[0], [name for name in ExperimentOptions.__annotations__ if name in given], spell)
    if "model" in given and "models" in given:
        raise ArgumentError(f"{spell('model')} and {spell('models')} are both given")
    asked: dict[str, Any] = {
        "scenarios": [str(name) for name in names],
        "harnesses": _several(given.get("harnesses", "reference")),
        "models": _several(given.get("models", given.get("model", "reader"))),
        "seeds": _several(given.get("seeds", 0)),
        "repeats": given.get("repeats", 1),
        "settings": {name: given[name] for name in RunSettings.model_fields if name in given},
    }
    if "overlays" in given:
        asked["overlays"] = _several(given["overlays"])
    upstream = given.get("base_url", ""), given.get("key_env", "")
    models = [_model(one, *upstream, spell) for one in asked["models"]]
    try:
        return Experiment.model_validate(asked | {"models": models})
    except ValidationError as error:
        raise ArgumentError(_wrong(error, asked, spell)) from None


def make_rules(experiment: Experiment, options: StopOptions, spell: Spelling = str) -> StopRules:
    """When the run stops: as its experiment says, but for what is given here.

    Raises:
        ArgumentError: a limit cannot be kept: it is no number, or the price of a model is not known.
    """
    given = {name: options[name] for name in StopOptions.__annotations__ if options.get(name) is not None}  # type: ignore[literal-required]
    try:
        rules = StopRules.model_validate({**experiment.stop.model_dump(), **given})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ArgumentError(f"{spell(str(first['loc'][0]))}: {first['msg'].removeprefix('Value error, ')}") from None
    for model in experiment.models if rules.max_cost is not None else ():
        if is_sold(model) and cost(model, TokenUse(1, 1)) is None:
            raise ArgumentError(
                f"{spell('max_cost')}: the price of model {model.name!r} is not known",
                remedy=f"Install claw-adapter[prices] if it is missing, or give {spell('max_tokens')} instead.",
            )
    return rules


def _several(value: Any) -> tuple[Any, ...]:
    """What may be given alone or as a sequence, as a tuple."""
    alone = isinstance(value, str | Path | Mapping | BaseModel) or not hasattr(value, "__iter__")
    return (value,) if alone else tuple(value)


def _is_experiment(value: object) -> bool:
    return isinstance(value, Experiment) or str(value).endswith((".yaml", ".yml"))


def _whole(value: Experiment | str | Path, given: Sequence[str], spell: Spelling) -> Experiment:
    """An experiment that is there already; nothing else may be given."""
    from claw_adapter.scenario.yamlsource import check_record, read_yaml

    if given:
        what = "an experiment" if isinstance(value, Experiment) else "an experiment file"
        raise ArgumentError(f"{what} says it all; drop {', '.join(map(spell, given))}")
    if isinstance(value, Experiment):
        return value
    return check_record(read_yaml(Path(value)), Experiment, fields="`claw schema experiment`")


def _wrong(error: ValidationError, asked: Mapping[str, Any], spell: Spelling) -> str:
    """The first mistake, by the argument that it was made in and what was given there."""
    first = error.errors(include_url=False)[0]
    field, *rest = first["loc"]
    if field == "settings" and rest:
        field, *rest = rest
    typed = asked.get(str(field))
    where = spell(str(field))
    if isinstance(typed, tuple | list) and rest and isinstance(rest[0], int):
        where, rest = f"{where} {typed[rest[0]]!r}", rest[1:]
    kind = first["type"]
    what = "it is not a valid name: at most 64 letters, digits, '.', '_' and '-'" if kind in _NO_NAME else first["msg"]
    part = f"{rest[-1]}: " if rest and isinstance(rest[-1], str) and kind not in _NO_NAME else ""
    return f"{where}: {part}{what.removeprefix('Value error, ')}"


def _model(value: ModelLike, base_url: str, key_env: str, spell: Spelling) -> object:
    """A model as the field `models` of an experiment takes it."""
    if not isinstance(value, str):
        if base_url or key_env:
            raise ArgumentError(
                f"a model that is a record says where it is; drop {spell('base_url')} and {spell('key_env')}"
            )
        return value
    if base_url:
        return {"name": value, "base_url": base_url, "key_env": key_env}
    if value.partition(":")[0] == "reader":
        return value
    try:
        return served_model(value) or _provided(value, key_env, spell)
    except ArgumentError:
        raise
    except ValueError as error:
        raise ArgumentError(f"{spell('model')} {value!r}: {error}") from None


def _provided(name: str, key_env: str, spell: Spelling) -> ModelSpec:
    """A model of the providers' directory, by its name there."""
    try:
        return provider_model(name, key_env=key_env)
    except ClawError as error:
        way = f"{error.remedy.rstrip('.')}.\nOr say where it is with {spell('base_url')} (and {spell('key_env')})."
        raise ArgumentError(f"{spell('model')} {name!r}: {error.what}\n{way}") from None
