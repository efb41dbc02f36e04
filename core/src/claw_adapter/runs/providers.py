"""Providers by name: the models of the paper's Table 6, and how each is reached (providers.toml)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, Self

from pydantic import Field, JsonValue, model_validator

from claw_adapter.distributions import DISTRIBUTIONS
from claw_adapter.errors import ScenarioError
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.reading import parse_toml, read_text, why

__all__ = ["PROVIDERS", "Directory", "KnownModel", "Provider", "load_providers", "provider_model"]

PROVIDERS: Final = Path(__file__).with_name("providers.toml")

Credential = Literal["bearer", "x-api-key", "claude-oauth", "codex-oauth", "azure"]


class Provider(Record):
    """A service that answers model requests; the key itself is only ever in the environment variable `key_env`."""

    title: str
    kind: Literal["openai", "openai-responses", "anthropic"]
    """The dialect that it speaks, as a `ModelSpec.kind`."""
    credential: Credential
    key_env: str = ""
    base_url: str = ""
    base_url_env: str = ""
    """The environment variable with the base URL, where every customer has one of their own."""
    path: str = ""
    """Comes after the base; ``{model}`` stands for the id."""
    params: dict[str, JsonValue] = Field(default_factory=dict)
    options: dict[str, JsonValue] = Field(default_factory=dict)
    verified: bool = False
    """Whether it was ever run against the vendor."""
    note: str = ""


class KnownModel(Record):
    """A model at a provider; `params` replaces the provider's, `options` adds to them."""

    title: str
    provider: str
    id: str
    params: dict[str, JsonValue] | None = None
    options: dict[str, JsonValue] = Field(default_factory=dict)
    price: str = ""
    """At whom it stands in the price list, with ``/NAME`` if the name is another there; empty: nothing by the token."""
    verified: bool = False
    note: str = ""


class Directory(Record):
    """Everything in a file of providers."""

    providers: dict[str, Provider]
    models: dict[str, KnownModel]

    @model_validator(mode="after")
    def _complete(self) -> Self:
        for name, model in self.models.items():
            if model.provider not in self.providers:
                raise ValueError(f"model {name!r} is at {model.provider!r}, which is no provider of this file")
        return self


def load_providers(path: Path = PROVIDERS) -> Directory:
    """Read a file of providers.

    Raises:
        ScenarioError: it cannot be read, or is not of the known form.
    """
    try:
        return Directory.model_validate(parse_toml(read_text(path)))
    except (OSError, ValueError) as error:
        raise ScenarioError(
            f"this is no file of providers: {why(error)}", where=str(path), remedy="Correct the file."
        ) from error


def provider_model(
    name: str,
    *,
    base_url: str = "",
    key_env: str = "",
    directory: Directory | None = None,
    environment: Mapping[str, str] | None = None,
) -> ModelSpec:
    """The model that a run means by `name`: one of the file, or ``PROVIDER:ID`` for any other model of a provider.

    Args:
        name: for instance ``claude-opus-4.7`` or ``openrouter:z-ai/glm-5.1``.
        base_url: in place of the provider's.
        key_env: in place of the provider's.
        directory: the models and providers there are; by default those of this package.
        environment: where base URLs of customers are looked up; by default the process's own.

    Raises:
        ScenarioError: there is no such model, or its base URL is nowhere to be found.
    """
    known = directory or load_providers()
    model = _find(name, known)
    provider = known.providers[model.provider]
    base = base_url or provider.base_url or (environment or os.environ).get(provider.base_url_env, "")
    if not base:
        remedy = f"set the environment variable {provider.base_url_env}, or give a base URL"
        raise ScenarioError(f"the base URL of {provider.title} is not known", where=f"model {name}", remedy=remedy)
    return ModelSpec(
        name=name,
        kind=provider.kind,
        model=model.id,
        base_url=base.rstrip("/") + provider.path.replace("{model}", model.id),
        key_env=key_env or provider.key_env,
        params=provider.params if model.params is None else model.params,
        options={"credential": provider.credential, **provider.options, **model.options},
    )


def _find(name: str, known: Directory) -> KnownModel:
    if name in known.models:
        return known.models[name]
    provider, _, model = name.partition(":")
    if provider in known.providers and model:
        return KnownModel(title=model, provider=provider, id=model)
    remedy = f"known models: {', '.join(known.models)}; or PROVIDER:ID with one of {', '.join(known.providers)}"
    if ours := next((one.name for one in DISTRIBUTIONS if one.plugins.get(provider) in ("model", "upstream")), ""):
        remedy = f"Install the distribution that brings it: pip install {ours}"
    raise ScenarioError(f"no model {name!r} is known", where="model", remedy=remedy)
