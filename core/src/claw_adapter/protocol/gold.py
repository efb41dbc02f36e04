"""The hidden part of a scenario: answers, checks, preferences and the evidence layer. Never laid out near a harness."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from claw_adapter.protocol.base import Record

__all__ = [
    "Answer",
    "Answers",
    "Check",
    "Evidence",
    "Feedback",
    "Fragment",
    "Gold",
    "OptionEvidence",
    "Preference",
    "Program",
    "Revision",
    "RoundEvidence",
]

Letter = Annotated[str, StringConstraints(pattern=r"^[A-Z]$")]


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is not a regular expression: {error}") from None
    return text


Regex = Annotated[str, AfterValidator(_pattern)]


class Feedback(Record):
    """What the next prompt says about a round: the outcome, and per statement what was wrong with it."""

    correct: str = ""
    incorrect: str = ""
    options: dict[Letter, str] = Field(default_factory=dict)


class Program(Record):
    """A command that is run before a check and apart from it: in a copy of the workspace, without sight of ``gold/``.

    ``${workspace}`` stands for that copy.
    """

    command: str = Field(min_length=1)
    inputs: str = ""
    """Folder below ``gold/checks`` whose files are laid over the copy: inputs that nobody has seen; empty for none."""
    timeout: float = Field(default=10.0, gt=0, le=600)


class Check(Record):
    """A command that decides an exec_check; runs in the sandbox with the workspace as working directory.

    ``${workspace}`` and ``${checks}`` stand for the throw-away copy of the workspace and the folder ``gold/checks``,
    ``${outputs}`` for a file that says what `programs` did: a list of JSON, in their order, of objects with ``exit`` (null if
    it was killed), ``timed_out``, ``stdout`` (its first MiB) and ``cut`` (whether there was more), ``${changed}`` for a
    file with the paths of what was created or changed in the round, a list of JSON, or null where that is not known.
    """

    command: str = Field(min_length=1)
    programs: tuple[Program, ...] = ()
    """Commands that are run first, each in a sandbox of its own."""
    exit: int = 0
    stdout: str | None = None
    """Text that standard output must contain."""
    stdout_regex: Regex | None = None
    timeout: float = Field(default=30.0, gt=0, le=3600)
    modules: tuple[str, ...] = ()
    """Modules beyond Python's own that it and the programs it runs may import: where one is missing, nothing is decided."""


class Preference(Record):
    """A rule that the user has about work products: taught in some rounds, silently examined in others.

    A rule by pattern looks at the workspace files that match `files` and were created or changed in the round: with `name`,
    one file name must match it; with `contains` / `lacks`, every file must (not) contain it; with `format`, every file must
    parse; with `headings`, every file has at least that many Markdown headings. With `answer`, `contains` and `lacks` apply to
    the reply instead.
    """

    dimension: Literal["output_format", "artefact_naming", "document_structure", "analytical_style", "tone"]
    rule: str
    files: str = ""
    answer: bool = False
    name: Regex | None = None
    contains: Regex | None = None
    lacks: Regex | None = None
    format: Literal["json", "csv", "yaml", "markdown"] | None = None
    headings: int | None = Field(default=None, ge=1)
    feedback: Feedback = Feedback()

    @model_validator(mode="after")
    def _decidable(self) -> Self:
        if self.answer == bool(self.files):
            raise ValueError("a preference applies either to 'files' or to the 'answer'")
        if not any((self.name, self.contains, self.lacks, self.format, self.headings)):
            raise ValueError("a preference needs one of 'name', 'contains', 'lacks', 'format', 'headings'")
        if self.answer and (self.name or self.format or self.headings):
            raise ValueError("on the 'answer' only 'contains' and 'lacks' apply")
        return self


class Revision(Record):
    """What a revision round looks for: whether the conclusion of an earlier round changed to the updated truth."""

    of: str
    """The earlier round."""
    stale: tuple[Letter, ...]
    """The conclusion that the old evidence supported."""
    cites: tuple[str, ...] = Field(min_length=1)
    """Fragment ids or source names that arrived with the update; one of them must be in the reply."""


class Answer(Record):
    """The key of one round; which fields are set depends on the round's type."""

    answer: tuple[Letter, ...] = ()
    check: Check | None = None
    unscorable: str = ""
    """Why the round cannot be scored, where that is known beforehand (a check script that was not published)."""
    exam: tuple[str, ...] = ()
    """Ids of the preferences that a silent exam examines."""
    teach: tuple[str, ...] = ()
    """Ids of the preferences taught after this round: they change the next feedback, never a score."""
    revision: Revision | None = None
    feedback: Feedback = Feedback()


class Answers(Record):
    """``gold/answers.yaml``."""

    preferences: dict[str, Preference] = Field(default_factory=dict)
    rounds: dict[str, Answer]


class Fragment(Record):
    """A literal piece of evidence: a single line of at least 12 characters that stands at one place of the scenario.

    `where` is ``workspace/<path>``, ``session/<id>#<message id>`` or ``feedback/<round id>``.
    """

    where: Annotated[str, StringConstraints(pattern=r"^(workspace/.+|session/[^#/]+#.+|feedback/.+)$")]
    text: Annotated[str, StringConstraints(min_length=12, pattern=r"^[^\r\n]+$")]


class OptionEvidence(Record):
    """What decides one statement: complete sets of fragments for it, against it, and what a careless reader says."""

    supports: tuple[tuple[str, ...], ...] = ()
    refutes: tuple[tuple[str, ...], ...] = ()
    hasty: bool


class RoundEvidence(Record):
    """The evidence of one round: per option for statements, `needs` for artefacts."""

    options: dict[Letter, OptionEvidence] = Field(default_factory=dict)
    needs: tuple[str, ...] = ()
    answer: str = ""
    """What a reader says beside the artefact when it has seen what it `needs` (for rules about the reply)."""
    hasty_answer: str = ""


class Evidence(Record):
    """``gold/evidence.yaml``."""

    fragments: dict[str, Fragment]
    rounds: dict[str, RoundEvidence]


class Gold(Record):
    """The loaded hidden part. `root` is the folder ``gold`` of the scenario."""

    root: Path
    answers: Answers
    evidence: Evidence | None = None

    @property
    def checks(self) -> Path:
        """The folder of check scripts."""
        return self.root / "checks"

    def artefacts(self, kind: Literal["oracle", "hasty"], round_id: str) -> dict[str, str]:
        """Files that a careful or a hasty reader would write in a round, by path relative to the workspace."""
        if not os.path.isdir(name := f"{self.root}/{kind}/{round_id}"):  # noqa: PTH112 - mostly there is none
            return {}
        folder = Path(name)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in files}
