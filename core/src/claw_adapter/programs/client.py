# ruff: noqa: PTH100, PTH109, PTH118, PTH119, PTH120, PTH123
"""The client behind every program: sends its words to the server, prints what comes back. Standard library only.

It is started as ``python client.py PROGRAM WORDS…`` and finds the server in ``client.json`` in its own folder, or in the
environment (``CLAW_SOCKET``, ``CLAW_TOKEN``). Exit status 69: the server is not there.
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


def main(words: "list[str]") -> int:
    """Send one command and print its answer."""
    path, token = find_server()
    request = json.dumps({"token": token, "argv": words, "cwd": os.getcwd()}).encode() + b"\n"
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        os.chdir(os.path.dirname(path))  # an address holds about a hundred characters, a folder's path more
        link.connect(os.path.basename(path))
        link.sendall(request)
        with link.makefile("r", encoding="utf-8") as answers:
            answer = json.loads(answers.readline())
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{words[0]}: the server is not there: {error}\n")
        return GONE
    finally:
        link.close()
    for stream, text in ((sys.stdout, answer["stdout"]), (sys.stderr, answer["stderr"])):
        if text:
            stream.write(text if text.endswith("\n") else text + "\n")
    return int(answer["status"])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
