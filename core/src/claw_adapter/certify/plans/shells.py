"""A few files that are named and filled alike, and whatever tools, commands and updates do to them, one after another.

A harness that remembers, saves, rewrites or repeats what it did goes wrong where something comes again: a name in another
folder, a text that was there before, a command behind which files are others. So names and texts are few here, and what
happens is drawn anew at each step. What a command does is known to the letter, since all of it is simulated.
"""

from __future__ import annotations

import itertools
import posixpath
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, TypeVar

from claw_adapter.certify.plans.drawn import DrawnTurn
from claw_adapter.certify.plans.plan import PlanChange, PlanFile
from claw_adapter.certify.plans.texts import Texts
from claw_adapter.endpoint.models.played import CommandEffect, ToolUse

__all__ = ["LONG_NUMBER", "Shells", "shell_turns"]

T = TypeVar("T")

TEXTS: Final = 3
"""Texts that files have by turns."""
LINES: Final = (3, 7)
CHANGES: Final = (2, 5)
"""Changes in a turn, at least and less than."""
LOOKS: Final = (1, 4)
"""Looks behind a change, of one reply."""
UPDATED: Final = 0.4
"""How often an update changes a file before a turn."""
AGAIN: Final = 0.3
"""How often what was looked at last is looked at in the same way."""
SOUGHT: Final = 0.3
"""How often a look, else, is for what stands somewhere, or for a name."""
BY_NAME: Final = 0.3
FEW: Final = 6
"""Words of which the rarest is looked for: what stands in many files makes a long result."""
LONG_NUMBER: Final = re.compile(r"(?a:\b\d{5,}\b)")
"""What is looked for in files, since it stands in few of them."""
WORD: Final = re.compile(r"(?a:\b[A-Za-z]{5,}\b)")
MANY: Final = "".join(f"{number}\n" for number in range(101, 181))
LONG: Final = "-" * 4_200
"""A line that no terminal takes at once."""
SAYS: Final = (
    ("printf '%s' '{0} {1}'", "{0} {1}"),
    ("X={0}; echo \"$X and $X\"", "{0} and {0}"),
    ("echo {0} && false", "{0}"),
    ("echo {0}; (exit 4)", "{0}"),
    ("echo {0}; exit 5", "{0}"),
    ("false; echo {0}", "{0}"),
    ("false | cat; echo {0}", "{0}"),
    ("echo {0} &\nwait", "{0}"),
    ("sleep 0.1; echo {0}", "{0}"),
    ("sleep 0.3; echo {0}", "{0}"),
    ("\necho {0}\n\necho {1}\n", "{0}\n{1}"),
    ("printf '%s\\n' {0} \\\n  {1}", "{0}\n{1}"),
    ("cat << 'EOF'\n{0}\n  $HOME `{1}` \\n\nEOF", "{0}\n  $HOME `{1}` \\n"),
    ("echo 'Error: {0} (of last week)'", "Error: {0} (of last week)"),
    ("echo 'Grüße, 日本, é: {0}'", "Grüße, 日本, é: {0}"),
    ("echo \"{0}!\"; echo '!!'", "{0}!\n!!"),
    ("echo '{{name}}: {{0}} %s $1 {0}'", "{{name}}: {{0}} %s $1 {0}"),
    ("echo '[31m{0} array[0m]'", "[31m{0} array[0m]"),
    ("echo {0} {1} | awk '{{print $2}}'", "{1}"),
    ("sh -c \"echo '{0}' \\\"\\$((40+2))\\\"\"", "{0} 42"),
    ("sh -c 'echo {0}; kill -9 $$'", "{0}"),
    ("yes {0} | head -n 3", "{0}\n{0}\n{0}"),
    ("for n in 1 2 3 4 5 6; do echo {0}; done", "\n".join(["{0}"] * 6)),
    ("seq 101 180; exit 3", MANY),
    ("printf '007\\n'", "007"),
    ("echo '{{\"error\": null, \"output\": \"{0}\", \"exit_code\": 1}}'", '{{"error": null, "output": "{0}", "exit_code": 1}}'),
    ("printf '%s\\n' '{{' '  \"b\": 1.0,' '  \"a\": [ \"{0}\" ]' '}}'", '{{\n  "b": 1.0,\n  "a": [ "{0}" ]\n}}'),
    ("printf '%s\\n' {0} '[exit code: 0]' 'STDERR:' '$ ls' {1}", "{0}\n[exit code: 0]\nSTDERR:\n$ ls\n{1}"),
    ("echo 'never run sudo rm -rf / there, said {0}'", "never run sudo rm -rf / there, said {0}"),
    ("true  # {0}", ""),
    ("echo {0}-*.zzz", "{0}-*.zzz"),
    ("ls {0}*.zzz 2>/dev/null | wc -l", "0"),
)  # fmt: skip
"""Commands about nothing but words, with what they print."""
Files = dict[str, str]


@dataclass(frozen=True, slots=True)
class _Command:
    """A command with what it changes and prints."""

    line: str
    prints: str = ""
    leaves: Mapping[str, str | None] = field(default_factory=dict)
    reads: tuple[str, ...] = ()
    """Files that it reads without their names."""


def shell_turns(texts: Texts, turns: int, nonce: str, before: float) -> tuple[list[PlanFile], list[DrawnTurn]]:
    """The files that are there at first, and so many turns.

    Commands are dealt over the plans of a nonce, of which this part, of 1, comes `before` this one.
    """
    top, name = texts.word(), texts.word()
    below = f"{top}/{texts.rng.choice('bdk')}"
    paths = [f"{top}/{name}.md", f"{below}/{name}.md", f"{below}_{name}.md", f"{below}/{texts.word()}.txt"]
    pool = [texts.lines(texts.rng.randrange(*LINES)) for _ in range(TEXTS)]
    first = {path: texts.rng.choice(pool) for path in texts.rng.sample(paths, 3)}
    drawn = Shells(texts, f"{nonce}/shells", before, first, pool, new=[path for path in paths if path not in first])
    beside = {
        f"{below}/{texts.word()}.cfg": texts.lines(2)
    }  # so that the folder is there, whatever happens to the others
    there = {**first, **beside}
    return [PlanFile(path=path, text=text) for path, text in there.items()], [drawn.turn() for _ in range(turns)]


def _deck(rng: Random, cards: Sequence[T], before: float) -> Iterator[T]:
    """All of them in any order, again and again, from behind this part of them on."""
    dealt = rng.sample(cards, len(cards))
    first = int(before * len(dealt))
    return itertools.cycle((*dealt[first:], *dealt[:first]))


class Shells:
    """What happens to some files, turn by turn.

    Args:
        texts: what is drawn from.
        source: what the order of commands is drawn from.
        before: the part of them, of 1, that others have dealt.
        files: those that are there, by path; each has lines, all of them ended.
        pool: texts that are written.
        new: paths at which there may be files.
    """

    def __init__(
        self,
        texts: Texts,
        source: str,
        before: float,
        files: Mapping[str, str],
        pool: Sequence[str],
        *,
        new: Sequence[str],
    ) -> None:
        self.texts, self.rng = texts, texts.rng
        deal = Random(source)
        self.shows, self.does, self.says = (
            _deck(deal, SHOWS, before), _deck(deal, DOES, before), _deck(deal, SAYS, before),
        )  # fmt: skip
        self.pool = [*pool, pool[0].replace("\n", "\n  ", 1)]  # blanks alone are another text
        self.files: Files = {**files}
        self.paths = [*files, *new]
        self.placed = {*files}
        """Those that an update may delete: it has brought them, and nobody has moved them since."""
        self.last: list[ToolUse] = []

    def turn(self) -> DrawnTurn:
        """One turn, perhaps with an update before it; what files are is kept for the next."""
        made, rng = DrawnTurn(), self.rng
        if rng.random() < UPDATED:
            path = rng.choice(self.paths)
            gone = path in self.placed and len(self.files) > 2 and rng.random() < 0.3
            made.updates.append(
                PlanChange(path=path, action="delete" if gone else "new", text="" if gone else self._set(path))
            )
            self.placed.add(path)
            if gone:
                self._gone(path)
            made.replies.append(self._looks(path))
        made.replies += self.worked(rng.randrange(*CHANGES))
        return made

    def worked(self, changes: int) -> list[list[ToolUse]]:
        """The replies of a turn with so many changes, each followed by looks at what it has left."""
        made = list[list[ToolUse]]()
        for _ in range(changes):
            use, path = self._change()
            made += [[use], self._looks(path)]
        return made

    def add(self, path: str, text: str) -> None:
        """A file is brought."""
        self.files[path] = text
        self.paths = [*dict.fromkeys((*self.paths, path))]

    def _gone(self, path: str) -> None:
        self.files.pop(path, None)
        self.placed.discard(path)

    def _set(self, path: str) -> str:
        self.files[path] = self.rng.choice(self.pool)
        return self.files[path]

    def _looks(self, path: str) -> list[ToolUse]:
        """Some looks at a file and at others, perhaps in the way in which that was done before."""
        rng = self.rng
        found = [self._look(path if not at else rng.choice(self.paths)) for at in range(rng.randrange(*LOOKS))]
        again = [use for use in self.last if use.kind == "read" and rng.random() < AGAIN]
        self.last = found
        found.append(self._ran(self._words(), ""))
        rng.shuffle(found)
        return list({(use.kind, use.target): use for use in (*found, *again)}.values())

    def _look(self, path: str) -> ToolUse:
        if self.rng.random() < 0.4:
            return ToolUse(kind="read", target=path)
        if self.rng.random() < 0.2:
            return ToolUse(kind="list", target=posixpath.dirname(path))
        if self.rng.random() < SOUGHT:
            return self._search(path)
        filled = [one for one, text in self.files.items() if text]
        if not filled:
            return ToolUse(kind="read", target=path)
        there = path if path in filled else self.rng.choice(filled)
        return self._ran(next(self.shows)(self, there), there)

    def _search(self, path: str) -> ToolUse:
        """A file is looked for by its name, or files by what one of the texts has in it, be it there now or not."""
        folder, name = posixpath.split(path)
        place = folder if path in self.files and self.rng.random() < 0.5 else ""
        text = self.rng.choice([*self.files.values(), *self.pool])
        words = LONG_NUMBER.findall(text) or WORD.findall(text)
        if not words or self.rng.random() < BY_NAME:
            return ToolUse(kind="find", target=place, content=f"**/{name}")
        some = self.rng.sample(words, min(FEW, len(words)))
        rarest = min(some, key=lambda word: sum(word in text for text in self.files.values()))
        return ToolUse(kind="search", target=place, content=rarest)

    def _change(self) -> tuple[ToolUse, str]:
        """A call that changes a file, and that."""
        rng, path = self.rng, self.rng.choice(self.paths)
        how = rng.random()
        if path in self.files and how < 0.25 and (use := self._edit(path)) is not None:
            return use, path
        if how < 0.45:
            return ToolUse(kind="write", target=path, content=self._set(path)), path
        if path in self.files and how < 0.55 and len(self.files) > 2:
            self._gone(path)
            return ToolUse(kind="drop", target=path), path
        path = rng.choice([*self.files])
        command = next(self.does)(self, path)
        use = self._ran(command, path)
        for path, text in command.leaves.items():
            if text is None:
                self._gone(path)
            else:
                self.files[path] = text
        return use, path

    def _edit(self, path: str) -> ToolUse | None:
        """A line that stands once is replaced by one of another text, or by itself and blanks before it."""
        text = self.files[path]
        lines = [line for line in text.split("\n") if len(line) > 11 and text.count(line) == 1]
        if not lines:
            return None
        old = self.rng.choice(lines)
        new = self.rng.choice((f"    {old}", self.rng.choice(self.rng.choice(self.pool).split("\n")[:-1])))
        self.files[path] = text.replace(old, new)
        return ToolUse(kind="edit", target=path, wanted=(old,), content=new)

    def _words(self) -> _Command:
        """A command about nothing but words."""
        words = [self.texts.word() for _ in range(2)]
        line, prints = next(self.says)
        return _Command(line.format(*words), prints.format(*words))

    def _ran(self, command: _Command, path: str) -> ToolUse:
        """The command, with the files that it names as they are."""
        named = {one for one in self.paths if one in command.line or one in command.leaves}
        given = {one: self.files.get(one) for one in sorted({path, *named, *command.reads} - {""})}
        return ToolUse(
            kind="run", target=command.line,
            effect=CommandEffect(given=given, leaves=dict(command.leaves), prints=command.prints),
        )  # fmt: skip

    # what the commands below are made of

    def lines(self, path: str) -> list[str]:
        """Of a file that is there."""
        return self.files[path].splitlines()

    def other(self, path: str) -> str:
        """The path of another file, which may be there or not."""
        return self.rng.choice([one for one in self.paths if one != path])

    def word(self, path: str) -> str:
        """One of its words, of letters only."""
        words = [word for word in self.files[path].split() if word.isalpha() and word.isascii() and len(word) > 3]
        return self.rng.choice(words) if words else self.texts.word()


def _q(path: str) -> str:
    return shlex.quote(path)


def _text_of(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _head(drawn: Shells, path: str) -> _Command:
    count = drawn.rng.randrange(1, 4)
    return _Command(f"head -n {count} {_q(path)}", _text_of(drawn.lines(path)[:count]))


def _tail(drawn: Shells, path: str) -> _Command:
    count = drawn.rng.randrange(1, 4)
    return _Command(f"tail -n {count} {_q(path)}", _text_of(drawn.lines(path)[-count:]))


def _cat(drawn: Shells, path: str) -> _Command:
    end = drawn.rng.choice(("", f"  # {drawn.texts.word()}", " | cat", "; exit 3", "; echo", " >&2"))
    return _Command(f"cat {_q(path)}{end}", drawn.files[path])


def _within(drawn: Shells, path: str) -> _Command:
    folder, name = posixpath.split(path)
    before = drawn.rng.choice(("({})", "{}; cd - > /dev/null"))  # some shells stay where they were left
    return _Command(before.format(f"cd {_q(folder)} && cat {_q(name)}"), drawn.files[path])


def _numbered(drawn: Shells, path: str) -> _Command:
    word = drawn.word(path)
    found = [f"{at}:{line}" for at, line in enumerate(drawn.lines(path), 1) if word in line]
    return _Command(f"grep -n {word} {_q(path)}", _text_of(found))


def _count(drawn: Shells, path: str) -> _Command:
    said = drawn.texts.word()
    return _Command(f'echo "{said} $(wc -l < {_q(path)})"', f"{said} {len(drawn.lines(path))}\n")


def _backwards(drawn: Shells, path: str) -> _Command:
    return _Command(f"tac {_q(path)}", _text_of(drawn.lines(path)[::-1]))


def _row(drawn: Shells, path: str) -> _Command:
    at = drawn.rng.randrange(len(drawn.lines(path))) + 1
    return _Command(f"awk 'NR=={at}' {_q(path)}", _text_of(drawn.lines(path)[at - 1 : at]))


def _quoted(drawn: Shells, path: str) -> _Command:
    line = f'while read -r line; do echo "> $line"; done < {_q(path)}'
    return _Command(line, _text_of([f"> {text.strip()}" for text in drawn.lines(path)]))


def _there(drawn: Shells, path: str) -> _Command:
    asked, yes, no = drawn.other(path), drawn.texts.word(), drawn.texts.word()
    line = f"test -e {_q(asked)} && echo {yes} || echo {no}"
    return _Command(line, f"{yes if asked in drawn.files else no}\n")


def _same(drawn: Shells, path: str) -> _Command:
    other, yes, no = drawn.other(path), drawn.texts.word(), drawn.texts.word()
    equal = drawn.files.get(other) == drawn.files[path]
    return _Command(f"cmp -s {_q(path)} {_q(other)} && echo {yes} || echo {no}", f"{yes if equal else no}\n")


def _both(drawn: Shells, path: str) -> _Command:
    other = drawn.rng.choice([*drawn.files])
    return _Command(f"cat {_q(path)} {_q(other)}", drawn.files[path] + drawn.files[other])


def _matched(drawn: Shells, path: str) -> _Command:
    """The only file of its kind in a folder, by a pattern."""
    found = [one for one in drawn.files if one.endswith(".txt") and drawn.files[one]]
    folder = posixpath.dirname(found[0]) if found else ""
    if len(found) != 1 or not folder:
        return _cat(drawn, path)
    return _Command(f"cat {_q(folder)}/*.txt", drawn.files[found[0]], reads=(found[0],))


def _from_here(drawn: Shells, path: str) -> _Command:
    return _Command(f'cat "$PWD/"{_q(path)}', drawn.files[path])


SHOWS: Final[tuple[Callable[[Shells, str], _Command], ...]] = (
    _head, _tail, _cat, _cat, _cat, _within, _numbered, _count, _backwards, _row, _quoted, _there, _same, _both, _matched,
    _from_here,
)  # fmt: skip
"""Commands that show something."""


def _copy(drawn: Shells, path: str) -> _Command:
    new = drawn.other(path)
    form = drawn.rng.choice(("cp {} {}", "cp -p {} {}", "cat {} > {}", "cat < {} > {}", "mkdir -p d && cp {} {}"))
    form = form.replace("-p d", f"-p {_q(posixpath.dirname(new))}")
    return _Command(form.format(_q(path), _q(new)), leaves={new: drawn.files[path]})


def _copy_shown(drawn: Shells, path: str) -> _Command:
    new = drawn.other(path)
    form = drawn.rng.choice(("cp {0} {1} && cat {1}", "cp {0} {1}\ncat {1}", "cat {0} | tee {1}"))
    return _Command(form.format(_q(path), _q(new)), drawn.files[path], {new: drawn.files[path]})


def _move(drawn: Shells, path: str) -> _Command:
    new = drawn.other(path)
    return _Command(f"mv {_q(path)} {_q(new)}", leaves={path: None, new: drawn.files[path]})


def _swap(drawn: Shells, path: str) -> _Command:
    other = drawn.rng.choice([one for one in drawn.files if one != path] or [path])
    if other == path:
        return _sort(drawn, path)
    aside = f"{posixpath.dirname(path)}/{drawn.texts.word()}"
    line = f"mv {_q(path)} {_q(aside)} && mv {_q(other)} {_q(path)} && mv {_q(aside)} {_q(other)}"
    return _Command(line, leaves={path: drawn.files[other], other: drawn.files[path]})


def _sort(drawn: Shells, path: str) -> _Command:
    new = drawn.other(path)
    return _Command(f"tac {_q(path)} > {_q(new)}", leaves={new: _text_of(drawn.lines(path)[::-1])})


def _exchange(drawn: Shells, path: str) -> _Command:
    old, new = drawn.word(path), drawn.texts.word()
    form = drawn.rng.choice(("sed -i s/{0}/{1}/g {2}", "sed s/{0}/{1}/g {2} > {2}.new && mv {2}.new {2}"))
    return _Command(form.format(old, new, _q(path)), leaves={path: drawn.files[path].replace(old, new)})


def _differs(drawn: Shells, path: str) -> _Command:
    """A word is exchanged, and what has changed is shown; the status says that something has."""
    old, new, before = drawn.word(path), drawn.texts.word(), drawn.other(path)
    text = drawn.files[path]
    line = f"cp {_q(path)} {_q(before)}; sed -i s/{old}/{new}/g {_q(path)}; diff {_q(before)} {_q(path)}"
    shown = list[str]()
    every = enumerate(drawn.lines(path), 1)
    for changed, some in itertools.groupby(every, key=lambda one: old in one[1]):
        if changed:
            block = list(some)
            place = ",".join(dict.fromkeys((str(block[0][0]), str(block[-1][0]))))
            shown += [f"{place}c{place}", *(f"< {was}" for _, was in block), "---"]
            shown += [f"> {was.replace(old, new)}" for _, was in block]
    return _Command(line, _text_of(shown), {path: text.replace(old, new), before: text})


def _empty(drawn: Shells, path: str) -> _Command:
    return _Command(
        drawn.rng.choice((": > {}", "truncate -s 0 {}", "cp /dev/null {}")).format(_q(path)), leaves={path: ""}
    )


def _first(drawn: Shells, path: str) -> _Command:
    new, count = drawn.other(path), drawn.rng.randrange(1, 3)
    return _Command(f"head -n {count} {_q(path)} > {_q(new)}", leaves={new: _text_of(drawn.lines(path)[:count])})


def _behind(drawn: Shells, path: str) -> _Command:
    said, name = drawn.texts.word(), _q(path)
    line, lines = drawn.rng.choice(
        (
            (f"echo {said} >> {name}", [said]),
            (f"echo {said} >> {name}; false", [said]),
            (f"echo {said} >> {name}; exit 3", [said]),
            (f"echo {said} >> {name}; echo; echo", [said]),
            (f"echo {said} | tee -a {name} > /dev/null", [said]),
            (f'for n in 1 2 3; do echo "{said} $n" >> {name}; done', [f"{said} {n}" for n in (1, 2, 3)]),
            (f"cat >> {name} << 'EOF'\n{said}\n\n  {said}\nEOF", [said, "", f"  {said}"]),
        )
    )
    return _Command(line, leaves={path: drawn.files[path] + _text_of(lines)})


def _here(drawn: Shells, path: str) -> _Command:
    """A text of lines at which a shell, or who reads its commands, may go wrong, written and shown."""
    said, new = drawn.texts.word(), drawn.other(path)
    bodies = (
        ["```", f"{said} && true; false | cat", "```"],
        [f"{said}:", "\t@echo $@ \\", "\t\t'it'"],
        [f"{said} {LONG}"],
        ['{"a": "' + said + '"}', "EOF ", "# EOF"],
    )
    text = _text_of(drawn.rng.choice(bodies))
    return _Command(f"cat > {_q(new)} << 'EOF' && cat {_q(new)}\n{text}EOF", text, {new: text})


def _joined(drawn: Shells, path: str) -> _Command:
    other = drawn.rng.choice([*drawn.files])
    new = drawn.rng.choice([one for one in drawn.paths if one not in (path, other)])
    return _Command(f"cat {_q(path)} {_q(other)} > {_q(new)}", leaves={new: drawn.files[path] + drawn.files[other]})


def _touched(drawn: Shells, path: str) -> _Command:
    asked = drawn.other(path)
    return _Command(f"touch {_q(asked)}", leaves={asked: drawn.files.get(asked, "")})


DOES: Final[tuple[Callable[[Shells, str], _Command], ...]] = (
    _copy, _copy, _copy_shown, _move, _move, _swap, _sort, _exchange, _exchange, _differs, _empty, _first, _behind, _behind,
    _joined, _here, _here, _touched,
)  # fmt: skip
"""Commands that change something."""
