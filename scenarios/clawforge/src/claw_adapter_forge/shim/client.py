# ruff: noqa: PTH100, PTH110, PTH118, PTH119, PTH120, PTH123
"""The client behind every program of a shim: sends its words to the server, prints what comes back. Standard library only.

It is started as ``python client.py PROGRAM WORDS…`` and finds the server's address in ``client.json`` beside it, or in the
environment (``FORGE_SOCKET``, ``FORGE_TOKEN``). Exit status 69: the world is not there.
"""

import json
import os
import socket
import sys

GONE = 69


def address() -> "tuple[str, str]":
    """The server's socket and token."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "client.json")
    if os.path.exists(beside):
        with open(beside, encoding="utf-8") as file:
            data = json.load(file)
        return data["socket"], data["token"]
    return os.environ.get("FORGE_SOCKET", ""), os.environ.get("FORGE_TOKEN", "")


def main(words: "list[str]") -> int:
    """Send one command and print its answer."""
    path, token = address()
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        os.chdir(os.path.dirname(path))  # a socket's address may have a hundred characters or so, a path more
        link.connect(os.path.basename(path))
        link.sendall(json.dumps({"token": token, "argv": words}).encode() + b"\n")
        with link.makefile("r", encoding="utf-8") as answers:
            answer = json.loads(answers.readline())
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{words[0]}: the world is not there: {error}\n")
        return GONE
    finally:
        link.close()
    for stream, text in ((sys.stdout, answer["stdout"]), (sys.stderr, answer["stderr"])):
        if text:
            stream.write(text if text.endswith("\n") else text + "\n")
    return int(answer["exit"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
