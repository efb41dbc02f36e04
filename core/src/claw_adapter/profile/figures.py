"""From runs to figures: what is measured where, and in which words it is said."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import linear_regression, median
from typing import Final

from claw_adapter.endpoint.faults import USUAL_FAULTS
from claw_adapter.profile.records import AT_END, Figure, Group
from claw_adapter.profile.requests import DISTANCES, Break, TalkRequests, breaks_of, counts, prefix_of
from claw_adapter.profile.talk import KINDS, Talk
from claw_adapter.protocol.tokens import TokenUse
from claw_adapter.report.clean import one_line
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.load import RunData, TrialData
from claw_adapter.runs.prices import cost
from claw_adapter.runs.providers import provider_model
from claw_adapter.runs.store import Store
from claw_adapter.runs.transcript import Exchange, read_transcript
from claw_adapter.workspace.tree import read_tree

__all__ = [
    "cache_of",
    "cause_of",
    "entry_of",
    "exchanges_of",
    "faults_of",
    "histories_of",
    "reach_of",
    "running_of",
    "spread",
]

COUNTED: Final = "counted at the endpoint (cl100k)"
LIST: Final = ("claude-opus-4.7", "gpt-5.5")
"""Models at whose list prices a talk is priced."""


def exchanges_of(run: RunData, trial: TrialData) -> tuple[Exchange, ...]:
    """The requests of a trial."""
    path = RunFolder(run.root).transcript(trial.spec.id)
    return tuple(read_transcript(path)) if path.is_file() else ()


def spread(group: Group, name: str, values: Sequence[float | None], how: str, unit: str = "", text: str = "") -> Figure:
    """A figure that was seen several times: the median, the least and the most."""
    known = [value for value in values if value is not None]
    several = len(known) > 1
    return Figure.model_validate(
        {
            "group": group, "name": name, "value": median(known) if known else None, "unit": unit, "text": text,
            "low": min(known) if several else None, "high": max(known) if several else None, "seen": len(known), "how": how,
        }
    )  # fmt: skip


def entry_of(talks: Sequence[TalkRequests]) -> Iterator[Figure]:
    """What the first request has before the first word of the user."""
    entries = [talk.entry() for talk in talks]
    names = {
        "total": ("entry price", "all below together"),
        "system": ("… system prompt", "messages of role system or developer"),
        "tools": ("… tool definitions", "as canonical JSON"),
        "other": ("… other words of its own", "before the prompt, in messages of other roles"),
    }
    for key, (name, what) in names.items():
        how = f"first request with the first prompt, {what}, without the prompt; {COUNTED}"
        yield spread("entry", name, [entry.get(key) for entry in entries], how, "tokens")
    first = [sum(one.round == next(iter(talk.talk)).round for one in talk.exchanges) for talk in talks]
    yield spread("entry", "requests of the first turn", first, "requests at the endpoint in turn 1", "requests")


def running_of(talks: Sequence[TalkRequests]) -> Iterator[Figure]:
    """What a conversation costs as it grows."""
    turns = talks[0].talk.turns
    sent = [talk.sent() for talk in talks]
    yield spread(
        "running", f"sent in {turns} turns", [sum(one) for one in sent], f"sum over requests, {COUNTED}", "tokens"
    )
    yield spread(
        "running",
        "growth per turn",
        [linear_regression(range(len(one)), one).slope if len(one) > 1 else None for one in sent],
        "slope of tokens sent over turns (least squares)",
        "tokens",
    )
    per_turn = [len([one for one in talk.exchanges if one.round]) / turns for talk in talks]
    yield spread(
        "running", "requests per turn", per_turn, "requests in turns / turns; each turn reads one file", "times"
    )
    own = [sum(counts(one).input for one in talk.own) for talk in talks]
    count = len(talks[0].own)
    how = "requests without the turn's prompt, or without tools: titles, summaries, guards"
    yield spread("running", "sent for itself", own, how, "tokens", f"{count} requests" if count else "none")
    yield spread(
        "running", "asked again", [talk.repeated() for talk in talks], "requests equal to the one before", "times"
    )


def cache_of(talks: Sequence[TalkRequests]) -> Iterator[Figure]:
    """What a cache of prefixes has, and what it loses."""
    kept = [prefix_of(talk.exchanges) for talk in talks]
    how = f"longest prefix shared with an earlier request, of all that was sent; {COUNTED}"
    yield spread("cache", "prefix kept", [had / sent if sent else None for had, sent in kept], how, "share")
    breaks = [breaks_of(talk.main) for talk in talks]
    lost = [sum(one.tokens for one in found) for found in breaks]
    how = "requests that do not begin with the whole of the one before; tokens after the break, paid for anew"
    yield spread("cache", "prefix breaks", [len(found) for found in breaks], how, "times")
    yield spread("cache", "lost by breaks", lost, how, "tokens", cause_of(breaks[0]))
    for name in LIST:
        yield from _prices(name, talks)


def cause_of(breaks: Sequence[Break]) -> str:
    """Where most is lost, and by what."""
    if not breaks:
        return "nothing breaks it"
    lost = Counter[str]()
    for one in breaks:
        lost[one.place] += one.tokens
    parts = []
    for place, tokens in lost.most_common(2):
        there = [one for one in breaks if one.place == place]
        parts.append(f"{place} ({len(there)} ×, {tokens:,} tokens): “{there[-1].before}” → “{there[-1].after}”")
    return "; ".join(parts)


def _prices(name: str, talks: Sequence[TalkRequests]) -> Iterator[Figure]:
    model = provider_model(name, environment={"AZURE_OPENAI_ENDPOINT": "https://list.prices"})
    found: dict[bool, list[float | None]] = {False: [], True: []}
    entry = ""
    for talk in talks:
        for cached, amounts in found.items():
            prices = [cost(model, _use(one), cached=cached) for one in talk.exchanges]
            known = [price for price in prices if price is not None]
            amounts.append(float(sum(price.amount for price in known)) if known else None)
            entry = f"{known[0].prices}, {known[0].entry}, {known[0].day}" if known else entry
    if not any(found[False]):
        return
    for cached, label in ((False, "without a cache"), (True, "with a cache")):
        how = f"each request's tokens (cl100k) at list price ({entry}), {label}"
        what = "; all that a cache does not have is written into it" if cached else ""
        yield spread("cache", f"{name} {label}", found[cached], how + what, "USD")


def _use(exchange: Exchange) -> TokenUse:
    return counts(exchange).counted if exchange.status == 200 else TokenUse()


def reach_of(run: RunData, trial: TrialData, talk: Talk, label: str, base: int) -> Iterator[Figure]:
    """How far back a harness's requests reach in one window; `base` is how many requests for itself it makes without one."""
    requests = TalkRequests(talk, exchanges_of(run, trial))
    how = (
        "of the marks of prompts, results and answers so many turns ago, those in the last answered request of a turn; "
        "in a turn that fails, none"
    )
    for distance in DISTANCES:
        had, could = requests.reach(distance)
        by_kind = {kind: requests.reach(distance, [kind]) for kind in KINDS}
        some = [f"{kind} {part / whole:.0%}" for kind, (part, whole) in by_kind.items() if whole]
        text = ", ".join(some) if len({word.split()[1] for word in some}) > 1 else ""
        share = had / could if could else None
        yield Figure(
            group="reach",
            name=f"{label}, {distance} turns back",
            value=share,
            unit="share",
            text=text,
            seen=could,
            how=how,
        )
    yield Figure(group="reach", name=f"{label}, {AT_END}", text=_end(run, trial, requests, base), how=_END)


_END: Final = (
    "overflows that the endpoint answered, errors of turns, requests for itself beyond those without a window, marks lost, "
    "and those of them that stand in a file which the last request names"
)


def _end(run: RunData, trial: TrialData, requests: TalkRequests, base: int) -> str:
    parts = []
    failed = [record for record in trial.rounds if record.error is not None]
    refused = sum(one.status == 400 and not one.sent for one in requests.exchanges)
    if failed:
        begun = len(trial.rounds)
        tried = f"; not tried after turn {begun}" if begun < requests.talk.turns else ""
        parts.append(f"error from turn {failed[0].index + 1} on ({len(failed)} of {begun} turns{tried})")
        parts += [one_line(record.error.what, 120) for record in failed[:1] if record.error and not refused]
    elif len(trial.rounds) < requests.talk.turns:
        parts.append(f"ended after turn {len(trial.rounds)}")
    if refused:
        parts.append(f"{refused} requests too long")
    if (own := len(requests.own) - base) > 0:
        parts.append(f"{own} more requests for itself (summaries)")
    had, could = (sum(values) for values in zip(*(requests.reach(one) for one in DISTANCES), strict=True))
    if had < could:
        files = _files(run, trial)
        led, missing = requests.paged(files)
        parts.append(
            "older turns left out" + (f", {led} of {missing} marks lost stand in files that it names" if led else "")
        )
    return "; ".join(parts) or "all there"


def _files(run: RunData, trial: TrialData) -> dict[str, str]:
    """The text files of the last snapshot."""
    if not trial.rounds:
        return {}
    store = Store(run.store)
    found = {}
    for path, entry in read_tree(store, trial.rounds[-1].snapshot).items():
        if entry.kind == "file":
            found[path] = store.get(entry.sha).decode("utf-8", "replace")
    return found


def histories_of(trials: Sequence[TrialData]) -> Iterator[Figure]:
    """How much of a history can be read."""
    for trial in trials:
        for record in trial.rounds:
            if record.evidence is None:
                continue
            needed = len(record.evidence.needed)
            share = len(set(record.evidence.needed) & set(record.evidence.seen)) / needed if needed else None
            yield Figure(
                group="histories", name=f"read of {int(record.round[1:]):,} messages", value=share, unit="share",
                text=f"{record.evidence.calls} calls" + (f"; {record.error.kind}" if record.error else ""), seen=needed,
                how="of ten messages spread over a history, those that reached the reader, which looks for all; calls it made",
            )  # fmt: skip


def faults_of(run: RunData, trial: TrialData, deadline: float) -> Iterator[Figure]:
    """What follows from each fault, that of every request of a turn of at most `deadline` seconds."""
    requests: dict[str, int] = {}
    for name, found in itertools.groupby(exchanges_of(run, trial), key=lambda one: one.round):
        requests[name] = len(list(found))  # the last time, where a turn was tried again
    away = "not tried: the program asked for nothing before its deadline"
    for record in trial.rounds:
        kind = record.round.replace("-", "_")
        if kind not in USUAL_FAULTS:
            continue
        said = f"turn fails: {record.error.kind}" if record.error else "turn ends with an answer"
        asked = requests.get(record.round)
        late = " (its deadline)" if record.timing.total >= deadline else ""
        yield Figure(
            group="faults", name=f"after {kind}", value=asked, unit="requests",
            text=f"{said}, after {record.timing.total:.1f} s{late}" if asked else away,
            how="requests in a turn of which each one fails so; what comes of the turn, within its deadline",
        )  # fmt: skip
