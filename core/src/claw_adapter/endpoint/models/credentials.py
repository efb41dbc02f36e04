"""What opens an upstream's entry: headers and query of each kind of credential.

The secret itself is always the value of the environment variable `ModelSpec.key_env`. ``options.credential`` says what it is:

    bearer         an API key or token in ``Authorization`` (default)
    x-api-key      an Anthropic API key (default where the upstream speaks Anthropic messages)
    claude-oauth   the access token of a Claude subscription
    codex-oauth    the access token of a ChatGPT subscription: a JWT, which names the account
    azure          an Azure OpenAI key; ``options.api_version`` goes into the query

``options.headers`` are further headers, none of them secret.
"""

from __future__ import annotations

import base64
import json
from typing import Final

from pydantic import JsonValue

from claw_adapter.errors import EndpointError
from claw_adapter.protocol.model import ModelSpec

__all__ = ["CREDENTIALS", "check", "headers", "query"]

CREDENTIALS: Final = ("bearer", "x-api-key", "claude-oauth", "codex-oauth", "azure")

_CLAUDE_BETA: Final = "oauth-2025-04-20"
_CODEX_CLAIM: Final = "https://api.openai.com/auth"


def check(spec: ModelSpec) -> None:
    """Refuse a kind of credential that is not known.

    Raises:
        EndpointError: it is not one of `CREDENTIALS`.
    """
    if (kind := _kind(spec)) not in CREDENTIALS:
        remedy = f"use one of {', '.join(CREDENTIALS)}"
        raise EndpointError(f"no credential {kind!r}", where=f"model {spec.name}, options.credential", remedy=remedy)


def headers(spec: ModelSpec, key: str, given: dict[str, str]) -> dict[str, str]:
    """`given`, which are the dialect's own, with the run's and the credential's; without a key only the former."""
    extra = spec.options.get("headers")
    found = {**given, **{str(k): str(v) for k, v in (extra if isinstance(extra, dict) else {}).items()}}
    if not key:
        return found
    match _kind(spec):
        case "x-api-key":
            found["x-api-key"] = key
        case "azure":
            found["api-key"] = key
        case "claude-oauth":
            betas = [beta for beta in found.get("anthropic-beta", "").split(",") if beta and beta != _CLAUDE_BETA]
            found |= {"Authorization": f"Bearer {key}", "anthropic-beta": ",".join([*betas, _CLAUDE_BETA])}
        case "codex-oauth":
            found |= {"Authorization": f"Bearer {key}", "OpenAI-Beta": "responses=experimental"}
            if account := _account(key):
                found["chatgpt-account-id"] = account
        case _:
            found["Authorization"] = f"Bearer {key}"
    return found


def query(spec: ModelSpec) -> dict[str, str]:
    """What stands behind the question mark."""
    version = spec.options.get("api_version")
    return {"api-version": version} if isinstance(version, str) and version else {}


def _kind(spec: ModelSpec) -> str:
    speaks = spec.options.get("dialect") or spec.kind
    usual = "x-api-key" if speaks in ("anthropic", "anthropic-messages") else "bearer"
    return str(spec.options.get("credential") or usual)


def _account(token: str) -> str:
    """The account that a ChatGPT access token names; empty when it cannot be read (the upstream will say so)."""
    try:
        middle = token.split(".")[1]
        claims: JsonValue = json.loads(base64.urlsafe_b64decode(middle + "=" * (-len(middle) % 4)))
    except (IndexError, ValueError):
        return ""
    claim = claims.get(_CODEX_CLAIM) if isinstance(claims, dict) else None
    return str(claim.get("chatgpt_account_id") or "") if isinstance(claim, dict) else ""
