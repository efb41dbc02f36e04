"""PicoClaw's session files, translated to and from neutral sessions.

Three files per session in ``sessions/`` of the workspace: ``agent_main_<id>.jsonl`` (a message a line) and
``agent_main_<id>.meta.json`` (counters, a summary, how many lines at the beginning are forgotten) are PicoClaw's,
``agent_main_<id>.claw`` is ours: a session's kind, channel, title, participants and position, for which its format has no
place. (Named ``….json`` it would be taken for a session of an older version.) PicoClaw keeps every key of a line that it
does not know, so message ids, exact times and speakers travel in the lines under the key ``claw``. A speaker is also written
in front of the text (``Ann: hello``), because the model sees nothing else.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

from claw_adapter.command.folder import SessionFolder, json_lines, ours_of, read_object, replace, session_of
from claw_adapter.harness import Session
from claw_adapter_picoclaw.native import Told, native_lines

__all__ = ["PicoClawSessions", "names", "session_key"]

AGENT: Final = "agent:main:"
"""Only a key that begins with ``agent:`` (or ``sk_v1_``) is a session; all others share a single one."""
STEM: Final = "agent_main_"


def session_key(session_id: str) -> str:
    """What ``-s`` must say for a session to be that session."""
    return AGENT + session_id


def names(session_id: str) -> tuple[str, str, str]:
    """File names of a session: messages, PicoClaw's own data, ours."""
    stem = STEM + session_id
    return f"{stem}.jsonl", f"{stem}.meta.json", f"{stem}.claw"


class PicoClawSessions(SessionFolder):
    """A folder ``sessions``, or one session's file of messages in it; files that we did not put there stay."""

    title: ClassVar[str] = "PicoClaw"

    def file(self, session_id: str, folder: Path) -> Path:
        """Where its messages lie."""
        return folder / names(session_id)[0]

    def load(self, file: Path) -> tuple[int, Session]:
        """See `SessionFolder.load`."""
        meta = read_object(file.with_suffix(".meta.json"))
        key = str(meta.get("key") or file.stem.replace(STEM, AGENT, 1))
        lines = self.lines(file)[int(meta.get("skip") or 0) :]
        told = self.told(file, lines, Told)
        return session_of(read_object(file.with_suffix(".claw")), key.removeprefix(AGENT), told)

    def save(self, session: Session, position: int, folder: Path, there: Session | None = None) -> None:
        """Write the three files; a summary that PicoClaw has made stays."""
        lines, meta, mark = (folder / name for name in names(session.id))
        summary = read_object(meta).get("summary") if there else None
        meta.unlink(missing_ok=True)
        records = list(native_lines(session.messages))
        replace(mark, json_lines([ours_of(session, position)]))
        if summary:
            replace(meta, json_lines([{"key": session_key(session.id), "summary": summary, "count": len(records)}]))
        replace(lines, json_lines(records))

    def clear(self, folder: Path) -> None:
        """Remove the sessions that we put there."""
        for mark in folder.glob(f"{STEM}*.claw"):
            for name in names(mark.stem.removeprefix(STEM)):
                (folder / name).unlink(missing_ok=True)
