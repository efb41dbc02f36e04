"""Commands of a shell that change no file, whatever files there are, and those that first say something into one."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

__all__ = ["only_looks", "said_first"]

SIGNS: Final = "();<>|&"
JOINED: Final = frozenset({"|", "||", "&&", ";", "|&"})
INSIDE: Final = re.compile(r"\$\(|`|[<>]\(|\n")
"""What has commands inside, or behind a line end."""
LITERAL: Final = re.compile(r"[^$`*?~!{}\[\]\\#<>|&;()]*")
"""A word that means itself, in quotation marks or not."""
PRINT: Final = frozenset({
    "[", "basename", "cat", "cd", "cksum", "cmp", "column", "comm", "cut", "df", "diff", "dirname", "du", "echo", "egrep",
    "expr", "false", "fgrep", "fold", "grep", "head", "hexdump", "id", "join", "jq", "ls", "md5sum", "nl", "nproc", "od",
    "paste", "printenv", "printf", "pwd", "readlink", "realpath", "rev", "seq", "sha1sum", "sha256sum", "sleep", "stat",
    "strings", "tac", "tail", "test", "tr", "true", "type", "uname", "wc", "which", "whoami",
})  # fmt: skip
"""Programs to which POSIX and the GNU manuals give no operand and no option that writes a file."""
ONLY_SO: Final[Mapping[str, re.Pattern[str]]] = {
    "awk": re.compile(r"(?!-[fi]|--|.*\bsystem\b)[^>|]*", re.DOTALL),
    "date": re.compile(r"(?!.*^(?:-s|--set)).*", re.DOTALL | re.MULTILINE),
    "file": re.compile(r"(?!.*^(?:-C|--compile)).*", re.DOTALL | re.MULTILINE),
    "find": re.compile(
        r"(?!.*^-(?:delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)$).*", re.DOTALL | re.MULTILINE
    ),
    "sed": re.compile(r"-n\n(?:\d+|\$)(?:,(?:\d+|\$))?p(?:\n[^-].*)*"),
    "sort": re.compile(r"(?!.*^(?:-[A-Za-z]*o|--output|--compress)).*", re.DOTALL | re.MULTILINE),
    "uniq": re.compile(r"(?:-.*\n?)*(?:[^-].*)?"),
}
"""Others, with how their arguments, a line each, look where they write none either."""


def only_looks(command: str) -> bool:
    """Whether a command changes no file: each of its parts is a program that prints and nothing else, and goes to no file.

    What is not quite plain (commands within others, several lines, words of the shell's own) is not said to.
    """
    try:
        return INSIDE.search(command) is None and all(map(_prints, _parts(_words(command))))
    except ValueError:  # a quotation mark is open, or it goes where nobody knows
        return False


def said_first(command: str) -> tuple[str, str, str] | None:
    """The line, ``>`` or ``>>``, and the file of ``echo LINE > FILE``, if a command only looks behind that; else None."""
    try:
        words = _words(command) if "echo" in command and INSIDE.search(command) is None else []  # few say so
        end = next((at for at, word in enumerate(words) if word in (";", "&&")), len(words))
        match words[:end]:
            case ["echo", *said, (">" | ">>") as how, path] if all(map(LITERAL.fullmatch, (*said, path))):
                looks = end == len(words) or all(map(_prints, _parts(words[end + 1 :])))
                other = "".join(said).startswith("-") or "".join(said[-1:]).isdigit()  # an option, or another output
                return (" ".join(said), how, path) if looks and not other else None
    except ValueError:
        pass
    return None


def _words(command: str) -> list[str]:
    """The words and signs of a command.

    Raises:
        ValueError: a quotation mark is open.
    """
    reader = shlex.shlex(command, posix=True, punctuation_chars=SIGNS)
    reader.whitespace_split, reader.commenters = True, ""
    return list(reader)


def _parts(words: Sequence[str]) -> Iterator[list[str]]:
    """The commands that are joined in one, without what they read and where they print."""
    part, coming = list[str](), iter(words)
    for word in coming:
        if word in JOINED:
            yield part
            part = []
        elif not word or word.strip(SIGNS):
            part.append(word)
        elif not _harmless(word, next(coming, "")):
            raise ValueError(word)
    yield part


def _harmless(sign: str, target: str) -> bool:
    """Whether what stands behind a sign is read, or is nowhere, or another output."""
    match sign:
        case "<":
            return bool(target.strip(SIGNS))
        case ">&":
            return target.isdigit()
        case ">" | ">>" | "&>":
            return target == "/dev/null"
    return False


def _prints(words: Sequence[str]) -> bool:
    """Whether one command changes nothing."""
    program, *given = words or [""]
    return program in PRINT or (program in ONLY_SO and ONLY_SO[program].fullmatch("\n".join(given)) is not None)
