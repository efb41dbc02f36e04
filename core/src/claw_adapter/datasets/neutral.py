"""What the tables count of ``scenario/1`` folders: the same sources, by the same rules, from neutral records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from claw_adapter.data_format.items import Item
from claw_adapter.data_format.prompt import COMPAT
from claw_adapter.data_format.tables import Facts
from claw_adapter.protocol import Gold, Message, Round, Scenario
from claw_adapter.protocol.update import Update, UpdateAction
from claw_adapter.questions.multi_choice import MultiChoice
from claw_adapter.scenario.apply import source_messages, source_path
from claw_adapter.scenario.tree import regular_files
from claw_adapter.tokens import render

__all__ = ["neutral_facts", "neutral_items", "neutral_text"]

Pair = tuple[Scenario, Gold]


def neutral_items(pairs: Iterable[Pair]) -> Iterator[Item]:
    """Every counted piece of scenarios with their hidden parts."""
    for scenario, gold in pairs:
        name = scenario.id
        yield Item(name, "main", neutral_text(scenario.main.messages))
        for session in scenario.histories:
            yield Item(name, "histories", neutral_text(session.messages))
        for path in regular_files(scenario.workspace).values():
            yield Item(name, "workspace", path.read_bytes())
        for update_id, _, path in _sources(scenario, "workspace"):
            del update_id
            yield Item(name, "workspace_updates", path.read_bytes())
        for update_id, _, path in _sources(scenario, "session"):
            yield Item(name, "session_updates", neutral_text(source_messages(path, update_id)))
        yield from _texts(scenario, gold)


def neutral_text(messages: Sequence[Message]) -> str:
    """Messages as ChatML; a call is ``name(arguments)`` on a line of its own."""
    return render((message.role, _content(message)) for message in messages)


def _content(message: Message) -> str:
    calls = [f"{call.name}({json.dumps(call.arguments, ensure_ascii=False)})" for call in message.tool_calls]
    return "\n".join(filter(None, [message.text, *calls]))


def _sources(scenario: Scenario, kind: str) -> Iterator[tuple[str, UpdateAction, Path]]:
    for update in scenario.updates.values():
        for action in update.actions:
            if action.source is not None and (action.session is not None) == (kind == "session"):
                yield update.id, action, source_path(scenario, update, action)


def _texts(scenario: Scenario, gold: Gold) -> Iterator[Item]:
    taught: set[str] = set()
    for item in scenario.rounds:
        yield Item(scenario.id, "questions", _question(item))
        answer = gold.answers.rounds.get(item.id)
        if answer is None:
            continue
        feedback = [answer.feedback.correct, answer.feedback.incorrect, *answer.feedback.options.values()]
        yield Item(scenario.id, "feedback", "\n".join(filter(None, feedback)))
        for name in answer.teach:
            preference = gold.answers.preferences.get(name)
            if preference is not None and name not in taught:
                taught.add(name)
                said = [preference.rule, preference.feedback.correct, preference.feedback.incorrect]
                yield Item(scenario.id, "preferences", "\n".join(filter(None, said)))


def _question(item: Round) -> str:
    """In the published prompt format, so that a converted data set counts as the published one."""
    return MultiChoice().prompt(item, compat=COMPAT) if item.options else item.question


def neutral_facts(pairs: Iterable[Pair]) -> list[Facts]:
    """One entry per scenario."""
    return [_facts(scenario, gold) for scenario, gold in pairs]


def _targets(update: Update) -> Iterator[Literal["workspace", "session", "group"]]:
    """What an update is aimed at, one event for each, as the published data have one update for each."""
    if any(action.session is None for action in update.actions):
        yield "workspace"
    if any(action.session is not None for action in update.actions):
        yield "session"
    if update.groups:
        yield "group"


def _facts(scenario: Scenario, gold: Gold) -> Facts:
    answers = gold.answers.rounds
    checks = [answers[r.id].check for r in scenario.rounds if r.type == "exec_check" and r.id in answers]
    held = [check for check in checks if check is not None]
    choices = [item for item in scenario.rounds if item.type == "multi_choice"]
    applied = {update.id for item in scenario.rounds for update in scenario.expand(item.updates)}
    actions = [(update.id, action) for update in scenario.updates.values() for action in update.actions]
    return Facts(
        scenario=scenario.id,
        rounds=len(scenario.rounds),
        options=tuple(len(item.options) for item in choices),
        correct=tuple(len(answers[item.id].answer) for item in choices if item.id in answers),
        timeouts=tuple(check.timeout if check else 0.0 for check in checks),
        exits=len(held),
        stdouts=sum(check.stdout is not None for check in held),
        preference_rounds=sum(bool(a.teach) for a in answers.values()),
        update_rounds=sum(bool(item.updates) for item in scenario.rounds),
        update_kinds=tuple(kind for update in scenario.updates.values() for kind in _targets(update)),
        actions=tuple(action.action for _, action in actions if action.action),
        files=len(regular_files(scenario.workspace)),
        update_files=len(actions),
        applied_files=sum(update_id in applied for update_id, _ in actions),
    )
