"""Requests to the model: OpenAI chat, not streamed, over one connection that is kept for the whole conversation."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from claw_adapter.bare.history import Said
from claw_adapter.endpoint.failures import classify, is_too_long
from claw_adapter.errors import EndpointError, EndpointFilteredError, EndpointMalformedError, EndpointTransientError
from claw_adapter.harness import Endpoint

if TYPE_CHECKING:
    from aiohttp import ClientSession

__all__ = ["ChatClient", "ChatRefused"]

SHOWN: Final = 2000
"""Characters of an answer that are shown in an error."""
_SPENT: Final = re.compile(r"insufficient_quota|exceeded your current quota|credit balance|billing", re.IGNORECASE)
"""What providers say with 429 when waiting does not help."""


class ChatRefused(Exception):
    """There is no answer: `error` says why, `again` whether waiting may help, `too_long` whether a shorter request may."""

    def __init__(self, error: EndpointError, *, again: bool = False, too_long: bool = False) -> None:
        super().__init__(error.what)
        self.error, self.again, self.too_long = error, again, too_long


class ChatClient:
    """One conversation's connection to the endpoint; `input` and `output` are the tokens that its answers have reported."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._url = f"{endpoint.openai}/chat/completions"
        self._session: ClientSession | None = None
        self.input = self.output = 0

    async def ask(self, messages: Sequence[Said]) -> str:
        """What the model says next; may be empty.

        Raises:
            ChatRefused: nothing, and why.
        """
        import aiohttp

        body = {"model": self._endpoint.model, "messages": messages, "temperature": 0}
        try:
            async with self._client().post(self._url, data=json.dumps(body).encode()) as response:
                status, answer = response.status, await response.read()
        except (aiohttp.ClientError, OSError) as error:
            what = f"no answer to the request: {type(error).__name__}: {error}"
            raise ChatRefused(EndpointTransientError(what, where=self._url), again=True) from error
        if status != 200:
            raise self._refusal(status, answer)
        return self._content(answer)

    async def close(self) -> None:
        """Close the connection; the next request opens another."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _client(self) -> ClientSession:
        import aiohttp

        if self._session is None:
            self._session = aiohttp.ClientSession(
                headers={
                    "Authorization": f"Bearer {self._endpoint.key}",
                    "Content-Type": "application/json",
                    "Accept-Encoding": "identity",
                },
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None),
            )
        return self._session

    def _refusal(self, status: int, answer: bytes) -> ChatRefused:
        message, code = answer.decode("utf-8", "replace"), ""
        try:
            said = json.loads(answer)["error"]
            message, code = str(said["message"]), str(said.get("code") or "")
        except (ValueError, LookupError, TypeError, AttributeError):
            pass  # a refusal in another form is shown as it came
        text = f"{code} {message}"
        error = type(classify(status, message, code))(message[:SHOWN], where=f"model request, status {status}")
        again = isinstance(error, EndpointTransientError) or (status == 429 and not _SPENT.search(text))
        return ChatRefused(error, again=again, too_long=is_too_long(status, text))

    def _content(self, answer: bytes) -> str:
        try:
            reply = json.loads(answer)
            choice = reply["choices"][0]
            content = choice["message"].get("content")
            used = reply.get("usage") or {}
            self.input += int(used.get("prompt_tokens") or 0)
            self.output += int(used.get("completion_tokens") or 0)
        except (ValueError, LookupError, TypeError, AttributeError):
            shown = answer.decode("utf-8", "replace")[:SHOWN]
            raise ChatRefused(EndpointMalformedError(f"not a chat completion: {shown}", where=self._url)) from None
        if choice.get("finish_reason") == "content_filter":
            raise ChatRefused(EndpointFilteredError("the answer was filtered", where=self._url))
        return str(content or "").encode("utf-8", "replace").decode()  # half a character cannot be written down
