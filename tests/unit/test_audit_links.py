"""Files that are reached by symbolic links: what calls by them are about."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from claw_adapter.audit.book import Book
from claw_adapter.audit.links import LINKS, Links, linked_by, links_of
from claw_adapter.audit.units import CALL, RESULT, RequestUnit
from claw_adapter.workspace.tree import Entry

FILE = Entry("file", sha="1", size=4)
OLD, NEW = "The harbour is open.\n", "The harbour is closed.\n"
OTHER = "All crates were counted twice in May.\n"


def link(target):
    return Entry("link", target=target)


def tool(name, **arguments):
    about = {
        "name": name,
        "parameters": {"type": "object", "properties": {key: {"type": "string"} for key in arguments}},
    }
    return {"type": "function", "function": about}


def made(name, result="done", **arguments):
    call = RequestUnit(CALL, f"{name} {json.dumps(arguments, sort_keys=True)}", "c1")
    return (
        call,
        RequestUnit(RESULT, result, "c1"),
        SimpleNamespace(number=1, messages=(), tools=(tool(name, **arguments),)),
    )


@pytest.mark.parametrize(
    ("tree", "found"),
    [
        ({"a.md": link("notes/b.md"), "notes/b.md": FILE}, {"a.md": "notes/b.md"}),
        ({"notes/a.md": link("../b.md"), "b.md": FILE}, {"notes/a.md": "b.md"}),
        ({"a": link("b"), "b": link("c"), "c": FILE}, {"a": "c", "b": "c"}),
        ({"a": link("b"), "b": link("a")}, {}),
        ({"a": link("/etc/hosts")}, {}),
        ({"a": link("../out")}, {}),
        ({"a": link("gone")}, {}),
    ],
)
def test_links_lead_to_files_of_the_workspace(tree, found):
    assert links_of(tree) == found


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("ln -s b.md a.md", [("a.md", "b.md")]),
        ("mkdir x && ln -s ../b.md x/a.md; ls", [("x/a.md", "b.md")]),
        ("ln -s '/t/workspace/x/b c.md' a.md", [("a.md", "x/b c.md")]),
        ("cd x && ln -s b.md a.md", []),
        ("ln -sfn c.md a.md", [("a.md", "c.md")]),
        ("ln b.md a.md", []),
        ("ln -s 'b.md a.md", []),
    ],
)
def test_commands_make_links(command, found):
    assert list(linked_by({"command": command}, "/t/workspace")) == found


@pytest.mark.parametrize(
    ("step", "after", "kept"),
    [
        (made("read_file", OLD, path="a.md"), (link("b.md"), OLD), "b.md"),
        (made("read_file", "error: a link", path="a.md"), (link("b.md"), OLD), None),
        (made("read_file", OTHER, path="a.md"), (link("b.md"), OLD), "b.md"),
        (made("edit_file", path="a.md", old="open", new="closed"), (link("b.md"), NEW), "b.md"),
        (made("edit_file", "error: a link", path="a.md", old="open", new="closed"), (link("b.md"), OLD), None),
        (made("edit_file", path="a.md", old="open", new="closed"), (FILE, OLD), "b.md"),
        (made("read_file", OLD, path="b.md"), (link("b.md"), OLD), "b.md"),
    ],
    ids=["read", "read refused", "another is read", "edited", "edit refused", "link replaced", "no link"],
)
def test_a_call_by_a_link_is_about_its_file_or_refused(step, after, kept):
    before = {"a.md": link("b.md"), "b.md": FILE}
    texts = {"b.md": OLD, "c.md": OTHER}, {"b.md": after[1], "c.md": OTHER}
    links = Links("/t/workspace", (before, {**before, "a.md": after[0]}), texts, None)
    found, refused = links.followed([step], Book())
    paths = [json.loads(call.text.partition(" ")[2])["path"] for call, _, _ in found]
    assert paths == ([] if kept is None else [kept])
    assert len(refused) == (kept is None)


@pytest.mark.parametrize("moved", ["a.md", "between.md"])
def test_a_link_that_was_led_elsewhere_leads_there_from_then_on(moved):
    """Also where it is one on the way."""
    tree = {"a.md": link("between.md"), "between.md": link("b.md"), "b.md": FILE, "c.md": FILE}
    texts = {"b.md": OLD, "c.md": NEW}
    links = Links("/t/workspace", (tree, {**tree, moved: link("c.md")}), (texts, texts), None)
    steps = made("exec", command=f"ln -sfn c.md {moved}"), made("read_file", NEW, path="a.md")
    found, _ = links.followed([made("read_file", OLD, path="a.md"), *steps], Book())
    assert [call.text.partition("path")[2] for call, _, _ in (found[0], found[-1])] == ['": "b.md"}', '": "c.md"}']


def test_of_a_link_that_was_led_elsewhere_in_a_way_that_nobody_can_read_nothing_is_known():
    tree = {"a.md": link("b.md"), "b.md": FILE, "c.md": FILE}
    texts = {"b.md": OLD, "c.md": NEW}
    links = Links("/t/workspace", (tree, {**tree, "a.md": link("c.md")}), (texts, texts), None)
    steps = made("exec", command="sh lead.sh"), made("read_file", NEW, path="a.md")
    assert links.followed(steps, Book()) == (list(steps), [])


def test_a_declared_loss_of_links_bites_and_nothing_else_is_said():
    step, before = made("edit_file", path="a.md", old="open", new="closed"), {"a.md": link("b.md"), "b.md": FILE}
    links = Links(
        "/t/workspace", (before, {**before, "a.md": FILE}), ({"b.md": OLD}, {"b.md": OLD, "a.md": NEW}), LINKS
    )
    found, refused = links.followed([step], book := Book())
    assert (found, len(refused), [bite.loss for bite in book.bites()]) == ([], 1, [str(LINKS)])


def test_behind_a_command_that_names_a_link_something_else_may_have_the_name():
    removes, edits = (
        made("exec", command="sed -i s/open/closed/ a.md"),
        made("edit_file", path="a.md", old="open", new="closed"),
    )
    tree = {"a.md": link("b.md"), "b.md": FILE}
    links = Links("/t/workspace", (tree, {**tree, "a.md": FILE}), ({"b.md": OLD}, {"b.md": OLD}), None)
    found, _ = links.followed([removes, edits], Book())
    assert found[-1][0] == edits[0]
