"""The tiny agent: stands for a vendor's command-line program. One process per turn; its session is a JSON file.

tiny-agent --session FILE --url URL --model MODEL < prompt
"""

import argparse
import json
import os
import sys
import urllib.request
from pathlib import Path


def tool(name: str, *required: str) -> dict:
    schema = {"type": "object", "properties": {key: {"type": "string"} for key in required}, "required": list(required)}
    return {"type": "function", "function": {"name": name, "description": name, "parameters": schema}}


TOOLS = [tool("read_file", "path"), tool("write_file", "path", "content")]


def use(name: str, arguments: dict) -> str:
    path = Path(arguments["path"])
    try:
        if name == "read_file":
            return path.read_text("utf-8")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(arguments["content"], "utf-8")
    except OSError as error:
        return f"error: {error}"
    return "written"


def ask(url: str, model: str, messages: list) -> dict:
    body = json.dumps({"model": model, "messages": messages, "tools": TOOLS}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {os.environ['TINY_KEY']}"}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/chat/completions", body, headers)) as response:
        return json.load(response)["choices"][0]["message"]


def main() -> None:
    options = argparse.ArgumentParser()
    for name in ("--session", "--url", "--model"):
        options.add_argument(name, required=True)
    given = options.parse_args()
    session = Path(given.session)
    messages = json.loads(session.read_text("utf-8")) if session.exists() else []
    messages.append({"role": "user", "content": sys.stdin.read()})
    while True:
        message = ask(given.url, given.model, messages)
        messages.append(message)
        if not message.get("tool_calls"):
            break
        for call in message["tool_calls"]:
            result = use(call["function"]["name"], json.loads(call["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    session.write_text(json.dumps(messages), "utf-8")
    print(message["content"])


if __name__ == "__main__":
    main()
