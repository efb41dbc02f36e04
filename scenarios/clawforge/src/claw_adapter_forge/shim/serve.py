"""Serving one task: ``python -m claw_adapter_forge.shim.serve TASK.json --socket PATH --token-file PATH``.

For containers: the world, its log and the task stay in this process, away from the agent. A client sends a line of JSON with
``argv``; whoever knows the token may send ``verdict`` instead and is told the reward. The first verdict ends the episode:
after it the world does not move, and every later one is the same. It is printed here too, with the commands executed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from claw_adapter_forge.episodes.episode import Episode
from claw_adapter_forge.tasks.manifest import task_from_json

__all__ = ["Judge", "main", "serve"]

MAX_REQUEST = 256 * 1024
"""Bytes of one request line."""


class Judge:
    """An episode behind requests: commands for anybody, the verdict for who has the token (an empty one opens nothing)."""

    def __init__(self, episode: Episode, token: str) -> None:
        self._episode = episode
        self._token = token
        self._reward: dict[str, Any] | None = None

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to one request.

        Raises:
            KeyError, TypeError: it is no request.
        """
        if "verdict" in request:
            return self._judge(str(request.get("token", "")))
        words = [str(w) for w in request["argv"]]
        if not words or self._reward is not None:
            return {"stdout": "", "stderr": "the episode is over" if words else "empty command", "status": 77}
        done = self._episode.step_words(words)
        return {"stdout": done.output.stdout, "stderr": done.output.stderr, "status": done.output.code}

    def _judge(self, token: str) -> dict[str, Any]:
        if not self._token or not secrets.compare_digest(token.encode(), self._token.encode()):
            return {"stdout": "", "stderr": "not the verifier", "status": 77}
        if self._reward is None:
            verdict = self._episode.verdict()
            self._reward = {"reward": float(verdict.strict), "progress": verdict.progress}
            executed = [e.line for e in self._episode.executions]
            sys.stdout.write(json.dumps({**self._reward, "commands": executed}) + "\n")
            sys.stdout.flush()
        return self._reward


async def serve(task_path: Path, socket: Path, token: str) -> None:
    """Serve until cancelled. The socket is open to every user: the container is the fence."""
    judge = Judge(Episode(task_from_json(json.loads(task_path.read_text(encoding="utf-8"))), "mock"), token)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            reply = judge.answer(json.loads(await reader.readline()))
            writer.write(json.dumps(reply, ensure_ascii=False).encode() + b"\n")
            await writer.drain()
        except (ValueError, KeyError, TypeError, AttributeError, ConnectionError, asyncio.LimitOverrunError):
            pass  # not a request, or the client went away: nothing was executed
        finally:
            writer.close()

    server = await asyncio.start_unix_server(answer, path=str(socket), limit=MAX_REQUEST)
    socket.chmod(0o666)
    async with server:
        await server.serve_forever()


def main() -> None:
    """Parse the command line and serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", type=Path)
    parser.add_argument("--socket", type=Path, required=True)
    parser.add_argument("--token-file", type=Path, required=True)
    args = parser.parse_args()
    asyncio.run(serve(args.task, args.socket, args.token_file.read_text(encoding="utf-8").strip()))


if __name__ == "__main__":
    main()
