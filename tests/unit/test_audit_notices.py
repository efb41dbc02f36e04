"""What is told of files that others have changed: all of them, or none."""

from types import SimpleNamespace

import pytest

from claw_adapter.audit.book import Book
from claw_adapter.audit.notices import ChangeNotices
from claw_adapter.audit.units import CALL, RequestUnit, call_text


def judged(*turns, note="Changed: {}", restarted=(), reads=()):
    """What is found of turns, each what is told of before it, and what is not."""
    book = Book()
    notices, files = ChangeNotices(book), {f"{name}.md": "old" for name in "abcdefgh"} | {"notes/x.md": "old"}
    notices.leave(files)
    for number, (told, untold) in enumerate(turns):
        files = files | dict.fromkeys((*told, *untold), f"new {number}")
        units = [RequestUnit("user", f"Go on.\n{note.format(', '.join(told))}")]
        calls = [RequestUnit(CALL, call_text("read", {"path": path}), "1") for path in reads]
        turn = SimpleNamespace(
            chain=[SimpleNamespace(number=number)], attempt=1, units={number: units},
            replies=[SimpleNamespace(calls=calls)],
        )  # fmt: skip
        notices.judge(turn, "Go on.", files, restarted=number in restarted)
        notices.leave(files)
    notices.finish()
    return [finding.key for finding in book.findings()]


THREE = [(("a.md",), ()), (("b.md", "c.md"), ())]


@pytest.mark.parametrize(
    ("turns", "found"),
    [
        (THREE, []),
        ([*THREE, ((), ("notes/x.md",))], ["M20 changes-untold"]),
        ([*THREE, (("d.md",), ("notes/x.md",))], ["M20 changes-untold"]),
        ([(("a.md",), ("notes/x.md",))], []),
        ([*THREE, ((), ("notes/.x.md",))], []),
        ([*THREE, ((), ("new.md",))], []),
        ([*THREE, ((), tuple(f"{name}.md" for name in "abcdef"))], []),
    ],
    ids=["all", "one", "one of two", "no habit", "hidden", "of another kind", "many"],
)
def test_of_a_kind_all_are_told(turns, found):
    assert judged(*turns) == found


def test_what_tells_of_files_that_were_read_need_not_tell_of_others():
    assert judged(*THREE, ((), ("notes/x.md",)), reads=("a.md", "b.md", "c.md")) == []
    assert judged(*THREE * 2, ((), ("a.md",)), reads=("a.md", "b.md", "c.md")) == ["M20 changes-untold"]


def test_what_names_other_files_too_is_something_else_and_a_restart_may_forget():
    assert judged(*THREE, ((), ("notes/x.md",)), note="Changed: {}, not h.md") == []
    assert judged(*THREE, ((), ("notes/x.md",)), restarted=(2,)) == []


def test_a_file_that_is_named_always_is_no_news():
    both = [((), ("a.md", "notes/x.md"))] * 3
    assert judged(*both, note="By the rules in a.md: be kind.{}") == ["M20 changes-untold"], "it may be news"
    assert judged(*both, ((), ()), note="By the rules in a.md: be kind.{}") == []
