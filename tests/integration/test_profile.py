"""A profile tells harnesses apart: each double here is the reference agent, spoilt in one place, and its profile shows that."""

from __future__ import annotations

import io
import itertools
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from claw_adapter import run
from claw_adapter.profile import Profile, profile, to_pandas
from claw_adapter.profile.apart import apart_of, sentences
from claw_adapter.profile.terminal import render
from claw_adapter.reference.agent import Agent
from support.scenarios import write_scenario

TURNS = 12
SENT = Agent._post


def changed(monkeypatch, change):
    """An agent whose requests are what `change(agent, body)` makes of them."""
    monkeypatch.setattr(
        Agent, "_post", lambda self, body: SENT(self, json.dumps(change(self, json.loads(body))).encode())
    )


def measure(folder: Path, windows=(), **more) -> Profile:
    """A small talk; isolation 0 and short texts, so that it takes seconds."""
    options = {"parts": ["reach"], "repeats": 1, "turns": TURNS, "size": 0.02, "isolation": 0, **more}
    return profile("reference:mode=in-process", folder, windows=windows, **options)


def since(body: dict, turns: int) -> int:
    """Where the messages of the last so many turns begin."""
    asked = [at for at, message in enumerate(body["messages"]) if "Entry " in message["content"]]
    return asked[-turns] if len(asked) > turns else 1


def list_rounds(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if '"kind":"round"' in line.replace(" ", "")]


def curve(found: Profile, label: str = "+60k told") -> list[float | None]:
    return [found.figure(f"{label}, {distance} turns back").value for distance in (1, 5, 10)]


def end(found: Profile, label: str = "+60k told") -> str:
    return found.figure(f"{label}, at its end").text


def test_prices_of_an_honest_loop_are_those_of_its_requests(tmp_path: Path):
    found = measure(tmp_path, repeats=2)
    seen = []
    for path in (tmp_path / "talk").rglob("transcript.jsonl"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        counts = [line["usage"] for line in lines if line["kind"] == "exchange"]
        sent = sum(one["input"] for one in counts)
        seen.append((sent, sum(one["cached"] for one in counts) / sent))
    total, kept = found.figure(f"sent in {TURNS} turns"), found.figure("prefix kept")
    assert (total.low, total.high, total.seen) == (min(seen)[0], max(seen)[0], 2)
    assert sum(found.curve) in (total.low, total.high)
    assert kept.value == pytest.approx(sum(share for _, share in seen) / 2)
    assert (found.figure("prefix breaks").value, found.figure("lost by breaks").text) == (0, "nothing breaks it")
    assert found.figure("requests per turn").value == 2
    parts = [found.figure(name).value for name in ("… system prompt", "… tool definitions", "… other words of its own")]
    assert abs(sum(parts) - found.figure("entry price").value) < 5
    assert found.figure("losses found").value == 0
    assert found.figure("disk of a conversation").value > 0
    assert all(one.how for one in found.figures)


def test_who_drops_what_is_older_than_ten_turns_reaches_nine_back(tmp_path: Path, monkeypatch):
    changed(
        monkeypatch, lambda _, body: {**body, "messages": [body["messages"][0], *body["messages"][since(body, 10) :]]}
    )
    found = measure(tmp_path, windows=[60_000])
    assert curve(found) == [1, 1, 0]
    assert end(found) == "older turns left out"


def test_who_sums_up_at_the_end_of_its_window_is_seen_to(tmp_path: Path, monkeypatch):
    def post(self: Agent, body: bytes) -> tuple[int, bytes]:
        """The last two turns behind a summary, once the whole no longer fits."""
        whole = json.loads(body)
        if getattr(self, "gone", 0):
            whole["messages"] = [whole["messages"][0], self.summary, *whole["messages"][self.gone :]]
        status, answer = SENT(self, json.dumps(whole).encode())
        if status != 400:
            return status, answer
        ask = {"model": "m", "messages": [{"role": "user", "content": "Sum up what was said."}]}
        said = json.loads(SENT(self, json.dumps(ask).encode())[1])["choices"][0]["message"]["content"]
        self.gone, self.summary = since(json.loads(body), 2), {"role": "user", "content": f"Before: {said}"}
        return post(self, body)

    monkeypatch.setattr(Agent, "_post", post)
    found = measure(tmp_path, windows=[1_500])
    assert found.figure("sent for itself").text == "none"
    near, middle, far = curve(found, "+1k told")
    assert near == 1
    assert 0 < middle < 1
    assert far == 0
    assert "more requests for itself (summaries)" in end(found, "+1k told")
    assert "requests too long" in end(found, "+1k told")
    assert "error" not in end(found, "+1k told")
    assert (
        "M30 own-turns-missing" in found.figure("losses found in windows told").text
    )  # the reference declares no window


def test_who_pages_old_turns_out_is_seen_to_lead_to_them(tmp_path: Path, monkeypatch):
    def paged(agent: Agent, body: dict) -> dict:
        at = since(body, 3)
        old = "\n".join(message["content"] for message in body["messages"][1:at])
        (agent.workspace / "earlier.txt").write_text(old)
        note = {"role": "user", "content": "What was said before stands in earlier.txt."}
        return {**body, "messages": [body["messages"][0], note, *body["messages"][at:]]}

    changed(monkeypatch, paged)
    found = measure(tmp_path, windows=[60_000])
    assert curve(found) == [1, 0, 0]
    lost = 3 * (TURNS - 3)
    assert f"{lost} of {lost} marks lost stand in files that it names" in end(found)


def test_who_does_nothing_about_its_window_ends_in_errors(tmp_path: Path):
    found = measure(tmp_path, windows=[500])
    assert end(found, "+0k untold").startswith("error from turn ")
    turns = {len(list_rounds(path)) for path in (tmp_path / "reach-0k-untold").rglob("journal.jsonl")}
    assert max(turns) < TURNS  # after three errors in a row it is given up
    assert "not tried after turn" in end(found, "+0k untold")
    again = measure(tmp_path, windows=[500])
    assert end(again, "+0k untold") == end(found, "+0k untold")
    assert "requests too long" in end(found, "+0k untold")


def test_a_clock_at_the_top_of_a_prompt_is_found_named_and_priced(tmp_path: Path, monkeypatch):
    clock = itertools.count(10)

    def timed(_: Agent, body: dict) -> dict:
        body["messages"][0]["content"] = f"It is 12:00:{next(clock)}. {body['messages'][0]['content']}"
        return body

    changed(monkeypatch, timed)
    found = measure(tmp_path)
    assert found.figure("prefix breaks").value == 2 * TURNS - 1
    lost = found.figure("lost by breaks")
    assert lost.text.startswith(f"system prompt ({2 * TURNS - 1} ×")
    assert "It is 12:00:32" in lost.text
    assert "It is 12:00:33" in lost.text
    assert lost.value > 0.8 * found.figure(f"sent in {TURNS} turns").value * 22 / 24 - found.curve[-1]
    assert found.figure("prefix kept").value < 0.5  # the tools alone, which stand before
    if (with_cache := found.figure("gpt-5.5 with a cache")) is not None:
        assert with_cache.value > 0.5 * found.figure("gpt-5.5 without a cache").value


def test_faults_and_histories_are_told_one_by_one(tmp_path: Path):
    found = measure(tmp_path, parts=["histories"], turns=2)
    assert [found.figure(f"read of {size} messages").value for size in ("10", "100", "1,000")] == [1, 1, 1]


def test_an_ordinary_run_says_what_tells_its_harnesses_apart(tmp_path: Path):
    folder = write_scenario(tmp_path / "small", [{"id": "r1"}, {"id": "r2"}])
    ran = run([folder], harnesses=["reference:mode=in-process"], isolation=0, out=tmp_path / "run")
    found = apart_of(ran.data)
    row = ran.summary().rows[0]
    assert [(one.requests, one.sent, one.kept) for one in found] == [
        (row.tokens.metered.requests, row.tokens.metered.input, row.tokens.metered.cached)
    ]
    assert (found[0].tools, found[0].own, found[0].breaks) == (9, 0, ())
    assert list(sentences(found)) == []
    wider = {"system": 35, "tools": 372, "other": 0, "total": 2_000 + found[0].entry["total"]}
    same = replace(found[0], label="wide", entry=wider, sent=found[0].sent + 2_000 * found[0].requests)
    other = replace(same, label="other", answers={**same.answers, next(iter(same.answers)): ("B",)})
    said = list(sentences([found[0], same, other]))
    assert said[0].startswith(
        f"wide: the same answers as {found[0].label}, {same.sent / found[0].sent:.1f} times the tokens. 100% of"
    )
    assert said[1].startswith("other: the same answer in 1 of 2 rounds as ")


def test_profiles_stand_side_by_side(tmp_path: Path):
    found = measure(tmp_path, windows=[60_000], turns=3)
    console = Console(width=100, record=True, file=io.StringIO())
    render([found, found.model_copy(update={"harness": "other"})], console, how=True)
    text = console.export_text()
    assert text.count("100 · – · – · – · – %") == 4
    assert "entry price" in text
    assert "counted at the endpoint (cl100k)" in text
    render([found.model_copy(update={"harness": f"harness-{n}"}) for n in range(6)], console)
    first = console.export_text().splitlines()
    assert len(first) <= 40
    assert any(line.split() == ["keeps", "half,", "+60k", "told", *["1"] * 5] for line in first)
    frame = to_pandas([found])
    assert dict(zip(frame["name"], frame["value"], strict=True))["entry price"] == found.figure("entry price").value
