"""Passing requests on to a provider, in its own wire form, with the run's model id, parameters and key."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TYPE_CHECKING, Final

from pydantic import JsonValue

from claw_adapter.endpoint.encoding import encoded
from claw_adapter.endpoint.failures import ProviderError, classify
from claw_adapter.endpoint.models import credentials
from claw_adapter.endpoint.models.wires import wire_of
from claw_adapter.endpoint.models.wires.base import Malformed, Unfinished, UpstreamRefused
from claw_adapter.errors import (
    EndpointAuthError,
    EndpointMalformedError,
    EndpointTransientError,
)
from claw_adapter.keys import key_of
from claw_adapter.machine import machine_error
from claw_adapter.model import Delta, Model, ModelRequest
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.redaction import Redactor

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession

__all__ = ["UpstreamModel"]

CONNECT_SECONDS: Final = 30.0
MESSAGE_LIMIT: Final = 2000
_STATUS: Final = {
    "authentication_error": 401, "billing_error": 402, "permission_error": 403, "rate_limit_error": 429,
    "rate_limit_exceeded": 429, "insufficient_quota": 429, "invalid_request_error": 400, "context_length_exceeded": 400,
    "api_error": 500, "server_error": 500, "overloaded_error": 529, "server_is_overloaded": 529,
}  # fmt: skip
"""What an error in the middle of a stream would have been as a status."""
_PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")


class UpstreamModel(Model):
    """One trial's way to the upstream. The key is looked up for every request (`claw_adapter.keys`) and kept nowhere."""

    def __init__(self, spec: ModelSpec) -> None:
        credentials.check(spec)
        self._spec = spec
        self._wire = wire_of(spec)
        self._session: ClientSession | None = None
        self._where = f"model {spec.name} at {spec.base_url}"

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """The upstream's reply, in pieces as they come if the harness streams."""
        import aiohttp

        data = await encoded(self._wire.body(request))
        query, headers = credentials.query(self._spec), self._headers(request)
        try:
            async with self._client().post(self._wire.url, data=data, params=query, headers=headers) as response:
                if response.status != 200:
                    raise await self._refusal(response)
                async for delta in self._read(response, stream=request.stream):
                    yield delta
        except TimeoutError as error:
            what = f"the provider did not answer within {self._spec.timeout:g} s"
            raise ProviderError(504, EndpointTransientError(what, where=self._where)) from error
        except Malformed as error:
            if isinstance(error, Unfinished) and _ends_when_closed(response):
                what = f"the connection to the provider ended within its answer: {error}"
                raise ProviderError(502, EndpointTransientError(what, where=self._where)) from error
            what = f"the provider's answer cannot be read: {error}"
            raise ProviderError(502, EndpointMalformedError(what, where=self._where)) from error
        except UpstreamRefused as error:
            raise self._error(502, error.error) from error
        except (aiohttp.ClientError, OSError) as error:
            if (short := machine_error(error)) is not None:
                raise ProviderError(503, short) from error
            what = f"no connection to the provider: {self._redact(str(error) or repr(error))}"
            raise ProviderError(502, EndpointTransientError(what, where=self._where)) from error

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _client(self) -> ClientSession:
        import aiohttp

        if self._session is None:
            limits = aiohttp.ClientTimeout(
                total=self._spec.timeout, sock_connect=min(CONNECT_SECONDS, self._spec.timeout)
            )
            self._session = aiohttp.ClientSession(
                timeout=limits,
                connector=aiohttp.TCPConnector(limit=0),
                trust_env=any(os.environ.get(name) for name in _PROXIES),
            )
        return self._session

    def _headers(self, request: ModelRequest) -> dict[str, str]:
        key = key_of(self._spec.key_env)
        if self._spec.key_env and not key:
            what = f"the environment variable {self._spec.key_env} is not set"
            remedy = "set it to the provider's key before starting the run"
            raise ProviderError(401, EndpointAuthError(what, where=self._where, remedy=remedy))
        own = {"Content-Type": "application/json", **self._wire.headers(request)}
        return credentials.headers(self._spec, key, own)

    async def _read(self, response: ClientResponse, *, stream: bool) -> AsyncIterator[Delta]:
        kind = response.content_type
        if kind == "text/event-stream" or (stream and kind != "application/json"):
            async for delta in self._wire.pieces(response.content.iter_any(), _new_id):
                yield delta
        else:
            yield self._wire.whole(await response.read(), _new_id)

    async def _refusal(self, response: ClientResponse) -> ProviderError:
        body = await response.read()
        try:
            value: JsonValue = json.loads(body)
        except ValueError:
            value = body.decode("utf-8", "replace")
        if isinstance(value, dict):
            value = value.get("error") or value.get("detail") or value
        status = response.status if response.status >= 400 else 502
        return self._error(status, value, response.headers.get("Retry-After", ""))

    def _error(self, status: int, error: JsonValue, retry_after: str = "") -> ProviderError:
        fields = error if isinstance(error, dict) else {"message": error}
        message = self._redact(str(fields.get("message") or error or "no reason given"))[:MESSAGE_LIMIT]
        code = str(fields.get("code") or fields.get("type") or "")
        given = fields.get("code")
        if status == 502 and isinstance(given, int) and 400 <= given < 600:  # an error inside a stream names its status
            status = given
        elif status == 502:
            status = _STATUS.get(code, status)
        return ProviderError(
            status, classify(status, message, code, where=self._where), code=code, retry_after=retry_after
        )

    def _redact(self, text: str) -> str:
        return Redactor([key_of(self._spec.key_env)]).text(text)


def _ends_when_closed(response: ClientResponse) -> bool:
    """Whether nothing but the end of the connection says where a response ends: then a cut one looks like a whole one."""
    chunked = "chunked" in response.headers.get("Transfer-Encoding", "").lower()
    return response.content_length is None and not chunked


def _new_id() -> str:
    return f"call_{uuid.uuid4().hex[:24]}"
