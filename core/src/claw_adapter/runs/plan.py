"""What a run is asked to do: an experiment (file or flags) unfolded into trials."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, JsonValue, TypeAdapter

from claw_adapter.errors import PluginError, ScenarioError
from claw_adapter.notation import parse_named, stacked
from claw_adapter.plugins import entry_points, provides
from claw_adapter.protocol import HarnessSpec, ModelSpec, OverlaySpec, RunSettings, Scenario, StopRules, TrialSpec
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.model import BUILT_IN
from claw_adapter.protocol.scenario import Identifier

__all__ = [
    "Experiment",
    "Plan",
    "Repetition",
    "Shard",
    "difference",
    "expand",
    "label",
    "served_model",
    "slug",
    "told_once",
]

LABEL: Final = 64
"""Most characters of an identifier."""
_NUMBER: Final = re.compile(r"\[\d+\]")

READERS = ("careful", "hasty", "forgetful")


def _harness(value: object) -> object:
    """``NAME``, ``NAME:key=value,…`` or ``NAME+OVERLAY``, also with options; the label tells settings apart."""
    if isinstance(value, str):
        names, options, words = parse_named(value)
        name, overlays = stacked(names)
        value = {"name": name, "label": label(name, words), "options": options}
        if overlays:
            value["overlays"] = overlays
    if isinstance(value, Mapping):
        return {"label": value.get("name", ""), **value}
    return value


def label(name: str, words: Sequence[str]) -> str:
    """A name and the values of its options, after which a folder is named; of a path only the file's name.

    What is longer than an identifier may be ends with a digest of the whole.
    """
    text = "-".join([name, *(slug(Path(word).name if "/" in word else word) for word in words)])
    text = re.sub("--+", "-", text)
    if len(text) <= LABEL:
        return text
    whole = hashlib.sha256("\0".join((name, *words)).encode()).hexdigest()[:8]
    return f"{text[: LABEL - 9].rstrip('-.')}-{whole}"


def _overlay(value: object) -> object:
    """``NAME`` or ``NAME:key=value,…`` stands for an overlay; the label tells settings apart."""
    if isinstance(value, str):
        name, options, words = parse_named(value)
        return {"name": name, "label": label(name, words), "options": options}
    return value


def _model(value: object) -> object:
    """``reader`` and ``reader:hasty`` stand for the embedded reader; see `served_model` for those of plugins."""
    if isinstance(value, str):
        kind, _, policy = value.partition(":")
        if kind == "reader" and (policy or "careful") in READERS:
            return {"name": value, "kind": "reader", "policy": policy or "careful"}
        if served := served_model(value):
            return served
        raise ValueError(
            f"{value!r} is not a model: give 'reader', 'reader:hasty', 'reader:forgetful', or name, kind, base_url and key_env"
        )
    return value


def served_model(text: str) -> dict[str, Any] | None:
    """The model that ``PLUGIN`` or ``PLUGIN:key=value,…`` stands for; None where no plugin of that name is installed.

    Of a plugin that brings a model, ``PLUGIN:WORD`` is short for ``PLUGIN:name=WORD``. The model's name in the run is the
    plugin's and the values; of a path only the file's name, for harnesses send it as a model id.

    Raises:
        ValueError: there is such a plugin, and its options are not written as options are.
    """
    kind, colon, rest = text.partition(":")
    if not entry_points(kind):
        return None
    if colon and "=" not in rest:
        if not _brings_model(kind):  # ``vllm:some-id`` is a model of the provider vllm
            return None
        text = f"{kind}:name={rest}"
    kind, options, words = parse_named(text)
    parts = [kind, *(Path(word).stem if "/" in word else word for word in words)]
    return {"name": "-".join(slug(part) for part in parts), "kind": kind, "options": options}


def _brings_model(plugin: str) -> bool:
    """Whether a plugin brings a model; what is wrong with one that cannot be loaded is said where it is used."""
    try:
        return "model" in provides(plugin)
    except PluginError:
        return False


def _placed(model: ModelSpec) -> ModelSpec:
    """The model, and whether a plugin's program answers in its place."""
    if model.kind == "replay":
        return model
    own = model.kind not in BUILT_IN and _brings_model(model.kind)
    return model.model_copy(update={"embedded": own}) if own != model.embedded else model


def _overlays(value: object) -> object:
    """``none``, a name, or a list of names and records: one stack of overlays."""
    if value in (None, "none"):
        return ()
    items = value if isinstance(value, list | tuple) else [value]
    return tuple(_overlay(item) for item in items)


def _named(stack: tuple[OverlaySpec, ...]) -> tuple[OverlaySpec, ...]:
    """Folders are named after labels, so each is an identifier and stands once in its stack."""
    labels = [TypeAdapter(Identifier).validate_python(overlay.label) for overlay in stack]
    if len(set(labels)) < len(labels):
        raise ValueError(f"a label is used twice in {'+'.join(labels)}")
    return stack


ModelItem = Annotated[ModelSpec, BeforeValidator(_model), AfterValidator(_placed)]
OverlayStack = Annotated[tuple[OverlaySpec, ...], BeforeValidator(_overlays), AfterValidator(_named)]


class HarnessEntry(HarnessSpec):
    """A harness of an experiment."""

    overlays: OverlayStack | None = None
    """A stack of its own in place of the experiment's stacks."""

    @property
    def spec(self) -> HarnessSpec:
        """The harness alone."""
        return HarnessSpec(name=self.name, label=self.label, options=self.options)


HarnessItem = Annotated[HarnessEntry, BeforeValidator(_harness)]


class Experiment(Record):
    """Harnesses × models × overlay stacks × scenarios × seeds, each repeated."""

    version: Literal["experiment/1"] = Field(default="experiment/1", alias="schema")
    scenarios: tuple[str, ...] = Field(min_length=1)
    harnesses: tuple[HarnessItem, ...] = Field(min_length=1)
    models: tuple[ModelItem, ...] = Field(min_length=1)
    overlays: tuple[OverlayStack, ...] = Field(default=((),), min_length=1)
    seeds: tuple[int, ...] = Field(default=(0,), min_length=1)
    repeats: int = Field(default=1, ge=1, le=1000)
    """How many trials there are of the same scenario, harness, model, overlays and seed."""
    settings: RunSettings = RunSettings()
    stop: StopRules = StopRules()
    """What the run puts up with and may spend; no part of its identity."""
    executor: str = "local"
    """Where trials run: ``NAME`` or ``NAME:key=value,…``; no part of the run's identity either."""


class Repetition(Record):
    """Which round of which run is repeated; `run` is the folder it was in."""

    run: str
    trial: str
    round: str


class Shard(Record):
    """Which part of a plan a run folder is for: the `number`-th of `of`, counted from 1."""

    number: int = Field(ge=1)
    of: int = Field(ge=1)
    whole: tuple[TrialSpec, ...]
    """All trials of the plan, in order."""

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"


class Plan(Record):
    """The trials of a run, with the digests of the scenarios they use; `digest` identifies the configuration."""

    trials: tuple[TrialSpec, ...]
    scenarios: dict[str, str]
    """Scenario id → digest."""
    rounds: dict[str, int]
    """Scenario id → number of rounds."""
    sources: tuple[str, ...] = ()
    """Names or folders that the scenarios were found by; where they lie is not part of the configuration."""
    versions: dict[str, dict[str, str]] = Field(default_factory=dict)
    """Harness label → versions found when the run was started; not part of the configuration."""
    repeats: Repetition | None = None
    """What this run is made of, if it repeats one round of another: the rounds before it are that run's."""
    shard: Shard | None = None
    """Which part of a larger plan `trials` are; None where they are all of it."""

    @property
    def whole(self) -> Plan:
        """The plan that this one is a part of; the plan itself where it is none."""
        if self.shard is None:
            return self
        return self.model_copy(update={"trials": self.shard.whole, "shard": None})

    @property
    def configuration(self) -> dict[str, JsonValue]:
        """What makes this run this run; fields newer than runs are named only where they say something, so that those go on."""
        fields = {"trials", "scenarios"} if self.repeats is None else {"trials", "scenarios", "repeats"}
        found: dict[str, Any] = self.whole.model_dump(mode="json", include=fields)
        for trial in found["trials"]:
            if trial["repeat"] == 1:
                del trial["repeat"]
            if not trial["model"]["embedded"]:
                del trial["model"]["embedded"]
            for name in ("window", "tell_window"):
                if trial["model"][name] == ModelSpec.model_fields[name].default:
                    del trial["model"][name]
            for name in [name for name in trial["settings"] if name.startswith("max_")]:
                if trial["settings"][name] == RunSettings.model_fields[name].default:
                    del trial["settings"][name]
        return found

    @property
    def digest(self) -> str:
        """16 hex digits over the configuration; that of a shard is that of the whole plan."""
        text = json.dumps(self.configuration, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def slug(text: str) -> str:
    """Text as part of a folder's name."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-.") or "x"


def expand(experiment: Experiment, scenarios: Mapping[str, Scenario]) -> Plan:
    """All trials of an experiment over the loaded `scenarios` (by id).

    Raises:
        ScenarioError: two harnesses or stacks of overlays have the same label, two models the same name, or two trials the
            same id.
    """
    rows = [_row(h.label, stack) for h in experiment.harnesses for stack in _stacks(experiment, h)]
    harnesses = {h.spec.model_dump_json(): h.label for h in experiment.harnesses}
    overlays = {
        o.model_dump_json(): o.label for h in experiment.harnesses for stack in _stacks(experiment, h) for o in stack
    }
    for what, names in (
        ("harness label", list(harnesses.values())),
        ("model name", [m.name for m in experiment.models]),
        ("overlay stack", [_row("", stack) or "none" for stack in experiment.overlays]),
        ("harness label", rows),
        ("overlay label", list(overlays.values())),
    ):
        if twice := {n for n in names if names.count(n) > 1}:
            raise ScenarioError(
                f"{what} {min(twice)!r} is used twice",
                remedy="Give each a 'label' (harness, overlay) or 'name' (model) of its own.",
            )
    from claw_adapter.scenario.named import is_place

    trials = tuple(_trials(experiment, scenarios))
    _refuse_twice(trials)
    return Plan(
        trials=trials,
        scenarios={key: value.digest for key, value in scenarios.items()},
        sources=tuple(str(Path(name).resolve()) if is_place(name) else name for name in experiment.scenarios),
        rounds={key: len(value.rounds) for key, value in scenarios.items()},
    )


def _refuse_twice(trials: Sequence[TrialSpec]) -> None:
    """Trials live in folders called by their ids, and one of two with the same id would never be run."""
    known: dict[str, TrialSpec] = {}
    for trial in trials:
        if (other := known.setdefault(trial.id, trial)) is trial:
            continue
        lines = difference(other.model_dump(mode="json"), trial.model_dump(mode="json"))
        raise ScenarioError(
            f"two trials are both called {trial.id!r}; "
            + ("they are the same" if not lines else f"they differ in {'; '.join(lines)}"),
            remedy="Give every seed once, and models and harnesses names that differ in letters, digits, '.', '_' or '-'.",
        )


def _stacks(experiment: Experiment, harness: HarnessEntry) -> tuple[tuple[OverlaySpec, ...], ...]:
    """The stacks of overlays with which a harness is run."""
    return experiment.overlays if harness.overlays is None else (harness.overlays,)


def _row(label: str, stack: tuple[OverlaySpec, ...]) -> str:
    """What a harness behind overlays is called."""
    return "+".join([label, *(overlay.label for overlay in stack)]).lstrip("+")


def _trials(experiment: Experiment, scenarios: Mapping[str, Scenario]) -> Iterator[TrialSpec]:
    rows = [(harness, stack) for harness in experiment.harnesses for stack in _stacks(experiment, harness)]
    repeats = range(1, experiment.repeats + 1)
    for scenario, (harness, overlays), model, seed, repeat in itertools.product(
        scenarios, rows, experiment.models, experiment.seeds, repeats
    ):
        sample = f"s{seed}" if repeat == 1 else f"s{seed}-r{repeat}"
        words = [scenario, _row(harness.label, overlays), model.name, sample]
        yield TrialSpec(
            id="--".join(slug(word) for word in words),
            scenario=scenario,
            harness=harness.spec,
            model=model,
            overlays=overlays,
            seed=seed,
            repeat=repeat,
            settings=experiment.settings,
        )


def difference(old: Any, new: Any, path: str = "") -> list[str]:
    """What differs between two plain JSON values, one line each: ``field: old → new``."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted({*old, *new})
        return [
            line for key in keys for line in difference(old.get(key), new.get(key), f"{path}.{key}" if path else key)
        ]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        return [line for i, (a, b) in pairs for line in difference(a, b, f"{path}[{i}]")]
    return [] if old == new else [f"{path}: {_short(old)} → {_short(new)}"]


def told_once(lines: Sequence[str], most: int = 20) -> str:
    """Lines of `difference`, indented, at most `most`; of those that differ only in their positions in lists, the first."""
    alike = Counter[str]()
    first = dict[str, str]()
    for line in lines:
        form = _NUMBER.sub("[]", line)
        alike[form] += 1
        first.setdefault(form, line)
    told = [f"{line} (so in {alike[form]} places)" if alike[form] > 1 else line for form, line in first.items()]
    more = [f"and {len(told) - most} more"] if len(told) > most else []
    return "".join(f"\n    {line}" for line in (*told[:most], *more))


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else f"{text[:97]}…"
