"""What can be seen: files and sessions at the start and in every update, with the claims that their marks make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Message, SessionEntry
from claw_adapter_scenarios.compiler.beliefs import Claim
from claw_adapter_scenarios.compiler.canon import Canon
from claw_adapter_scenarios.compiler.fillers import fill
from claw_adapter_scenarios.language.expressions import UNKNOWN
from claw_adapter_scenarios.language.templates import Mark, Rendered
from claw_adapter_scenarios.spec.load import Spec
from claw_adapter_scenarios.spec.workspace import Document

__all__ = ["FileChange", "Material", "Places", "SessionGain", "SpokenLoop", "first_rounds", "gather_documents"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """A workspace file that an update brings, replaces, or appends to."""

    update: str
    path: str
    text: str
    action: str


@dataclass(frozen=True, slots=True)
class SpokenLoop:
    """A loop as it went into a session: its messages, its label, and where it came from."""

    session: str
    label: str
    messages: tuple[Message, ...]
    update: str = ""
    bias: str = ""


@dataclass(frozen=True, slots=True)
class SessionGain:
    """Messages that an update appends to a session, or a session that it brings."""

    update: str
    session: str
    messages: tuple[Message, ...]
    action: str


@dataclass(slots=True)
class Material:
    """Everything visible, before it is written."""

    files: dict[str, str] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    """signal, near_signal, background or agent, by path."""
    changes: list[FileChange] = field(default_factory=list)
    main: tuple[Message, ...] = ()
    entries: list[SessionEntry] = field(default_factory=list)
    sessions: dict[str, tuple[Message, ...]] = field(default_factory=dict)
    gains: list[SessionGain] = field(default_factory=list)
    loops: list[SpokenLoop] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)

    def world(self, index: int, starts: Mapping[str, int]) -> dict[str, str]:
        """The workspace files at a round."""
        found = dict(self.files)
        for change in sorted(self.changes, key=lambda one: starts[one.update]):
            if starts[change.update] <= index:
                appended = change.action == "append"
                found[change.path] = found[change.path] + change.text if appended else change.text
        return found


def first_rounds(spec: Spec) -> dict[str, int]:
    """Index of the round that applies an update, by update; one that no round applies comes after all of them."""
    found = {update.id: len(spec.rounds.rounds) for update in spec.updates.updates}
    for index, item in enumerate(spec.rounds.rounds):
        found.update(dict.fromkeys(item.updates, index))
    return found


@dataclass(slots=True)
class Places:
    """Turns marks into claims: names fragments, knows ranks and rounds."""

    canon: Canon
    starts: dict[str, int]
    used: set[str] = field(default_factory=set)

    def claims(self, marks: Iterable[Mark], where: str, source: str, *, update: str = "") -> list[Claim]:
        """The claims of marks at one place.

        Raises:
            ScenarioError: a mark names a fact or a source that does not exist, or an id is used twice.
        """
        truth = self.canon.spec.truth
        if source not in truth.sources:
            raise ScenarioError(f"there is no kind of source {source!r}", remedy=f"Known: {', '.join(truth.sources)}.")
        made: list[Claim] = []
        for mark in marks:
            name = self._name(mark)
            for fact, said in mark.head.claims:
                own = said == fact
                value = UNKNOWN if said == "unknown" else self.canon.value(said)
                self.canon.value(fact)
                made.append(
                    Claim(
                        fragment=name,
                        fact=fact,
                        value=value,
                        text=mark.text,
                        where=where,
                        place=where.partition("#")[0],
                        source=source,
                        rank=truth.sources[source].rank,
                        update=update,
                        first=self.starts[update] if update else 0,
                        true=own or value == self.canon.value(fact),
                        written=mark.written,
                    )
                )
        return made

    def _name(self, mark: Mark) -> str:
        if mark.head.id:
            if mark.head.id in self.used:
                raise ScenarioError(f"the mark id {mark.head.id!r} is used twice")
            self.used.add(mark.head.id)
            return mark.head.id
        base = mark.head.claims[0][0].replace("_", "-")
        name, number = base, 1
        while name in self.used:
            number += 1
            name = f"{base}-{number}"
        self.used.add(name)
        return name


def gather_documents(spec: Spec, canon: Canon, places: Places, material: Material) -> None:
    """Render the workspace and the documents of updates into `material`.

    Raises:
        ScenarioError: with file and line of the document.
    """
    sources: dict[str, str] = {}
    for number, document in enumerate(spec.workspace.documents):
        path, made = _render(spec, canon, document, "1-workspace", ("documents", number))
        _locate(spec, path, material, ("1-workspace", "documents", number))
        material.files[path], material.roles[path], sources[path] = made.text, document.role, document.source
        material.claims += _claims(spec, places, made, path, document.source, ("1-workspace", "documents", number))
    for position, update in enumerate(spec.updates.updates):
        for number, document in enumerate(update.documents):
            at = ("4-updates", "updates", position, "documents", number)
            path, made = _render(spec, canon, document, "4-updates", at[1:])
            known = path in sources
            if known:
                _end_claims(material, path, places.starts[update.id], made.text)
            material.changes.append(FileChange(update.id, path, made.text, "new"))
            material.roles.setdefault(path, document.role)
            sources[path] = document.source
            material.claims += _claims(spec, places, made, path, document.source, at, update=update.id)
        for number, added in enumerate(update.append):
            at = ("4-updates", "updates", position, "append", number)
            try:
                path, made = canon.render(added.path).text, canon.render(added.text)
            except ScenarioError as error:
                raise ScenarioError(error.what, where=spec.where(*at), remedy=error.remedy) from None
            if path not in sources:
                raise ScenarioError(f"there is no document {path!r} to append to", where=spec.where(*at))
            made = Rendered(made.text.rstrip("\n") + "\n", made.marks)
            material.changes.append(FileChange(update.id, path, made.text, "append"))
            material.claims += _claims(spec, places, made, path, sources[path], at, update=update.id)


def _locate(spec: Spec, path: str, material: Material, at: tuple[str | int, ...]) -> None:
    if path in material.files:
        layer, *rest = at
        raise ScenarioError(f"the document {path!r} is there twice", where=spec.where(str(layer), *rest))


def _render(
    spec: Spec, canon: Canon, document: Document, layer: str, at: tuple[str | int, ...]
) -> tuple[str, Rendered]:
    try:
        return canon.render(document.path).text, fill(document, canon)
    except ScenarioError as error:
        raise ScenarioError(error.what, where=error.where or spec.where(layer, *at), remedy=error.remedy) from None


def _claims(
    spec: Spec, places: Places, made: Rendered, path: str, source: str, at: tuple[str | int, ...], *, update: str = ""
) -> list[Claim]:
    try:
        return places.claims(made.marks, f"workspace/{path}", source, update=update)
    except ScenarioError as error:
        layer, *rest = at
        raise ScenarioError(error.what, where=spec.where(str(layer), *rest), remedy=error.remedy) from None


def _end_claims(material: Material, path: str, index: int, text: str) -> None:
    """A replaced file takes its claims with it, unless its new text still has them."""
    for number, claim in enumerate(material.claims):
        if claim.where == f"workspace/{path}" and claim.until is None and claim.text not in text:
            material.claims[number] = replace(claim, until=index)
