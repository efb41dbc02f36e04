"""Files that nobody was to touch: as they were, byte by byte, after a turn, and between one turn and the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.protocol.update import Update
from claw_adapter.workspace.layout import HISTORY_FOLDER
from claw_adapter.workspace.tree import Tree, difference, excluder

__all__ = ["Untouched", "files_in"]

THERE: Final = ("file", "link")
"""What is compared: folders come and go with what is in them."""
QUOTING: Final = str.maketrans("", "", "'\"\\")


class Untouched:
    """Follows the workspace of a trial, in which nothing but the calls of the model and the updates may change a file."""

    def __init__(self, base: Tree, private: Sequence[str], book: Book) -> None:
        """With the workspace as it began, and patterns of the files that the harness keeps there for itself."""
        self._last, self._private, self.book = files_in(base), excluder(private), book
        self._named = set[str]()
        """Files that were found before: what becomes of them later has no cause of its own."""

    def private(self, path: str) -> bool:
        """Whether the harness keeps a file there for itself, which may come and go with it."""
        return self._private is not None and self._private(path)

    def updated(self, before: Tree, updates: Iterable[Update]) -> None:
        """What stands there before a prompt is what the turn before has left, and what updates have brought."""
        actions = [action for update in updates for action in update.actions]
        named = {action.workspace for action in actions}
        rendered = any(action.session for action in actions)
        self._compare(
            before,
            lambda path: path in named or (rendered and path.startswith(f"{HISTORY_FOLDER}/")),
            "although no update names it",
        )

    def worked(self, after: Tree, said: Sequence[str]) -> None:
        """What stands there after a turn whose calls have said all this."""
        bare = [*map(_bare, said)]
        self._compare(
            after, lambda path: any(_bare(path) in text for text in bare), "after a turn in which no call names it"
        )

    def _compare(self, tree: Tree, explained: Callable[[str], bool], when: str) -> None:
        now = files_in(tree)
        found = difference(self._last, now)
        for how, paths in (("changed", found.changed), ("removed", found.removed), ("added", found.added)):
            for path in paths:
                if path not in self._named and not explained(path) and not self.private(path):
                    self._named.add(path)
                    what = f"the file {path} is {how} {when}"
                    self.book.find("M20", f"workspace-{how}", what, owner="harness")
        self._last = now


def _bare(text: str) -> str:
    """Without the signs with which a shell quotes a name, in whatever way it is quoted."""
    return text.translate(QUOTING)


def files_in(tree: Tree) -> Tree:
    """What of a tree is compared with another one."""
    return {path: entry for path, entry in tree.items() if entry.kind in THERE}
