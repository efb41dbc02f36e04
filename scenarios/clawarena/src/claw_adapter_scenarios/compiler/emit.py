"""A compiled variant as the files of scenario/1."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from claw_adapter.protocol import Answers, Evidence, Manifest, Message, RoundFile, SessionEntry, Update, UpdateAction
from claw_adapter.scenario.yamltext import yaml_text
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.language.values import SeriesValue, Value, render_value

__all__ = ["canary", "check_program", "emit"]

CHECK: Final = '''"""``python check.py EXPECTED.json WORKSPACE``; see `checker.run`."""

import sys

from checker.run import main

sys.exit(main(sys.argv[1:]))
'''


def emit(made: Compiled) -> dict[str, bytes]:
    """Content by path, in a fixed order."""
    files: dict[str, bytes] = {
        "scenario.yaml": yaml_text(_manifest(made)).encode(),
        "rounds.yaml": yaml_text(_plain(RoundFile(rounds=tuple(one.round for one in made.rounds)))).encode(),
    }
    for path, text in made.material.files.items():
        files[f"workspace/{path}"] = text.encode()
    files["sessions/main.jsonl"] = _jsonl(made.material.main)
    for name, messages in made.material.sessions.items():
        files[f"sessions/{name}.jsonl"] = _jsonl(messages)
    _updates(made, files)
    _gold(made, files)
    return dict(sorted(files.items()))


def _plain(record: Any) -> Any:
    return record.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _jsonl(messages: Iterable[Message]) -> bytes:
    lines = [json.dumps(_plain(message), ensure_ascii=False) for message in messages]
    return "".join(f"{line}\n" for line in lines).encode()


def _manifest(made: Compiled) -> Any:
    truth, canon = made.spec.truth, made.canon
    user = canon.text(truth.protagonist, "") or ""
    manifest = Manifest.model_validate({
        "schema": "scenario/1", "id": made.id, "title": canon.render(truth.title).text, "domain": truth.domain,
        "language": truth.language, "clock": canon.value("now").isoformat() + truth.offset,
        "main": SessionEntry(id="main", title=user, participants=(user,)), "histories": tuple(made.material.entries),
        "tags": {"variant_of": [truth.id]} if truth.switches else {},
        "canary": canary(truth.id) if truth.edition > 1 else "",
    })  # fmt: skip
    return {"schema": "scenario/1", **_plain(manifest)}


def canary(name: str) -> str:
    """The canary of a spec, the same for all its seeds; it names the purpose, for whoever comes upon it."""
    return f"Benchmark data, not for training. Canary {uuid5(NAMESPACE_URL, f'claw-adapter/scenario/{name}')}"


def _updates(made: Compiled, files: dict[str, bytes]) -> None:
    for update in made.spec.updates.updates:
        folder, actions = f"updates/{update.id}", []
        for number, change in enumerate(c for c in made.material.changes if c.update == update.id):
            source = f"{number + 1:02d}_{Path(change.path).name}"
            files[f"{folder}/{source}"] = change.text.encode()
            actions.append(
                UpdateAction.model_validate({"workspace": change.path, "action": change.action, "source": source})
            )
        for gain in (g for g in made.material.gains if g.update == update.id):
            source = f"{gain.session}.jsonl"
            files[f"{folder}/{source}"] = _jsonl(gain.messages)
            actions.append(
                UpdateAction.model_validate({"session": gain.session, "action": gain.action, "source": source})
            )
        record = Update(id=update.id, actions=tuple(actions), tags=update.tags)
        files[f"{folder}/update.yaml"] = yaml_text(_plain(record)).encode()


def _gold(made: Compiled, files: dict[str, bytes]) -> None:
    answers = Answers(preferences=dict(made.preferences), rounds={one.spec.id: one.answer for one in made.rounds})
    evidence = Evidence(fragments=dict(made.fragments), rounds={one.spec.id: one.evidence for one in made.rounds})
    files["gold/answers.yaml"] = yaml_text(_plain(answers)).encode()
    files["gold/evidence.yaml"] = yaml_text(_plain(evidence)).encode()
    files["gold/truth.yaml"] = yaml_text(_truth(made)).encode()
    for one in made.rounds:
        if one.work is None:
            continue
        data = json.dumps(one.work.expected, indent=1, ensure_ascii=False) + "\n"
        files[f"gold/checks/{one.spec.id}.json"] = data.encode()
        files.update((f"gold/checks/{path}", text.encode()) for path, text in one.work.unseen.items())
        for kind, written in (("oracle", one.work.oracle), ("hasty", one.work.hasty)):
            for path, text in written.items():
                files[f"gold/{kind}/{one.spec.id}/{path}"] = text.encode()
    if any(one.work is not None for one in made.rounds):
        files.update(check_program())


def check_program() -> Iterator[tuple[str, bytes]]:
    """The checker as a program of its own: its modules, and core's folder `values` in the place of the module."""
    from claw_adapter import values
    from claw_adapter_scenarios import checker

    yield "gold/checks/check.py", CHECK.encode()
    for path in sorted(Path(checker.__file__).parent.glob("*.py")):
        if path.name != "values.py":
            yield f"gold/checks/checker/{path.name}", path.read_bytes()
    for path in sorted(Path(values.__file__).parent.glob("*.py")):
        yield f"gold/checks/checker/values/{path.name}", path.read_bytes()


def _truth(made: Compiled) -> Any:
    """Layer 0 of this variant: facts, who is who, every claim, and what each statement amounts to at its round."""
    truth, canon = made.spec.truth, made.canon
    return {
        "spec": truth.id,
        "seed": canon.seed,
        "people": {name: canon.text(name, "") for name in truth.actors},
        "facts": {name: _shape(canon.value(name), truth.language) for name in truth.facts},
        "claims": [
            {"fragment": c.fragment, "fact": c.fact, "value": _shape(c.value, truth.language), "true": c.true, "rank": c.rank,
             "where": c.where, **({"update": c.update} if c.update else {})}
            for c in made.material.claims
        ],
        "statements": {
            one.spec.id: {o.letter: {"if": o.spec.condition, "holds": bool(o.verdict.value)} for o in one.options}
            for one in made.rounds if one.options
        },
    }  # fmt: skip


def _shape(value: Value, language: str) -> Any:
    if isinstance(value, SeriesValue):
        return {
            "readings": len(value.readings),
            "first": render_value(value.readings[0].at),
            "step_minutes": value.step,
        }
    if isinstance(value, bool | int | float):
        return value
    return render_value(value, "", language)
