"""The goodness-of-fit report: scenarios drawn from the registry agree with it, others do not, and memory decides nothing."""

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from claw_adapter.demo import Demo
from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Message, Round, Session
from claw_adapter_scenarios.realism import entries, tiers, timing
from claw_adapter_scenarios.realism.fit import fit
from claw_adapter_scenarios.realism.fit_text import fit_json
from claw_adapter_scenarios.realism.observe import observe
from claw_adapter_scenarios.stats.cli import realism

START = datetime(2026, 3, 2, tzinfo=UTC)
PEOPLE = ["Ada", "Ben", "Cem", "Dee"]


def built(tmp_path, *, domain="logistics", seed=0, curve=None, channels=5, mails=60, step=None):
    """A scenario whose histories were drawn from the registry, or, with `step`, at even distances."""
    rng = random.Random(seed)
    workspace = tmp_path / f"{domain}{seed}{step}"
    workspace.mkdir()
    for number in range(6):
        (workspace / f"{number}.md").write_text("x", "utf-8")
    sessions = []
    for number in range(channels):
        channel = "mail" if number == 0 else f"chat{number}"
        end = START + timedelta(weeks=4)
        if step:
            times = [START + number * timedelta(hours=1) + place * step for place in range(mails)]
        else:
            times = timing.times(rng, START, end, mails, curve=curve or timing.curve_for(domain))
        speakers = tiers.speakers(rng, PEOPLE, mails)
        messages = tuple(
            Message(id=f"m{place}", role="user", text="x", time=moment, speaker=name)
            for place, (moment, name) in enumerate(zip(times, speakers, strict=True))
        )
        sessions.append(Session(id=f"s{number}", channel=channel, messages=messages))
    options = dict.fromkeys("ABCDEF", "x")
    rounds = tuple(Round(id=f"r{place}", type="multi_choice", question="?", options=options) for place in range(26))
    return SimpleNamespace(
        id=f"{domain}{seed}",
        manifest=SimpleNamespace(domain=domain),
        histories=tuple(sessions),
        sessions=tuple(sessions),
        main=SimpleNamespace(id="main"),
        updates={},
        workspace=workspace,
        rounds=rounds,
    )


def verdicts(report):
    return {line.entry.id: line.verdict for line in report.lines}


def test_scenarios_drawn_from_the_registry_agree_with_it(tmp_path):
    found = [built(tmp_path, seed=seed) for seed in range(3)]
    told = verdicts(fit(found, noise={one.id: 0.4 for one in found}))
    for name in ("commits.company.hours", "commits.company.weekend_share", "scenario.messages", "scenario.noise.share"):
        assert told[name] == "agrees", name
    assert told["contacts.inner_outer_ratio"] == "agrees"
    assert told["pages.hospital.hours"] == "not shown"


def test_messages_at_even_distances_do_not_keep_office_hours(tmp_path):
    told = verdicts(fit([built(tmp_path, step=timedelta(hours=11))]))
    assert told["commits.company.hours"] == "deviates"
    assert told["commits.company.weekend_share"] == "deviates"


def test_a_hospital_is_held_against_its_own_curve(tmp_path):
    right, wrong = built(tmp_path, domain="hospital"), built(tmp_path, domain="hospital", seed=1, curve="office")
    assert verdicts(fit([right]))["pages.hospital.hours"] == "agrees"
    assert verdicts(fit([wrong]))["pages.hospital.hours"] == "deviates"
    assert verdicts(fit([wrong], curve="office"))["commits.company.hours"] == "agrees"


def test_what_is_outside_a_published_band_deviates(tmp_path):
    told = verdicts(fit([built(tmp_path, channels=2, mails=20)], noise={"logistics0": 0.9}))
    assert told["scenario.channels"] == told["scenario.messages"] == told["scenario.noise.share"] == "deviates"
    assert told["scenario.workspace_documents"] == told["scenario.rounds"] == told["scenario.options"] == "agrees"


def test_only_verified_entries_are_used(tmp_path):
    report = fit([built(tmp_path)])
    assert all(line.entry.verified for line in report.lines)
    assert set(report.left_out) == {one.id for one in entries() if not one.verified}
    known = {line.entry.id for line in report.lines} | set(report.untested) | set(report.left_out)
    assert known == {one.id for one in entries()}


def test_a_week_without_a_weekend_says_nothing_of_weekends(tmp_path):
    scenario = built(tmp_path, step=timedelta(minutes=30))
    told = verdicts(fit([scenario]))
    assert told["commits.company.weekend_share"] == "not shown"


def test_replies_are_between_different_people_only():
    at = [START + timedelta(minutes=minute) for minute in (0, 1, 3, 40, 60 * 24 * 9)]
    who = ["Ada", "Ada", "Ben", "assistant", "Ada"]
    messages = tuple(
        Message(id=str(n), role="user" if name != "assistant" else "assistant", time=moment, speaker=name)
        for n, (moment, name) in enumerate(zip(at, who, strict=True))
    )
    session = Session(id="s", channel="mail", messages=messages)
    one = next(iter(Demo().load().scenarios))
    found = observe(one.model_copy(update={"sessions": (one.main, session), "updates": {}}))
    assert [(reply.channel, reply.minutes) for reply in found.replies] == [("mail", 2.0)]
    assert found.contacts == {"Ada": 3, "Ben": 1}


def test_the_command_prints_text_and_json():
    done = CliRunner().invoke(realism, ["--suite", "demo", "--entries"])
    assert done.exit_code == 0, done.output
    assert "contacts.inner_outer_ratio (seed): published 100 times" in done.output
    data = json.loads(CliRunner().invoke(realism, ["--suite", "demo", "--json"]).output)
    assert data == json.loads(json.dumps(fit_json(fit(Demo().load().scenarios))))
    with pytest.raises(ScenarioError, match="no curve"):
        fit(Demo().load().scenarios, curve="moonlight")


def test_published_data_and_shares_of_noise_can_be_given(tmp_path):
    published = Path(__file__).parents[2].parent / "shared" / "clawarena" / "tests.json"
    if not published.is_file():
        pytest.skip("../shared/clawarena is not here")
    shares = tmp_path / "noise.json"
    shares.write_text(json.dumps({"hil_c7": 0.4, "hil_d3": 0.45}), "utf-8")
    done = CliRunner().invoke(realism, [str(published), "--json", "--noise", str(shares)])
    assert done.exit_code == 0, done.output
    told = {line["entry"]["id"]: line for line in json.loads(done.output)["lines"]}
    assert (told["scenario.rounds"]["verdict"], told["scenario.rounds"]["observed"]) == ("agrees", "24 to 30")
    assert (told["scenario.noise.share"]["n"], told["scenario.noise.share"]["verdict"]) == (2, "agrees")
    shares.write_text("[1]", "utf-8")
    assert CliRunner().invoke(realism, [str(published), "--noise", str(shares)]).exit_code == 2
