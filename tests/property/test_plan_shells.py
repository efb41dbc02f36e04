"""What plans say of their commands is what a shell does."""

import subprocess
from pathlib import Path
from random import Random

import pytest

from claw_adapter.certify.plans.plan import PlanChange, PlanFile, PlanTurn
from claw_adapter.certify.plans.shells import SAYS, shell_turns
from claw_adapter.certify.plans.texts import Texts
from claw_adapter.certify.plans.worked import worked_plan
from claw_adapter.scenario.named import find_scenarios


@pytest.mark.parametrize("seed", range(6))
def test_commands_do_what_is_said_of_them(tmp_path, seed):
    files, turns = shell_turns(Texts(Random(seed)), 6, "nonce", seed / 4)
    for file in files:
        _put(tmp_path, file.path, file.text)
    steps = (step for turn in turns for step in (*turn.updates, *(use for reply in turn.replies for use in reply)))
    assert sum(_happens(step, tmp_path) for step in steps) > 10
    assert not list(tmp_path.rglob("*.new"))


@pytest.mark.parametrize("name", ["lab-booking-zh", "river-convoy", "telemetry-icu", "grade-board"])
def test_commands_in_scenarios_do_what_is_said_of_them(tmp_path, name):
    ((_, scenario),) = find_scenarios((f"lite:only={name}",), places=False).items()
    plan = worked_plan(scenario, "nonce", 2)
    assert plan == worked_plan(scenario, "nonce", 2)
    asked = 0
    for step in plan.steps:
        match step:
            case PlanFile():
                _put(tmp_path, step.path, step.text, step.encoding)
            case PlanChange() if step.path:
                _happens(step, tmp_path)
            case PlanTurn():
                asked += sum(_happens(use, tmp_path) for reply in step.replies for use in reply.uses)
            case _:
                pass
    assert asked > 20
    assert {use.kind for turn in plan.turns for reply in turn.replies for use in reply.uses} >= {
        "read", "write", "edit", "list", "run", "cat", "history",
    }  # fmt: skip


def _put(folder: Path, name: str, text: str, encoding: str = "utf-8") -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))


def _happens(step, folder: Path) -> bool:
    """Do it; returns whether it was a command of which something is said."""
    if isinstance(step, PlanChange):
        (folder / step.path).unlink() if step.action == "delete" else _put(folder, step.path, step.text, step.encoding)
        return False
    path = folder / step.target
    match step.kind:
        case "write":
            _put(folder, step.target, step.content)
        case "edit":
            text = path.read_bytes().decode()
            assert text.count(step.wanted[0]) == 1
            _put(folder, step.target, text.replace(step.wanted[0], step.content))
        case "drop":
            path.unlink()
        case "run":
            _runs(step, folder)
            return True
        case _:
            pass
    return False


def _runs(use, folder: Path) -> None:
    def found(paths):
        return {path: (folder / path).read_text() if (folder / path).exists() else None for path in paths}

    assert found(use.effect.given) == use.effect.given, use.target
    done = subprocess.run(
        ["sh", "-c", use.target], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    said = [line for line in done.stdout.split("\n") if line]
    printed = (done.stdout + done.stderr).strip("\n").removesuffix("\nKilled")  # says the shell
    if use.target.startswith("grep ") and ".old" in use.target:  # which says of the last file that it is not there
        assert done.returncode == 2
        printed = "\n".join(said)
    assert printed == use.effect.prints.strip("\n"), use.target
    assert found(use.effect.leaves) == use.effect.leaves, use.target


def test_the_plans_of_a_nonce_have_every_kind_of_command_between_them():
    seen = set()
    for plan, turns in enumerate((2, 4, 4, 4)):
        _, made = shell_turns(Texts(Random(plan)), turns, "nonce", plan / 4)
        seen |= {use.target for turn in made for reply in turn.replies for use in reply if use.effect is not None}
    lines = "\n".join(seen)
    for command in ("cp ", "mv ", "sed ", "head ", "tail ", "tac ", "grep ", "awk ", "cmp ", "diff ", "EOF"):
        assert command in lines, command
    begins = [line.split("{")[0].split("'")[0] for line, _ in SAYS]
    assert all(any(line.startswith(one) for line in seen) for one in begins), begins
