"""Large requests: the same answer, count and record as small ones; bounded in size, number and time."""

import asyncio
import contextlib
import gzip
import io
import json
from pathlib import Path

import aiohttp
import pytest

from claw_adapter.endpoint import intake
from claw_adapter.endpoint.encoding import PIECE, encoded, pieces
from claw_adapter.endpoint.intake import LARGE, Intake, RequestRefused, Room
from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.protocol import ModelSpec
from claw_adapter.runs.transcript import read_transcript
from support.wires import DIALECTS, PATHS, ask

SPEC = ModelSpec(name="m", kind="scripted", script=("fine",))
LONG = "Tour 7 left at 4:15 with 312 crates, “late” again.\n" * (LARGE // 40)


async def exchange(folder: Path, dialect: str, *bodies: dict, large: int = LARGE, **headers: str):
    """What is recorded of requests, and the meter of their round."""
    folder.mkdir()
    async with EndpointServer(folder) as server:
        key = await server.open_trial("t", SPEC, folder / "t.jsonl")
        await server.begin_round("t", "r")
        async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {key}", **headers}) as session:
            for body in bodies:
                async with session.post(server.url + PATHS[dialect], json=body) as answer:
                    assert answer.status == 200, await answer.text()
        meter = await server.end_round("t")
    return list(read_transcript(folder / "t.jsonl")), meter


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_it_is_recorded_and_counted_as_if_it_were_small(
    tmp_path: Path, dialect: str, monkeypatch: pytest.MonkeyPatch
):
    bodies = [
        ask(dialect, LONG, tool="read"),
        ask(dialect, "and now?", tool="read"),
        ask(dialect, LONG + "!", tool="read"),
    ]
    found, meter = await exchange(tmp_path / "large", dialect, *bodies)
    monkeypatch.setattr("claw_adapter.endpoint.server.LARGE", len(LONG) * 2)
    monkeypatch.setattr(intake, "LARGE", len(LONG) * 2)
    wanted, other = await exchange(tmp_path / "small", dialect, *bodies)
    for one, two in zip(found, wanted, strict=True):
        assert one.model_dump(exclude={"at", "seconds", "usage"}) == two.model_dump(exclude={"at", "seconds", "usage"})
        assert one.usage | {"cached": 0} == two.usage | {"cached": 0}
        assert 0 <= one.usage["cached"] <= two.usage["cached"], "by whole messages, where a helper has read one"
    assert meter.rendered == other.rendered
    unlike = {"seconds", "cached"}
    assert meter.metered.model_dump(exclude=unlike) == other.metered.model_dump(exclude=unlike)


async def test_what_cannot_be_read_says_so_and_the_next_one_can(tmp_path: Path):
    async with EndpointServer(tmp_path) as server:
        key = await server.open_trial("t", SPEC, tmp_path / "t.jsonl")
        async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {key}"}) as session:
            for body, status in ((b"[" * LARGE * 2, 400), (b'{"messages": 1}' + b" " * LARGE, 400)):
                async with session.post(f"{server.url}/v1/chat/completions", data=io.BytesIO(body)) as answer:
                    assert answer.status == status
            (helper,) = server.helpers._all
            helper.kill()
            await helper.wait()
            good = json.dumps(ask("openai-chat", LONG)).encode()
            async with session.post(f"{server.url}/v1/chat/completions", data=io.BytesIO(good)) as answer:
                assert answer.status == 500
            async with session.post(f"{server.url}/v1/chat/completions", data=io.BytesIO(good)) as answer:
                assert answer.status == 200
            (helper,) = server.helpers._all
    assert await asyncio.wait_for(helper.wait(), 10) is not None, "it ends with the endpoint"


async def test_a_body_beyond_all_measure_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(intake, "MAX_BODY", 2 * LARGE)
    async with EndpointServer(tmp_path) as server:
        key = await server.open_trial("t", SPEC, tmp_path / "t.jsonl")
        headers = {"Authorization": f"Bearer {key}"}
        url = f"{server.url}/v1/chat/completions"
        async with aiohttp.ClientSession(headers=headers) as session:
            packed = gzip.compress(b"x" * 4 * LARGE)
            for data, more in ((b"x" * 3 * LARGE, {}), (packed, {"Content-Encoding": "gzip"})):
                async with session.post(url, data=io.BytesIO(data), headers=more) as answer:
                    assert answer.status == 413
                    assert (await answer.json())["error"]["code"] == "request_too_large"
        assert server.intake._taken.total() == 0


async def test_there_is_room_for_so_much_at_a_time(monkeypatch: pytest.MonkeyPatch):
    place = Intake(room=100)
    async with Room(place, "a") as one:
        await one.take(50)
        async with Room(place, "b") as two:
            await two.take(50)
            waiting = [asyncio.create_task(place.take(who, 10)) for who in "abc"]
            await asyncio.sleep(0)
            assert not any(task.done() for task in waiting)
            monkeypatch.setattr(intake, "MOST_WAITING", 3)
            with pytest.raises(RequestRefused, match="wait already") as caught:
                await place.take("d", 1)
            assert caught.value.status == 429
    await asyncio.gather(*waiting)
    assert place._taken == {"a": 10, "b": 10, "c": 10}
    monkeypatch.setattr(intake, "WAIT_SECONDS", 0.01)
    with pytest.raises(RequestRefused, match="no room"):
        await place.take("a", 45)  # half of the room is for others


async def test_a_body_that_does_not_come_is_given_up(tmp_path: Path):
    async with EndpointServer(tmp_path) as server:
        server.intake = Intake(seconds=0.1)
        key = await server.open_trial("t", SPEC, tmp_path / "t.jsonl")
        await server.begin_round("t", "r")
        reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.rpartition(":")[2]))
        head = (
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Length: 9\r\n\r\n"
        )
        writer.write(head.encode() + b"{")
        assert b" 408 " in await reader.readline()
        writer.write_eof()  # or it is waited for what may still come
        await reader.read()  # the connection is closed
        writer.close()
        failure = (await server.end_round("t")).failure
        assert failure is not None
        assert "did not come within" in failure.what


@pytest.mark.parametrize(
    "said", [b"", b"POST /v1/chat/completions HTTP/1.1\r\nHos", b"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n"]
)
async def test_an_idle_connection_is_closed(tmp_path: Path, said: bytes):
    async with EndpointServer(tmp_path, idle=0.2) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(server.url.rpartition(":")[2]))
        writer.write(said)
        with contextlib.suppress(ConnectionResetError):
            await asyncio.wait_for(reader.read(), 30)
        writer.close()


@pytest.mark.parametrize("size", [10, PIECE, 3 * PIECE])
async def test_json_in_pieces_is_the_canonical_json(size: int):
    for value in (
        'ä"\\\n\U0001f600' * size,
        [{"b": "x" * size, "a": [1, None, 2.5]}] * 3,
        {"t": ("y" * size, {})},
        [],
        {},
    ):
        text = json.dumps(value, sort_keys=True, separators=(",", ":"))
        assert "".join(pieces(value)) == text
        assert (await encoded(value)).read() == text.encode()
