"""A scenario is laid out from a domain and conflicts; mail and chats come in as sessions; a spec is watched."""

from __future__ import annotations

import json
import mailbox
from email.message import EmailMessage
from pathlib import Path

import pytest
from click.testing import CliRunner

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.cli.group import scenarios
from claw_adapter_scenarios.composing import packs, patterns
from claw_adapter_scenarios.spec import load_spec
from claw_adapter_scenarios.validation import validate_spec


def run(*arguments: str | Path) -> str:
    done = CliRunner().invoke(scenarios, [str(one) for one in arguments])
    if isinstance(done.exception, ScenarioError):
        raise done.exception
    return done.output


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    run("new", "night", "--out", tmp_path)
    return tmp_path / "night"


@pytest.mark.parametrize("pack", packs())
def test_all_conflicts_of_a_pack_make_a_spec_that_lacks_only_what_has_to_be_written(pack: str, tmp_path: Path) -> None:
    run("new", "laid", "--pack", pack, "--out", tmp_path)
    assert len(load_spec(tmp_path / "laid").truth.switches) == len(patterns()) >= 4
    assert {one.id for one in validate_spec(tmp_path / "laid", seeds=0)} == {"SPEC-085"}, (
        "joined statements are the author's"
    )
    assert sum(len(path.read_text().splitlines()) for path in (tmp_path / "laid").glob("*.yaml")) <= 500


def test_a_layout_builds_in_every_world_and_has_the_conflicts_that_were_named(tmp_path: Path) -> None:
    run(
        "new", "laid", "--pack", "clinic", "--conflict", "hearsay", "--conflict", "length-remembered", "--out", tmp_path
    )
    assert list(load_spec(tmp_path / "laid").truth.switches) == ["granted", "length"]
    assert run("build", tmp_path / "laid", "--seeds", "4", "--out", tmp_path / "b").splitlines()[-1].endswith("laid-v3")


def test_a_pack_or_a_conflict_that_is_not_there_is_named_beside_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="no pack 'clinique'") as found:
        run("new", "laid", "--pack", "clinique", "--out", tmp_path)
    assert "course" in found.value.remedy
    with pytest.raises(ScenarioError, match="no pattern 'rumour'"):
        run("new", "laid", "--pack", "clinic", "--conflict", "rumour", "--out", tmp_path)
    assert not (tmp_path / "laid").exists()
    assert "hearsay" in run("new", "--list")


def mbox(path: Path) -> Path:
    box = mailbox.mbox(path)
    for at, sender, text in (
        ("Tue, 10 Mar 2026 09:15:00 +0000", "Dora Lind <dora@x.org>", "Please send it, Ana.\n# {F2} [[sic]]\nDora"),
        (
            "Tue, 10 Mar 2026 10:30:00 +0000",
            "Helper <h@x.org>",
            "I will.\n\nOn Tuesday Dora Lind wrote:\n> Please send it",
        ),
    ):
        mail = EmailMessage()
        mail["From"], mail["Date"] = sender, at
        mail.set_content(text)
        box.add(mail)
    box.close()
    return path


def test_mail_comes_in_on_the_clock_of_the_scenario_with_references_for_names_and_replies(
    spec: Path, tmp_path: Path
) -> None:
    run("import", spec, mbox(tmp_path / "a.mbox"), "--channel", "office", "--assistant", "Helper", "--program", "mail")
    text = (spec / "prose" / "office.md").read_text()
    assert (
        "## 2026-03-10 10:15, dora\nPlease send it, {ana.first}.\n # {{F2}} [ [sic] ]\n{dora.first}\n> I will.\n"
        in text
    )
    assert load_spec(spec).sessions.channels[-1].participants == ("dora",)
    assert not validate_spec(spec, seeds=0)


WHATSAPP = {
    "brackets": "[10/03/2026, 07:30:12] Chats are encrypted.\n[10/03/2026, 07:30:12] Ben Okafor: one\ntwo\n"
    "[09/03/2026, 21:15:00] Carla Weiss: \u200eimage omitted\n[28/02/2026, 07:31:02] Ana Ruiz: start\n",
    "dashes": "2/28/26, 7:31\u202fAM - Ana Ruiz: start\n3/10/26, 7:30\u202fAM - Ben Okafor: one\ntwo\n",
    "years first": "2026-02-28 07:31 - Ana Ruiz: start\n2026-03-10 07:30 - Ben Okafor: one\ntwo\n",
}


@pytest.mark.parametrize("form", WHATSAPP)
def test_a_whatsapp_text_comes_in_whatever_its_dates_look_like(form: str, spec: Path, tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text(WHATSAPP[form])
    run("import", spec, tmp_path / "chat.txt", "--channel", "wa")
    text = (spec / "prose" / "wa.md").read_text()
    assert text.strip() == "# brought in\n\n## 2026-02-28 07:31, ana\nstart\n\n## 2026-03-10 07:30, ben\none\ntwo"


def test_dates_that_can_be_read_in_two_ways_are_asked_for(spec: Path, tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text("3/4/26, 9:15 PM - Ben Okafor: hi\n")
    with pytest.raises(ScenarioError, match="day or the month") as found:
        run("import", spec, tmp_path / "chat.txt", "--channel", "wa")
    assert "--dates" in found.value.remedy
    run("import", spec, tmp_path / "chat.txt", "--channel", "wa", "--dates", "mdy")
    assert "2026-03-04 21:15" in (spec / "prose" / "wa.md").read_text()


def test_telegram_discord_and_slack_come_in(spec: Path, tmp_path: Path) -> None:
    telegram = {
        "messages": [
            {"type": "message", "date": "2026-03-10T07:30:00", "from": "Ben Okafor", "text": ["a ", {"text": "b"}]}
        ]
    }
    discord = {
        "messages": [
            {
                "timestamp": "2026-03-10T06:30:00+00:00",
                "content": "a b",
                "author": {"name": "x", "nickname": "Ben Okafor"},
            }
        ]
    }
    day = [
        {"type": "message", "user": "U1", "ts": "1773124200.0", "text": "a &amp; <@U1> <http://x|b>"},
        {"subtype": "channel_join", "ts": "1773124201.0", "user": "U1", "text": "joined"},
    ]
    (tmp_path / "tg.json").write_text(json.dumps(telegram))
    (tmp_path / "dc.json").write_text(json.dumps(discord))
    (tmp_path / "slack").mkdir()
    (tmp_path / "slack" / "users.json").write_text(json.dumps([{"id": "U1", "real_name": "Ben Okafor"}]))
    (tmp_path / "slack" / "2026-03-10.json").write_text(json.dumps(day))
    for name, text in (("tg.json", "a b"), ("dc.json", "a b"), ("slack", "a & {ben} b")):
        run("import", spec, tmp_path / name, "--channel", name.partition(".")[0])
        assert f"## 2026-03-10 07:30, ben\n{text}\n" in (spec / "prose" / f"{name.partition('.')[0]}.md").read_text()


@pytest.mark.parametrize(
    ("text", "what", "remedy"),
    [
        ("2026-03-10 07:30 - Nobody: hi\n", "nobody who is an actor: 'Nobody'", "--as 'Nobody'=ana"),
        ("2026-03-12 07:30 - Ben Okafor: hi\n", "the clock stands at", "--days -1"),
        ("hello\n", "no message is found", "WhatsApp"),
        ("{", "not JSON", ""),
    ],
)
def test_what_cannot_come_in_says_what_to_do(text: str, what: str, remedy: str, spec: Path, tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text(text)
    with pytest.raises(ScenarioError, match=what) as found:
        run("import", spec, tmp_path / "chat.txt", "--channel", "wa")
    assert remedy in found.value.remedy
    assert not (spec / "prose").exists()


def test_watching_shows_a_finding_beside_its_line(spec: Path) -> None:
    assert "0 errors" in run("watch", spec, "--once")
    path = spec / "2-sessions.yaml"
    path.write_text(path.read_text().replace("source: paper", "source: papers", 1))
    said = run("watch", spec, "--once")
    assert "SPEC-008 2-sessions.yaml:" in said
    assert "\n    source: papers\n" in said
