"""Ways into one real OpenClaw gateway, side by side: HTTP, ACP and its own command line; and how long a turn takes by each.

    python tests/e2e/openclaw_ways.py [TURNS]

A turn is three model calls and two tools, the model answers at once. The ways take turns, so that a busy machine slows all
of them alike. Times of HTTP and ACP are those of the adapter's whole `send`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_endpoint import Reply, TalkingEndpoint
from openclaw_context import Context, session

from claw_adapter.command import find_installed
from claw_adapter_openclaw.acp import AcpGateway
from claw_adapter_openclaw.adapter import CONFIG, OpenClaw, framework
from claw_adapter_openclaw.answers import Answer
from claw_adapter_openclaw.configuration import environment
from claw_adapter_openclaw.conversation import GatewayConversation
from claw_adapter_openclaw.gateway import ENTRY, Gateway
from support.real import absent

__all__ = ["Lent", "conversation", "measure"]

DEADLINE = 120.0
WARM = 2


class Lent:
    """A gateway for several conversations: `chat` is the way in, and closing a conversation leaves it running."""

    def __init__(self, gateway: Gateway, chat: Callable[[str, float], Awaitable[Answer]]) -> None:
        self.bridge, self.chat = gateway.bridge, chat

    async def close(self) -> int:
        """Somebody else does it."""
        return 0


async def conversation(gateway: AcpGateway, name: str, workspace: Path, *, http: bool = False) -> GatewayConversation:
    """A conversation in a session of its own; over HTTP that must be the session the gateway was started for."""

    async def over_acp(prompt: str, deadline: float) -> Answer:
        gateway._session = acp_session
        return await gateway.chat(prompt, deadline)

    async def over_http(prompt: str, deadline: float) -> Answer:
        return await Gateway.chat(gateway, prompt, deadline)

    lent = Lent(gateway, over_http if http else over_acp)
    made = GatewayConversation(lent, [session(name, "a", "b")], "the-model", logging.getLogger("test"))
    await made.seed()
    if not http:
        acp_session = await gateway._agent.new_session(workspace, sessionKey=OpenClaw().session_key(name))
    return made


def _model(request) -> Reply:
    """Read, write, answer; told by the results that stand behind the last prompt."""
    results = 0
    for message in reversed(request["messages"]):
        if message["role"] == "tool":
            results += 1
        elif message["role"] == "user" and "OPENCLAW_INTERNAL_CONTEXT" not in str(message):
            break
    steps = (("read", {"path": "notes.txt"}), ("write", {"path": "answer.txt", "content": "A"}))
    return Reply(calls=(steps[results],)) if results < len(steps) else Reply("done")


async def measure(
    folder: Path, turns: int = 20, told: Callable[[str, float], None] = lambda _way, _seconds: None
) -> dict[str, list[float]]:
    """Seconds of each turn by way (``http``, ``acp``, ``cli``), without the first two of each, which warm up.

    `folder` takes a trial's folders; `told` is called after each turn.
    """
    taken: dict[str, list[float]] = {"http": [], "acp": [], "cli": []}
    with TalkingEndpoint(_model) as server:
        ctx = Context(folder / "t", server.url)
        (ctx.workspace / "notes.txt").write_text("a fact\n")
        there = find_installed(framework())
        env = environment(ctx.state_dir, ctx.state_dir / CONFIG)
        program = [str(there.node), str(there.modules.joinpath(*ENTRY)), "agent", "--agent", "main", "--json"]

        async def command_line(prompt: str) -> str:
            argv = [*program, "--session-id", "6a1b7a0e-0000-4000-8000-000000000001", "--message", prompt]
            done = await ctx.run(argv, DEADLINE, env=env, readable=there.readable)
            assert done.exit.ok, done.stderr.text
            return "done" if '"done"' in json.dumps(json.loads(done.stdout.text)) else done.stdout.text

        async with await OpenClaw(mode="acp").open(ctx) as base:
            http = await conversation(base._gateway, "main", ctx.workspace, http=True)
            acp = await conversation(base._gateway, "acp", ctx.workspace)
            ways: dict[str, Callable[[str], Awaitable[str]]] = {
                "http": lambda prompt: _said(http, prompt),
                "acp": lambda prompt: _said(acp, prompt),
                "cli": command_line,
            }
            for number in range(turns + WARM):
                for way, speak in ways.items():
                    began = time.monotonic()
                    assert await speak(f"turn {number}") == "done"
                    taken[way].append(time.monotonic() - began)
                    told(way, taken[way][-1])
    return {way: seconds[WARM:] for way, seconds in taken.items()}


async def _said(made: GatewayConversation, prompt: str) -> str:
    turn = await made.send(prompt, DEADLINE)
    assert turn.error is None, turn.error
    return turn.text


if __name__ == "__main__":
    if reason := absent("openclaw"):
        sys.exit(reason)
    with tempfile.TemporaryDirectory() as temporary:
        found = asyncio.run(measure(Path(temporary), int(sys.argv[1]) if len(sys.argv) > 1 else 20))
    middle = {way: statistics.median(seconds) for way, seconds in found.items()}
    for way, seconds in found.items():
        times = f"{middle['cli'] / middle[way]:.1f} times as fast as its command line"
        print(
            f"{way}: median {middle[way]:.3f} s, {min(seconds):.3f} to {max(seconds):.3f} s, {len(seconds)} turns; {times}"
        )
