"""The reader finds out what tools do by trying them, reads before writes, and takes nothing that cannot be taken back."""

from __future__ import annotations

import base64
import json
import re
import sqlite3
import subprocess

import pytest

from claw_adapter.model import Tool as ModelTool
from claw_adapter.toolbox.box import toolbox
from support.odd_agents import (
    FRAGMENTS,
    TEXT,
    WHOLE,
    WRITTEN,
    Refused,
    Tool,
    World,
    played,
    reads,
    takes,
    text,
    trap,
    writes,
)

TEXTS = {"type": "array", "items": TEXT}
READ, WRITE = takes({"path": TEXT}), takes({"path": TEXT, "content": TEXT})


def there(world, path):
    return world.get(path) if world.at(path).is_file() else ""


def chosen(known, key):
    if key not in known:
        raise Refused("no such thing")
    return known[key]


def once_there(world, path, old, new):
    """Replace a text that stands there once; in an empty file an empty one."""
    known = world.get(path)
    if (known if not old else known.count(old) != 1) or not world.at(path).exists():
        raise Refused(f"found {known.count(old) if old else 0} times")
    return world.put(path, known.replace(old, new, 1) if old else new)


def at_line(world, a):
    lines = there(world, a["path"]).splitlines(keepends=True)
    if not 0 <= a["line"] <= len(lines):
        raise Refused(f"the file has {len(lines)} lines")
    return world.put(a["path"], "".join((*lines[: a["line"]], a["text"], *lines[a["line"] :])))


def unified(world, a):
    found = re.match(r"(?:.*\n)*?--- (\S+)\n\+\+\+ b/(\S+)\n@@ [^\n]* @@\n((?:[-+ ].*\n)*)", a["diff"])
    if not found:
        raise Refused("no diff")
    old = "".join(f"{line[1:]}\n" for line in found[3].splitlines() if line[0] in "- ")
    if there(world, found[2]) != old:
        raise Refused("does not apply")
    return world.put(found[2], "".join(f"{line[1:]}\n" for line in found[3].splitlines() if line[0] in "+ "))


def block(world, a):
    found = re.fullmatch(r"<<<<<<< SEARCH\n((?:.*\n)*?)=======\n((?:.*\n)*)>>>>>>> REPLACE\n", a["blocks"])
    if not found or there(world, a["path"]) != found[1]:
        raise Refused("no such block")
    return world.put(a["path"], found[2])


def opens(world, a):
    if a["mode"] == "r":
        world.get(a["path"])
    world.state[f"h{len(world.state)}"] = (a["path"], a["mode"])
    return f"handle: h{len(world.state) - 1}"


def empties(world, a):
    if a["mode"] == "w":
        world.put(a["path"], "")
    world.state[len(world.state) + 3] = (a["path"], a["mode"])
    return f"fd {len(world.state) + 2}"


def adds(world, a):
    path, mode = chosen(world.state, a["fd"])
    if mode == "r":
        raise Refused("not open for writing")
    return world.put(path, there(world, path) + a["data"])


def stores(world, a):
    path, mode = chosen(world.state, a["handle"])
    return world.put(path, a["data"]) if mode == "w" else "not open for that"


def ids(world):
    known = world.state.setdefault("ids", {})
    for path in sorted(str(one.relative_to(world.root)) for one in world.root.rglob("*.*")):
        known.setdefault(path, f"d{17 * len(known) + 40}")
    return {number: path for path, number in known.items()}


def papers(world, _):
    split = {number: path.rpartition("/") for number, path in ids(world).items()}
    return json.dumps([{"id": number, "title": name, "folder": folder} for number, (folder, _, name) in split.items()])


def new_paper(world, a):
    if "/" in a["title"] or a["folder"].startswith("/"):
        raise Refused("a title has no folder")
    return world.put(f"{a['folder']}/{a['title']}", a["text"])


def buffer(world, a):
    world.state[f"b{len(world.state)}"] = [a["path"], there(world, a["path"])]
    return f"buffer b{len(world.state) - 1}: {a['path']}"


def changes(world, a):
    chosen(world.state, a["buffer"])[1] = a["text"]
    return "changed, not saved"


def inner(world, name, given):
    if name not in ("fs_read", "fs_write"):
        world.harmed += [name] if name == "fs_delete" else []
        raise Refused(f"unknown tool {name}")
    if missing := {"path", *(["content"] if name == "fs_write" else [])} - set(given):
        raise Refused(f"missing: {missing}")
    return world.get(given["path"]) if name == "fs_read" else world.put(given["path"], given["content"])


def loads(world, a):
    world.state["loaded"] = "fs_read" in str(a)
    return f"Loaded {a}" if world.state["loaded"] else "no such tools"


def runs(world, command):
    done = subprocess.run(command, cwd=world.root, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def shell(world, command):
    return runs(world, ["/bin/sh", "-c", command])


def types(world, a):
    world.state["typed"] = world.state.get("typed", "") + "".join("\n" if key == "Enter" else key for key in a["keys"])
    if world.state["typed"].endswith("\n"):
        world.state["screen"] = shell(world, world.state.pop("typed"))
    return "sent"


def queries(world, a):
    base = sqlite3.connect(":memory:")
    base.execute("create table files(path text primary key, content text)")
    base.executemany("insert into files values(?, ?)", [(path, world.get(path)) for path in ids(world).values()])
    try:
        rows = base.execute(a["statement"]).fetchall()
    except sqlite3.Error as error:
        raise Refused(str(error)) from None
    for path, content in base.execute("select path, content from files"):
        world.put(path, content)
    return json.dumps(rows)


def adds_cell(world, a):
    world.state.setdefault("cells", []).append(a["source"])
    return f"added cell {len(world.state['cells']) - 1}"


def below(root, path):
    if not path.startswith(root):
        raise Refused(f"paths begin with {root}")
    return path.removeprefix(root).replace("\\", "/")


def guarded(world, a):
    known = there(world, a["path"])
    if known and a.get("sha") != f"{len(known)}x":
        raise Refused("sha is required")
    return world.put(a["path"], a["content"])


def decoded(data):
    try:
        return base64.b64decode(data, validate=True).decode()
    except ValueError:
        raise Refused("no base64") from None


def get(world, a):
    return world.get(a["path"])


def put(world, a):
    return world.put(a["path"], a["content"])


def acts(world, a):
    action = a["action"]
    if action["kind"] == "erase":
        world.harmed.append("erase")
    return world.put(action["at"], action["text"]) if action["kind"] == "write" else world.get(action["at"])


LISTED = "- fs_delete: deletes. Takes path (string)\n- fs_read: reads. Takes path (string)\n"
LISTED += "- fs_write: writes. Takes path (string), content (string)"
ACTIONS = [
    takes({"kind": {"const": kind}, "at": TEXT, **more})
    for kind, more in [("erase", {}), ("read", {}), ("write", {"text": TEXT})]
]
SPOT = text("place, like C:\\depot\\a\\b.txt")
EDIT = takes({"path": TEXT, "old": TEXT, "new": TEXT})
DELETES = trap("delete_paper", "Deletes a paper.", takes({"id": TEXT}))
MODE = {"type": "string", "enum": ["r", "w"]}


def tool(name, schema, does, said=""):
    return Tool(name, said, schema, does)


SOUND = {
    "create, then edit": (
        reads(), tool("new_file", takes({"path": text("path of the file")}), lambda w, a: w.put(a["path"], "")),
        tool("edit", EDIT, lambda w, a: once_there(w, a["path"], a["old"], a["new"])),
    ),
    "insert at a line": (reads(), tool("insert", takes({"path": TEXT, "line": WHOLE, "text": TEXT}), at_line)),
    "unified diff": (reads(), tool("apply_diff", takes({"diff": TEXT}), unified, "Applies a unified diff.")),
    "blocks": (reads(), tool("edit", takes({"path": TEXT, "blocks": text("SEARCH/REPLACE blocks")}), block)),
    "handles": (
        tool("open", takes({"path": TEXT, "mode": MODE}), opens),
        tool("fetch", takes({"handle": TEXT}), lambda w, a: w.get(chosen(w.state, a["handle"])[0])),
        tool("store", takes({"handle": TEXT, "data": TEXT}), stores),
    ),
    "papers with ids": (
        tool("list_papers", takes({}), papers), DELETES,
        tool("get_paper", takes({"paper": TEXT}), lambda w, a: w.get(chosen(ids(w), a["paper"]))),
        tool("make_paper", takes({"folder": TEXT, "title": TEXT, "text": TEXT}), new_paper),
    ),
    "buffers": (
        tool("open_buffer", takes({"path": TEXT}), buffer),
        tool("buffer_text", takes({"buffer": TEXT}), lambda w, a: chosen(w.state, a["buffer"])[1]),
        tool("set_buffer", takes({"buffer": TEXT, "text": TEXT}), changes),
        tool("save_buffer", takes({"buffer": TEXT}), lambda w, a: w.put(*chosen(w.state, a["buffer"]))),
    ),
    "tools in lines": (
        tool("invoke", takes({"name": TEXT, "given": {"type": "object"}}),
             lambda w, a: inner(w, a["name"], a["given"]), LISTED),
    ),
    "tools with JSON": (
        tool("invoke", takes({"name": TEXT, "given": text("a JSON object")}),
             lambda w, a: inner(w, a["name"], json.loads(a["given"])), LISTED),
    ),
    "SQL": (tool("query", takes({"statement": text("SQL of SQLite")}), queries),),
    "SQL with an example": (tool("query", takes({"statement": TEXT}), queries, "Runs SQL, e.g. on notes(id, body)."),),
    "keys and a screen": (
        tool("press_keys", takes({"keys": TEXTS}), types, "Sends keys."),
        tool("screen", takes({}), lambda w, _: w.state.get("screen", "$")),
    ),
    "a notebook": (
        tool("add_cell", takes({"source": TEXT}), adds_cell),
        tool("run_cell", takes({"index": WHOLE}), lambda w, a: w.python(w.state["cells"][a["index"]])),
    ),
    "a program and its arguments": (
        tool("exec", takes({"program": TEXT, "args": TEXTS}), lambda w, a: runs(w, [a["program"], *a["args"]])),
    ),
    "Windows places": (
        tool("show", takes({"place": SPOT}), lambda w, a: w.get(below("C:\\depot\\", a["place"]))),
        tool("put", takes({"place": SPOT, "text": TEXT}), lambda w, a: w.put(below("C:\\depot\\", a["place"]), a["text"])),
    ),
    "places that a refusal tells": (
        tool("read_file", READ, lambda w, a: w.get(below("@/", a["path"]))),
        tool("write_file", WRITE, lambda w, a: w.put(below("@/", a["path"]), a["content"])),
    ),
    "a map of files": (
        reads(), tool("write_files", takes({"files": {"type": "object", "additionalProperties": TEXT}}),
                      lambda w, a: "".join(w.put(*one) for one in a["files"].items())),
    ),
    "base64": (
        reads(), tool("write_file", takes({"path": TEXT, "data": text("base64")}),
                      lambda w, a: w.put(a["path"], decoded(a["data"]))),
    ),
    "modes of which one empties": (
        tool("open", takes({"path": TEXT, "mode": {"enum": ["w", "a", "r"]}}), empties),
        tool("read", takes({"fd": WHOLE}), lambda w, a: w.get(chosen(w.state, a["fd"])[0])),
        tool("write", takes({"fd": WHOLE, "data": TEXT}), adds),
    ),
    "neighbours that destroy": (
        trap("truncate", "Empties a file.", READ), trap("restore_file", "Puts it back.", READ), reads("cat"),
        tool("save", takes({"path": TEXT, "content": TEXT}), lambda w, a: w.put(a["path"], a["content"])),
    ),
    "one of several": (tool("files", takes({"action": {"oneOf": ACTIONS}}), acts, "read, write and erase files"),),
    "a version": (
        reads(shows=lambda shown: f"sha: {len(shown)}x\n{shown}"),
        tool("write_file", takes({"path": TEXT, "content": TEXT, "sha": TEXT}, "path", "content"), guarded),
    ),
}  # fmt: skip
LATER = {
    "a choice": tool("enable", takes({"set": {"enum": ["mail", "fs_read and more"]}}), loads),
}


def offered(world):
    return (tool("fs_read", READ, get), tool("fs_write", WRITE, put)) if world.state.get("loaded") else ()


@pytest.mark.parametrize("name", SOUND)
async def test_what_tools_can_do_is_found_out_without_harm(name, tmp_path):
    world, seen, said = await played(SOUND[name], tmp_path)
    assert set(seen.seen) == {item.id for item in FRAGMENTS}
    assert (said, seen.no_way, world.harmed) == ("Written.", (), [])
    assert {path: there(world, path) for path in WRITTEN} == WRITTEN


@pytest.mark.parametrize("name", LATER)
async def test_tools_that_are_offered_later_are_asked_for(name, tmp_path):
    world, seen, said = await played((LATER[name],), tmp_path, offered)
    assert (said, seen.no_way, world.harmed) == ("Written.", (), [])


def in_bucket(does):
    def checked(world, a):
        world.state.setdefault("buckets", set()).add(a["bucket"])
        if a["bucket"] != "desk":
            raise Refused("NoSuchBucket")
        return does(world, a)

    return checked


def store(bucket):
    return (
        tool("list_objects", takes({"bucket": bucket}), in_bucket(lambda w, _: json.dumps(ids(w))), "Lists objects."),
        tool("get_object", takes({"bucket": bucket, "path": TEXT}), in_bucket(get), "Gets an object."),
        tool("put_object", takes({"bucket": bucket, "path": TEXT, "content": TEXT}), in_bucket(put), "Puts an object."),
    )


NAMED = text("Name of the bucket, e.g. desk")
PROSE = {
    "an example": store(NAMED),
    "an example for a pattern": store({**NAMED, "pattern": "^[a-z.]+$"}),
    "names": (tool("load_tools", takes({"names": TEXTS}), loads, "Offers tools: fs_read, fs_write, fs_delete."),),
}


@pytest.mark.parametrize("name", PROSE)
async def test_a_value_that_only_a_description_names_is_not_given(name, tmp_path):
    world, seen, _ = await played(PROSE[name], tmp_path, offered)
    assert not world.state.get("buckets", set()) & {"desk", "e.g", "e.g.", "bucket"}
    assert [one for one in seen.no_way if one.startswith("reading")]
    assert not world.state.get("loaded")


@pytest.mark.parametrize("more", [{"examples": ["desk"]}, {"default": "desk"}, {"const": "desk"}])
async def test_a_value_that_the_schema_names_is(more, tmp_path):
    world, seen, said = await played(store({**TEXT, **more}), tmp_path)
    assert (said, seen.no_way, world.state["buckets"]) == ("Written.", (), {"desk"})


async def test_a_file_is_left_as_it_is_where_a_text_can_only_be_added(tmp_path):
    tools = (reads(), tool("insert", takes({"path": TEXT, "line": WHOLE, "text": TEXT}), at_line))
    world, seen, _ = await played(tools, tmp_path, there={"out/note.md": "kept\n"})
    assert there(world, "out/note.md") == "kept\n"
    assert seen.no_way == ("writing out/note.md",)


async def test_what_a_later_request_does_not_show_any_more_is_gone(tmp_path):
    def cleared(history):
        results = [n for n, message in enumerate(history) if message["role"] == "tool"]
        return [{**one, "content": "(cleared)"} if n in results[:-1] else one for n, one in enumerate(history)]

    _, seen, said = await played((reads(), writes()), tmp_path, view=cleared)
    assert (said, [one.partition(" ")[0] for one in seen.no_way]) == ("Perhaps.", ["keeping"] * 3)
    assert set(seen.seen) < {item.id for item in FRAGMENTS}


def editor(history, world, role="user"):
    """What is open, in a message of its own that is written anew for each request; the two opened last are shown."""
    seen = "\n".join(world.get(path) for path in world.state.get("open", [])[-1:])
    message = {"role": role, "content": f"<editor_state {len(history)}>\n{seen}\n</editor_state>"}
    return [*history, message] if role == "user" else [message, *history]


@pytest.mark.parametrize("role", ["user", "system"])
async def test_a_view_that_is_written_anew_for_each_request_loses_nothing(role, tmp_path):
    world = World(tmp_path)

    def opens_file(_, given):
        world.get(given["path"])
        world.state.setdefault("open", []).append(given["path"])
        return f"opened {given['path']}"

    tools = (tool("open_file", READ, opens_file, "Opens a file."), writes())
    _, seen, said = await played(tools, tmp_path, view=lambda history: editor(history, world, role))
    assert (said, seen.no_way) == ("Written.", ())
    assert set(seen.seen) == {item.id for item in FRAGMENTS}


async def test_what_results_have_shown_is_gone_whatever_view_comes_behind_them(tmp_path):
    def cleared(history):
        results = [n for n, message in enumerate(history) if message["role"] == "tool"]
        left = [{**one, "content": "(cleared)"} if n in results[:-1] else one for n, one in enumerate(history)]
        return [*left, {"role": "user", "content": "<editor_state>\n(no tab is open)\n</editor_state>"}]

    _, seen, said = await played((reads(), writes()), tmp_path, view=cleared)
    assert (said, [one.partition(" ")[0] for one in seen.no_way]) == ("Perhaps.", ["keeping"] * 3)


async def test_an_answer_that_has_to_be_handed_over_is(tmp_path):
    def ends(world, given):
        world.state["answer"] = given["text"]
        return "The end."

    tools = (reads(), writes(), tool("final_answer", takes({"text": TEXT}), ends))
    _, seen, said = await played(tools, tmp_path, nudge="Go on. Only a call of final_answer ends this.")
    assert (said, seen.no_way) == ("Written.", ())


def test_a_command_stays_one_whatever_its_reason_is_said_to_look_like():
    reason = text("Why it is run. Odd programs (sed scripts, awk) need more words: curl (quiet, url) gets JSON.")
    shell = tool(
        "bash", {"type": "object", "properties": {"command": TEXT, "reason": reason}, "required": ["command"]}, runs
    )
    (found,) = toolbox([ModelTool(shell.name, "", shell.schema)]).run
    assert (found.tool, found.target.key) == ("bash", "command")
