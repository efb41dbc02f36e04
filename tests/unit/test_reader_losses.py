"""A loss is charged where results prove it: what may be a mark, in whatever words, proves nothing."""

import json

import pytest

from claw_adapter.endpoint.reader.losses import frame_of, is_lost, is_refused_alone, is_unread, lines_of_file

TEXT = "\n".join(f"{number}. the reading of day {number} was {number * 7} hPa" for number in range(1, 40))
LINES = lines_of_file([TEXT])
HALF = TEXT[:900]
NUMBERED = "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(HALF.splitlines()[:-1], 1))


def lost(*results: str, frame=frozenset()) -> bool:
    return is_lost(results, LINES, "logs/a.md", frame)


@pytest.mark.parametrize("results", [[HALF], [HALF, HALF], [NUMBERED], [""], [HALF, ""], ["\n \n"]])
def test_the_file_alone_and_not_all_of_it_is_a_loss(results):
    assert lost(*results)


@pytest.mark.parametrize(
    "mark",
    [
        "page 1 of 2",
        "[1-22/39]",
        "→ weiter: 23",
        "下一页: 2",
        '{"more": true}',
        "next: logs/a.md:23-39",
        "stored as r7",
    ],
)
def test_what_may_be_a_mark_proves_nothing(mark):
    assert not lost(f"{HALF}\n{mark}")
    assert not lost(f"{mark}\n{HALF}")
    assert not lost(HALF, mark)
    assert not lost(json.dumps({"text": HALF, "said": mark}))


def test_a_refusal_proves_nothing_and_neither_does_no_call():
    assert not lost("Error: no such file")
    assert not lost("Fehler: zu groß", "")
    assert not lost()


def test_words_around_a_file_that_was_shown_whole_are_no_mark():
    frame = frame_of([f"Contents of logs/b.md:\n{TEXT}\n(as text)", f"{HALF}\npage 1 of 2"], TEXT, "logs/b.md")
    assert frame == {"Contents of :", "(as text)"}
    assert lost(f"Contents of logs/a.md:\n{HALF}\n(as text)", frame=frame)
    assert not lost(f"Contents of logs/a.md:\n{HALF}\n(22 lines left)", frame=frame)


def test_an_older_version_of_the_file_is_the_file():
    old = TEXT.replace("hPa", "mbar")
    assert not lost(old)
    assert is_lost([old], lines_of_file([old, TEXT]), "logs/a.md", ())


def test_two_lines_that_have_become_one_are_a_loss_and_a_mark_between_them_is_none():
    assert lost(f"{TEXT[:310]}{TEXT[-310:]}")
    assert not lost(f"{TEXT[:310]} [cut] {TEXT[-310:]}")
    assert not lost(f"{TEXT[:310]}…900 more…{TEXT[-310:]}")


@pytest.mark.parametrize(
    ("path", "proven"),
    [("logs/b.md", True), ("b.md", False), ("logs/b.csv", False), ("logs/long.md", False), ("logs/b c.md", False)],
)
def test_a_refusal_is_about_the_file_where_another_like_it_is_shown(path, proven):
    texts = {"logs/a.md": ("123",), "logs/b.md": ("12",), "logs/long.md": ("1234",)}
    texts |= dict.fromkeys(("b.md", "logs/b.csv", "logs/b c.md"), ("1",))
    assert is_refused_alone(path, texts, ["logs/a.md"]) == proven


ROWS = [{"n": number, "text": line} for number, line in enumerate(TEXT.splitlines(), 1)]


@pytest.mark.parametrize(
    ("pages", "unread"),
    [
        ([{"rows": ROWS[:20], "next": 21}], True),
        ([{"rows": ROWS[:20], "next": 21}] * 2, True),
        ([{"rows": ROWS[:20], "next": 21}, {"error": "no such parameter"}], True),
        ([{"rows": ROWS[:20], "next": 21}, {"rows": ROWS[20:], "next": None}], False),
        ([{"text": HALF, "nextToken": "t7"}, {"text": TEXT[900:]}], False),
        ([{"text": HALF, "hasMore": True}], True),
        ([{"text": HALF, "hasMore": False}], False),
        ([{"text": HALF, "truncated": False, "total_bytes": 4000}], False),
        ([{"rows": ROWS[:20], "total": 39}], True),
        ([{"rows": ROWS[:20], "total": 39}, {"rows": ROWS[15:], "total": 39}], False),
        ([{"rows": ROWS[:20], "total": 20}], False),
    ],
)
def test_json_that_says_that_there_is_more_is_unread_until_its_end_has_come(pages, unread):
    assert is_unread([json.dumps(page) for page in pages]) is unread


def test_a_file_that_speaks_of_more_in_its_own_words_is_not_unread():
    assert not is_unread([HALF, "next: 21", "more: true", "[1, 2]"])
