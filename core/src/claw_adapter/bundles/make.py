"""Making a bundle: what scoring again needs, and nothing of this machine's."""

from __future__ import annotations

import hashlib
import io
import json
import re
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from claw_adapter import plugins
from claw_adapter.api.work import PREFIX
from claw_adapter.bundles.records import MANIFEST, SIGNATURE, BundleManifest, BundleRow
from claw_adapter.errors import ClawError
from claw_adapter.report import summarise
from claw_adapter.report.records import Summary
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.load import RunData, load_run
from claw_adapter.runs.named import needed_to_score
from claw_adapter.runs.named_folders import NamedFolders
from claw_adapter.runs.store import Store
from claw_adapter.signing import sign

__all__ = ["NAMESPACE", "bundle_rows", "make_bundle", "needed_files"]

NAMESPACE: Final = "claw-bundle"
"""What a signature is for, so that one made for something else does not count."""


def make_bundle(root: Path, out: Path, *, key: Path | None = None) -> tuple[str, ...]:
    """Write a run as one file, ``tar.gz``; returns what a person should know before it is passed on.

    Args:
        root: the run folder; every trial must be over.
        out: the file; it must not be there.
        key: a private key of SSH, to sign with.

    Raises:
        JournalError: not a run folder, or damaged.
        ClawError: trials are missing, the file is there, or `ssh-keygen` does not sign.
    """
    run = load_run(root)
    left = [trial.spec.id for trial in run.trials if trial.status == "unfinished"]
    if left:
        raise ClawError(
            f"{len(left)} trials are not over: {', '.join(left[:3])}", where=str(root), remedy="Finish the run first."
        )
    if run.plan.shard is not None:
        raise ClawError(f"this is shard {run.plan.shard} of a run", where=str(root), remedy="Merge all shards first.")
    if out.exists():
        raise ClawError("the file is there already", where=str(out), remedy="Name a new one.")
    files = {"run.json": _about(run), **dict(_files(run))}
    manifest = BundleManifest(
        digest=run.plan.digest,
        claw_adapter=str(run.about.get("claw_adapter", "")),
        distributions=_distributions(run),
        scenarios=run.plan.scenarios,
        rows=bundle_rows(summarise(run)),
        voided=sum(voided.scored for trial in run.trials for voided in trial.voided),
        files={name: hashlib.sha256(data).hexdigest() for name, data in sorted(files.items())},
    )
    first = (manifest.model_dump_json(indent=1) + "\n").encode()
    signed = {SIGNATURE: sign(first, key, NAMESPACE).encode()} if key is not None else {}
    with tarfile.open(out, "w:gz") as archive:
        for name, data in {MANIFEST: first, **signed, **files}.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return tuple(_paths(run, files))


def bundle_rows(summary: Summary) -> tuple[BundleRow, ...]:
    """The rows of a report."""
    return tuple(
        BundleRow(
            harness=row.label,
            model=row.model,
            strict=row.strict,
            adjusted=row.adjusted,
            trials=row.trials,
            unscored=row.unscored,
            input=row.tokens.metered.input,
            output=row.tokens.metered.output,
        )
        for row in summary.rows
    )


def _distributions(run: RunData) -> dict[str, str]:
    used = {
        name
        for trial in run.trials
        for name in (trial.spec.harness.name, trial.spec.model.kind, *(one.name for one in trial.spec.overlays))
    }
    return {one.distribution: one.version for one in plugins.entry_points() if one.name in used and one.distribution}


def _about(run: RunData) -> bytes:
    """run.json without the folders in which scenarios were found; they are no part of the configuration."""
    plan = run.plan.model_copy(update={"sources": tuple(Path(name).name for name in run.plan.sources)})
    about: dict[str, Any] = {**run.about, "plan": plan.model_dump(mode="json")}
    return (json.dumps(about, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "backslashreplace")


def needed_files(run: RunData) -> Iterable[str]:
    """Paths in a run folder of what scoring it again needs, but for run.json."""
    folder, store = RunFolder(run.root), Store(run.store, sweep=False)
    for trial in run.trials:
        for path in (folder.journal(trial.spec.id), folder.transcript(trial.spec.id)):
            if path.exists():
                yield path.relative_to(folder.root).as_posix()
    for digest in sorted(needed_to_score(store, (record for trial in run.trials for record in trial.rounds))):
        yield f"store/{digest[:2]}/{digest[2:]}"


def _files(run: RunData) -> Iterable[tuple[str, bytes]]:
    store = Store(run.store, sweep=False)
    for name in needed_files(run):
        if name.startswith("store/"):
            yield name, store.get(name.removeprefix("store/").replace("/", ""))
        else:
            yield name, (run.root / name).read_bytes()


def _paths(run: RunData, files: dict[str, bytes]) -> Iterable[str]:
    """What programs wrote and were told is verified word for word, so that a path in it cannot be taken out."""
    trials = {trial.spec.id: trial.spec.harness.label for trial in run.trials}
    live = re.compile(
        rb"((?:/[\w.~+@-]+)+)/live/(" + b"|".join(re.escape(name.encode()) for name in trials) + rb")(?![\w.~-])"
    )
    met = [match for data in files.values() for match in live.findall(data) if b"/" + PREFIX.encode() not in match[0]]
    known = {*NamedFolders(run.root).telling, *(root.decode() for root, _ in met)}
    named = re.compile(
        b"(?:" + b"|".join(re.escape(path.encode()) for path in sorted(known, key=len)[::-1]) + rb")(?![\w-])"
    )
    found = {name: {path.decode() for path in named.findall(data)} for name, data in files.items()}
    if count := sum(map(bool, found.values())):
        harnesses = {trials[name.decode()] for _, name in met} | {
            trials[name.split("/")[1]] for name, paths in found.items() if paths and name.startswith("trials/")
        }
        yield (
            f"{count} files of the bundle name folders of a machine: {', '.join(sorted(set().union(*found.values())))}.\n"
            f"  They hold what {', '.join(sorted(harnesses)) or 'a program'} said and was told, word for word; that is "
            "verified, so it stays.\n"
            "  If nobody may see it, run it again with --out in a folder whose path says nothing, such as /tmp/run."
        )
