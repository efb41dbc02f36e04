"""Tools that page, files and histories: a sound one has no finding, and its losing twin has one."""

import json
import math
from types import SimpleNamespace

import pytest

from claw_adapter.audit.book import Book
from claw_adapter.audit.reads import Files, Reads, Talks
from claw_adapter.audit.rendering import Renderer
from claw_adapter.audit.units import CALL, RESULT, RequestUnit
from claw_adapter.protocol import Capabilities, Message, Session

ROWS = [f"2026-03-10T{n // 60:02}:{n % 60:02} sensor {n * 37 % 1000} of the hall reads {n * 7}" for n in range(97)]
LONG = "".join(f"{row}\n" for row in ROWS)
SHORT = "The lift is slow today.\nThe clock stands still.\n"
FILES = {"logs/hall.log": LONG, "a.md": SHORT}


def talk(name, count):
    said = [f"Message {n * 17 % 1000} of {name}: the lift is slow." for n in range(count)]
    said[3] = said[count - 2] = "Noted."
    return Session(
        id=name,
        messages=[
            Message(id=str(n), role="user", text=text, time=f"2026-03-02T{9 + n // 60:02}:{n % 60:02}:00+00:00")
            for n, text in enumerate(said)
        ],
    )


TALKS = {"mail": talk("mail", 60), "small": talk("small", 8)}


def tool(name, *parameters):
    return {"function": {"name": name, "parameters": {"properties": {key: {} for key in parameters}}}}


def audited(tools, calls, files=None):
    """The keys of what is found of a turn of ``(name, arguments, result)``."""
    files = files or FILES
    book = Book()
    reads = Reads(Renderer(Capabilities()), book, "/t/workspace", strict=True)
    steps = [
        (
            RequestUnit(CALL, f"{name} {json.dumps(arguments)}", f"c{n}"),
            RequestUnit(RESULT, result, f"c{n}"),
            SimpleNamespace(messages=(), number=n, tools=tools),
        )
        for n, (name, arguments, result) in enumerate(calls)
    ]
    reads.judge(steps, Files(files, files, {}), Talks(TALKS, {}, ()))
    reads.finish()
    return [finding.key for finding in book.findings()]


def cut(text, start, end):
    """A part of a text by bytes; one that begins or ends within a character is not asked for here."""
    return text.encode()[start:end].decode()


def rows(text, start, end, first=1):
    """Lines with their numbers before them."""
    return "\n".join(f"{n:5}| {row}" for n, row in enumerate(text.splitlines()[start:end], start + first))


def page(text, n, size=40, skip=(), late=0, most=None):
    lines = text.splitlines()
    last = most or math.ceil(len(lines) / size)
    kept = [row for at, row in enumerate(lines) if at not in skip][(n - 1) * size + (late if n > 1 else 0) :][:size]
    return "\n".join(f"{at:5}| {row}" for at, row in enumerate(kept, 1)) + f"\n-- Page {n} of {last} --"


def cursor(text, start=0, size=1800, gap=0, told=True):
    begin, end = start + (gap if start else 0), start + size
    more = {"nextCursor": f"cG9z{end}="} if told and end < len(text) else {}
    return json.dumps({"content": text[begin:end], **more})


def by_bytes(text, start=0, size=1500, gap=0, end=None):
    begin, stop = start + (gap if start else 0), min(start + size, end or len(text))
    more = stop < (end or len(text))
    about = {"size": end or len(text), "offset": start, "content": cut(text, begin, stop)}
    return json.dumps({**about, "next_offset": stop if more else None, "eof": not more})


def noted(text, start=0, size=2000, gap=0):
    part, rest = text[start + (gap if start else 0) : start + size], max(0, len(text) - start - size)
    return part + (f"\n[… {rest} more characters, call with offset={start + size}]" if rest else "")


def marked(text, size=2000, mark="\n[... cut]"):
    return text[:size] + (mark if len(text) > size else "")


PATH = {"path": "logs/hall.log"}
SMALL = {"path": "a.md"}
CURSOR = {"path": "logs/hall.log", "cursor": "cG9z1800="}
READ = tool("read", "path", "page", "cursor", "offset")
BARE = tool("read", "path")

SOUND_FILES = {
    "pages": [(PATH, page(LONG, 1)), ({**PATH, "page": 2}, page(LONG, 2)), ({**PATH, "page": 3}, page(LONG, 3))],
    "first page": [(PATH, page(LONG, 1)), (SMALL, page(SHORT, 1))],
    "cursor": [(PATH, cursor(LONG)), (SMALL, cursor(SHORT))],
    "cursors": [(PATH, cursor(LONG)), (CURSOR, cursor(LONG, 1800)), (SMALL, cursor(SHORT))],
    "bytes": [(PATH, by_bytes(LONG)), ({**PATH, "offset": 1500}, by_bytes(LONG, 1500)), (SMALL, by_bytes(SHORT))],
    "characters": [(PATH, noted(LONG)), ({**PATH, "offset": 2000}, noted(LONG, 2000)), (SMALL, SHORT)],
    "a mark": [(PATH, marked(LONG)), (SMALL, SHORT)],
    "lines in JSON": [(PATH, json.dumps({"text": rows(LONG, 0, 40), "has_more": True})),
                      (SMALL, json.dumps({"text": rows(SHORT, 0, 40), "has_more": False}))],
    "a size of its own": [(PATH, page(LONG, 1)), ({**PATH, "offset": 41, "limit": 10}, rows(LONG, 40, 50)),
                          (SMALL, page(SHORT, 1))],
    "a page that is refused": [(PATH, page(LONG, 1)), ({**PATH, "page": 2}, "error: try again"),
                               (SMALL, page(SHORT, 1))],
    "fewer lines": [(PATH, page(LONG, 1)), ({**PATH, "limit": 2}, rows(LONG, 0, 2)), (SMALL, page(SHORT, 1))],
    "more lines": [(PATH, noted(LONG, 0)), ({**PATH, "limit": 2000}, rows(LONG, 0, 60)), (SMALL, SHORT)],
    "a jump": [(PATH, page(LONG, 1)), ({**PATH, "page": 3}, page(LONG, 3)), (SMALL, page(SHORT, 1))],
}  # fmt: skip
LOSING_FILES = {
    "no remark": ([READ], [(PATH, rows(LONG, 0, 40)), (SMALL, rows(SHORT, 0, 40))], "M20 file-cut"),
    "no remark, in JSON": ([READ], [(PATH, cursor(LONG, told=False)), (SMALL, cursor(SHORT))], "M20 file-cut"),
    "no remark, and names that vary": (
        [READ],
        [(PATH, f"file of kind log, id ab\n{LONG[:2000]}"), (SMALL, f"file of kind md, id cd\n{SHORT}")],
        "M20 file-cut",
    ),
    "no remark, and fields that vary": (
        [READ],
        [(PATH, json.dumps({"id": "ab", "text": LONG[:2000]})), (SMALL, json.dumps({"id": "cd", "text": SHORT}))],
        "M20 file-cut",
    ),
    "no way on": ([BARE], [(PATH, page(LONG, 1)), (SMALL, page(SHORT, 1))], "M20 file-cut"),
    "a mark and no way on": ([BARE], [(PATH, marked(LONG)), (SMALL, SHORT)], "M20 file-cut"),
    "a mark that stands everywhere": ([READ], [(PATH, marked(LONG)), (SMALL, f"{SHORT}\n[... cut]")], "M20 file-cut"),
    "a line lost": ([READ], [(PATH, page(LONG, 1, skip={20})), (SMALL, page(SHORT, 1))], "M20 file-cut"),
    "a line of the second page lost": (
        [READ],
        [(PATH, page(LONG, 1)), ({**PATH, "page": 2}, page(LONG, 2, skip={50})), (SMALL, page(SHORT, 1))],
        "M20 part-lines-missing",
    ),
    "a gap between pages": (
        [READ],
        [(PATH, page(LONG, 1)), ({**PATH, "page": 2}, page(LONG, 2, late=5)), (SMALL, page(SHORT, 1))],
        "M20 lines-between-parts",
    ),
    "a gap between cursors": (
        [READ],
        [(PATH, cursor(LONG)), (CURSOR, cursor(LONG, 1800, gap=30)), (SMALL, cursor(SHORT))],
        "M20 lines-between-parts",
    ),
    "a gap of bytes": (
        [READ],
        [(PATH, by_bytes(LONG)), ({**PATH, "offset": 1500}, by_bytes(LONG, 1500, gap=10)), (SMALL, by_bytes(SHORT))],
        "M20 lines-between-parts",
    ),
    "a gap of characters": (
        [READ],
        [(PATH, noted(LONG)), ({**PATH, "offset": 2000}, noted(LONG, 2000, gap=10)), (SMALL, SHORT)],
        "M20 lines-between-parts",
    ),
    "an empty page": (
        [READ],
        [(PATH, by_bytes(LONG)), ({**PATH, "offset": 1500}, by_bytes(LONG, 1500, end=1500)), (SMALL, by_bytes(SHORT))],
        "M20 file-cut",
    ),
    "an early end": (
        [READ],
        [(PATH, by_bytes(LONG)), ({**PATH, "offset": 1500}, by_bytes(LONG, 1500, end=3000)), (SMALL, by_bytes(SHORT))],
        "M20 file-cut",
    ),
}


@pytest.mark.parametrize("calls", SOUND_FILES.values(), ids=SOUND_FILES)
def test_a_tool_that_pages_a_file_loses_nothing(calls):
    assert audited([READ], [("read", arguments, result) for arguments, result in calls]) == []


@pytest.mark.parametrize(("tools", "calls", "found"), LOSING_FILES.values(), ids=LOSING_FILES)
def test_a_tool_that_loses_something_of_a_file_is_told_from_one_that_pages(tools, calls, found):
    assert audited(tools, [("read", arguments, result) for arguments, result in calls]) == [found]


def messages(name, start, end, skip=(), **numbered):
    """Messages of a history as fields, with their numbers from 1 on if that is said."""
    shown = list(enumerate(TALKS[name].messages, 1))[max(0, start) : max(0, end)]
    return [
        {**dict.fromkeys(numbered, n), "time": one.time.isoformat(), "text": one.text}
        for n, one in shown
        if n - 1 not in skip
    ]


def offset(name, start=0, size=25, total=None, more=None, **how):
    count = len(TALKS[name].messages)
    shown = messages(name, start, min(start + size, total or count), **how)
    after = start + size < (total or count) if more is None else more
    return json.dumps({"total": total or count, "offset": start, "messages": shown, "has_more": after})


def counted(name, start=0, size=40, late=0, **how):
    shown = messages(name, start + (late if start else 0), start + size, **how)
    about = {"conversation": {"length": len(TALKS[name].messages)}, "window": {"first": start, "count": len(shown)}}
    return json.dumps({**about, "messages": shown})


def around(name, number, radius=5, late=0, **how):
    count = len(TALKS[name].messages)
    first, last = max(0, number - 1 - radius + late), min(count, number + radius)
    shown = messages(name, first, last, number=True, **how)
    return json.dumps({"first": first + 1, "last": last, "of": count, "messages": shown})


def newest(name, start=0, size=20, late=0, told=True):
    count = len(TALKS[name].messages)
    shown = messages(name, count - start - size, count - start - (late if start else 0))
    more = told and start + size < count
    about = {"has_more": more, "response_metadata": {"next_cursor": str(start + size) if more else ""}}
    return json.dumps({"ok": True, "messages": shown, **about})


MAIL = {"key": "mail"}
FEW = {"key": "small"}
HISTORY = tool("history", "key", "offset", "limit", "cursor", "window")
KEYED = tool("history", "key")
AROUND = tool("history", "key", "number")

SOUND_TALKS = {
    "first page": [(MAIL, offset("mail"))],
    "a limit that is too large": [({**MAIL, "limit": 1000}, offset("mail"))],
    "offsets": [(MAIL, offset("mail")), ({**MAIL, "offset": 25}, offset("mail", 25)),
                ({**MAIL, "offset": 50}, offset("mail", 50))],
    "has_more alone": [(MAIL, json.dumps({"messages": messages("mail", 0, 30), "has_more": True})),
                       (FEW, json.dumps({"messages": messages("small", 0, 30), "has_more": False}))],
    "length": [(MAIL, counted("mail"))],
    "windows": [({**MAIL, "window": {"first": 0}}, counted("mail")),
                ({**MAIL, "window": {"first": 40}}, counted("mail", 40))],
    "around": [({**MAIL, "number": 1}, around("mail", 1)), ({**MAIL, "number": 6}, around("mail", 6)),
               ({**MAIL, "number": 11}, around("mail", 11))],
    "around a hit": [({**MAIL, "number": 30}, around("mail", 30))],
    "around the first and the last": [({**MAIL, "number": 1}, around("mail", 1)),
                                      ({**MAIL, "number": 60}, around("mail", 60))],
    "newest": [(MAIL, newest("mail")), ({**MAIL, "cursor": "20"}, newest("mail", 20)),
               ({**MAIL, "cursor": "40"}, newest("mail", 40)), (FEW, newest("small"))],
    "more of the newest": [(MAIL, newest("mail")), ({**MAIL, "limit": "20"}, json.dumps(messages("mail", 30, 60))),
        (FEW, newest("small"))],
    "a page that is refused": [(MAIL, offset("mail")), ({**MAIL, "offset": 25}, "error: try again")],
    "a part of its own": [(MAIL, offset("mail")), ({**MAIL, "offset": 25, "limit": 5}, offset("mail", 25, 5))],
}  # fmt: skip
LOSING_TALKS = {
    "no remark": (
        [HISTORY],
        [(MAIL, json.dumps(messages("mail", 0, 40))), (FEW, json.dumps(messages("small", 0, 40)))],
    ),
    "no way on": ([KEYED], [(MAIL, offset("mail"))]),
    "no more, it says": ([HISTORY], [(MAIL, offset("mail", total=50, size=50)), (FEW, offset("small"))]),
    "a message skipped": ([HISTORY], [(MAIL, offset("mail", skip={7}))]),
    "a message of the second page skipped": (
        [HISTORY],
        [(MAIL, offset("mail")), ({**MAIL, "offset": 25}, offset("mail", 25, skip={30}))],
    ),
    "a gap between windows": (
        [HISTORY],
        [(MAIL, counted("mail")), ({**MAIL, "window": {"first": 40}}, counted("mail", 40, late=4))],
    ),
    "a message around lost": (
        [AROUND],
        [({**MAIL, "number": 1}, around("mail", 1)), ({**MAIL, "number": 6}, around("mail", 6, skip={8}))],
    ),
    "a gap between the newest": (
        [HISTORY],
        [(MAIL, newest("mail")), ({**MAIL, "cursor": "20"}, newest("mail", 20, late=3)), (FEW, newest("small"))],
    ),
    "an empty page": (
        [HISTORY],
        [(MAIL, offset("mail")), ({**MAIL, "offset": 25}, offset("mail", 25, total=25)), (FEW, offset("small"))],
    ),
    "an early end": (
        [HISTORY],
        [(MAIL, offset("mail")), ({**MAIL, "offset": 25}, offset("mail", 25, total=40)), (FEW, offset("small"))],
    ),
}


@pytest.mark.parametrize("calls", SOUND_TALKS.values(), ids=SOUND_TALKS)
def test_a_tool_that_pages_a_history_loses_nothing(calls):
    tools = [AROUND if "number" in calls[0][0] else HISTORY]
    assert audited(tools, [("history", arguments, result) for arguments, result in calls]) == []


@pytest.mark.parametrize(("tools", "calls"), LOSING_TALKS.values(), ids=LOSING_TALKS)
def test_a_tool_that_loses_messages_is_told_from_one_that_pages(tools, calls):
    found = audited(tools, [("history", arguments, result) for arguments, result in calls])
    assert found == ["M22 history-missing"]


def test_a_page_of_a_history_has_its_messages_in_order():
    shown = [one["text"] for one in messages("mail", 0, 25)]
    shown[5], shown[6] = shown[6], shown[5]
    result = "\n".join([*shown, "(25 of 60)"])
    assert audited([HISTORY], [("history", MAIL, result)]) == ["M22 history-order"]


def test_a_reading_that_is_made_again_and_begins_as_before_is_no_further_page():
    lines = ["The first line of the list.", "It is said again.", "It is said again.", "It is said again."]
    once, twice = "\n".join(lines[:2]), "\n".join(lines[:3])
    calls = [("read", {"path": "list.md"}, shown) for shown in (once, twice)]
    assert audited([tool("read", "path")], calls, {"list.md": "\n".join(lines)}) == ["M20 file-cut"]


def test_a_first_page_may_have_a_line_that_comes_again_behind_it():
    lines = [f"Line {number} of the list is here." for number in range(60)]
    lines[50] = lines[3]
    shown = "\n".join([*lines[:40], "[lines 1 to 40 of 60; go on with offset=41]"])
    read, files = [tool("read", "path", "offset")], {"list.md": "\n".join(lines)}
    assert audited(read, [("read", {"path": "list.md"}, shown)], files) == []
    assert (
        audited(read, [("read", {"path": "list.md"}, shown.replace(" of 60; go on with offset=41", ""))], files) != []
    )
