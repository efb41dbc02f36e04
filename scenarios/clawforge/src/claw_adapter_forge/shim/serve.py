"""Serving one task until told to stop: ``python -m claw_adapter_forge.shim.serve TASK.json --socket PATH --log LOG.json``.

For containers: the log is rewritten after every command, so that a verifier that starts later finds it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from pathlib import Path

from claw_adapter_forge.runner.episode import Episode
from claw_adapter_forge.tasks.manifest import task_from_json

__all__ = ["main", "serve"]


async def serve(task_path: Path, socket: Path, log: Path) -> None:
    """Serve until cancelled. Clients show the token of ``FORGE_TOKEN`` (empty by default: the container is the fence)."""
    episode = Episode(task_from_json(json.loads(task_path.read_text(encoding="utf-8"))), "mock")
    token = os.environ.get("FORGE_TOKEN", "")

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = json.loads(await reader.readline())
            words = [str(w) for w in request["argv"]]
            if request.get("token", "") != token or not words:
                reply = {"stdout": "", "stderr": "not a client of this world", "exit": 77}
            else:
                done = episode.step_words(words)
                log.write_text(json.dumps([e.line for e in episode.executions]), encoding="utf-8")
                reply = {"stdout": done.output.stdout, "stderr": done.output.stderr, "exit": done.output.code}
            writer.write(json.dumps(reply, ensure_ascii=False).encode() + b"\n")
            await writer.drain()
        except (ValueError, KeyError, TypeError, ConnectionError):
            pass  # not a request, or the client went away
        finally:
            writer.close()

    log.write_text("[]", encoding="utf-8")
    server = await asyncio.start_unix_server(answer, path=str(socket))
    async with server:
        await server.serve_forever()


def main() -> None:
    """Parse the command line and serve."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("task", type=Path)
    parser.add_argument("--socket", type=Path, required=True)
    parser.add_argument("--log", type=Path, required=True)
    args = parser.parse_args()
    asyncio.run(serve(args.task, args.socket, args.log))


if __name__ == "__main__":
    main()
