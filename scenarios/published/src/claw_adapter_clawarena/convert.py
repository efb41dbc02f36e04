"""From a published scenario in one layout to a folder of ``scenario/1`` that runs, is checked and is counted like any other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from claw_adapter.errors import ScenarioError
from claw_adapter.finding import Finding
from claw_adapter.protocol import Message, Round
from claw_adapter.scenario import load_gold, load_scenario
from claw_adapter.scenario.yamltext import yaml_text
from claw_adapter_clawarena.actions import workspace_action
from claw_adapter_clawarena.copying import copy_file, copy_tree
from claw_adapter_clawarena.jsontext import read_json
from claw_adapter_clawarena.records import PublishedRound, PublishedScenario, PublishedUpdate
from claw_adapter_clawarena.steps import Mode, Plan, Step, plan
from claw_adapter_clawarena.stores.base import write_text

__all__ = ["NOTES", "to_scenario"]

NOTES: Final = "published.json"
"""Beside the answers: what of the published data ``scenario/1`` has no place for, and why rounds cannot be scored."""
WORKSPACE: Final = "${workspace}"
"""Five published questions show it to the agent as it is."""
CLOCK: Final = datetime(2026, 1, 1, tzinfo=UTC)


def to_scenario(scenario: PublishedScenario, out: Path, *, mode: Mode = "strict") -> Path:
    """Write a scenario's folder and check that it loads as it was meant.

    Args:
        scenario: what `examine` or `load_published` read; it must be free of errors.
        out: the folder to write; it must not be there, or be empty.
        mode: ``strict`` merges session updates into the histories; ``clawarena-1.0`` keeps what the published runner does.

    Raises:
        ScenarioError: the scenario has errors, or `out` is in use.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise ScenarioError("the folder is not empty", where=str(out), remedy="Name a new one.")
    found: list[Finding] = []
    manifest = read_json(scenario.place.manifest)
    made = plan(scenario, mode, found, manifest.where)
    errors = [one for one in found if one.severity == "error" and not (one.id == "PUB-016" and mode != "strict")]
    if errors or not scenario.rounds:
        first = errors[0] if errors else None
        what = f"{scenario.id} cannot be converted: {first.message if first else 'it has no rounds'}"
        raise ScenarioError(what, where=first.where if first else "", remedy="Call claw check on the data.")
    writer = _Writer(scenario, made, mode, out)
    writer.write()
    writer.verify()
    return out


@dataclass
class _Writer:
    scenario: PublishedScenario
    made: Plan
    mode: Mode
    out: Path

    @property
    def main_id(self) -> str:
        main = self.scenario.place.main
        return main.stem if main is not None else "main"

    def write(self) -> None:
        place = self.scenario.place
        copy_tree(place.workspace, self.out / "workspace", place.session_folders)
        self._sessions()
        for update in self._updates():
            self._update(update)
        rounds = [_round(item) for item in self._items()]
        self._yaml("rounds.yaml", {"rounds": rounds})
        self._yaml("gold/answers.yaml", {"rounds": {one.item.id: _answer(one) for one in self.scenario.rounds}})
        if place.scripts.is_dir():
            copy_tree(place.scripts, self.out / "gold" / "checks", frozenset())
        self._file(f"gold/{NOTES}", json.dumps(self._notes(), ensure_ascii=False, indent=1) + "\n")
        self._yaml("scenario.yaml", self._manifest())

    def _yaml(self, name: str, data: Any) -> None:
        self._file(name, yaml_text(data, width=10**9, blocks=True))

    def _file(self, name: str, text: str) -> None:
        path = self.out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)

    def _manifest(self) -> dict[str, Any]:
        channels = _channels(self.scenario)
        names = [*self.made.histories, *(name for name in self._brought() if name not in self.made.histories)]
        texts = " ".join(one.item.question for one in self.scenario.rounds)
        return {
            "schema": "scenario/1",
            "id": self.scenario.id,
            "title": self.scenario.place.title or self.scenario.id,
            "domain": "",
            "language": _language(texts),
            "clock": _clock(self.made).isoformat(),
            "main": {"id": self.main_id, "channel": "main"},
            "histories": [
                {"id": name, "channel": channels.get(name) or self.made.brought.get(name) or _channel(name)}
                for name in names
            ],
        }

    def _items(self) -> tuple[Round, ...]:
        """The rounds as they are written; read strictly, a question names the workspace as the agent can: ``.``."""
        items = tuple(one.item for one in self.scenario.rounds)
        if self.mode != "strict":
            return items
        return tuple(i.model_copy(update={"question": i.question.replace(WORKSPACE, ".")}) for i in items)

    def _brought(self) -> Iterator[str]:
        """Sessions that updates create, misplaced files of the published reading left out."""
        for steps in self.made.steps.values():
            for step in steps:
                if not step.exists and not (step.misplaced and self.mode != "strict"):
                    yield step.session

    def _sessions(self) -> None:
        for name, messages in {self.main_id: self.made.main, **self.made.histories}.items():
            self._file(f"sessions/{name}.jsonl", _jsonl(messages))

    def _updates(self) -> Iterator[PublishedUpdate]:
        """Every update with files; of the groups, those that a round names."""
        named = {name for one in self.scenario.rounds for name in one.item.updates}
        return (u for u in self.scenario.place.updates.values() if u.kind != "group" or u.id in named)

    def _update(self, update: PublishedUpdate) -> None:
        folder = f"updates/{update.id}"
        if update.kind == "group":
            self._yaml(f"{folder}/update.yaml", {"id": update.id, "groups": list(update.children)})
            return
        actions: list[dict[str, Any]] = []
        if update.kind == "session":
            for number, step in enumerate(self.made.steps.get(update.id, ()), start=1):
                actions.extend(self._session_actions(folder, number, step))
        else:
            for number, file in enumerate(update.files, start=1):
                source = f"{number}-{file.source.name}"
                actions.append(workspace_action(file, source))
                if file.action != "delete":
                    copy_file(file.source, self.out / folder / source)
        if not actions:  # everything it brought was there already
            self._file(f"{folder}/nothing-new.txt", "")
            actions.append({"workspace": f".{update.id}", "action": "delete"})
        self._yaml(f"{folder}/update.yaml", {"id": update.id, "actions": actions})

    def _session_actions(self, folder: str, number: int, step: Step) -> Iterator[dict[str, Any]]:
        compat = self.mode != "strict"
        if compat and step.misplaced:
            source = f"{number}-{step.file.source.name}"
            copy_file(step.file.source, self.out / folder / source)
            yield {"workspace": step.file.target, "action": "new", "source": source}
            return
        overwrite = compat and step.overwrites
        if overwrite and step.before:
            yield {"session": step.session, "action": "delete", "ranges": [[1, step.before]]}
        messages = step.messages if overwrite else step.fresh
        if messages:
            source = f"{number}-{step.session}.jsonl"
            self._file(f"{folder}/{source}", _jsonl(messages))
            yield {"session": step.session, "action": "append" if step.exists else "new", "source": source}

    def _notes(self) -> dict[str, Any]:
        rounds = self.scenario.rounds
        return {
            "layout": self.scenario.place.layout,
            "mode": self.mode,
            "unscored": {
                one.item.id: {"reason": one.answer.unscorable, "command": one.command, "timeout": one.timeout}
                for one in rounds
                if one.missing
            },
            "teaching": {
                one.item.id: {
                    "command": one.teaching.command,
                    "correct": one.teaching.correct,
                    "incorrect": one.teaching.incorrect,
                }
                for one in rounds
                if one.teaching is not None
            },
        }

    def verify(self) -> None:
        """Read the folder back.

        Raises:
            ScenarioError: it does not say what the published scenario says.
        """
        loaded, gold = load_scenario(self.out), load_gold(self.out)
        sessions = {session.id: session.messages for session in loaded.sessions}
        wanted = {self.main_id: self.made.main, **self.made.histories}
        spoken = {"language": loaded.manifest.language}
        same = (
            loaded.rounds == tuple(item.model_copy(update=spoken) for item in self._items())
            and gold.answers.rounds == {one.item.id: one.answer for one in self.scenario.rounds}
            and sessions == wanted
        )
        if not same:
            raise ScenarioError(f"{self.scenario.id} was not written as it was read", where=str(self.out))


def _round(item: Round) -> dict[str, Any]:
    dumped: dict[str, Any] = item.model_dump(mode="json", exclude_defaults=True)
    return dumped


def _answer(one: PublishedRound) -> dict[str, Any]:
    dumped: dict[str, Any] = one.answer.model_dump(mode="json", exclude_defaults=True)
    return dumped


def _jsonl(messages: Iterable[Message]) -> str:
    lines = (m.model_dump(mode="json", exclude_defaults=True) for m in messages)
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _channels(scenario: PublishedScenario) -> Mapping[str, str]:
    """Channels that OpenClaw's index gives; the other layouts have them only in file names."""
    main = scenario.place.main
    index = main.parent / "sessions.json" if main is not None and scenario.place.layout == "openclaw" else None
    if index is None or not index.is_file():
        return {}
    entries = read_json(index).data.values()
    return {str(e.get("sessionId")): str(e.get("channel", "")) for e in entries if isinstance(e, dict)}


def _channel(name: str) -> str:
    """The last word of a session's name, which is its channel; "unknown" when there is only one."""
    words = [word for word in name.split("_") if len(word) != 36]
    return words[-1] if len(words) > 1 else "unknown"


def _clock(made: Plan) -> datetime:
    """The latest time of any message before the first update."""
    times = [m.time for messages in (made.main, *made.histories.values()) for m in messages if m.time]
    return max(times, default=CLOCK)


def _language(text: str) -> str:
    han = sum("\u4e00" <= character <= "\u9fff" for character in text)
    return "zh" if han * 5 > len(text) else "en"
