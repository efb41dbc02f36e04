"""A server that misbehaves as its path says; started by the tests with a port or the path of a socket, and a delay."""

import asyncio
import inspect
import json
import os
import sys
import time

HEAD = "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n"
JSON = HEAD.format(kind="application/json")
SSE = HEAD.format(kind="text/event-stream") + "\r\n"
EVENTS = "data: one\n\n: a comment\nevent: two\nid: 7\ndata: a\ndata: b\n\ndata: three\r\n\r\n"


async def handle(reader, writer):
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    _method, path, _ = head.split(" ", 2)
    length = [line.split(":")[1] for line in head.lower().splitlines() if line.startswith("content-length")]
    body = await reader.readexactly(int(length[0])) if length else b""
    answer = BEHAVIOURS.get(path.split("?")[0].split("/")[1], status)
    await answer(writer, path, body, head)
    writer.close()


async def put(writer, text):
    writer.write(text if isinstance(text, bytes) else text.encode())
    await writer.drain()


async def reply(writer, text, code="200 OK", more=""):
    await put(
        writer, f"HTTP/1.1 {code}\r\nContent-Length: {len(text.encode())}\r\nConnection: close\r\n{more}\r\n{text}"
    )


async def status(writer, path, body, head):
    code = path.split("/")[2] if path.count("/") > 1 else "404"
    more = "Retry-After: 7\r\n" if code == "429" else "Location: http://192.0.2.1/\r\n" if code == "302" else ""
    await reply(writer, json.dumps({"error": f"this is {code}"}), f"{code} Some Reason", more)


async def echo(writer, path, body, head):
    await reply(writer, json.dumps({"path": path, "body": json.loads(body or "null"), "head": head}))


async def die(writer, path, body, head):
    await put(writer, JSON + 'Content-Length: 100\r\n\r\n{"half": ')
    print("last words of the server", file=sys.stderr, flush=True)
    os._exit(3)


async def die_but_held(writer, path, body, head):
    """The connection stays open in a child when the server is gone."""
    await put(writer, JSON + 'Content-Length: 100\r\n\r\n{"half": ')
    if os.fork() == 0:
        time.sleep(60)  # noqa: ASYNC251 - this process has no loop any more
    os._exit(3)


async def stall(writer, path, body, head):
    await asyncio.sleep(60)


async def half(writer, path, body, head):
    await put(writer, JSON + 'Content-Length: 100\r\n\r\n{"half": ')
    await asyncio.sleep(60)


async def cut(writer, path, body, head):
    await put(writer, JSON + 'Content-Length: 100\r\n\r\n{"half": ')


async def garbage(writer, path, body, head):
    await reply(writer, "<html>\x00 not json")


async def no_http(writer, path, body, head):
    await put(writer, b"\x00\x01\x02 SSH-2.0 hello\r\n\r\n")


async def empty(writer, path, body, head):
    await reply(writer, "", "204 No Content")


async def endless(writer, path, body, head):
    await put(writer, JSON + "\r\n")
    while True:
        await put(writer, b"x" * 65536)


async def sse(writer, path, body, head):
    await put(writer, SSE)
    for byte in EVENTS.encode():  # every cut a chunk can have
        await put(writer, bytes([byte]))
        await asyncio.sleep(0)


async def sse_cut(writer, path, body, head):
    await put(writer, SSE + "data: one\n\ndata: tw")


async def sse_chunked_cut(writer, path, body, head):
    await put(writer, SSE[:-2] + "Transfer-Encoding: chunked\r\n\r\nB\r\ndata: one\n\n\r\n")
    await asyncio.sleep(0.2)
    await put(writer, "20\r\ndata: tw")


async def sse_stall(writer, path, body, head):
    await put(writer, SSE + "data: one\n\n")
    await asyncio.sleep(60)


async def sse_die(writer, path, body, head):
    await put(writer, SSE + "data: one\n\n")
    await asyncio.sleep(0.2)
    os._exit(3)


async def sse_long(writer, path, body, head):
    await put(writer, SSE + "data: one\n\ndata: ")
    while True:
        await put(writer, b"x" * 65536)


BEHAVIOURS = {name: function for name, function in globals().items() if inspect.iscoroutinefunction(function)}


async def main():
    where, delay = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0
    await asyncio.sleep(delay)
    if where.isdigit():
        server = await asyncio.start_server(handle, "127.0.0.1", int(where))
    else:
        server = await asyncio.start_unix_server(handle, where)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
