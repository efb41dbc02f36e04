"""The database: what is where, and every change of it in order."""

import csv
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

GONE = "written-off"  # the place of what was written off

_TABLES = """
CREATE TABLE article (sku TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE stock (sku TEXT NOT NULL, place TEXT NOT NULL, n INTEGER NOT NULL CHECK (n >= 0), PRIMARY KEY (sku, place));
CREATE TABLE change (sku TEXT NOT NULL, n INTEGER NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL, reason TEXT NOT NULL);
CREATE TABLE command (line TEXT NOT NULL);
"""


@contextmanager
def opened(file: Path) -> Iterator[sqlite3.Connection]:
    """The database in a file: what is done in it is kept unless it fails."""
    with closing(sqlite3.connect(file)) as database, database:
        yield database


def create(file: Path, table: Path) -> None:
    """A new database of what a CSV table says: sku, name, place, n."""
    with opened(file) as database, table.open(encoding="utf-8", newline="") as lines:
        database.executescript(_TABLES)
        for row in csv.DictReader(lines):
            database.execute("INSERT OR IGNORE INTO article VALUES (:sku, :name)", row)
            database.execute("INSERT INTO stock VALUES (:sku, :place, :n)", row)


@dataclass(frozen=True)
class State:
    """What a database holds: counts by article and place, articles in the order of their changes, number of commands."""

    counts: Counter[tuple[str, str]]
    changed: list[str]
    commands: int

    @classmethod
    def of(cls, snapshot: bytes) -> "State":
        """The state in the bytes of a database."""
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(snapshot)
            counts = Counter({(sku, place): n for sku, place, n in database.execute("SELECT sku, place, n FROM stock")})
            changed = [sku for [sku] in database.execute("SELECT sku FROM change ORDER BY rowid")]
            [[commands]] = database.execute("SELECT count(*) FROM command")
        return cls(counts, changed, commands)
