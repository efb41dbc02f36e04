"""What every Python of a check begins with, as its ``sitecustomize``; standard library only.

It writes down which modules nobody has found and which libraries had no bytecode (`claw_adapter.sandbox.imports`), and puts the
folder of a started script on the import path, as is Python's rule.

What the check's own code starts does not see the check: a program that the agent has written would read the answers. At level 2
the check's things lie behind a door, a folder that nobody may enter but who has the capability CAP_DAC_READ_SEARCH. The
check's first programs are born with it. A Python whose command, folder or variables name something behind the door keeps it and
does not hand it on, so what it starts in whatever way has it no more, and cannot get it back: the kernel takes it away.
What names something behind the door is started with it. Any other Python lays it down at once.
"""

from __future__ import annotations

import atexit
import errno
import os
import stat
import sys

TYPE_CHECKING = False  # each Python of a check waits for what is imported here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import FrameType
    from typing import Any, Final

__all__ = ["COMPILED", "DOOR", "NOTES", "UNFOUND", "WORKSPACE", "begin"]

UNFOUND: Final = "CLAW_UNFOUND_MODULES"
"""Names the file of modules that were not found: a line has the name, who asked, and a mark if the workspace was searched."""
WORKSPACE: Final = "CLAW_CHECK_WORKSPACE"
"""Names the workspace."""
DOOR: Final = "CLAW_CHECK_DOOR"
"""Names the folder behind which only the check sees; empty where there is none."""
NOTES: Final = "notes"
"""The folder behind the door in which the check's own Pythons have such a file."""
COMPILED: Final = ".compiled-modules"
"""Beside that file: sources of libraries without bytecode, one a line."""
CLOSED: Final = "PYTHONSAFEPATH"
WORKERS: Final = (
    "from multiprocessing.", "from joblib.externals.loky.", "import sys;exec(eval(sys.stdin.readline()))",
)  # fmt: skip
"""The code of a Python that goes on with what another one has begun (execnet, which pytest-xdist uses, is the last)."""
WORKER_MODULES: Final = "joblib.externals.loky."
SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash"})
PLACES: Final = frozenset({DOOR, WORKSPACE, "PWD", "OLDPWD", "_"})
"""Variables that name a folder and mean nothing by it."""
LOOKS: Final = frozenset({"open", "os.chdir", "os.listdir", "os.scandir", "sqlite3.connect"})
"""Audited events whose first argument is a path that is followed."""
CHANGES: Final = frozenset({"os.link", "os.symlink", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate"})
"""Audited events that change what their paths name."""
OF_THE_READER: Final = "/proc/", "/dev/"
"""What lies there is another thing for each who looks: its own command, variables and open files."""
OF_ALL: Final = "/dev/shm/"  # noqa: S108 - looked at by its name only
"""But for this folder, which is like any other."""
MOST_LINKS: Final = 40
AMBIENT, IS_SET, RAISE, CLEAR, READ_SEARCH, DUMPABLE = 47, 1, 2, 4, 2, 4
VERSION_3: Final = 0x20080522


class _Unfound:
    """A finder that is asked last: it finds nothing, and notes that."""

    written = ""
    """The file of notes, while it is written."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        del target
        if path is None:
            frame = sys._getframe(1)  # noqa: SLF001  # inspect would take long to import
            while frame.f_back and frame.f_code.co_filename.startswith("<frozen importlib"):
                frame = frame.f_back
            line = f"{name}\t{os.path.realpath(frame.f_code.co_filename)}\t{_others()}\n"
            try:
                path = _Unfound.written = _notes(UNFOUND)
                with open(path, "ab") as file:
                    file.write(line.encode("utf-8", "surrogateescape"))
            except (OSError, KeyError):
                pass
            finally:
                _Unfound.written = ""


def _others() -> str:
    """A mark if the import path has a folder of the workspace, so that what is not there may be the agent's to write."""
    home = os.environ.get(WORKSPACE)
    return "open" if home and any(f"{os.path.realpath(path)}/".startswith(f"{home}/") for path in sys.path) else ""


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


def _notes(name: str) -> str:
    """The file of notes of this name: behind the door for who sees, where no program of the agent can write."""
    own = os.path.join(os.environ.get(DOOR) or os.devnull, NOTES)
    path = os.environ[name]
    return os.path.join(own, os.path.basename(path)) if os.path.isdir(own) else path


def _here() -> str:
    """The working folder; nothing where it has been removed."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def _behind(path: str, door: str) -> bool:
    """Whether a path as it is written leads behind the door; links are not followed."""
    return f"{os.path.normpath(path)}/".startswith(f"{door}/")


def _names(word: str, folder: str, door: str) -> bool:
    """Whether a word of a command names something behind the door: as a path, an option's value, or in a list of paths."""
    if os.path.lexists(path := os.path.join(folder, word)):
        return _behind(path, door)
    name, _, value = word.partition("=")
    parts = [word, *([value] if name.startswith("-") else value.split(":"))]
    return any(_behind(part, door) for part in parts if part.startswith("/"))


def _text_names(text: str, folder: str, door: str) -> bool:
    """Whether a line of shell has such a word."""
    import shlex

    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:
        words = text.split()
    return any(_names(word, folder, door) for word in words)


def _command_names(words: Sequence[str], folder: str, door: str) -> bool:
    """Whether a command names something behind the door, or goes on with what a Python of the check has begun."""
    shell, own = False, words[:1] == [sys.executable]
    for before, word in zip(("", *words), words, strict=False):
        shell = shell or os.path.basename(word) in SHELLS
        code = before.startswith("-") and before.endswith("c") and before[1:].isalpha()
        if shell and code:
            found = _text_names(word, folder, door)
        else:
            found = _names(word, folder, door) or (own and before == "-m" and word.startswith(WORKER_MODULES))
        if code and not shell:
            worker = word.startswith(WORKERS)
            found = found or (own if worker else any(f"{quote}{door}/" in word for quote in "'\""))
        if found:
            return True
    return False


def _values_name(values: Iterable[str], door: str) -> bool:
    return any(_behind(part, door) for value in values for part in value.split(":") if part.startswith("/"))


def _pairs(env: Any) -> dict[str, str]:
    """An environment: None for that of this process, a mapping, or a list of ``name=value``."""
    if env is None:
        return dict(os.environ)
    items = env.items() if hasattr(env, "items") else (os.fsencode(one).partition(b"=")[::2] for one in env)
    return {os.fsdecode(name): os.fsdecode(value) for name, value in items}


def _seeing(env: dict[str, str], own: dict[str, str]) -> dict[str, str]:
    """The environment of a child that sees: it begins as this module says, and imports nothing that somebody has left."""
    path = [part for part in env.get("PYTHONPATH", "").split(os.pathsep) if part]
    here = os.path.dirname(__file__)
    joined = os.pathsep.join([here, *(part for part in path if part != here)])
    return {**env, **own, CLOSED: "1", "PYTHONNOUSERSITE": "1", "PYTHONPATH": joined}


class _Sight:
    """The capability of this thread, which alone opens the door; nothing happens where it has none."""

    def __init__(self) -> None:
        import ctypes

        self._system = ctypes.CDLL(None)
        self._at = (ctypes.c_char * 24).from_buffer
        self._no = ctypes.c_ulong(0)
        self._which = ctypes.c_ulong(READ_SEARCH)

    def keep(self) -> None:
        """Have it, and do not hand it on."""
        self._system.prctl(AMBIENT, CLEAR, self._no, self._no, self._no)

    def hand_on(self) -> None:
        """What this thread starts now has it."""
        self._system.prctl(AMBIENT, RAISE, self._which, self._no, self._no)

    def look(self, *, away: bool = False) -> None:
        """Use it, or do not: a child opens its program, the interpreter of that and its files with what its parent uses."""
        held = bytearray(24)
        if not self._system.capget(_header(), self._at(held)):
            used = int.from_bytes(held[:4], sys.byteorder) & ~(1 << READ_SEARCH)
            held[:4] = (used if away else used | 1 << READ_SEARCH).to_bytes(4, sys.byteorder)
            self._system.capset(_header(), self._at(held))

    def lay_down(self) -> None:
        """Never have it again. Who had it is of the check's own command: no program of its user may look into its memory."""
        if self._system.prctl(AMBIENT, IS_SET, self._which, self._no, self._no) == 1:
            self._system.prctl(DUMPABLE, self._no, self._no, self._no, self._no)
        self._system.capset(_header(), bytes(24))


def _header() -> bytes:
    """That of this thread."""
    return VERSION_3.to_bytes(4, sys.byteorder) + bytes(4)


class _Starts:
    """The functions that start programs: `subprocess`, `multiprocessing`, `asyncio` and `pty` come by these.

    What they start sees what is behind the door if something there is named to it.
    """

    def __init__(self, sight: _Sight, door: str) -> None:
        import _posixsubprocess
        import posix

        self.sight, self.door = sight, door
        self.own = {name: os.environ[name] for name in (DOOR, UNFOUND, WORKSPACE) if name in os.environ}
        _posixsubprocess.fork_exec = self._by(_posixsubprocess.fork_exec, 0, folder_at=4, env_at=5)
        for name in ("posix_spawn", "posix_spawnp", "execve"):
            self.replace(posix, name, self._by(getattr(posix, name), 1, env_at=2))
        self.replace(posix, "execv", self._by(posix.execv, 1))
        self.replace(posix, "system", self._by(posix.system, None))

    @staticmethod
    def replace(module: Any, name: str, made: Any) -> None:
        made.__name__ = made.__qualname__ = name  # so that it can be pickled
        made.__module__ = module.__name__
        setattr(module, name, made)
        setattr(os, name, made)

    def _by(
        self, start: Callable[..., Any], command_at: int | None, *, folder_at: int = -1, env_at: int = -1
    ) -> Callable[..., Any]:
        """The function with its sight; where its command is (None: one line of shell), its folder and its environment."""

        def starts(*given: Any, **options: Any) -> Any:
            folder = os.fsdecode((given[folder_at] if 0 <= folder_at < len(given) else None) or "")
            env = given[env_at] if 0 <= env_at < len(given) else options.get("env")
            if not self._named(given, options, command_at, os.path.join(_here(), folder), env):
                self.sight.keep()  # a handler of signals may come here while another start hands it on
                if not (0 <= folder_at < len(given) and given[folder_at]):
                    return self._blind(start, given, options)
                held = self._held(folder)
                try:
                    given = (*given[:folder_at], f"/proc/self/fd/{held}", *given[folder_at + 1 :])
                    return self._blind(start, given, options)
                finally:
                    os.close(held)
            return self._seen(start, given, options, env_at, env)

        return starts

    def _blind(self, start: Callable[..., Any], given: Any, options: Any) -> Any:
        within = self._starting()
        try:
            self.sight.look(away=True)
            return start(*given, **options)
        finally:
            if not within:
                self.sight.look()

    def _starting(self) -> bool:
        """Whether this thread is within a start already: a handler of signals may come into one, and start something itself."""
        frame: FrameType | None = sys._getframe(2)  # noqa: SLF001  # inspect would take long to import
        while frame is not None and frame.f_code.co_qualname != self._blind.__qualname__:
            frame = frame.f_back
        return frame is not None

    def _held(self, folder: str) -> int:
        """A descriptor of the folder that a child is to be in, which no link leads anywhere else from now on."""
        held = os.open(folder or ".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        if _behind(os.readlink(f"/proc/self/fd/{held}"), self.door):
            os.close(held)
            raise PermissionError(f"a link leads to the check's own things: {folder}")
        return held

    def _named(self, given: Any, options: Any, command_at: int | None, folder: str, env: Any) -> bool:
        if _behind(folder, self.door):
            return True
        if _behind(_followed(folder)[0], self.door):
            raise PermissionError(f"a link leads to the check's own things: {folder}")
        if env is not None and _values_name(
            [value for name, value in _pairs(env).items() if name not in PLACES and value != os.environ.get(name)],
            self.door,
        ):
            return True
        if command_at is None:
            line = given[0] if given else options.get("command", "")
            return _text_names(os.fsdecode(line), folder, self.door)
        words = [os.fsdecode(word) for word in (given[command_at] if len(given) > command_at else ())]
        program = given[0] if command_at else given[1] if len(given) > 1 else ()
        programs = [program] if isinstance(program, (str, bytes, os.PathLike)) else [*program] if program else []
        return _command_names(words, folder, self.door) or any(
            _names(os.fsdecode(one), folder, self.door) for one in programs
        )

    def _seen(self, start: Callable[..., Any], given: Any, options: Any, env_at: int, env: Any) -> Any:
        inherited: dict[str, str | None] = {}
        if env is not None and "env" in options:
            options = {**options, "env": _seeing(_pairs(env), self.own)}
        elif 0 <= env_at < len(given):
            made = _seeing(_pairs(env), self.own)
            mapping = hasattr(env, "items")
            told = made if mapping else [os.fsencode(f"{name}={value}") for name, value in made.items()]
            given = (*given[:env_at], told, *given[env_at + 1 :])
        else:
            made = _seeing(dict(os.environ), self.own)
            inherited = {name: os.environ.get(name) for name in made if os.environ.get(name) != made[name]}
            os.environ.update(made)
        self.sight.hand_on()
        try:
            return start(*given, **options)
        finally:
            self.sight.keep()
            for name, value in inherited.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


def _followed(path: str) -> tuple[str, bool]:
    """Where a path leads by its links, and whether a link that anybody may have made leads to what is of the reader.

    Raises:
        PermissionError: that cannot be found out, as on a way that is too long to be looked at.
    """
    place, rest, links = "" if path.startswith("/") else _here(), path.split("/")[::-1], 0
    anybodys = led = False
    while rest:
        part = rest.pop()
        if part in ("", "."):
            continue
        if part == "..":
            place = place.rpartition("/")[0]
            continue
        place = f"{place}/{part}"
        own = _of_the_reader(place)
        led = led or (own and anybodys)
        if links > MOST_LINKS:
            continue
        try:
            target = os.readlink(place)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            continue
        except OSError as error:
            if error.errno == errno.EINVAL:  # no link
                continue
            raise PermissionError(f"nobody can say where it leads: {path[:200]}") from None
        links, anybodys = links + 1, anybodys or not own
        place = "" if target.startswith("/") else place.rpartition("/")[0]
        rest += target.split("/")[::-1]
    return place, led


def _of_the_reader(place: str) -> bool:
    return place.startswith(OF_THE_READER) and not f"{place}/".startswith(OF_ALL)


def _has_open(place: str) -> bool:
    """Whether a path is the reader's word for what it has open."""
    return os.path.dirname(place) in ("/dev/fd", "/proc/self/fd") or place in (
        "/dev/stdin",
        "/dev/stdout",
        "/dev/stderr",
    )


def _follow_no_links(door: str) -> None:
    """A link that a program has left must not lead the check's own Python to its answers, nor an archive into its notes."""
    ours = tuple(f"{path}/" for path in (os.path.dirname(__file__), sys.prefix, sys.base_prefix))

    def followed(path: str) -> None:
        whole = os.path.normpath(os.path.join(_here(), path))
        if whole.startswith(ours) or _has_open(whole) or _behind(whole, door):
            return
        place, led = _followed(path)
        if led or _behind(place, door):
            raise PermissionError(f"a link leads to the check's own things: {path}")

    def look(event: str, given: tuple[Any, ...]) -> None:
        if event in CHANGES or (event == "open" and isinstance(given[2], int) and given[2] & (os.O_WRONLY | os.O_RDWR)):
            for path in given[:2]:
                if isinstance(path, (str, bytes, os.PathLike)) and _behind(
                    _followed(name := os.fsdecode(path))[0], door
                ):
                    if name == _Unfound.written:
                        return
                    raise PermissionError(f"the check's own things are not to be changed: {name}")
        if event not in LOOKS or not given or not isinstance(given[0], (str, bytes, os.PathLike)):
            return
        path = os.fsdecode(given[0])
        followed(path.removeprefix("file:").partition("?")[0] if event == "sqlite3.connect" else path)

    sys.addaudithook(look)
    _hold(followed, door)


def _hold(followed: Callable[[str], None], door: str) -> None:
    """What is opened by its number is looked at again once it is held: a link may have come into its way meanwhile.

    Below a folder's number it is looked at before, too: the audited event does not name the folder. To go into a folder is to
    open it and to go where that is.
    """
    import posix

    opens, goes = posix.open, posix.chdir

    def opened(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        name = os.fsdecode(path)
        if dir_fd is not None:
            name = os.path.join(os.readlink(f"/proc/self/fd/{dir_fd}"), name)
            followed(name)
        held = opens(path, flags, mode, dir_fd=dir_fd)
        whole = os.path.normpath(os.path.join(_here(), name))
        if _behind(os.readlink(f"/proc/self/fd/{held}"), door) and not (_behind(whole, door) or _has_open(whole)):
            os.close(held)
            raise PermissionError(f"a link leads to the check's own things: {name}")
        return held

    def chdir(path: Any) -> None:
        if isinstance(path, int):
            return goes(path)
        held = opened(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            goes(held)
        finally:
            os.close(held)

    _Starts.replace(posix, "open", opened)
    _Starts.replace(posix, "chdir", chdir)
    os.supports_dir_fd.add(opened)
    os.supports_fd.add(chdir)


def _script() -> str:
    """The script that is started; empty for what is no file."""
    name = sys.argv[0]
    return os.path.realpath(name) if name not in ("", "-", "-c", "-m") and os.path.isfile(name) else ""


def _told() -> bool:
    """Whether this Python is told what to do on its input: by a pipe, a text in a line of shell, or a file of the check's."""
    if sys.argv[0] not in ("", "-"):
        return False
    try:
        state = os.fstat(0)
    except OSError:
        return False
    if stat.S_ISREG(state.st_mode) and _behind(os.readlink("/proc/self/fd/0"), os.environ.get(DOOR) or os.devnull):
        return True
    return stat.S_ISFIFO(state.st_mode) or (stat.S_ISREG(state.st_mode) and not state.st_nlink)


def _sees(door: str) -> bool:
    """Whether this Python is the check's own."""
    values = [value for name, value in os.environ.items() if name not in PLACES]
    command = _command_names([sys.executable, *sys.orig_argv[1:]], _here(), door)
    return command or _behind(_here(), door) or _values_name(values, door) or _told()


def _open_path(door: str | None, *, sees: bool) -> None:
    """Put on the closed import path what is Python's rule: a script's folder, and for the check where it is at home."""
    script = _script()
    if script:
        others = sees and not _behind(script, door or "")  # a file beside it may be anybody's
        sys.path.insert(len(sys.path) if others else 0, os.path.dirname(script))
        os.environ.pop(CLOSED, None)
    elif sees and _behind(_here(), door or ""):
        sys.path.insert(0, _here())


def _keep_apart(door: str) -> bool:
    """See behind the door, and hand that on to nobody, if this Python is the check's own; whether it is."""
    sight, sees = _Sight(), False
    try:
        sees = _sees(door)
    finally:
        if not sees:
            sight.lay_down()
    if sees:
        sight.keep()
        _Starts(sight, door)
        _follow_no_links(door)
    return sees


def begin() -> None:
    """Note what is not found; put a script's folder on the path; see behind the door if this Python is the check's own."""
    sys.meta_path.append(_Unfound)
    atexit.register(_at_exit)
    door = os.environ.get(DOOR)
    sees = _keep_apart(door) if door else False
    if getattr(sys.flags, "safe_path", False):
        _open_path(door, sees=sees)  # behind all that is imported here: what lies beside a script may be anybody's


if __name__ == "sitecustomize":
    begin()
