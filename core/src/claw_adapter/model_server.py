"""A model server for upstream plugins: started in a process of its own or attached to, waited for, measured, explained."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from claw_adapter.drivers import PIPE, Command, Process, environment, start
from claw_adapter.errors import ClawError, EndpointError, HarnessNotFound
from claw_adapter.protocol import ModelSpec
from claw_adapter.upstream import Upstream, UpstreamContext

if TYPE_CHECKING:
    from aiohttp import ClientResponse

__all__ = ["Explanation", "ModelServer", "ServedUpstream", "counters", "served"]

LOOK_SECONDS: Final = 5.0
STOP_SECONDS: Final = 5.0
TAIL_CHARACTERS: Final = 3000
_SAMPLE: Final = re.compile(r"^([A-Za-z_:][\w:]*)(\{.*\})?\s+(\S+)(?:\s+-?\d+)?$")
_COUNTERS: Final = {"counter": ("", "_total"), "histogram": ("_sum", "_count"), "summary": ("_sum", "_count")}


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a text in a server's output means.

    Attributes:
        pattern: a regular expression; letter case does not matter.
        what: one sentence, without a full stop.
        remedy: what to do about it.
    """

    pattern: str
    what: str
    remedy: str


def counters(text: str) -> dict[str, float]:
    """The series of a Prometheus text that only grow: counters, and the sums and counts of histograms and summaries.

    Keys are ``name`` or ``name{label="x"}`` as they stand in the text. Gauges, buckets and quantiles are left out, as are
    lines that cannot be read, and llama.cpp's ``…_max``, which it calls counters.
    """
    wanted: set[str] = set()
    found: dict[str, float] = {}
    for line in text.splitlines():
        words = line.split()
        if words[:2] == ["#", "TYPE"] and len(words) == 4:
            wanted |= {words[2] + suffix for suffix in _COUNTERS.get(words[3], ())}
        elif (match := _SAMPLE.match(line.strip())) and match[1] in wanted and not match[1].endswith("_max"):
            value = _number(match[3])
            if value is not None:
                found[match[1] + (match[2] or "")] = value
    return found


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == value and abs(value) != float("inf") else None  # noqa: PLR0124  # NaN


def served(model: ModelSpec, url: str, model_id: str) -> ModelSpec:
    """The run's model as the endpoint reaches it at a server of OpenAI's kind; of the options only ``faults`` are left."""
    faults = {key: value for key, value in model.options.items() if key == "faults"}
    return model.model_copy(
        update={"kind": "openai", "model": model_id, "base_url": f"{url}/v1", "key_env": "", "options": faults}
    )


class ModelServer:
    """A server on 127.0.0.1 that we started, or (without a process) one that somebody else did.

    Args:
        url: ``http://HOST:PORT`` without a path.
        process: the server's own process.
        explanations: what its output may tell; the first that is found counts.
    """

    def __init__(self, url: str, process: Process | None = None, explanations: Sequence[Explanation] = ()) -> None:
        self.url = url
        self._process = process
        self._explanations = tuple(explanations)
        self._stopped = False

    @classmethod
    async def start(
        cls,
        argv: Sequence[str],
        port: int,
        ctx: UpstreamContext,
        *,
        deadline: float,
        env: Mapping[str, str] | None = None,
        explanations: Sequence[Explanation] = (),
    ) -> ModelServer:
        """Start a program that will serve on `port`, and wait until its ``/health`` is good.

        Its environment is PATH, locale and HOME (a folder of the run), and `env`. Standard input is a pipe that ends with us.

        Raises:
            EndpointError: no such program, it ended, or it was not ready within `deadline` seconds.
        """
        ctx.folder.mkdir(parents=True, exist_ok=True)
        variables = environment(extra={"HOME": str(ctx.folder), **(env or {})})
        command = Command(tuple(argv), variables, cwd=ctx.folder, stdin=PIPE, marker=ctx.marker)
        try:
            process = await start(command)
        except HarnessNotFound as error:
            raise EndpointError(error.what, where=error.where, remedy=error.remedy) from error
        except ClawError as error:
            raise EndpointError(f"cannot be started: {error.what}", where=argv[0], remedy=error.remedy) from error
        server = cls(f"http://127.0.0.1:{port}", process, explanations)
        try:
            await server.ready(deadline)
        except BaseException:
            await server.stop()
            raise
        return server

    async def ready(self, deadline: float) -> None:
        """Wait until ``/health`` is good.

        Raises:
            EndpointError: the server ended first, or was not ready within `deadline` seconds.
        """
        if self._process is None:
            await self._attached(deadline)
            return
        from claw_adapter.drivers.http import HttpChild

        async with HttpChild(self.url, process=self._process) as http:
            try:
                await http.wait_ready("/health", deadline)
            except ClawError as error:
                raise self._explained(error.what) from error

    async def health(self) -> bool:
        """Whether it answers now."""
        return await self._get("/health") is not None

    async def counters(self) -> dict[str, float]:
        """See `counters`; empty where the server has none or does not answer."""
        return counters(await self.text("/metrics"))

    async def text(self, path: str) -> str:
        """What it answers to a GET of `path`; empty where that is no success."""
        return await self._get(path) or ""

    def fault(self) -> str:
        """Why it ended by itself, with what to do; empty while it runs, after `stop`, and of a server that is not ours."""
        if self._process is None or self._process.exit is None or self._stopped:
            return ""
        return str(self._explained(f"ended by itself: {self._process.exit}"))

    async def ended(self, seconds: float) -> None:
        """Wait, at most so long, until our process has ended; a server that is not ours is not waited for."""
        if self._process is not None:
            await self._process.ended(seconds)

    async def stop(self) -> None:
        """End our process and everything it started; a server that was only attached to is left alone."""
        if self._process is not None:
            self._stopped = self._stopped or self._process.exit is None
            await self._process.stop(STOP_SECONDS)

    def _explained(self, what: str) -> EndpointError:
        output = self._output()
        text = f"{what}\n{output}"
        for one in self._explanations:
            if found := re.search(one.pattern, text, re.IGNORECASE):
                line = _line(text, found.start())
                return EndpointError(f"{one.what} (it said: {line})", where=self._where(), remedy=one.remedy)
        tail = output[-TAIL_CHARACTERS:]
        said = f"{what}\nits output ends with:\n{tail}" if tail and "output ends with" not in what else what
        return EndpointError(said, where=self._where(), remedy="The reason should be in its output.")

    def _output(self) -> str:
        if self._process is None:
            return ""
        return (self._process.stdout.text + "\n" + self._process.stderr.text).strip()

    def _where(self) -> str:
        return f"model server {self._process.argv[0]}" if self._process else f"model server at {self.url}"

    async def _attached(self, deadline: float) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + deadline
        while not await self.health():
            if loop.time() > end:
                remedy = "Start it first, or check its address; it must answer GET /health."
                raise EndpointError(f"does not answer within {deadline:g} s", where=self._where(), remedy=remedy)
            await asyncio.sleep(min(0.5, deadline))

    async def _get(self, path: str) -> str | None:
        import aiohttp

        timeout = aiohttp.ClientTimeout(total=LOOK_SECONDS)
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout, trust_env=False) as session,
                session.get(f"{self.url}{path}", allow_redirects=False) as response,
            ):
                return await _body(response)
        except (aiohttp.ClientError, OSError, TimeoutError):
            return None


class ServedUpstream(Upstream):
    """An upstream whose model is behind a `ModelServer`, which `start` sets as `server`, and what it says of it as `facts`."""

    server: ModelServer | None = None
    facts: Mapping[str, str] = {}
    counted: str = ""
    """How the names of its own counters begin."""

    def about(self) -> Mapping[str, str]:
        """See `Upstream.about`."""
        return self.facts

    async def health(self) -> bool:
        """See `Upstream.health`."""
        return self.server is not None and await self.server.health()

    async def metrics(self) -> Mapping[str, float]:
        """See `Upstream.metrics`."""
        found = await self.server.counters() if self.server else {}
        return {name: value for name, value in found.items() if name.startswith(self.counted)}

    def fault(self) -> str:
        """See `Upstream.fault`."""
        return self.server.fault() if self.server else ""

    async def ended(self, seconds: float) -> None:
        """See `Upstream.ended`."""
        if self.server is not None:
            await self.server.ended(seconds)

    async def stop(self) -> None:
        """See `Upstream.stop`."""
        if self.server is not None:
            await self.server.stop()


async def _body(response: ClientResponse) -> str | None:
    return await response.text("utf-8", "replace") if response.status == 200 else None


def _line(text: str, position: int) -> str:
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return text[start : end if end >= 0 else len(text)].strip()[:500]
