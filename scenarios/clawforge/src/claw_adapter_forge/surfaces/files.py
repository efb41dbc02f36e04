"""``file``: a small tree of text files."""

from __future__ import annotations

from claw_adapter_forge.surfaces.grammar import Args, Flag, Refused, Verb
from claw_adapter_forge.world.records import File
from claw_adapter_forge.world.state import MAX_TEXT, World

__all__ = ["VERBS"]


def _find(world: World, path: str) -> File:
    file = world.get("files", path, File)
    if file is None:
        raise Refused(f"File not found: {path}")
    return file


def _store(world: World, path: str, content: str) -> None:
    if len(content) > MAX_TEXT:
        raise Refused(f"File too large: {path} would have {len(content)} characters, at most {MAX_TEXT} are allowed")
    world.put("files", File(path, content))


def _create(world: World, args: Args) -> str:
    path = args.text("path")
    replaced = world.get("files", path, File) is not None
    _store(world, path, args.text("content"))
    return f"File {'replaced' if replaced else 'created'}: {path}"


def _read(world: World, args: Args) -> str:
    return _find(world, args.text("path")).content


def _append(world: World, args: Args) -> str:
    path = args.text("path")
    old = _find(world, path).content
    glue = "" if not old or old.endswith("\n") else "\n"
    _store(world, path, old + glue + args.text("content"))
    return f"Content appended to {path}."


def _delete(world: World, args: Args) -> str:
    world.remove("files", _find(world, args.text("path")).id)
    return f"File deleted: {args.text('path')}"


def _list(world: World, args: Args) -> str:
    root = args.text("path").rstrip("/")
    names = sorted(f.id for f in world.rows("files", File) if not root or f.id == root or f.id.startswith(root + "/"))
    return "\n".join([f"Files in {root or '/'}:", *(f"  {n}" for n in names)]) if names else "No files found."


def _move(world: World, args: Args) -> str:
    source, target = _find(world, args.text("src")), args.text("dst")
    if world.get("files", target, File) is not None:
        raise Refused(f"File exists: {target}")
    world.remove("files", source.id)
    world.put("files", File(target, source.content))
    return f"File moved: {source.id} -> {target}"


_PATH = Flag("path", "absolute path", "path", required=True)
_CONTENT = Flag("content", "text", required=True)

VERBS = (
    Verb(("file", "create"), "Write a file; one that is there is replaced.", _create, (_PATH, _CONTENT), mutates=True),
    Verb(("file", "read"), "Print a file.", _read, (_PATH,)),
    Verb(("file", "append"), "Add to the end of a file.", _append, (_PATH, _CONTENT), mutates=True),
    Verb(("file", "delete"), "Remove a file.", _delete, (_PATH,), mutates=True),
    Verb(("file", "list"), "List files.", _list, (Flag("path", "folder", "text"),)),
    Verb(
        ("file", "move"),
        "Rename a file; an existing target is refused.",
        _move,
        (Flag("src", "from", "path", required=True), Flag("dst", "to", "path", required=True)),
        mutates=True,
    ),
)
