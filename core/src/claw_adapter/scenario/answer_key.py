"""What the runner tells the reader about a round: the evidence and where to look for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from claw_adapter.protocol import AnswerKey, Fragment, Gold, Locator, Scenario
from claw_adapter.scenario.evidence import fragments_of
from claw_adapter.scenario.world import World

__all__ = ["make_answer_key"]


def make_answer_key(
    scenario: Scenario,
    gold: Gold,
    round_index: int,
    *,
    session_key: Callable[[str], str],
    history_files: Mapping[str, str],
    workspace: str,
    states: Sequence[World] = (),
    unsaid: Collection[str] = (),
    prompt: str = "",
    history_text: Callable[[str], str | None] = lambda _: None,
) -> AnswerKey:
    """The brief of one round.

    Args:
        scenario: the scenario.
        gold: its hidden part; without an evidence layer the brief has no evidence.
        round_index: position of the round, 0-based.
        session_key: the harness's own name of a session (`Conversation.session_key`).
        history_files: workspace path of the rendered log by session id; empty when histories are native.
        workspace: absolute path of the workspace as the harness sees it.
        states: `worlds(scenario)`, for what the files with evidence hold.
        unsaid: earlier rounds whose feedback the harness has not heard.
        prompt: what the harness is sent.
        history_text: what a rendered log holds, by its path; None if that cannot be read.
    """
    item = scenario.rounds[round_index]
    evidence = gold.evidence.rounds.get(item.id) if gold.evidence else None
    locators: list[Locator] = []
    nowhere = {f"feedback/{name}" for name in unsaid}
    if gold.evidence is not None and evidence is not None:
        for name in fragments_of(evidence):
            place = _place(scenario, gold.evidence.fragments[name], session_key, history_files)
            locators.append(Locator(id=name, text=gold.evidence.fragments[name].text, **place))
    return AnswerKey(
        round=item.id,
        type=item.type,
        letters=tuple(item.options),
        evidence=evidence,
        asked=tuple(text for text in (item.question, *item.options.values()) if text and text in prompt),
        fragments=tuple(locators),
        unsaid=tuple(one.id for one in locators if gold.evidence and gold.evidence.fragments[one.id].where in nowhere),
        oracle=gold.artefacts("oracle", item.id),
        hasty=gold.artefacts("hasty", item.id),
        workspace=workspace,
        texts=_texts(states[: round_index + 1], {one.path for one in locators}, history_files.values(), history_text),
    )


def _texts(
    states: Sequence[World],
    paths: Collection[str],
    histories: Collection[str],
    history_text: Callable[[str], str | None],
) -> dict[str, tuple[str, ...]]:
    """What these files have held until now; a rendered history is read as it lies there, and is empty if it cannot be."""
    found = {path: tuple(dict.fromkeys(state.text(path) for state in states if path in state.files)) for path in paths}
    for path in {*paths} & {*histories}:
        text = history_text(path)
        found[path] = () if text is None else (text,)
    return {path: texts for path, texts in found.items() if texts or path in histories}


def _place(
    scenario: Scenario, fragment: Fragment, session_key: Callable[[str], str], history_files: Mapping[str, str]
) -> dict[str, str]:
    """The locator's fields: nothing for what only the conversation itself can hold (main session, feedback)."""
    kind, _, place = fragment.where.partition("/")
    if kind == "workspace":
        return {"path": place}
    session = place.partition("#")[0]
    if kind == "feedback" or session == scenario.manifest.main.id:
        return {}
    if session in history_files:
        return {"path": history_files[session]}
    return {"session": session, "key": session_key(session)}
