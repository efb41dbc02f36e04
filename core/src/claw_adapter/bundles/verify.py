"""Verifying a bundle: everything that it claims is computed again from what it holds, without a model and without a harness."""

from __future__ import annotations

import hashlib
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from pydantic import ValidationError

from claw_adapter.audit import audit_run
from claw_adapter.bundles.agree import contradictions, once, other_details
from claw_adapter.bundles.make import NAMESPACE, bundle_rows, needed_files
from claw_adapter.bundles.records import MANIFEST, SIGNATURE, BundleManifest, Verified
from claw_adapter.errors import ClawError, JournalError
from claw_adapter.exports.turns import AskedRound, read_turns
from claw_adapter.protocol import Scenario
from claw_adapter.protocol.tokens import TokenCounts
from claw_adapter.questions.extract import extract, extract_compat
from claw_adapter.questions.types import question_type
from claw_adapter.reading import parse_json, why
from claw_adapter.report import summarise
from claw_adapter.report.rescore import Rescored, rescore
from claw_adapter.runs.load import RunData, TrialData, load_run
from claw_adapter.runs.plan import difference
from claw_adapter.scenario.named import find_scenarios
from claw_adapter.signing import signed_by
from claw_adapter.tokens.meter import count_request

__all__ = ["MOST_BYTES", "verify_bundle"]

MOST_BYTES: Final = 20_000_000_000
"""Of an unpacked bundle."""
MOST_TIMES: Final = 200
"""How many times its size a bundle unpacks to, beyond 100 MB; transcripts, which repeat no message, come to 20."""
CHUNK: Final = 1_000_000


async def verify_bundle(
    path: Path, data: Sequence[str] = (), *, signers: Path | None = None, signer: str = "", isolation: int | None = None
) -> Verified:
    """Look whether all that a bundle says agrees with what is in it.

    Args:
        path: the file.
        data: names or folders of its scenarios, when they are not those of installed plugins.
        signers: an `allowed_signers` file of SSH.
        signer: who of them must have signed.
        isolation: level for the checks; None means the run's own.

    Raises:
        JournalError: something was changed, left out, added or mixed, with what it is.
        ScenarioError: a scenario is not here, or not the one that was run.
    """
    with tempfile.TemporaryDirectory(prefix="claw-bundle-") as name:
        root = Path(name).resolve() / (path.name.split(".")[0] or "bundle")
        root.mkdir()
        manifest = _unpack(path, root)
        signed_by = _signed(root, signers, signer, path) if signers is not None else ""
        try:
            return await _verified(root, path, manifest, data, signed_by=signed_by, isolation=isolation)
        except JournalError as error:
            if not error.where.startswith(str(root)):
                raise
            raise _refused(path, f"{error.where.removeprefix(f'{root}/')}: {error.what}") from None


async def _verified(
    root: Path, path: Path, manifest: BundleManifest, data: Sequence[str], *, signed_by: str, isolation: int | None
) -> Verified:
    """What is found in a bundle that is laid out at `root`."""
    run = load_run(root)
    _check_run(run, manifest, path)
    scenarios = _scenarios(run, data)
    _check_rounds(run, scenarios, path)
    if lines := list(contradictions(run, scenarios)):  # before any check is run
        raise _refused(path, "what is in it does not fit together:", lines)
    scored = await rescore(root, isolation=isolation, scenarios=scenarios)
    if lines := [*map(str, scored.differences), *_differently(run, scored)]:
        raise _refused(path, "scored again, rounds come out differently:", lines)
    rows = bundle_rows(summarise(run))
    if lines := difference(
        [one.model_dump(mode="json") for one in manifest.rows], [one.model_dump(mode="json") for one in rows]
    ):
        raise _refused(path, "the figures are not those of its rounds:", lines)
    proof = _Proof.of(run, path)
    levels = [trial.start.isolation for trial in run.trials if trial.start]
    return Verified(
        digest=run.plan.digest,
        trials=len(run.trials),
        rounds=scored.rounds,
        scenarios=run.plan.scenarios,
        rows=rows,
        isolation=min((level for one in levels for level in (one.harness, one.check) if level is not None), default=0),
        requests=proof.requests,
        answers=proof.answers,
        unproved=(*_unproved(run, manifest, proof, signed_by), *_unfit(run, scenarios, proof)),
        signer=signed_by,
    )


def _refused(path: Path, what: str, lines: Iterator[str] | Sequence[str] = ()) -> JournalError:
    told = "".join(f"\n    {line}" for line in list(lines)[:20])
    return JournalError(
        f"the bundle is refused: {what}{told}", where=str(path), remedy="Ask its author for the original."
    )


def _unpack(path: Path, root: Path) -> BundleManifest:
    """Lay the files out, each checked against the manifest."""
    try:
        with tarfile.open(path, "r:gz") as archive:
            first = archive.next()
            source = archive.extractfile(first) if first and first.name == MANIFEST and first.isfile() else None
            if source is None:
                raise _refused(path, f"it does not begin with {MANIFEST}")
            text = source.read(MOST_BYTES)
            manifest = BundleManifest.model_validate(parse_json(text, once))
            (root / MANIFEST).write_bytes(text)
            found, size, most = {MANIFEST}, len(text), min(MOST_BYTES, 100_000_000 + MOST_TIMES * path.stat().st_size)
            while member := archive.next():
                size += member.size
                _check_member(member, found, path)
                if size > most:
                    raise _refused(path, f"it unpacks to more than {most:,} bytes")
                target = root / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                digest = _copy(archive, member, target)
                if member.name != SIGNATURE and manifest.files.get(member.name) != digest:
                    kind = "was changed" if member.name in manifest.files else "is not in the list of its files"
                    raise _refused(path, f"{member.name} {kind}")
                found.add(member.name)
            while archive.fileobj is not None and (rest := archive.fileobj.read(CHUNK)):
                size += len(rest)
                if rest.strip(b"\0") or size > most:
                    raise _refused(path, "something stands behind its files")
    except ValidationError as error:
        raise _refused(path, f"{MANIFEST}: {why(error)}") from None
    except ValueError as error:
        raise _refused(path, f"{MANIFEST}: {error}") from None
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise _refused(path, f"it cannot be unpacked: {error}") from error
    if lost := sorted(set(manifest.files) - found):
        raise _refused(path, "files are missing:", lost)
    return manifest


def _check_member(member: tarfile.TarInfo, found: set[str], path: Path) -> None:
    parts = PurePosixPath(member.name).parts
    if not member.isfile() or not parts or parts[0] == "/" or ".." in parts or member.name in found:
        raise _refused(path, f"{member.name!r} is not a plain file of its own")


def _copy(archive: tarfile.TarFile, member: tarfile.TarInfo, target: Path) -> str:
    digest, source = hashlib.sha256(), archive.extractfile(member)
    with target.open("wb") as file:
        while source is not None and (block := source.read(CHUNK)):
            digest.update(block)
            file.write(block)
    return digest.hexdigest()


def _signed(root: Path, signers: Path, signer: str, path: Path) -> str:
    """Who signed the manifest."""
    if not (root / SIGNATURE).exists():
        raise _refused(path, "it is not signed")
    signature = (root / SIGNATURE).read_text("utf-8", "replace")
    if not signed_by((root / MANIFEST).read_bytes(), signature, signers, signer, NAMESPACE):
        raise _refused(path, f"{signer!r} has not signed it")
    return signer


def _check_run(run: RunData, manifest: BundleManifest, path: Path) -> None:
    """Plan, journals and manifest are of one run, and all of it."""
    if not run.plan.digest == manifest.digest == run.about.get("digest"):
        raise _refused(path, "the plan is not the one whose digest it names")
    if run.plan.scenarios != manifest.scenarios or run.plan.shard is not None:
        raise _refused(path, "its scenarios are not those of the plan, or it is a part of a run")
    planned = {trial.spec.id for trial in run.trials}
    if len(planned) < len(run.trials):
        raise _refused(path, "a trial is there twice in the plan")
    if manifest.claw_adapter != run.about.get("claw_adapter", ""):
        raise _refused(path, "the version of claw-adapter is not that of the run")
    if strange := {place.parent.name for place in run.root.glob("trials/*/*")} - planned:
        raise _refused(path, "trials are not in the plan:", sorted(strange))
    if left := [trial.spec.id for trial in run.trials if trial.end is None]:
        raise _refused(path, "trials are missing, or not over:", left)
    for trial in run.trials:
        if lines := _strange(run, trial):
            raise _refused(path, f"the journal of {trial.spec.id} is not of this plan:", lines)
    needed = {"run.json", *needed_files(run)}
    if more := sorted(set(manifest.files) - needed):
        raise _refused(path, "no part of a run needs these files:", more)
    voided = sum(voided.scored for trial in run.trials for voided in trial.voided)
    if voided != manifest.voided:
        raise _refused(path, f"{voided} scored rounds were given up and tried again, and it says {manifest.voided}")


def _strange(run: RunData, trial: TrialData) -> list[str]:
    """What a journal begins with, where that is not what the plan has."""
    start, spec = trial.start, trial.spec
    if start is None:
        return ["it has rounds without a beginning"] if trial.rounds else []
    planned = {
        "trial": spec.id, "scenario": spec.scenario, "scenario_digest": run.plan.scenarios[spec.scenario],
        "harness": spec.harness.label, "model": spec.model.name, "seed": spec.seed, "repeat": spec.repeat,
        "overlays": [one.label for one in spec.overlays],
    }  # fmt: skip
    found = start.model_dump(mode="json", include=set(planned))
    lines = difference(planned, found)
    levels = [level for level in (start.isolation.harness, start.isolation.check) if level is not None]
    if levels and max(levels) > spec.settings.isolation:
        lines.append(f"isolation: {spec.settings.isolation} → {max(levels)}")
    known = run.plan.versions.get(spec.harness.label, {})
    versions = {name: version for name, version in start.versions.items() if name in known or not spec.overlays}
    return lines + [f"versions.{line}" for line in difference(known, versions) if known and versions]


def _scenarios(run: RunData, data: Sequence[str]) -> dict[str, Scenario]:
    """The verifier's own: what a bundle names is looked for among installed plugins, never in a folder."""
    if data:
        return find_scenarios(tuple(data))
    try:
        return find_scenarios(run.plan.sources, places=False)
    except ClawError as error:
        error.remedy = "Install the distribution that has the scenarios, or name them, or their folder, with --data."
        raise


def _differently(run: RunData, scored: Rescored) -> Iterator[str]:
    """Rounds with the same score and another reason for it."""
    for old, new in zip(run.trials, scored.run.trials, strict=True):
        for one, again in zip(old.rounds, new.rounds, strict=True):
            if one.score.value == again.score.value:
                yield from (f"{old.spec.id} {one.round}: {line}" for line in other_details(one.score, again.score))


def _check_rounds(run: RunData, scenarios: Mapping[str, Scenario], path: Path) -> None:
    """The rounds of each trial are those of its scenario, in order, none twice, and each was asked its question."""
    for trial in run.trials:
        rounds = scenarios[trial.spec.scenario].rounds
        if len(rounds) != run.plan.rounds[trial.spec.scenario]:
            raise _refused(path, f"{trial.spec.scenario} has {len(rounds)} rounds")
        asked = [(record.index, record.round, record.type) for record in trial.rounds]
        wanted = [(index, one.id, one.type) for index, one in enumerate(rounds)][: len(asked)]
        whole = trial.failure is not None or len(asked) == len(rounds)
        if asked != wanted or not whole:
            raise _refused(path, f"the rounds of {trial.spec.id} are not those of the scenario")
        compat = {"compat": trial.spec.settings.compat} if trial.spec.settings.compat else {}
        for record, item in zip(trial.rounds, rounds, strict=False):
            if question_type(item.type).prompt(item, **compat) not in record.prompt:
                raise _refused(
                    path, f"the prompt of {trial.spec.id} {record.round} is not the question of the scenario"
                )


@dataclass(frozen=True, slots=True)
class _Proof:
    """How far journals and transcripts agree."""

    requests: int
    answers: int
    answered: int
    uncounted: int
    cheap: int
    """Rounds whose requests are longer than their tokens."""

    @classmethod
    def of(cls, run: RunData, path: Path) -> _Proof:
        turns = [(trial, turn) for trial in run.trials for turn in read_turns(run.root, trial)]
        for trial, turn in turns:
            if line := _contradiction(trial, turn):
                raise _refused(path, f"{trial.spec.id} {turn.record.round}: {line}")
        answered = [turn for _, turn in turns if turn.record.text]
        return cls(
            requests=sum(len(turn.counted) for _, turn in turns),
            answers=sum(_said(turn) for turn in answered),
            answered=len(answered),
            uncounted=sum(turn.told_of != turn.record.usage.metered.requests for _, turn in turns),
            cheap=sum(_too_few(turn) for _, turn in turns),
        )


def _said(turn: AskedRound) -> bool:
    """Whether the answer is, word for word, one of the model's replies or a part of it."""
    return any(turn.record.text.strip() in str((one.reply or {}).get("content") or "") for one in turn.exchanges)


def _contradiction(trial: TrialData, turn: AskedRound) -> str:
    """Where the transcript says something else than the journal; empty where it does not."""
    record, metered = turn.record, turn.record.usage.metered
    if turn.counted and len(turn.counted) == metered.requests:
        counts = [TokenCounts.model_validate(one.usage) for one in turn.counted]
        sums = sum(one.input for one in counts), sum(one.output for one in counts)
        if sums != (metered.input, metered.output):
            return f"tokens {metered.input}/{metered.output} in the journal, {sums[0]}/{sums[1]} in the transcript"
    last = str((turn.exchanges[-1].reply or {}).get("content") or "") if turn.exchanges else ""
    if record.type == "multi_choice" and last and not _said(turn):
        read = extract_compat(last) if trial.spec.settings.compat else extract(last)
        if read.letters is not None and read.letters != record.score.answer:
            given = ",".join(record.score.answer or ()) or "none"
            return f"letters {given} in the journal, and {','.join(read.letters)} in the model's last reply"
    return ""


def _unproved(run: RunData, manifest: BundleManifest, proof: _Proof, signer: str) -> Iterator[str]:
    if not signer:
        yield "who made it: it is not signed, or no signer was asked for"
    yield "that the transcript is of the model it names: nobody but the provider could say so"
    if proof.answers < proof.answered:
        yield f"{proof.answered - proof.answers} answers are not, word for word, in the model's replies"
    if proof.uncounted:
        yield f"the tokens of {proof.uncounted} rounds: the transcripts have more or fewer requests than these count"
    if moved := sum(
        one.environment is not None and one.environment.before != one.environment.after
        for trial in run.trials
        for one in trial.rounds
    ):
        yield f"that the commands of {moved} rounds left the state that is there: it is scored as it is there"
    if left := sum(record.snapshot != record.before for trial in run.trials for record in trial.rounds):
        yield f"that the calls of {left} rounds left in the workspace what lies there: it is scored as it lies there"
    unscored = sum(record.score.value is None for trial in run.trials for record in trial.rounds)
    early = sum(trial.failure is not None for trial in run.trials)
    if missing := [
        f"{count} {what}"
        for count, what in ((unscored, "rounds have no score"), (early, "trials ended early"))
        if count
    ]:
        yield f"why {' and '.join(missing)}: it is as the run recorded it"
    yield "which versions of programs ran: they are as the run recorded them"
    yield (
        "that they ran with these options, deadlines and isolation, when, how long it took, and how much of the machine: "
        "it is as the run recorded it, and so is which evidence had reached the model, what adapters declare and what "
        "harnesses reported of tokens"
    )
    yield "that there was nothing else: of several runs the best may have been kept, and of its trials those that look well"
    if manifest.voided:
        yield f"why {manifest.voided} rounds that had a score were given up and tried again"
    for label, name in sorted({(one.spec.harness.label, one.spec.harness.name) for one in run.trials}):
        if name not in label:
            yield f"that {label} is what it is called: it is a label of the harness {name}"
    for model in sorted({trial.spec.model.name for trial in run.trials if not trial.spec.model.measures_ability}):
        kinds = {trial.spec.model.kind for trial in run.trials if trial.spec.model.name == model}
        yield f"anything about a model: {'the reader is a stub' if 'reader' in kinds else f'{model} is a program'}"


def _unfit(run: RunData, scenarios: Mapping[str, Scenario], proof: _Proof) -> Iterator[str]:
    """What harness or author may be to blame for, so that nobody is refused for it."""
    if more := len(set(scenarios) - set(run.plan.scenarios)):
        names = ", ".join(run.plan.sources)
        yield f"what {more} scenarios of {names} would have shown: they are not in the plan"
    for harness in audit_run(run, scenarios=scenarios).harnesses:
        for one in harness.findings:
            where = ", ".join(one.rounds[:5]) or "the trial"
            yield f"that {harness.harness} asked and told what it must: {one.what} ({one.key}; {where})"
    if proof.cheap:
        yield f"the tokens of {proof.cheap} rounds: their requests are longer than these counts"


def _too_few(turn: AskedRound) -> bool:
    """Whether requests were counted as clearly shorter than they are; redaction changes a few tokens."""
    counted = sum(TokenCounts.model_validate(one.usage).input for one in turn.counted)
    size = [count_request(one.messages, one.tools) for one in turn.counted]
    return counted < 0.9 * sum(one.text + one.tools for one in size)
