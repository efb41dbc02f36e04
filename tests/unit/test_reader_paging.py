"""A file that a tool shows in part is read on, whatever its parameters count, and as far as it goes."""

import json
import re

import pytest

from claw_adapter.endpoint.reader.errands import Errand, Habits
from claw_adapter.endpoint.reader.reading import read_file, read_session
from claw_adapter.model import Tool
from claw_adapter.toolbox.box import toolbox
from support.odd_agents import takes

LINES = [f"{n:03} on a day {n * 7919 % 1000} crates were counted at the gate" for n in range(1, 201)]
TEXT = "".join(f"{line}\n" for line in LINES)
WHOLE = {"type": "integer"}


def by_line(arguments, first=0, size=40):
    start = arguments.get("offset", first) - first
    return "".join(f"{start + n + first:5}| {line}\n" for n, line in enumerate(LINES[start : start + size]))


def by_range(arguments):
    first, last = arguments.get("view_range") or (1, 40)
    return "\n".join(LINES[first - 1 : last])


def by_byte(arguments):
    at = arguments.get("offset", 0)
    return json.dumps({"content": TEXT[at : at + 1500], "size": len(TEXT)})


def by_page(arguments):
    shown = LINES[(arguments["page"] - 1) * 50 :][:50]
    return "\n".join(shown) if shown else "there are only 4 pages"


CLOCK = [f"{n // 60 % 24:02}:{n % 60:02} gate {n % 4} is shut" for n in range(600)]


def by_page_of_times(arguments):
    shown = CLOCK[(arguments["page"] - 1) * 60 :][:60]
    return "\n".join(shown) if shown else "there are only 10 pages"


def by_headed_page(arguments, first=1):
    at = arguments.get("page", first) - first
    return f"--- page {at + 1} of 10 ---\n" + "\n".join(LINES[at * 20 :][:20]) if 0 <= at < 10 else "no such page"


def by_mark(arguments):
    at = int(arguments.get("cursor", "c0")[1:], 16)
    more = {"next_cursor": f"c{at + 1200:x}"} if at + 1200 < len(TEXT) else {}
    return json.dumps({"text": TEXT[at : at + 1200], **more})


def by_skipping(arguments):
    skipped = arguments.get("skip", 0)
    return f"({len(LINES)} lines in all, skipped {skipped})\n" + "\n".join(
        LINES[skipped:][: arguments.get("lines", 10)]
    )


def by_newest(arguments):
    end = min(arguments.get("before", len(LINES) + 1), len(LINES) + 1) - 1
    start = max(end - 40, 0)
    more = f"\n(older lines: before={start + 1})" if start else "\n(the first line)"
    return "\n".join(LINES[start:end]) + more


def in_words(arguments):
    at = arguments.get("offset", 0)
    shown = TEXT[at : at + min(arguments.get("limit", 3000), 3000)]
    more = f"\n(characters {at} to {at + len(shown)} of {len(TEXT)}; to read on, use offset {at + len(shown)}.)"
    return shown + (more if at + len(shown) < len(TEXT) else "")


def by_record(arguments):
    """Records of four lines, counted from the end, and the middle of what is too long is left out."""
    records = ["\n".join(LINES[at : at + 4]) for at in range(0, len(LINES), 4)]
    end = len(records) - arguments.get("offset", 0)
    shown = "\n".join(records[max(end - arguments.get("limit", 1000), 0) : max(end, 0)])
    return shown if len(shown) <= 4800 else f"{shown[:2400]}\n[... the middle is left out ...]\n{shown[-2400:]}"


def by_message(arguments):
    at, most = arguments.get("offset", 0), min(arguments.get("limit", 30), 30)
    told = [{"who": "Ivo", "texts": [{"kind": "text", "text": line}]} for line in LINES[at : at + most]]
    return json.dumps({"total": len(LINES), "offset": at, "returned": len(told), "messages": told})


def by_numbered_rows(arguments, size=20):
    first = arguments.get("from", 1)
    rows = [{"n": n, "text": LINES[n - 1]} for n in range(first, min(first + size, len(LINES) + 1))]
    return json.dumps({"rows": rows, "total": len(LINES), "next": first + size if first + size <= len(LINES) else None})


def by_rows_alone(arguments):
    rows = json.loads(by_numbered_rows(arguments))["rows"]
    return json.dumps({"rows": rows, "total": len(LINES)})


def by_token(arguments):
    at = int(arguments.get("token", "t0")[1:])
    return json.dumps({"text": TEXT[at : at + 1200], "page": {"nextOne": f"t{at + 1200}"}})


def beside(arguments):
    if arguments["path"] == "/elsewhere/outputs/17.txt":
        return TEXT
    return f"Output too large. Full output saved to: /elsewhere/outputs/17.txt\n\nPreview:\n{TEXT[:300]}"


TOOLS = {
    "lines from 0": (by_line, {"offset": WHOLE, "limit": WHOLE}, ()),
    "lines from 1": (lambda given: by_line(given, first=1), {"offset": WHOLE}, ()),
    "the newest first": (by_newest, {"before": WHOLE}, ()),
    "a range": (by_range, {"view_range": {"type": "array", "items": WHOLE}}, ()),
    "bytes": (by_byte, {"offset": WHOLE}, ()),
    "pages": (by_page, {"page": {**WHOLE, "minimum": 1}}, ("page",)),
    "pages with heads": (by_headed_page, {"page": WHOLE}, ()),
    "pages with heads, from 0": (lambda given: by_headed_page(given, first=0), {"page": WHOLE}, ()),
    "a mark": (by_mark, {"cursor": {"type": "string"}}, ()),
    "lines to skip": (by_skipping, {"lines": {**WHOLE, "maximum": 60}, "skip": WHOLE, "timeout": WHOLE}, ()),
    "said in words": (in_words, {"offset": WHOLE, "limit": WHOLE}, ()),
    "records, cut in the middle": (by_record, {"limit": {**WHOLE, "maximum": 1000}, "offset": WHOLE}, ()),
    "messages": (by_message, {"limit": WHOLE, "offset": WHOLE}, ()),
    "rows with numbers": (by_numbered_rows, {"from": {**WHOLE, "minimum": 1, "default": 1}}, ()),
    "rows and their number": (by_rows_alone, {"from": {**WHOLE, "minimum": 1, "default": 1}}, ()),
    "a token of another name": (by_token, {"token": {"type": "string"}}, ()),
    "a file beside": (beside, {}, ()),
}


def played(name, wanted, most=60):
    show, more, required = TOOLS[name]
    schema = {"type": "object", "properties": {"path": {"type": "string"}, **more}, "required": ["path", *required]}
    errand = Errand(
        "data.txt",
        read_file("data.txt", "/workspace", toolbox([Tool("read_file", "Reads a file.", schema)]), Habits()),
        lambda text: LINES[0] in text,
    )
    calls, shown = [], ""
    while errand.attempt is not None and wanted not in shown and len(calls) < most:
        calls.append(errand.attempt.arguments)
        result = show(errand.attempt.arguments)
        shown += (
            json.loads(result).get("content", json.loads(result).get("text", result)) if result[:1] == "{" else result
        )
        errand.advance(result)
    return shown, calls


@pytest.mark.parametrize("wanted", [LINES[41], LINES[150], LINES[199]])
@pytest.mark.parametrize("name", TOOLS)
def test_every_line_is_reached(name, wanted):
    shown, calls = played(name, wanted)
    assert wanted in shown, calls


@pytest.mark.parametrize("name", TOOLS)
def test_reading_ends_where_what_is_looked_for_is_not_there(name):
    _, calls = played(name, "a line that is not there", most=400)
    assert len(calls) <= 60


def test_a_time_before_a_line_is_no_number_of_it():
    given = toolbox([Tool("read_file", "Reads a file.", takes({"path": {"type": "string"}, "page": WHOLE}))])
    errand = Errand("log.txt", read_file("log.txt", "", given, Habits()), lambda text: CLOCK[0] in text)
    shown = ""
    while errand.attempt is not None and CLOCK[-1] not in shown:
        shown = by_page_of_times(errand.attempt.arguments)
        errand.advance(shown)
    assert CLOCK[-1] in shown


@pytest.mark.parametrize(("most", "finished"), [(20, True), (len(LINES), False)])
def test_messages_that_a_list_shows_cut_are_asked_for_one_by_one(most, finished):
    said, text = {f"m{n}": f"{line}; nobody knows why {n}" for n, line in enumerate(LINES[:most])}, {"type": "string"}
    tools = [
        Tool("read_session", "Shows a session.", takes({"session": text})),
        Tool("get_message", "Shows one message.", takes({"session": text, "message_id": text})),
    ]
    wanted = next(reversed(said.values()))
    habits, shown = Habits(), False
    errand = Errand(
        "chat", read_session(["chat"], toolbox(tools), habits, lambda: [wanted[20:]]), lambda one: wanted in one
    )
    while errand.attempt is not None:
        given = errand.attempt.arguments
        cut = "\n".join(f"{key} Ivo: {one[:12]}" for key, one in said.items())
        shown = (
            errand.advance(said.get(given["message_id"], "there is none") if "message_id" in given else cut).shows
            or shown
        )
    assert shown is finished


SOUGHT = {f"m{n}": f"{line}; the extraordinarily slow barge {n}" for n, line in enumerate(LINES[:30])}
CHAT = {"chat": {"type": "string"}}


@pytest.mark.parametrize(
    ("name", "properties", "needed", "all_words"),
    [
        ("search_messages", {**CHAT, "query": {"type": "string"}, "page": WHOLE}, ["chat", "query"], False),
        ("grep_history", {**CHAT, "text": {"type": "string"}, "page": WHOLE}, ["chat", "text"], False),
        ("find_messages", {**CHAT, "words": {"type": "string"}, "page": WHOLE}, ["chat", "words"], True),
        ("search_past", {"query": {"type": "string"}, "page": WHOLE}, ["query"], False),
    ],
)
def test_where_conversations_can_only_be_searched_words_of_what_is_missing_are_looked_for(
    name, properties, needed, all_words
):
    box = toolbox([Tool(name, "Searches the messages of an earlier chat, three a page.", takes(properties, *needed))])
    wanted, shown = SOUGHT["m3"], False
    left = [wanted]
    errand = Errand("k1", read_session(["k1"], box, Habits(), lambda: left), lambda one: wanted in one)
    calls = 0
    while errand.attempt is not None and left:
        given, calls = errand.attempt.arguments, calls + 1
        assert given.get("chat", "k1") == "k1"
        word = given.get(needed[-1], "")
        assert wanted not in word
        found = [
            f"[{key}] {one}"
            for key, one in SOUGHT.items()
            if (word in re.findall(r"\w+", one) if all_words else word in one)
        ]
        page = int(given.get("page", 1))
        more = f"\npage {page} of {(len(found) + 2) // 3}"
        shown = errand.advance("\n".join(found[3 * page - 3 : 3 * page]) + more).shows or shown
        left[:] = [] if shown else left
    assert shown
    assert calls < 40
