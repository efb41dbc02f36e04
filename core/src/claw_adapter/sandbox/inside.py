"""What every Python of a check begins with, as its ``sitecustomize``; standard library only.

It writes down which modules nobody has found and which libraries had no bytecode (`claw_adapter.sandbox.imports`), and puts the
folder of a started script on the import path, as is Python's rule.

What the check's own code starts does not see the check: a program that the agent has written would read the answers. At level 2
the check's folder lies behind a door, a folder that nobody may enter but who has the capability CAP_DAC_READ_SEARCH. The
check's first programs are born with it. A Python whose command, folder or variables name something behind the door keeps it and
does not hand it on, so what it starts in whatever way has it no more, and cannot get it back: the kernel takes it away.
What names something behind the door is started with it. Any other Python lays it down at once.
"""

from __future__ import annotations

import atexit
import os
import re
import sys

TYPE_CHECKING = False  # each Python of a check waits for what is imported here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Final

__all__ = ["COMPILED", "DOOR", "UNFOUND", "begin"]

UNFOUND: Final = "CLAW_UNFOUND_MODULES"
"""Names the file of modules that were not found: a line has the name and the script that asked."""
DOOR: Final = "CLAW_CHECK_DOOR"
"""Names the folder behind which only the check sees; empty where there is none."""
COMPILED: Final = ".compiled-modules"
"""Beside that file: sources of libraries without bytecode, one a line."""
CLOSED: Final = "PYTHONSAFEPATH"
WORKERS: Final = ("from multiprocessing.", "joblib.externals.loky")
"""How a Python is started that goes on with what another one has begun."""
PLACES: Final = frozenset({DOOR, "PWD", "OLDPWD", "_"})
"""Variables that name a folder and mean nothing by it."""
AMBIENT, RAISE, CLEAR, READ_SEARCH = 47, 2, 4, 2
VERSION_3: Final = 0x20080522


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


def _named(words: Iterable[str], folder: str, door: str) -> bool:
    """Whether `folder` or a word names something behind the door; a word that is a path from there, by how it begins."""
    return any(
        f"{os.path.normpath(path)}/".startswith(f"{door}/")
        if os.path.lexists(path := os.path.join(folder, word))
        else re.search(rf"(?<![\w./-]){re.escape(door)}(?![\w.-])", word)
        for word in (folder, *words)
    )


def _words(command: Any) -> list[str]:
    parts = [command] if isinstance(command, (str, bytes, os.PathLike)) else list(command)
    return [os.fsdecode(part) for part in parts]


def _new(env: Any) -> list[str]:
    """Values of variables that only a child has, of a mapping or of a list of ``name=value``."""
    if env is None:
        return []
    items = env.items() if hasattr(env, "items") else (os.fsencode(one).partition(b"=")[::2] for one in env)
    given = {os.fsdecode(name): os.fsdecode(value) for name, value in items}
    return [value for name, value in given.items() if name not in PLACES and value != os.environ.get(name)]


def _closed(env: Any) -> Any:
    """An environment for a child that sees: no file that somebody has left in its working folder is imported."""
    if hasattr(env, "items"):
        return {**env, CLOSED: "1"}
    inherited = [name + b"=" + value for name, value in os.environb.items()] if env is None else env
    return [*inherited, os.fsencode(f"{CLOSED}=1")]


class _Sight:
    """The capability of this thread, which alone opens the door; nothing happens where it has none."""

    def __init__(self) -> None:
        import ctypes

        self._system = ctypes.CDLL(None)
        self._no = ctypes.c_ulong(0)
        self._which = ctypes.c_ulong(READ_SEARCH)

    def keep(self) -> None:
        """Have it, and do not hand it on."""
        self._system.prctl(AMBIENT, CLEAR, self._no, self._no, self._no)

    def hand_on(self) -> None:
        """What this thread starts now has it."""
        self._system.prctl(AMBIENT, RAISE, self._which, self._no, self._no)

    def lay_down(self) -> None:
        """Never have it again."""
        self._system.capset(VERSION_3.to_bytes(4, sys.byteorder) + bytes(4), bytes(24))


def _starting(start: Callable[..., Any], sight: _Sight, door: str, folder_at: int, env_at: int) -> Callable[..., Any]:
    """A function that starts a program, which then sees what is behind the door if something there is named to it.

    Its first arguments are the program, the command, or both; the folder and the environment come at these places, from 0
    (-1: nowhere).
    """

    def starts(*given: Any, **options: Any) -> Any:
        folder = given[folder_at] if 0 <= folder_at < len(given) else None
        env = given[env_at] if 0 <= env_at < len(given) else options.get("env")
        words = [word for one in given[:2] if one is not None and not isinstance(one, int) for word in _words(one)]
        place = os.path.join(os.getcwd(), os.fsdecode(folder or ""))
        if not (any(word.startswith(WORKERS) for word in words) or _named([*words, *_new(env)], place, door)):
            return start(*given, **options)
        if 0 <= env_at < len(given):
            given = (*given[:env_at], _closed(env), *given[env_at + 1 :])
        sight.hand_on()
        try:
            return start(*given, **options)
        finally:
            sight.keep()

    return starts


def _watch_starts(sight: _Sight, door: str) -> None:
    """All ways to start a program: `subprocess`, `multiprocessing`, `asyncio` and `pty` come by these."""
    import _posixsubprocess

    _posixsubprocess.fork_exec = _starting(_posixsubprocess.fork_exec, sight, door, 4, 5)
    for name, env_at in {"posix_spawn": 2, "posix_spawnp": 2, "execve": 2, "execv": -1, "system": -1}.items():
        setattr(os, name, _starting(getattr(os, name), sight, door, -1, env_at))


def _script() -> str:
    """The script that is started; empty for what is no file."""
    name = sys.argv[0]
    return os.path.realpath(name) if name not in ("", "-", "-c", "-m") and os.path.isfile(name) else ""


def begin() -> None:
    """Note what is not found; put a script's folder on the path; see behind the door if this Python is the check's own."""
    sys.meta_path.append(_Unfound)
    atexit.register(_at_exit)
    door, script = os.environ.get(DOOR), _script()
    words, values = sys.orig_argv[1:], [value for name, value in os.environ.items() if name not in PLACES]
    worker = any(word.startswith(WORKERS) for word in words)
    sees = bool(door) and (worker or _named([*words, *values], os.getcwd(), door or ""))
    if script and getattr(sys.flags, "safe_path", False):
        others = sees and not script.startswith(f"{door}/")  # a file beside it may be anybody's
        sys.path.insert(len(sys.path) if others else 0, os.path.dirname(script))
        os.environ.pop(CLOSED, None)
    if door:
        sight = _Sight()
        if sees:
            sight.keep()
            _watch_starts(sight, door)
        else:
            sight.lay_down()


if __name__ == "sitecustomize":
    begin()
