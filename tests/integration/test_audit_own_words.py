"""What a harness says to the model by itself is listed, one line of each kind, and nothing of what others have said."""

import json

import pytest

from claw_adapter import open_run
from claw_adapter.audit import OwnWords, TrialAudit
from claw_adapter.audit.load import _verdicts
from support.audited import OLD, audit_of, in_process, keys, write_audited
from support.misbehaving import Agent, Wire, kind
from support.running import claw

ASKED = "Please fetch the readings of the night, hall by hall."


class Misleads(Wire):
    """Turns have each other's names, a line of old is told for good, lines are misnumbered, old results called otherwise."""

    def spoil_request(self, data):
        own = self.own(data["messages"])
        for at, message in enumerate(data["messages"][: own[-1]]):
            if at and message["role"] in ("user", "assistant"):
                message["content"] = f"{('Clerk', 'Guest')[at % 3 == 0]}:\n{message['content']}"
            elif message["role"] == "tool" and at > own[0]:
                message["content"] = "(big.csv was read here)"
        for message in data["messages"][own[-1] :]:
            if message["role"] == "tool":
                rows = enumerate(message["content"].splitlines(), start=7)
                message["content"] = "\n".join(f"{number}| {line}" for number, line in rows)
        data["messages"][own[-1]]["content"] += f"\nFrom the files: {OLD}\n{ASKED}{ASKED}"


class Talks(Wire):
    """A remark behind each file and before each prompt, a late one in the instructions, and a mark where a result was."""

    def spoil_request(self, data):
        own = self.own(data["messages"])
        for at, message in enumerate(data["messages"]):
            if at in own:
                message["content"] = f"(turn {len(own)}; 3 unread mails)\n{message['content']}"
            elif message["role"] == "tool" and at < own[-1] and len(own) > 9:
                message["content"] = f"(a result of {len(message['content'])} characters was here)"
            elif message["role"] == "tool":
                message["content"] += f"\n({len(message['content'].splitlines())} lines; 2 people are reading this)"
        if len(own) > 5:
            data["messages"][0]["content"] += "\nRemember: the caretaker likes tea."


class Refuses(Agent):
    """One file is there and cannot be read."""

    def change(self, agent):
        read = agent.tool_read_file
        agent.tool_read_file = lambda path, **more: "error: busy" if path == "rules.md" else read(path, **more)


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    return write_audited(tmp_path_factory.mktemp("scenario") / "market")


@pytest.fixture(scope="module")
def talked(tmp_path_factory, market):
    root = tmp_path_factory.mktemp("run") / "run"
    audit_of(root, market, kind(Talks)())
    return root


def said(audit):
    return {(one.where, one.form): one for one in audit.harnesses[0].own_words}


def test_each_kind_of_line_is_listed_once_with_where_it_stands(talked):
    found = said(open_run(talked).audit())
    assert found["prompt", "(turn #; # unread mails)"].what == "(turn 1; 3 unread mails)"
    assert found["prompt", "(turn #; # unread mails)"].times == 14
    assert ("result of read_file", "(# lines; # people are reading this)") in found
    assert ("result of session_history", "(# lines; # people are reading this)") in found
    assert ("older result", "(a result of # characters was here)") in found
    later = found["instructions, later", "Remember: the caretaker likes tea."]
    assert (later.times, later.rounds) == (1, ("r6",))


def test_what_was_given_asked_answered_or_stands_in_a_file_is_not_among_them(talked):
    words = "\n".join(one.what for one in said(open_run(talked).audit()).values())
    for given in ("inspector", "crate number", "shift message", "squeaks", "gate opens", "reading 0", "point by point"):
        assert given not in words


def test_the_agent_that_is_nearly_silent_is_so_here(tmp_path, market):
    found = said(audit_of(tmp_path / "run", market, in_process()))
    assert {where for where, _ in found} == {"instructions", "tools", "result of session_history"}
    assert not any(one.doubted for one in found.values())
    assert {"[#] user:", "[#] assistant:", "[#] tool:"} < {form for _, form in found}


def test_what_is_known_to_speak_against_them_is_marked(tmp_path, market):
    audit = audit_of(tmp_path / "run", market, kind(Misleads)())
    found = {(one.where, one.what, one.beside) for one in audit.harnesses[0].own_words if one.doubted}
    assert ("prompt", f"From the files: {OLD}", "no file has that any more") in found
    assert ("prompt", ASKED + ASKED, "lines of others without anything between them") in found
    names = {"Clerk:", "Guest:"}
    assert {what for where, what, beside in found if beside == "before what the user said"} == names
    assert {what for where, what, beside in found if beside == "before what the assistant said"} == names
    assert ("result of read_file", "7|", "not the number that the line has") in found
    misnamed = 'names another file than the call, in place of the result of read_file {"path": "rules.md"}'
    assert ("older result", "(big.csv was read here)", misnamed) in found
    assert f"{len(found)} to look at" in audit.harnesses[0].verdict


def test_what_a_certification_would_say_is_shown_where_that_is_asked_for_and_is_no_violation(tmp_path, market):
    plain = audit_of(tmp_path / "run", market, kind(Refuses)())
    assert (keys(plain), plain.harnesses[0].stricter) == (set(), ())
    strict = open_run(tmp_path / "run").audit(strict=True)
    assert (strict.ok, [one.key for one in strict.harnesses[0].stricter]) == (True, ["M20 file-unread"])
    shown = " ".join(claw("audit", tmp_path / "run", "--strict").stdout.split())
    assert "? a certification would say M20 file-unread, harness: rules.md cannot be read: 'error: busy" in shown


def test_the_command_lists_them_where_it_is_asked_to(talked):
    shown = claw("audit", talked, check=False).stdout
    assert "own words: " in shown
    assert "in its own words" not in shown
    listed = claw("audit", talked, "--own-words", check=False).stdout
    assert "prompt: - (turn 1; 3 unread mails) (before what the user said); 14 times" in " ".join(listed.split())
    record = json.loads(claw("audit", talked, "--json", check=False).stdout)
    assert any("unread" in one["form"] for one in record["harnesses"][0]["own_words"])


def test_a_verdict_counts_kinds_over_trials_without_the_instructions_of_the_beginning():
    def words(where, form, times):
        return OwnWords(where=where, form=form, what=form, rounds=("r1",), times=times)

    trials = [
        TrialAudit(
            trial="t--1", harness="h", requests=9, own_words=(words("prompt", "(#)", 2), words("instructions", "", 1))
        ),
        TrialAudit(
            trial="t--2", harness="h", requests=9, own_words=(words("prompt", "(#)", 3), words("message", "(#)", 1))
        ),
    ]
    (one,) = _verdicts(trials)
    assert one.verdict == "nothing lost · own words: 2 kinds"
    assert [(word.where, word.times) for word in one.own_words] == [("prompt", 5), ("instructions", 1), ("message", 1)]
