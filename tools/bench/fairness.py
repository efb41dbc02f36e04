"""Does a trial with huge requests delay another one? 5, 10 and 20 MB are sent to an endpoint, and then 200 MB.

What one trial can make another one wait is the longest that the endpoint's loop is held in one go. That is measured in CPU
time, so that a busy machine does not count: at most 20 ms. Beside it stand the slowest small request of another trial (wall
time, alone and meanwhile) and the peak memory of the endpoint and its helpers: at most 600 MB.
"""

import asyncio
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from asyncio import events
from pathlib import Path

import aiohttp

from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.protocol import ModelSpec

MB = 1024 * 1024
LIMIT_MS, LIMIT_MB = 20.0, 600.0


class Loop:
    """The longest that any callback of the loop has taken, in seconds of CPU."""

    longest = 0.0
    _run = events.Handle._run  # noqa: SLF001

    def run(self, handle: events.Handle) -> None:
        """Run a callback, timed."""
        began = time.thread_time()
        try:
            type(self)._run(handle)  # noqa: SLF001
        finally:
            self.longest = max(self.longest, time.thread_time() - began)


def body(size: int, shape: str) -> bytes:
    """A request of about `size` bytes: one long message, or a conversation of short ones; nothing is repeated."""
    line = "Tour {} left the bakehouse at 4:{:02d} with {} crates of rye, and came back {} minutes late.\n"
    if shape == "one message":
        texts = ["".join(line.format(n, n % 60, n, n % 7) for n in range(size // 85))]
    else:
        texts = [line.format(n, n % 60, n, n % 7) * 24 for n in range(size // 2100)]
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": text} for text in texts]}).encode()


async def send(url: str, key: str, size: str, shape: str) -> int:
    """Send one such request; prints the status of the answer."""
    data = body(int(size) * MB, shape)
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=280)) as session:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        try:
            async with session.post(url, data=data, headers=headers) as answer:
                await answer.read()
                print(answer.status)
        except aiohttp.ClientError as error:
            print(type(error).__name__)
    return 0


async def slowest(session: aiohttp.ClientSession, url: str, sender: asyncio.subprocess.Process | None) -> float:
    """Milliseconds of the slowest small request, one after the other, until the sender has its answer (or for a second)."""
    end, found = time.perf_counter() + 1.0, []
    while sender.returncode is None if sender else time.perf_counter() < end:
        began = time.perf_counter()
        async with session.post(url, json={"model": "m", "messages": [{"role": "user", "content": "hi"}]}) as answer:
            await answer.read()
            assert answer.status == 200
        found.append(1000 * (time.perf_counter() - began))
        await asyncio.sleep(0.002)
    return max(found)


def memory() -> float:
    """Peak megabytes of this process, which the endpoint is part of, and its children, summed."""
    listed = subprocess.run(["pgrep", "-P", str(os.getpid())], capture_output=True, text=True, check=False)
    total = 0
    for one in ("self", *listed.stdout.split()):
        status = Path(f"/proc/{one}/status")
        lines = status.read_text().splitlines() if status.exists() else []
        total += sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    return total / 1024


async def main(sizes: list[int]) -> int:
    """Measure; exit status 1 over a limit."""
    loop, held = Loop(), 0.0
    events.Handle._run = lambda handle: loop.run(handle)  # noqa: PLW0108, SLF001  # a method would get no handle
    gc.collect()
    gc.freeze()  # as the endpoint's own process does
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with EndpointServer(folder) as endpoint:
            spec = ModelSpec(name="m", kind="scripted", script=("fine",))
            keys = [await endpoint.open_trial(trial, spec, folder / f"{trial}.jsonl") for trial in ("big", "small")]
            url = f"{endpoint.url}/v1/chat/completions"
            async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {keys[1]}"}) as session:
                for size in sizes:
                    for shape in ("one message", "many messages"):
                        alone = await slowest(session, url, None)
                        argv = [sys.executable, __file__, "send", url, keys[0], str(size), shape]
                        began, loop.longest = time.perf_counter(), 0.0
                        sender = await asyncio.create_subprocess_exec(*argv, stdout=subprocess.PIPE)
                        during = await slowest(session, url, sender)
                        took, said = time.perf_counter() - began, (await sender.stdout.read()).decode().strip()
                        held = max(held, 1000 * loop.longest)
                        print(f"{size:4d} MB, {shape:13s}: {said:>4s} after {took:5.1f} s; "
                              f"loop held {1000 * loop.longest:6.1f} ms; peak {memory():4.0f} MB; "
                              f"small requests {alone:6.1f} -> {during:7.1f} ms", flush=True)  # fmt: skip
            used = memory()
    print(f"limits: held {LIMIT_MS:g} ms, {LIMIT_MB:g} MB")
    return 0 if held <= LIMIT_MS and used <= LIMIT_MB else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["send"]:
        sys.exit(asyncio.run(send(*sys.argv[2:])))
    sys.exit(asyncio.run(main([int(word) for word in sys.argv[1:]] or [5, 10, 20, 200])))
