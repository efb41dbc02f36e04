"""What every Python of a check begins with, as its ``sitecustomize``; standard library only.

It writes down which modules nobody has found and which libraries had no bytecode (`claw_adapter.sandbox.imports`). And what
the check's own code starts does not see the check: a program that the agent has written would read the answers. So each
child of `subprocess`, and each Python that the shell starts, gets a mount namespace of its own in which the check's folders are
empty, unless its command, its folder or a variable of its own names something in them. A Python that has done so for itself
can undo it (docs/isolation.md). Linux alone knows such namespaces, and not everywhere may one make them: then there is none.
"""

from __future__ import annotations

import atexit
import os
import sys

TYPE_CHECKING = False  # each Python of a check waits for what is imported here
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import ModuleType
    from typing import Any, Final

__all__ = ["COMPILED", "FOLDERS", "UNFOUND", "begin"]

UNFOUND: Final = "CLAW_UNFOUND_MODULES"
"""Names the file of modules that were not found: a line has the name and the script that asked."""
FOLDERS: Final = "CLAW_CHECK_FOLDERS"
"""What only the check may see: files and folders, with colons between."""
COMPILED: Final = ".compiled-modules"
"""Beside that file: sources of libraries without bytecode, one a line."""
WORKERS: Final = ("from multiprocessing.", "joblib.externals.loky")
"""How a Python is started that goes on with what another one has begun."""
NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000
BIND, RECURSIVE, PRIVATE, NO_NEW_PRIVILEGES = 0x1000, 0x4000, 0x40000, 38


class _Unfound:
    """A finder that is asked last: it finds nothing, and notes that."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        del target
        if path is None:
            frame = sys._getframe(1)  # noqa: SLF001  # inspect would take long to import
            while frame.f_back and frame.f_code.co_filename.startswith("<frozen importlib"):
                frame = frame.f_back
            line = f"{name}\t{os.path.realpath(frame.f_code.co_filename)}\n"
            try:
                with open(os.environ[UNFOUND], "ab") as file:
                    file.write(line.encode("utf-8", "surrogateescape"))
            except (OSError, KeyError):
                pass


def _note_compiled() -> None:
    specs = [getattr(module, "__spec__", None) for module in list(sys.modules.values())]
    names = [
        spec.origin
        for spec in specs
        if spec and spec.cached and "-packages" in spec.origin and not os.path.exists(spec.cached)
    ]
    if names:
        with open(os.path.join(os.path.dirname(os.environ[UNFOUND]), COMPILED), "a", encoding="utf-8") as file:
            file.write("\n".join([*names, ""]))


def _at_exit() -> None:
    try:
        _note_compiled()
    except Exception:  # noqa: S110, BLE001  # never the check's affair
        pass


def _folders() -> list[str]:
    return [path for path in os.environ.get(FOLDERS, "").split(os.pathsep) if path and _shows(path)]


def _shows(path: str) -> bool:
    try:
        return bool(os.listdir(path)) if os.path.isdir(path) else os.path.getsize(path) > 0
    except OSError:
        return False


def _named(words: Iterable[str], folder: str, paths: list[str]) -> bool:
    """Whether `folder`, or a word as seen from there, is or has in it something in `paths`."""
    for word in (folder, *words):
        real = os.path.realpath(os.path.join(folder, word))
        if any(path in word or real == path or real.startswith(path + os.sep) for path in paths):
            return True
    return False


def _words(command: Any) -> list[str]:
    parts = [command] if isinstance(command, (str, bytes, os.PathLike)) else list(command)
    return [os.fsdecode(part) for part in parts]


def _hide(paths: list[str]) -> None:
    """Cover `paths` for this process and what it starts. Where that is not allowed nothing changes."""
    import ctypes

    system = ctypes.CDLL(None, use_errno=True)
    if not system.unshare(NEW_USER | NEW_MOUNTS):
        system.mount(b"none", b"/", None, RECURSIVE | PRIVATE, None)
        for path in paths:
            if os.path.isdir(path):
                system.mount(b"tmpfs", os.fsencode(path), b"tmpfs", 0, b"mode=0555")
            else:
                system.mount(b"/dev/null", os.fsencode(path), None, BIND, None)
        system.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)


def _new(env: Mapping[Any, Any] | None) -> list[str]:
    """Values of variables that only a child has."""
    own = os.environ
    return [os.fsdecode(value) for name, value in (env or {}).items() if value != own.get(os.fsdecode(name))]


def _unseen(subprocess: ModuleType) -> None:
    """Let what a check starts not see it, if nothing of it is named to the child."""

    class Popen(subprocess.Popen):  # type: ignore[name-defined,misc]
        def __init__(self, args: Any, *others: Any, **options: Any) -> None:
            paths = _folders()
            folder = os.path.join(os.getcwd(), os.fsdecode(options.get("cwd") or ""))
            words = [*_words(args), *_new(options.get("env"))]
            by_place = len(others) >= len(("bufsize", "executable", "stdin", "stdout", "stderr", "preexec_fn"))
            if paths and not by_place and not _named(words, folder, paths):
                options["preexec_fn"] = _before(paths, options.get("preexec_fn"))
            super().__init__(args, *others, **options)

    subprocess.Popen = Popen  # type: ignore[attr-defined]


def _before(paths: list[str], first: Any) -> Any:
    import ctypes  # noqa: F401  # before the fork

    def hidden() -> None:
        _hide(paths)
        if first is not None:
            first()

    return hidden


class _Late:
    """A finder that waits for `subprocess`, which takes long to import and which most checks do not need."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> object:
        del path, target
        if name != "subprocess":
            return None
        from importlib.machinery import PathFinder

        sys.meta_path.remove(_Late)  # type: ignore[arg-type]
        spec = PathFinder.find_spec(name)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def run(module: ModuleType) -> None:
                load(module)
                _unseen(module)

            spec.loader.exec_module = run  # type: ignore[method-assign]
        return spec


def _system(command: Any) -> int:
    """`os.system`, by way of `subprocess`: the status as waitpid gives it."""
    import subprocess

    code = subprocess.Popen(command, shell=True).wait()  # noqa: S602  # as it does
    return -code if code < 0 else code << 8


def begin() -> None:
    """Note what is not found. Hide the check: from this Python if it is not the check's, else from what it starts."""
    sys.meta_path.append(_Unfound)
    atexit.register(_at_exit)
    paths = _folders()
    if not paths:
        return
    words, folder = sys.orig_argv[1:], os.getcwd()
    worker = any(word.startswith(WORKERS) for word in words)
    others = [value for name, value in os.environ.items() if name != FOLDERS]
    if worker or _named([*words, *others], folder, paths):
        sys.meta_path.insert(0, _Late)  # type: ignore[arg-type]
        os.system = _system
    else:
        _hide(paths)


if __name__ == "sitecustomize":
    begin()
