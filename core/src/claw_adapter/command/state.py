"""The files of one conversation: what the program finds when it starts, what a turn has added, what a checkpoint keeps."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from claw_adapter.command.data import read_file, refuse_links
from claw_adapter.command.description import Description
from claw_adapter.command.places import fill
from claw_adapter.command.store import JsonStore
from claw_adapter.errors import AdapterError, HarnessProtocolError
from claw_adapter.harness import Checkpoint, Message, Session, SessionChange
from claw_adapter.merge import merged

__all__ = ["State"]


class State:
    """Files below `folder`, for a conversation whose past are `sessions`, the main one first.

    Args:
        about: the adapter's description.
        folder: the trial's state directory.
        places: what the description's places are for the program.
        key_of: the name under which the program knows a session, by its id.
        folders: places that are other ones for us.
    """

    def __init__(
        self,
        about: Description,
        folder: Path,
        places: Mapping[str, str],
        sessions: Sequence[Session],
        key_of: Callable[[str], str],
        folders: Mapping[str, str],
    ) -> None:
        self._about, self._folder, self._places, self._ours = about, folder, places, {**places, **folders}
        self._sessions, self._key_of = list(sessions), key_of
        self._before = 0

    def lay_out(self, checkpoint: Checkpoint | None) -> None:
        """Write the description's files, those of the checkpoint, and the sessions; into an empty state directory.

        Raises:
            AdapterError: two sessions have one name (M5).
        """
        self._refuse_collisions()
        for name, content in self._about.files.items():
            path = self._folder / fill(name, self._places)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(0o600)
            filled = fill(content, self._places)
            path.write_text(filled if isinstance(filled, str) else json.dumps(filled, ensure_ascii=False), "utf-8")
        for name, data in checkpoint.files.items() if checkpoint else ():
            self._put(self._folder / name, data)
        for session in self._sessions:
            if not self._holds(session):
                self._write(session)

    def native(self) -> dict[str, bytes]:
        """The files that a checkpoint keeps, by their path below the state directory.

        Raises:
            HarnessProtocolError: the agent has put a link among them.
        """
        return {str(path.relative_to(self._folder)): path.read_bytes() for path in self._kept()}

    def put_back(self, files: Mapping[str, bytes]) -> None:
        """Make the files of `native` be these again, as if a turn had not been; the program must not be running."""
        for path in self._kept():
            if str(path.relative_to(self._folder)) not in files:
                path.unlink()
        for name, data in files.items():
            self._put(self._folder / name, data)

    def begin(self) -> None:
        """Take note of what the store has before a turn."""
        self._before = len(self._read()) if self._about.store else 0

    def added(self) -> list[Message]:
        """What the turn has added to the main session in the store; nothing without one."""
        return self._read()[self._before :] if self._about.store else []

    def said(self, prompt: str, answer: str) -> None:
        """A turn has come to its end: without a store, this is all that is known of it."""
        if self._about.store is None:
            first = self._number()
            new = (
                Message(id=self._id(first), role="user", text=prompt),
                Message(id=self._id(first + 1), role="assistant", text=answer),
            )
            self._sessions[0] = self._sessions[0].with_messages([*self._sessions[0].messages, *new])

    def change(self, changes: Sequence[SessionChange]) -> None:
        """Bring changed sessions into the store; the program must not be in a turn.

        Raises:
            AdapterError: a new session has the name of another one (M5).
        """
        self._take_in()
        for change in changes:
            there = next((session for session in self._sessions if session.id == change.session), None)
            new = merged(change.before, change.after, there)
            self._sessions = [new if session is there else session for session in self._sessions]
            if there is None:
                self._sessions.append(new)
                self._refuse_collisions()
            self._write(new)

    def checkpoint(self) -> Checkpoint:
        """The sessions as they are now, and the files."""
        self._take_in()
        return Checkpoint(sessions=tuple(self._sessions), files=self.native())

    def _take_in(self) -> None:
        if self._about.store is not None:
            self._sessions[0] = self._sessions[0].with_messages(self._read())

    def _read(self) -> list[Message]:
        """The main session in the store; what core knows of a message is kept as far as the program has changed nothing."""
        store, file = self._store, self._file(self._sessions[0].id)
        known = store.holds(self._sessions[0].messages)
        theirs = store.messages_of(read_file(file, self._folder), str(file))
        ours = [store.from_native(store.to_native(message), "", str(file)) for message in known]
        same = 0
        while same < min(len(ours), len(theirs)) and ours[same] == theirs[same].model_copy(
            update={"time": ours[same].time}
        ):
            same += 1
        number = self._number()
        new = [message.model_copy(update={"id": self._id(number + n)}) for n, message in enumerate(theirs[same:])]
        return [*known[:same], *new]

    def _holds(self, session: Session) -> bool:
        """Whether the store says already what a session says; its own file knows more, so it is left then."""
        if self._about.store is None or not (file := self._file(session.id)).is_file():
            return False
        store, where = self._store, str(file)
        theirs = store.messages_of(read_file(file, self._folder), where)
        return theirs == [store.from_native(store.to_native(m), "", where) for m in store.holds(session.messages)]

    def _write(self, session: Session) -> None:
        if self._about.store is not None:
            file = self._file(session.id)
            refuse_links(file, self._folder)
            before = file.read_text("utf-8") if file.is_file() else ""
            self._put(file, self._store.render(session.messages, before).encode())

    @property
    def _store(self) -> JsonStore:
        if self._about.store is None:
            raise HarnessProtocolError("there is no session store", where=self._about.name)
        return self._about.store

    def _file(self, session: str) -> Path:
        return Path(fill(self._store.path, {**self._ours, "session": self._key_of(session)}))

    def _refuse_collisions(self) -> None:
        known: dict[str, str] = {}
        for session in self._sessions:
            key = self._key_of(session.id)
            if key in known:
                raise AdapterError(
                    f"the sessions {known[key]!r} and {session.id!r} are both called {key!r}",
                    where=f"{self._about.name}, session_key",
                    remedy="It must give each id a name of its own (M5).",
                )
            known[key] = session.id

    def _kept(self) -> Iterator[Path]:
        files = [path for pattern in self._about.keep for path in sorted(self._folder.glob(pattern))]
        files += [self._file(session.id) for session in self._sessions] if self._about.store else []
        for path in dict.fromkeys(files):
            refuse_links(path, self._folder)
            if path.is_file():
                yield path

    def _put(self, path: Path, data: bytes) -> None:
        refuse_links(path, self._folder)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        except OSError as error:
            raise HarnessProtocolError(f"the state cannot be written: {error}", where=str(path)) from error

    def _id(self, number: int) -> str:
        return f"{self._about.name}-{number}"

    def _number(self) -> int:
        """The first number for an id that no message has."""
        own = f"{self._about.name}-"
        ids = (m.id.removeprefix(own) for m in self._sessions[0].messages if m.id.startswith(own))
        return max((int(id_) + 1 for id_ in ids if id_.isdecimal()), default=0)
