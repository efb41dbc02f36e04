"""The program `stock`: its words in, what it prints out."""

import argparse
import sqlite3
from typing import NoReturn

from sqlite_stock.database import GONE


class Refused(Exception):
    """A command that cannot be done: the message and the exit status, 2 for one that is not understood."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise Refused(f"{message}\n{self.format_usage().strip()}", 2)

    def print_help(self, file: object = None) -> NoReturn:  # noqa: ARG002
        raise Refused(self.format_help().strip(), 0)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="stock")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("list", help="all articles at all places")
    show = verbs.add_parser("show", help="one article, with its changes")
    move = verbs.add_parser("move", help="from one place to another")
    off = verbs.add_parser("write-off", help="what is broken or lost")
    for verb in (show, move, off):
        verb.add_argument("sku", metavar="SKU")
    for verb in (move, off):
        verb.add_argument("n", metavar="N", type=int)
        verb.add_argument("--from", dest="source", metavar="PLACE", required=verb is move)
    move.add_argument("--to", dest="target", metavar="PLACE", required=True)
    off.add_argument("--reason", metavar="TEXT", required=True)
    return parser


def done(database: sqlite3.Connection, words: list[str]) -> str:
    """Does the command in the database and returns what it prints."""
    asked = _parser().parse_args(words[1:])
    if asked.verb == "list":
        rows = database.execute(
            "SELECT sku, place, n, name FROM stock NATURAL JOIN article WHERE place != ? AND n ORDER BY 1, 2", [GONE]
        )
        return "\n".join(f"{sku:8} {place:8} {n:4}  {name}" for sku, place, n, name in rows)
    if not database.execute("SELECT 1 FROM article WHERE sku = ?", [asked.sku]).fetchone():
        raise Refused(f"there is no article {asked.sku}; see: stock list")
    if asked.verb == "show":
        return _shown(database, asked.sku)
    if asked.verb == "move":
        return _changed(database, asked.sku, asked.n, asked.source, asked.target, "")
    if not asked.reason.strip():
        raise Refused("--reason needs a text", 2)
    return _changed(database, asked.sku, asked.n, asked.source or _only_place(database, asked.sku), GONE, asked.reason)


def _shown(database: sqlite3.Connection, sku: str) -> str:
    [[name]] = database.execute("SELECT name FROM article WHERE sku = ?", [sku])
    lines = [f"{sku}  {name}"]
    lines += [
        f"{n:4}  {place}" for place, n in database.execute("SELECT place, n FROM stock WHERE sku = ? ORDER BY 1", [sku])
    ]
    changes = database.execute("SELECT n, source, target, reason FROM change WHERE sku = ? ORDER BY rowid", [sku])
    lines += [f"{n} from {source} to {target} {reason}".strip() for n, source, target, reason in changes]
    return "\n".join(lines)


def _only_place(database: sqlite3.Connection, sku: str) -> str:
    places = [
        place for [place] in database.execute("SELECT place FROM stock WHERE sku = ? AND n AND place != ?", [sku, GONE])
    ]
    if len(places) != 1:
        raise Refused(f"{sku} is at {len(places)} places; say which: --from {'|'.join(places) or 'PLACE'}")
    return str(places[0])


def _changed(database: sqlite3.Connection, sku: str, n: int, source: str, target: str, reason: str) -> str:
    if n < 1:
        raise Refused(f"N is at least 1, not {n}", 2)
    places = {place for [place] in database.execute("SELECT DISTINCT place FROM stock WHERE place != ?", [GONE])}
    if unknown := {source, target} - places - ({GONE} if reason else set()):
        raise Refused(f"there is no place {min(unknown)}; places are {', '.join(sorted(places))}")
    if source == target:
        raise Refused(f"{sku} cannot be moved from {source} to {target}")
    there = database.execute("SELECT n FROM stock WHERE sku = ? AND place = ?", [sku, source]).fetchone()
    if not there or there[0] < n:
        raise Refused(f"{source} has {there[0] if there else 0} of {sku}, not {n}")
    database.execute("UPDATE stock SET n = n - ? WHERE sku = ? AND place = ?", [n, sku, source])
    database.execute(
        "INSERT INTO stock VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET n = n + excluded.n", [sku, target, n]
    )
    database.execute("INSERT INTO change VALUES (?, ?, ?, ?, ?)", [sku, n, source, target, reason])
    return f"{n} of {sku} from {source} to {target}"
