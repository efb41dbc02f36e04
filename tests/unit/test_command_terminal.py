"""CommandHarness: a program that speaks on a terminal only."""

from __future__ import annotations

from claw_adapter import command as c
from support.described import harness, turns

TALKS = r"""n=0
while :; do printf 'ready> '; IFS= read -r line || exit 0; n=$((n+1)); [ "$line" = die ] && exit 4
echo "$n: $line" > $HOME/answer; done"""


async def test_one_program_on_a_terminal_lives_for_the_whole_conversation(tmp_path):
    terminal = c.Terminal(ready=rb"ready> ", before=b"", after=b"\n")
    made = harness(tmp_path / "x", TALKS, terminal=terminal, answer=c.Text("{state}/answer"))
    assert [turn.text for turn in await turns(made, tmp_path, "one", "two")] == ["1: one", "2: two"]
    dead, refused = await turns(made, tmp_path / "b", "die", "again")
    assert (dead.error.kind, refused.error.kind) == ("HarnessCrash", "HarnessCrash")


async def test_a_terminal_that_is_never_ready_is_a_failed_start(tmp_path):
    made = harness(tmp_path / "x", "exit 1", terminal=c.Terminal(ready=b"> "), answer=c.Text("{state}/answer"))
    (turn,) = await turns(made, tmp_path, "one")
    assert turn.error.kind == "HarnessStartError"
    assert turn.error.remedy
