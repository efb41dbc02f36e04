"""Checkpoints in the run's store, each told by what it has that the one before had not.

So what a round adds to the store depends on the round, however long the conversation is. The first checkpoint of a trial,
and all of earlier versions, stand for themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pydantic import Field, ValidationError

from claw_adapter.errors import JournalError
from claw_adapter.protocol import Checkpoint, Message, Session
from claw_adapter.protocol.base import Record
from claw_adapter.reading import why
from claw_adapter.runs.store import REMEDY, Store
from claw_adapter.shared import shared

__all__ = ["Saved", "checkpoint_before", "checkpoint_files", "load_checkpoint", "save_checkpoint"]

BLOCK: Final = 4096
"""Bytes of a file that are compared, and kept anew if they differ."""
LARGE: Final = 4 * BLOCK
"""Smaller files are kept whole."""

Files = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Saved:
    """A checkpoint and its digest in the store; `others`: those of its sessions but the first, where they are known."""

    checkpoint: Checkpoint
    digest: str
    others: tuple[str, ...] = ()


class _Patch(Record):
    """A file as the checkpoint before had it, cut or filled up to `size`, with other bytes (digests) at some places.

    `moved`: first of all, what stood in the file before from one byte on (the first number) stands from another one on.
    """

    size: int
    moved: tuple[int, int] = (0, 0)
    at: tuple[int, ...]
    put: tuple[str, ...]


class _Stored(Record):
    """A checkpoint as it lies in the store: digests for everything but the main session's new messages.

    `main` has the messages that stand between the first `first` and the last `last` messages of the checkpoint `before`.
    """

    main: Session
    sessions: tuple[str, ...]
    files: dict[str, str]
    overlays: dict[str, dict[str, str]] = Field(default_factory=dict)
    before: str = ""
    first: int = 0
    last: int = 0
    patches: dict[str, _Patch] = Field(default_factory=dict)
    overlay_patches: dict[str, dict[str, _Patch]] = Field(default_factory=dict)


def save_checkpoint(store: Store, checkpoint: Checkpoint, before: Saved | None = None) -> Saved:
    """Write a checkpoint. `before` is one of the same trial that is in the store."""
    main, *others = checkpoint.sessions
    old = before.checkpoint if before else Checkpoint()
    known = old.sessions[0].messages if old.sessions else ()
    first = _common(known, main.messages)
    last = _common(known[first:][::-1], main.messages[first:][::-1])
    files, patches = _put(store, checkpoint.files, old.files)
    overlays = {
        label: _put(store, of, old.overlays.get(label, {})) for label, of in sorted(checkpoint.overlays.items())
    }
    written = (
        {digest: session for session, digest in zip(old.sessions[1:], before.others, strict=False)} if before else {}
    )
    digests = tuple(
        next((digest for digest, known in written.items() if known == session), "")
        or store.put(session.model_dump_json().encode())
        for session in others
    )
    stored = _Stored(
        main=main.model_copy(update={"messages": main.messages[first : len(main.messages) - last]}),
        sessions=digests,
        files=files,
        overlays={label: whole for label, (whole, _) in overlays.items()},
        before=before.digest if before else "",
        first=first,
        last=last,
        patches=patches,
        overlay_patches={label: patched for label, (_, patched) in overlays.items() if patched},
    )
    return Saved(checkpoint, store.put(stored.model_dump_json(exclude_defaults=True).encode()), digests)


def load_checkpoint(store: Store, digest: str) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        JournalError: a part of it is missing or damaged.
    """
    try:
        return _load(store, digest)
    except ValidationError as error:
        what = f"not a checkpoint of this version: {why(error)}"
        raise JournalError(what, where=str(store.path(digest)), remedy=REMEDY) from None
    except KeyError as error:
        what = f"a checkpoint before it lacks the file {error}"
        raise JournalError(what, where=str(store.path(digest)), remedy=REMEDY) from None


def checkpoint_before(store: Store, digest: str) -> str:
    """Which checkpoint this one is told by, which can be read; empty where it stands for itself."""
    return _Stored.model_validate_json(store.get(digest)).before


def checkpoint_files(store: Store, digest: str) -> Iterator[tuple[str, str]]:
    """The names of a checkpoint's files, each with the blobs that it adds to what the checkpoint before had of it."""
    stored = _Stored.model_validate_json(store.get(digest))
    for files in (stored.files, *stored.overlays.values()):
        yield from files.items()
    for patches in (stored.patches, *stored.overlay_patches.values()):
        yield from ((name, blob) for name, patch in patches.items() for blob in patch.put)


def _load(store: Store, digest: str) -> Checkpoint:
    chain = [_Stored.model_validate_json(store.get(digest))]
    while chain[-1].before:
        chain.append(_Stored.model_validate_json(store.get(chain[-1].before)))
    messages: list[Message] = []
    needed = _needed(chain)
    files: Files = {}
    overlays: dict[str, Files] = {}
    for stored, names in zip(reversed(chain), reversed(needed), strict=True):
        messages[stored.first : len(messages) - stored.last] = stored.main.messages
        files = _get(store, stored.files, stored.patches, files, names.get("", set()))
        overlays = {
            label: _get(
                store, of, stored.overlay_patches.get(label, {}), overlays.get(label, {}), names.get(label, set())
            )
            for label, of in stored.overlays.items()
        }
    others = (Session.model_validate_json(store.get(name)) for name in chain[0].sessions)
    return Checkpoint(sessions=(chain[0].main.with_messages(messages), *others), files=files, overlays=overlays)


def _needed(chain: Sequence[_Stored]) -> list[dict[str, set[str]]]:
    """The files of each checkpoint that matter for the first one, by the overlay's label (empty: the harness)."""
    first = chain[0]
    found = [{"": {*first.files, *first.patches}}]
    for label, files in first.overlays.items():
        found[0][label] = {*files, *first.overlay_patches.get(label, {})}
    for stored in chain[:-1]:
        patched = {"": set(stored.patches), **{label: set(of) for label, of in stored.overlay_patches.items()}}
        found.append({label: names & found[-1].get(label, set()) for label, names in patched.items()})
    return found


def _common(one: Sequence[Message], other: Sequence[Message]) -> int:
    most = min(len(one), len(other))
    if one[:most] == other[:most]:  # it mostly goes on: one look, which is short where they are the same objects
        return most
    return next(count for count in range(most) if one[count] != other[count])


def _put(
    store: Store, files: Mapping[str, bytes], old: Mapping[str, bytes]
) -> tuple[dict[str, str], dict[str, _Patch]]:
    """Digests of the files that are kept whole, and the changes of the others."""
    whole, patches = {}, {}
    for name, data in sorted(files.items()):
        patch = _patch(store, old.get(name, b""), data) if len(data) > LARGE else None
        if patch is None:
            whole[name] = store.put(data)
        else:
            patches[name] = patch
    return whole, patches


def _patch(store: Store, old: bytes, new: bytes) -> _Patch | None:
    """What to change; None where that is more than half of the file."""
    moved, ranges = (0, 0), _ranges(old, new)
    if sum(end - start for start, end in ranges) > LARGE and (head := _behind_head(old, new, ranges[0][0])):
        moved, behind = head, new[: head[1]] + old[head[0] :]
        ranges = [(0, head[1]), *_ranges(behind, new)]
    if sum(end - start for start, end in ranges) > len(new) // 2:
        return None
    put = tuple(store.put(new[start:end]) for start, end in ranges)
    return _Patch(size=len(new), moved=moved, at=tuple(start for start, _ in ranges), put=put)


def _ranges(old: bytes, new: bytes) -> list[tuple[int, int]]:
    """Where the bytes of `new` are others than those of `old`, and where each of these places ends."""
    blocks: list[list[int]] = []
    for at in range(0, len(new), BLOCK):
        if new[at : at + BLOCK] == old[at : at + BLOCK]:
            continue
        if blocks and blocks[-1][1] == at:
            blocks[-1][1] = min(at + BLOCK, len(new))
        else:
            blocks.append([at, min(at + BLOCK, len(new))])
    found = []
    for start, end in blocks:
        first, last = shared(old[start:end], new[start:end])
        found.append((start + first, end - last if len(old) >= end else end))
    return found


def _behind_head(old: bytes, new: bytes, at: int) -> tuple[int, int] | None:
    """Where the line behind the one with the first difference, which is at `at`, begins in both; None if it differs, too.

    A file may begin with a line about the whole of it: as that gets longer or shorter, all the others move.
    """
    was, now = old.find(b"\n", at) + 1, new.find(b"\n", at) + 1
    rest = old[was : was + BLOCK]
    return (was, now) if was and now and was != now and rest and new.startswith(rest, now) else None


def _get(
    store: Store, whole: Mapping[str, str], patches: Mapping[str, _Patch], old: Mapping[str, bytes], names: set[str]
) -> Files:
    found = {name: store.get(digest) for name, digest in whole.items() if name in names}
    for name, patch in patches.items():
        if name not in names:
            continue
        was, now = patch.moved
        data = bytearray((bytes(now) + old[name][was:])[: patch.size].ljust(patch.size, b"\0"))
        for at, digest in zip(patch.at, patch.put, strict=True):
            piece = store.get(digest)
            data[at : at + len(piece)] = piece
        found[name] = bytes(data)
    return found
