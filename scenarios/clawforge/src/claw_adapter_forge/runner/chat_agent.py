"""A model behind an OpenAI-compatible endpoint as an agent of the bare loop."""

from __future__ import annotations

import http.client
import json
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from claw_adapter.errors import (
    EndpointAuthError,
    EndpointError,
    EndpointFilteredError,
    EndpointMalformedError,
    EndpointQuotaError,
    EndpointTransientError,
)
from claw_adapter_forge.runner.agents import ContextOverflow, Turn

__all__ = ["ChatAgent"]

_AUTH = {401, 403}
_QUOTA = {402}
_TRANSIENT = {408, 409, 425, 429}
_TOO_LONG = re.compile(
    r"context_length|context (length|window|size)|maximum (context|number of tokens)"
    r"|prompt is too long|too many (input )?tokens",
    re.IGNORECASE,
)
_SPENT = re.compile(r"insufficient_quota|exceeded your current quota|credit balance|billing", re.IGNORECASE)
"""What providers say with 429 when waiting does not help."""


class ChatAgent:
    """Asks ``POST {base_url}/chat/completions`` for the next command, temperature 0.

    Args:
        model: the model's name, which is also the agent's.
        base_url: ends in ``/v1``; http or https.
        key: sent as a bearer token; never stored in records.
        timeout: seconds for one answer.
    """

    def __init__(self, model: str, base_url: str, key: str = "", timeout: float = 120.0) -> None:
        self.name = model
        self._url = urlsplit(base_url)
        self._key = key
        self._timeout = timeout
        if self._url.scheme not in {"http", "https"} or not self._url.hostname:
            raise EndpointError(f"not an http address: {base_url!r}", remedy="give one that ends in /v1")

    def reply(self, turns: Sequence[Turn]) -> str:
        """The model's next message.

        Raises:
            EndpointTransientError: no connection, a time-out, 429 or 5xx.
            EndpointAuthError, EndpointQuotaError, EndpointError: the provider refused.
            ContextOverflow: the conversation is too long for it.
            EndpointFilteredError: its filter did.
            EndpointMalformedError: what came back cannot be read.
        """
        body = {
            "model": self.name,
            "messages": [{"role": t.role, "content": t.text} for t in turns],
            "temperature": 0,
        }
        status, text = self._post(json.dumps(body).encode())
        if status != 200:
            raise _error(status, text)
        return _content(text)

    def _post(self, body: bytes) -> tuple[int, str]:
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        link = kind(self._url.hostname or "", self._url.port, timeout=self._timeout)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        try:
            link.request("POST", f"{self._url.path.rstrip('/')}/chat/completions", body, headers)
            answer = link.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace")
        except (OSError, http.client.HTTPException) as error:
            raise EndpointTransientError(f"{type(error).__name__}: {error}", where=self._url.geturl()) from error
        finally:
            link.close()


def _error(status: int, text: str) -> EndpointError:
    what = f"HTTP {status}: {text[:300]}"
    if "content_filter" in text or "content_policy" in text:
        return EndpointFilteredError(what)
    if status in _AUTH:
        return EndpointAuthError(what, remedy="check the key")
    if status in _QUOTA or (status == 429 and _SPENT.search(text)):
        return EndpointQuotaError(what)
    if status in {400, 413, 422} and _TOO_LONG.search(text):
        return ContextOverflow(what)
    return EndpointTransientError(what) if status in _TRANSIENT or status >= 500 else EndpointError(what)


def _content(text: str) -> str:
    try:
        choice: dict[str, Any] = json.loads(text)["choices"][0]
        content = choice["message"].get("content")
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise EndpointMalformedError(f"not a chat completion: {text[:300]}") from error
    if choice.get("finish_reason") == "content_filter":
        raise EndpointFilteredError("the answer was filtered")
    return str(content or "")
