"""Of a provider's key nothing is left anywhere, whatever the provider does with it; a dummy key changes nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.endpoint.redacting import redacted
from claw_adapter.errors import EndpointAuthError
from claw_adapter.keys import key_in_url
from claw_adapter.model import CallDelta, Delta
from claw_adapter.redaction import REDACTED, RedactingStream, Redactor
from claw_adapter.runner.preparing import prepare
from claw_adapter.runs.plan import expand
from claw_adapter.sandbox import detect
from claw_adapter.scenario.named import find_scenarios
from support.echoing import (
    LONG_KEYS,
    SHORT_KEYS,
    TWO,
    conversation,
    cut,
    leaks,
    leaks_below,
    run_with,
    spellings,
)
from support.running import IN_PROCESS, experiment, outcome
from support.scenarios import write_scenario

KEY = LONG_KEYS[0]


@pytest.mark.parametrize("level", [0, 1, 2])
async def test_nothing_of_a_key_is_left(tmp_path: Path, level: int):
    if level == 2 and detect().bwrap is None:
        pytest.skip(f"no namespaces here: {detect().reason}")
    records, provider = await run_with(tmp_path, KEY, level=level)
    assert provider.keys_given == {KEY}
    assert provider.seen == set(), "no process shows it"
    assert leaks_below(tmp_path, KEY) == {}
    errors = [record.error for trial, found in records.items() for record in found if "--error--" in trial]
    assert errors
    assert all(REDACTED in error.what for error in errors)
    for mode in ("echo", "encoded"):
        found = next(found for trial, found in records.items() if f"--{mode}--" in trial)
        assert [record.score.value for record in found] == [1, 1]
        assert all(REDACTED in record.text for record in found)


@pytest.mark.parametrize("key", ["role", "x"])
async def test_a_dummy_key_changes_no_record(tmp_path: Path, key: str):
    assert key in SHORT_KEYS
    found = {}
    for name in ("a-key-that-nobody-says", key):
        records, provider = await run_with(tmp_path / name, name, ["success"], harness=IN_PROCESS)
        assert provider.keys_given == {name}
        (trial,) = records
        found[name] = [outcome(record) for record in records[trial]], conversation(tmp_path / name / "run", trial)
    one, other = found.values()
    assert json.dumps(one, default=str) == json.dumps(other, default=str)


@pytest.mark.parametrize("key", LONG_KEYS)
def test_every_spelling_and_every_piece_is_found(key: str):
    redactor = Redactor([key])
    for form in [*spellings(key), *cut(key)]:
        text = f"before {form} after"
        assert not leaks(redactor.text(text).encode(), key), form
        assert not leaks(redactor.data(text.encode()), key), form
        assert len(redactor.data(text.encode())) == len(text.encode()), "bytes keep their number"
        for size in (1, 5, 13):
            stream = RedactingStream(redactor)
            pieces = [stream.feed(text[at : at + size]) for at in range(0, len(text), size)] + [stream.end()]
            joined = "".join(pieces)
            assert not leaks(joined.encode(), key), (form, size)
            assert (joined[:7], joined[-6:]) == ("before ", " after")
            assert any(pieces[: len(pieces) - 2]), "it does not wait for the end"


OUTER = (
    lambda one: one,
    lambda one: f"%{ord(one):02x}",
    lambda one: f"%{ord(one):02X}",
    lambda one: f"&#{ord(one)};",
    lambda one: f"&#x{ord(one):X};",
    lambda one: f"&#0{ord(one)};",
)
INNER = (*OUTER, lambda one: f"\\u{ord(one):04x}", lambda one: f"\\x{ord(one):02X}", lambda one: f"\\\\u{ord(one):04X}")
"""With two backslashes: JSON in JSON."""
KEYS = st.text("abcXYZ019-_./+=:~@", min_size=12, max_size=40)


def _mixed(ways):
    return st.lists(st.sampled_from(ways), min_size=40, max_size=40)


@given(key=KEYS, inner=_mixed(INNER), outer=_mixed(OUTER), size=st.integers(1, 60))
def test_escapes_in_any_mixture_and_in_each_other_are_found(key, inner, outer, size):
    """Each layer spells every character in a way of its own, but for the end of an entity, which may be left out."""
    said = key
    for layer in (inner, outer):
        ways = zip(layer * (len(said) // 40 + 1), said, strict=False)
        said = "".join(way(one) if one != ";" else one for way, one in ways)
    redactor = Redactor([key])
    assert redactor.text(f"a {said} z") == f"a {REDACTED} z"
    stream = RedactingStream(redactor)
    text = f"before {said} after"
    joined = "".join([*(stream.feed(text[at : at + size]) for at in range(0, len(text), size)), stream.end()])
    assert joined.replace(REDACTED, "") == "before  after"


@given(key=KEYS, upper=st.lists(st.booleans(), min_size=80, max_size=80), size=st.integers(1, 60))
def test_hexadecimal_in_both_cases_is_found(key, upper, size):
    said = "".join(one.upper() if up else one for one, up in zip(key.encode().hex(), upper, strict=False))
    redactor = Redactor([key])
    assert redactor.text(f"x {said} z") == f"x {REDACTED} z"
    stream = RedactingStream(redactor)
    assert "".join([*(stream.feed(said[at : at + size]) for at in range(0, len(said), size)), stream.end()]) == REDACTED


async def test_pieces_of_a_key_that_come_by_turns_with_another_field_are_found():
    async def deltas():
        for at in range(0, len(KEY), 7):
            yield Delta(text=KEY[at : at + 7], extra={"reasoning_content": ""})
            yield Delta(extra={"reasoning_content": KEY[at : at + 7]}, calls=(CallDelta(0, arguments="."),))
        yield Delta(finish="stop")

    found = [one async for one in redacted(deltas(), Redactor([KEY]))]
    assert "".join(one.text for one in found) == REDACTED
    assert "".join(str(one.extra.get("reasoning_content", "")) for one in found) == REDACTED


@pytest.mark.parametrize("size", [1, 5, 11])
@pytest.mark.parametrize(
    "marks", [({}, {}), ({"index": 0}, {"index": 1}), ({"index": 1}, {"index": 0}), ({"index": 1}, {})]
)
async def test_pieces_of_a_key_within_fields_are_found(size, marks):
    """In two members of a list at once, and in one that stands alone."""

    async def deltas():
        for at in range(0, len(KEY), size):
            both = [{"type": "text", "text": KEY[at : at + size], **mark} for mark in marks]
            yield Delta(extra={"details": both, "one": {"of": [KEY[at : at + size]]}})

    found = [one.extra async for one in redacted(deltas(), Redactor([KEY]))]
    details = [extra["details"] for extra in found if "details" in extra]
    assert {one["type"] for both in details for one in both} == {"text"}
    for member in (0, 1):
        assert not leaks("".join(both[member]["text"] for both in details).encode(), KEY)
    assert not leaks("".join(extra["one"]["of"][0] for extra in found if "one" in extra).encode(), KEY)


def test_names_of_fields_and_other_texts_stay():
    redactor = Redactor(["completion_tokens", "user", "role"])
    value = {"role": "user", "completion_tokens": "the completion_tokens", "n": [1, None, "user"]}
    assert redactor.value(value) == {"role": "user", "completion_tokens": f"the {REDACTED}", "n": [1, None, "user"]}
    assert redactor.text("completion_t") == REDACTED
    assert redactor.text("completion_") == "completion_"


@pytest.mark.parametrize(
    "url",
    [
        f"http://user:{KEY}@127.0.0.1:9/v1", f"http://{KEY}@127.0.0.1:9/v1", f"http://127.0.0.1:9/v1?key={KEY}",
        "http://127.0.0.1:9/v1?api_key=x", "http://127.0.0.1:9/v1?a=b&apiKey=x", "http://127.0.0.1:9/v1?access_token=x",
        f"http://127.0.0.1:9/{KEY}/v1", f"http://user:ab/{KEY}@127.0.0.1:9/v1", f"http://ab/{KEY}@127.0.0.1:9/v1", f"http://[ab?{KEY}@127.0.0.1:9/v1",
        f"http://127.0.0.1:9/{''.join(f'%{ord(sign):02X}' for sign in KEY)}/v1",
    ],
)  # fmt: skip
def test_a_key_in_an_address_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
):
    monkeypatch.setenv("THE_PROVIDERS_KEY", KEY)
    scenario = write_scenario(tmp_path / "s", TWO)
    scenarios = find_scenarios([str(scenario)])
    for place in ({"base_url": url}, {"base_url": "http://127.0.0.1:9/v1", "options": {"url": url}}):
        asked = experiment(scenario, models=[{"name": "m", "key_env": "THE_PROVIDERS_KEY", **place}])
        with pytest.raises(EndpointAuthError) as caught:
            prepare(expand(asked, scenarios), scenarios)
        assert KEY not in str(caught.value)
        assert "--key-env" in caught.value.remedy


def test_an_address_without_a_key_is_none():
    assert key_in_url("https://example.net/v1?api-version=2024-10-21&deployment=keyboard") == ""


WATCHED = """
import os, subprocess, sys
from pathlib import Path
from claw_adapter import keys

name, key = "THE_PROVIDERS_KEY", os.environ["THE_PROVIDERS_KEY"].encode()
if os.geteuid() == 0:
    os.setgid(65534), os.setuid(65534)
    keys._dumpable(1)  # as after the start of a program
with keys.withheld([name]):
    own = f"/proc/{os.getpid()}/"
    look = f"cat {own}environ; cat /proc/self/environ; head -c1 {own}mem; env; echo end"
    child = subprocess.run(["sh", "-c", look], capture_output=True, check=False)
    assert child.stdout.endswith(b"end\\n"), child
    assert key not in child.stdout + child.stderr
    assert child.stderr.count(b"ermission denied") >= 2, child.stderr
    assert keys.key_of(name).encode() == key
assert os.environ[name].encode() == key
assert key not in Path("/proc/self/environ").read_bytes()
print("ok")
"""


def test_a_child_below_level_2_cannot_read_the_key_either(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-c", WATCHED], capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "THE_PROVIDERS_KEY": KEY},
    )  # fmt: skip
    assert done.stdout == "ok\n", done.stderr
