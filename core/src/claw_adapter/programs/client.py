# ruff: noqa: PTH100, PTH109, PTH118, PTH119, PTH120, PTH123
"""The client behind every program: sends its words to the server, prints what comes back. Standard library only.

It is started as ``python client.py PROGRAM WORDS…`` and finds the server in ``client.json`` in its own folder, or in the
environment (``CLAW_SOCKET``, ``CLAW_TOKEN``). Exit status 69: the server is not there.

As ``python client.py --mcp NAME`` it is an MCP server over standard streams: a line is a message, sent as the one word of NAME.
"""

import json
import os
import socket
import sys

GONE = 69


def find_server() -> "tuple[str, str]":
    """The server's socket and token."""
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "client.json")
    try:
        with open(own, encoding="utf-8") as file:
            data = json.load(file)
    except FileNotFoundError:
        return os.environ.get("CLAW_SOCKET", ""), os.environ.get("CLAW_TOKEN", "")
    return data["socket"], data["token"]


def ask(words: "list[str]") -> "dict[str, object]":
    """Send one command; returns the answer.

    Raises:
        OSError, ValueError: the server is not there, or does not answer.
    """
    path, token = find_server()
    request = json.dumps({"token": token, "argv": words, "cwd": os.getcwd()}).encode() + b"\n"
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        os.chdir(os.path.dirname(path))  # an address holds about a hundred characters, a folder's path more
        link.connect(os.path.basename(path))
        link.sendall(request)
        with link.makefile("r", encoding="utf-8") as answers:
            return dict(json.loads(answers.readline()))
    finally:
        link.close()


def main(words: "list[str]") -> int:
    """Send one command and print its answer."""
    try:
        answer = ask(words)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{words[0]}: the server is not there: {error}\n")
        return GONE
    for stream, text in ((sys.stdout, str(answer["stdout"])), (sys.stderr, str(answer["stderr"]))):
        if text:
            stream.write(text if text.endswith("\n") else text + "\n")
    return int(str(answer["status"]))


def relay(name: str) -> None:
    """Hand on every message of standard input, and write what it is answered, until the input ends."""
    for line in sys.stdin.buffer:
        message = line.decode("utf-8", "replace")
        try:
            answer = ask([name, message])
        except (OSError, ValueError) as error:
            answer = {"stdout": "", "stderr": f"the server is not there: {error}"}
        if text := answer["stdout"] or refusal(message, answer["stderr"]):
            sys.stdout.write(f"{text}\n")
            sys.stdout.flush()


def refusal(message: str, why: object) -> str:
    """The answer to a message that was not answered for that reason; empty if none is due."""
    try:
        number = json.loads(message).get("id")
    except (ValueError, AttributeError):
        return ""
    error = {"code": -32603, "message": why}
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": error}) if why and number is not None else ""


if __name__ == "__main__":
    if sys.argv[1] == "--mcp":
        relay(sys.argv[2])
    else:
        sys.exit(main(sys.argv[1:]))
