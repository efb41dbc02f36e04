"""A bundle is verified without model and harness, and one in which something was forged is refused with the reason."""

import asyncio
import gzip
import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from claw_adapter import open_run
from claw_adapter.bundles.make import bundle_rows, make_bundle
from claw_adapter.bundles.records import MANIFEST, BundleManifest
from claw_adapter.bundles.verify import verify_bundle
from claw_adapter.errors import ClawError, JournalError, Owner
from claw_adapter.protocol import ChoiceDetail, Failure, RoundRecord, Score, TrialEnd, TrialStart
from claw_adapter.protocol.detail import CheckDetail
from claw_adapter.protocol.tokens import TokenCounts
from claw_adapter.runs.journal import Journal, read_all
from claw_adapter.runs.transcript import read_transcript
from support.running import claw, experiment, run_sync


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    root = tmp_path_factory.mktemp("bundled") / "run"
    run_sync(root, experiment("demo", seeds=[0, 1], models=["reader:hasty"]))
    return root


@pytest.fixture(scope="module")
def bundle(run):
    path = run.parent / "run.claw.tar.gz"
    make_bundle(run, path)
    return path


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    """A scenario in a folder of its own, and the bundle of a run of it."""
    root = tmp_path_factory.mktemp("theirs")
    scenario = shutil.copytree(Path(open_run.__code__.co_filename).parents[1] / "demo/scenario", root / "mine/theirs")
    run_sync(root / "run", experiment(scenario, seeds=[5]))
    make_bundle(root / "run", root / "b.tar.gz")
    return scenario, root / "b.tar.gz"


@pytest.fixture
def copy(run, tmp_path):
    return shutil.copytree(run, tmp_path / "copy")


def rewritten(copy, change, number=0):
    """A trial's journal with its chain made anew; `change` maps a record to one, or to None."""
    path = sorted(copy.glob("trials/*/journal.jsonl"))[number]
    records = [change(record) for record in read_all(path)]
    path.unlink()
    with Journal(path) as journal:
        for record in records:
            if record is not None:
                journal.append(record)


def first_choice(record):
    return isinstance(record, RoundRecord) and record.index == 0


def contents(path):
    with tarfile.open(path) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}


def packed(path, files):
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def listed(files, **changes):
    """The files with a list that fits them."""
    manifest = BundleManifest.model_validate_json(files[MANIFEST])
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in files.items() if name != MANIFEST}
    files[MANIFEST] = manifest.model_copy(update={"files": sums, **changes}).model_dump_json().encode()
    return files


def verified(path):
    """What `claw bundle verify` finds, in this process: most of a command's time goes to its start."""
    return asyncio.run(verify_bundle(path))


def refused(path, signers=None, signer=""):
    with pytest.raises(JournalError) as error:
        asyncio.run(verify_bundle(path, signers=signers, signer=signer))
    assert "the bundle is refused" in str(error.value)
    return str(error.value)


def forged(copy, tmp_path):
    make_bundle(copy, tmp_path / "forged.tar.gz")
    return refused(tmp_path / "forged.tar.gz")


def test_a_bundle_is_verified_without_programs_models_and_a_home(run, bundle, tmp_path):
    path = shutil.copy(bundle, tmp_path)
    script = (
        "import sys; from claw_adapter import plugins; from claw_adapter.cli import main; sys.argv[0] = 'claw'; main()"
    )
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "CLAW_HOME": str(tmp_path / "nothing")}
    done = subprocess.run(
        [sys.executable, "-c", script, "bundle", "verify", path, "--json"],
        capture_output=True, text=True, env=env, cwd=tmp_path, check=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert (found["trials"], found["rounds"], found["answers"]) == (2, 22, 22)
    assert found["rows"] == [one.model_dump(mode="json") for one in bundle_rows(open_run(run).summary())]
    assert any("reader is a stub" in sentence for sentence in found["unproved"])


def test_a_bundle_names_no_folder_in_which_scenarios_lay(theirs):
    scenario, bundle = theirs
    assert str(scenario.parent).encode() not in b"".join(contents(bundle).values())


def test_a_folder_that_a_program_was_told_is_said_once_with_who_was_told_it(copy, tmp_path):
    """The folder in which the trial was run, not the one in which the run lies now; journals are not concerned."""
    assert make_bundle(copy, tmp_path / "before.tar.gz") == ()
    path = min(copy.glob("trials/*/transcript.jsonl"))
    told = {"kind": "part", "sha": "0" * 64, "value": f"You are in /home/ann/runs/live/{path.parent.name}/workspace."}
    with path.open("a") as file:
        file.write(json.dumps(told) + "\n")
    (note,) = make_bundle(copy, tmp_path / "after.tar.gz")
    assert note.startswith("1 files of the bundle name folders of a machine: /home/ann/runs.\n")
    assert "what reference said and was told" in note
    assert "--out" in note


def test_a_changed_file_is_refused(bundle, tmp_path):
    files = contents(bundle)
    name = next(name for name in files if name.startswith("store/"))
    done = claw("bundle", "verify", packed(tmp_path / "f", files | {name: b"{}"}), check=False)
    assert done.returncode == 3
    assert "the bundle is refused" in done.stderr
    assert f"{name} was changed" in done.stderr


def test_a_file_that_was_left_out_or_added_is_refused(bundle, tmp_path):
    files = contents(bundle)
    name = next(name for name in files if name.endswith("transcript.jsonl"))
    assert "files are missing" in refused(packed(tmp_path / "f", {k: v for k, v in files.items() if k != name}))
    assert "is not in the list" in refused(packed(tmp_path / "g", files | {"trials/more/journal.jsonl": b""}))


def test_a_way_out_of_the_folder_is_refused(bundle, tmp_path):
    assert "not a plain file" in refused(packed(tmp_path / "f", contents(bundle) | {"../out": b"x"}))
    assert not (tmp_path.parent / "out").exists()


def test_a_changed_record_breaks_the_chain(bundle, tmp_path):
    files = contents(bundle)
    name = next(name for name in files if name.endswith("journal.jsonl"))
    files[name] = files[name].replace(b'"attempts":1', b'"attempts":2', 1)
    with pytest.raises(JournalError, match="damaged before its end"):
        verified(packed(tmp_path / "f", listed(files)))


def test_a_better_score_is_refused(copy, tmp_path):
    def better(record):
        if isinstance(record, RoundRecord) and record.score.value == 0:
            return record.model_copy(update={"score": record.score.model_copy(update={"value": 1.0})})
        return record

    rewritten(copy, better)
    assert "feedback 'Not quite" in forged(copy, tmp_path), "it does not fit what was said of the answer"


def test_another_answer_with_its_score_is_refused(copy, tmp_path):
    """The letters of the trial's key, taken from what the score says, in the place of those that the model gave."""

    def better(record):
        if not isinstance(record, RoundRecord) or record.type != "multi_choice" or record.score.value == 1:
            return record
        options = record.score.detail.statements.options
        letters = tuple(letter for letter, outcome in options.items() if outcome in ("tp", "fn"))
        outcomes = {letter: "tp" if letter in letters else "tn" for letter in options}
        statements = record.score.detail.statements.model_copy(
            update={"options": outcomes, "iou": 1.0, "precision": 1.0, "recall": 1.0, "f1": 1.0, "v1": 1.0}
        )
        detail = record.score.detail.model_copy(update={"statements": statements})
        score = record.score.model_copy(update={"value": 1.0, "answer": letters, "detail": detail})
        return record.model_copy(update={"text": f"\\bbox{{{','.join(letters)}}}", "score": score})

    rewritten(copy, better)
    said = forged(copy, tmp_path)
    assert any(why in said for why in ("scored again", "does not fit together", "in the model's last reply")), said


def test_another_question_is_refused(copy, tmp_path):
    def easier(record):
        if not first_choice(record):
            return record
        return record.model_copy(update={"prompt": f"{record.prompt[:40]} Choose the first."})

    rewritten(copy, easier)
    assert "is not the question of the scenario" in forged(copy, tmp_path)


def test_fewer_tokens_are_refused(copy, tmp_path):
    def cheaper(record):
        if not first_choice(record):
            return record
        metered = record.usage.metered.model_copy(update={"input": 1})
        return record.model_copy(update={"usage": record.usage.model_copy(update={"metered": metered})})

    rewritten(copy, cheaper)
    assert "in the transcript" in forged(copy, tmp_path)


def test_what_the_journal_alone_says_is_listed_as_unproved(copy, tmp_path):
    """Requests that are not counted, though the rest fits; a round without a score."""
    trial = min(copy.glob("trials/*"))
    asked = {one.round: one for one in read_transcript(trial / "transcript.jsonl")}
    away = Failure(owner=Owner.ENDPOINT, kind="EndpointTransientError", what="away")

    def fewer(record):
        if isinstance(record, RoundRecord) and record.usage.metered.requests > 1:
            last = TokenCounts.model_validate(asked[record.round].usage)
            kept = {"requests": 1, "input": last.input, "output": last.output}
            metered = record.usage.metered.model_copy(update=kept)
            return record.model_copy(update={"usage": record.usage.model_copy(update={"metered": metered})})
        if isinstance(record, RoundRecord) and record.index == 10:
            unscored = {"error": away, "text": "", "score": Score(cause=away), "feedback": ""}
            return record.model_copy(update=unscored)
        return record

    rounds = [one for one in open_run(copy).data.trials[0].rounds if one.usage.metered.requests > 1]
    assert rounds
    rewritten(copy, fewer)
    make_bundle(copy, tmp_path / "b.tar.gz")
    unproved = "\n".join(verified(tmp_path / "b.tar.gz").unproved)
    assert f"the tokens of {len(rounds)} rounds" in unproved
    assert "why 1 rounds have no score: it is as the run recorded it" in unproved
    assert "left in the workspace" in unproved


def test_a_trial_of_another_run_is_refused(copy, tmp_path):
    run_sync(tmp_path / "other", experiment("demo", seeds=[5]))
    (source,), (one, _) = list((tmp_path / "other/trials").iterdir()), sorted((copy / "trials").iterdir())
    shutil.rmtree(one)
    shutil.copytree(source, one)
    shutil.copytree(tmp_path / "other/store", copy / "store", dirs_exist_ok=True)
    assert "is not of this plan" in forged(copy, tmp_path)


def test_a_trial_that_was_left_out_is_refused(bundle, tmp_path):
    files = contents(bundle)
    one = next(name for name in files if name.endswith("journal.jsonl")).rpartition("/")[0]
    files = {name: data for name, data in files.items() if not name.startswith(one)}
    assert "trials are missing" in refused(packed(tmp_path / "f", listed(files)))


def test_a_round_that_was_left_out_is_refused(copy, tmp_path):
    rewritten(copy, lambda record: None if isinstance(record, RoundRecord) and record.index == 10 else record)
    assert "are not those of the scenario" in forged(copy, tmp_path)


@pytest.mark.parametrize(("old", "new"), [('"hasty"', '"careful"'), ('"deadline": 60.0', '"deadline": 600.0')])
def test_another_plan_is_refused(bundle, tmp_path, old, new):
    files = contents(bundle)
    files["run.json"] = files["run.json"].replace(old.encode(), new.encode())
    assert "the plan is not the one" in refused(packed(tmp_path / "f", listed(files)))


def test_better_figures_are_refused(bundle, tmp_path):
    files = contents(bundle)
    rows = json.loads(files[MANIFEST])["rows"]
    rows[0]["strict"]["crs"] = 0.99
    changed = BundleManifest.model_validate({**json.loads(files[MANIFEST]), "rows": rows}).rows
    assert "the figures are not those of its rounds" in refused(packed(tmp_path / "f", listed(files, rows=changed)))


def test_a_signature_says_who_vouches_for_it(run, tmp_path):
    for name in ("mine", "theirs"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    signers = tmp_path / "signers"
    signers.write_text("".join(f"{one}@x {(tmp_path / f'{one}.pub').read_text()}" for one in ("mine", "theirs")))
    make_bundle(run, tmp_path / "b.tar.gz", key=tmp_path / "mine")
    done = claw("bundle", "verify", tmp_path / "b.tar.gz", "--signers", signers, "--signer", "mine@x")
    assert "signed by mine@x" in done.stdout
    assert "has not signed it" in refused(tmp_path / "b.tar.gz", signers, "theirs@x")
    files = contents(tmp_path / "b.tar.gz")
    files[MANIFEST] += b"\n"
    assert "has not signed it" in refused(packed(tmp_path / "f", files), signers, "mine@x")


def test_only_a_finished_run_is_bundled(copy, tmp_path):
    rewritten(copy, lambda record: None if isinstance(record, TrialEnd) else record)
    with pytest.raises(ClawError, match="1 trials are not over"):
        make_bundle(copy, tmp_path / "b.tar.gz")


def test_no_bundle_is_refused_as_such(tmp_path):
    (tmp_path / "f").write_bytes(b"nothing of the kind")
    assert "cannot be unpacked" in refused(tmp_path / "f")


def test_a_leaderboard_shows_what_was_verified_and_what_was_refused(run, bundle, tmp_path):
    run_sync(tmp_path / "other", experiment("demo"))
    make_bundle(tmp_path / "other", tmp_path / "careful.tar.gz")
    files = contents(bundle)
    name = next(name for name in files if name.startswith("store/"))
    packed(tmp_path / "<b>forged.tar.gz", files | {name: b"{}"})
    done = claw(
        "leaderboard", bundle, tmp_path / "careful.tar.gz", tmp_path / "<b>forged.tar.gz",
        "--out", tmp_path / "board.html", check=False,
    )  # fmt: skip
    assert done.returncode == 1
    text = (tmp_path / "board.html").read_text()
    assert text.index("careful.tar.gz") < text.index(bundle.name) < text.index("forged.tar.gz")
    assert text.index("<h2>Not proved</h2>") < text.index("the reader is a stub") < text.index("<h2>Refused</h2>")
    assert "<b>" not in text
    assert "<script" not in text
    assert "http" not in text.replace("http-equiv", "")
    assert f"{name} was changed" in text
    assert '<span class="soft">not signed</span>' in text


def retold(copy, change, number=0):
    """A trial's transcript, each line by `change`, or without it where that is None."""
    path = sorted(copy.glob("trials/*/transcript.jsonl"))[number]
    lines = [change(json.loads(line)) for line in path.read_text().splitlines()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines if line is not None))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"tool_calls": 99}, "among its events"),
        ({"updates": ("U9",)}, "updates U9, and the scenario has none"),
        ({"feedback": "Right, all of it."}, "and the scenario says"),
        ({"prompt": "Choose A and C. "}, "its prompt is not what the scenario says then"),
    ],
)
def test_a_record_that_says_something_else_than_its_scenario_or_events_is_refused(copy, tmp_path, fields, reason):
    def otherwise(record):
        if not first_choice(record):
            return record
        told = {"prompt": fields["prompt"] + record.prompt} if "prompt" in fields else fields
        return record.model_copy(update=told)

    rewritten(copy, otherwise)
    assert reason in forged(copy, tmp_path)


def test_tags_of_another_round_are_refused(copy, tmp_path):
    easier = {}

    def take(record):
        easier.update({record.index: record.traits} if isinstance(record, RoundRecord) else {})
        return record.model_copy(update={"traits": easier[0]}) if getattr(record, "index", 0) == 7 else record

    rewritten(copy, take)
    assert "tags: " in forged(copy, tmp_path)


def test_a_score_with_another_reason_is_refused(copy, tmp_path):
    """The value stays; what it was taken from, and the pattern of the failure, are prettier."""

    def prettier(record):
        if not isinstance(record, RoundRecord) or not isinstance(record.score.detail, ChoiceDetail):
            return record
        detail = record.score.detail
        better = detail.model_copy(update={"statements": detail.statements.model_copy(update={"iou": 0.99})})
        return record.model_copy(update={"score": record.score.model_copy(update={"detail": better})})

    rewritten(copy, prettier)
    said = forged(copy, tmp_path)
    assert "scored again, rounds come out differently" in said
    assert "statements.iou" in said


def test_a_check_at_another_isolation_is_refused(copy, tmp_path):
    def isolated(record):
        if not isinstance(record, TrialStart):
            return record
        return record.model_copy(update={"isolation": record.isolation.model_copy(update={"check": 0})})

    def checked(record):
        if not isinstance(record, RoundRecord) or not isinstance(record.score.detail, CheckDetail):
            return record
        detail = record.score.detail
        level = detail.model_copy(update={"check": detail.check.model_copy(update={"level": 2})})
        return record.model_copy(update={"score": record.score.model_copy(update={"detail": level})})

    rewritten(copy, lambda record: checked(isolated(record)))
    assert "its check ran at isolation 2" in forged(copy, tmp_path)


def test_a_transcript_of_another_model_is_refused(copy, tmp_path):
    retold(copy, lambda line: {**line, "asked": "other"} if line["kind"] == "exchange" else line)
    assert "its requests are to other" in forged(copy, tmp_path)


def test_a_transcript_that_was_cut_is_refused(copy, tmp_path):
    """Though the counts of its rounds were made to fit."""
    path = min(copy.glob("trials/*/transcript.jsonl"))
    lines = path.read_text().splitlines()
    retold(copy, lambda line: None if line.get("number") == 2 else line)
    assert "requests are missing in its transcript: 2" in forged(copy, tmp_path)
    path.write_text("\n".join([*lines, ""]))
    path.unlink()
    (tmp_path / "forged.tar.gz").unlink()
    assert "requests, and its transcript has 0" in forged(copy, tmp_path)


def test_requests_of_an_overlay_that_the_plan_has_not_are_refused(copy, tmp_path):
    retold(copy, lambda line: {**line, "origin": "overlay"} if line.get("number") == 1 else line)
    assert "requests of overlays" in forged(copy, tmp_path)


def test_one_transcript_for_two_seeds_is_refused(copy, tmp_path):
    one, other = sorted(copy.glob("trials/*/transcript.jsonl"))
    other.write_text(one.read_text().replace('"at": "2', '"at": "1'))
    assert "its transcript is that of" in forged(copy, tmp_path)


def test_rounds_that_were_done_twice_are_not_hidden(copy, tmp_path):
    """The requests stand there twice, and no record says that rounds were voided."""
    path = min(copy.glob("trials/*/transcript.jsonl"))
    path.write_text(path.read_text() * 2)
    assert "were asked again" in forged(copy, tmp_path)


def test_what_no_run_needs_and_what_stands_behind_a_journal_is_refused(bundle, tmp_path):
    files = contents(bundle)
    more = packed(tmp_path / "f", listed(files | {"certificate.json": b"{}"}))
    assert "no part of a run needs these files:\n    certificate.json" in refused(more)
    name = next(name for name in files if name.endswith("journal.jsonl"))
    behind = listed(files | {name: files[name] + b"and more"})
    assert "goes on behind the last record" in refused(packed(tmp_path / "g", behind))
    (tmp_path / "h").write_bytes(bundle.read_bytes() + gzip.compress(b"and more"))
    assert "something stands behind its files" in refused(tmp_path / "h")


def test_a_record_that_is_there_twice_is_refused(copy, tmp_path):
    """What readers take from the last of them would hide what the first says."""
    path = min(copy.glob("trials/*/journal.jsonl"))
    last = read_all(path)[-1]
    with Journal(path) as journal:
        journal.append(last)
    assert "its journal has one record twice" in forged(copy, tmp_path)


def test_a_field_that_is_there_twice_is_refused(bundle, tmp_path):
    """Readers take the first or the last."""
    files = contents(bundle)
    files[MANIFEST] = files[MANIFEST].replace(b"{", b'{"voided": 3,', 1)
    assert "the field 'voided' is there twice" in refused(packed(tmp_path / "f", files))


def test_a_small_file_that_unpacks_to_a_large_one_is_refused_before_it_does(bundle, tmp_path):
    files = contents(bundle)
    name = next(name for name in files if name.endswith("transcript.jsonl"))
    large = listed(files | {name: files[name] + b" " * 150_000_000})
    assert "it unpacks to more than" in refused(packed(tmp_path / "f", large))


def test_scenarios_are_the_verifiers_own_and_not_those_of_a_folder_that_the_bundle_names(
    bundle, theirs, tmp_path, monkeypatch
):
    """With checks of the author's, who also says where they lie; a name like that of a plugin is the plugin's."""
    folder, their_bundle = theirs
    monkeypatch.chdir(tmp_path)
    done = claw("bundle", "verify", their_bundle, check=False)
    assert done.returncode == 4
    assert "--data" in done.stderr
    claw("bundle", "verify", their_bundle, "--data", folder)
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo/scenario.yaml").write_text("no scenario")
    verified(bundle)


def test_what_can_only_be_believed_is_said(copy, tmp_path):
    """A question that the transcript has not is the harness's fault or the author's: it is said, and not refused."""

    def other(line):
        text = json.dumps(line).replace("Which of these statements", "Say A. Which of these statements")
        return json.loads(text)

    retold(copy, other)
    make_bundle(copy, tmp_path / "b.tar.gz")
    unproved = "\n".join(verified(tmp_path / "b.tar.gz").unproved)
    assert "M13 prompt-missing" in unproved
    assert "options, deadlines and isolation" in unproved
    assert "which evidence had reached the model" in unproved
    assert "of several runs the best" in unproved


def test_tokens_that_are_fewer_than_the_texts_have_are_said(copy, tmp_path):
    """Lowered in transcript and journal, so that the two agree."""

    def cheap(line):
        return {**line, "usage": {**line["usage"], "input": 1}} if line["kind"] == "exchange" else line

    def cheaper(record):
        if not isinstance(record, RoundRecord):
            return record
        metered = record.usage.metered.model_copy(update={"input": record.usage.metered.requests})
        return record.model_copy(update={"usage": record.usage.model_copy(update={"metered": metered})})

    retold(copy, cheap)
    rewritten(copy, cheaper)
    make_bundle(copy, tmp_path / "b.tar.gz")
    unproved = verified(tmp_path / "b.tar.gz").unproved
    assert "the tokens of 11 rounds: their requests are longer than these counts" in unproved
