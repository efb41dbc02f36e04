"""One question to an OpenAI-compatible endpoint."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Final
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from claw_adapter.errors import EndpointError, EndpointMalformedError

__all__ = ["Writer"]

SECONDS: Final = 120.0
MOST_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Writer:
    """A model at `base_url` (ending in /v1); `key_env` names the environment variable that holds its key."""

    model: str
    base_url: str
    key_env: str = ""
    temperature: float = 0.8

    def write(self, task: str, text: str) -> str:
        """The model's reply to a task about a text.

        Raises:
            EndpointError: it cannot be reached, or refuses.
            EndpointMalformedError: its reply cannot be read, or is empty.
        """
        if urlsplit(self.base_url).scheme not in ("http", "https"):
            raise EndpointError(
                f"no address of an endpoint: {self.base_url}", remedy="Write --base-url http://host/v1."
            )
        body = {
            "model": self.model,
            "temperature": self.temperature,
            "messages": [{"role": "system", "content": task}, {"role": "user", "content": text}],
        }
        headers = {"Content-Type": "application/json"}
        if self.key_env:
            headers["Authorization"] = f"Bearer {os.environ.get(self.key_env, '')}"
        request = Request(f"{self.base_url.rstrip('/')}/chat/completions", json.dumps(body).encode(), headers)  # noqa: S310 - the scheme is looked at above
        try:
            with urlopen(request, timeout=SECONDS) as reply:  # noqa: S310 - as above
                data = reply.read(MOST_BYTES)
        except (URLError, OSError) as error:
            raise EndpointError(f"the endpoint does not answer: {error}", where=self.base_url) from error
        try:
            said = json.loads(data)["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError) as error:
            raise EndpointMalformedError(f"not a chat completion: {error}", where=self.base_url) from error
        if not isinstance(said, str) or not said.strip():
            raise EndpointMalformedError("an empty reply", where=self.base_url)
        return said.strip()
