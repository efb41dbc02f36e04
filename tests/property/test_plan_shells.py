"""What plans say of their commands is what a shell does."""

import subprocess
from pathlib import Path
from random import Random

import pytest

from claw_adapter.certify.plans.shells import SAYS, shell_turns
from claw_adapter.certify.plans.texts import Texts


@pytest.mark.parametrize("seed", range(6))
def test_commands_do_what_is_said_of_them(tmp_path, seed):
    files, turns = shell_turns(Texts(Random(seed)), 6, "nonce", seed / 4)
    for file in files:
        path = tmp_path / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text)
    asked = 0
    for turn in turns:
        for change in turn.updates:
            path = tmp_path / change.path
            path.unlink() if change.action == "delete" else path.write_text(change.text)
        for use in (use for reply in turn.replies for use in reply):
            path = tmp_path / use.target if use.effect is None else tmp_path
            match use.kind:
                case "write":
                    path.write_text(use.content)
                case "edit":
                    assert path.read_text().count(use.wanted[0]) == 1
                    path.write_text(path.read_text().replace(use.wanted[0], use.content))
                case "drop":
                    path.unlink()
                case "run":
                    _runs(use, tmp_path)
                    asked += 1
    assert asked > 10
    assert not list(tmp_path.rglob("*.new"))


def _runs(use, folder: Path) -> None:
    def found(paths):
        return {path: (folder / path).read_text() if (folder / path).exists() else None for path in paths}

    assert found(use.effect.given) == use.effect.given, use.target
    done = subprocess.run(
        ["sh", "-c", use.target], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    printed = (done.stdout + done.stderr).strip("\n").removesuffix("\nKilled")  # says the shell
    assert printed == use.effect.prints.strip("\n"), use.target
    assert found(use.effect.leaves) == use.effect.leaves, use.target


def test_the_plans_of_a_nonce_have_every_kind_of_command_between_them():
    seen = set()
    for plan, turns in enumerate((2, 4, 4, 4)):
        _, made = shell_turns(Texts(Random(plan)), turns, "nonce", plan / 4)
        seen |= {use.target for turn in made for reply in turn.replies for use in reply if use.effect is not None}
    lines = "\n".join(seen)
    for command in ("cp ", "mv ", "sed ", "head ", "tail ", "tac ", "grep ", "awk ", "cmp ", "EOF"):
        assert command in lines, command
    begins = [line.split("{")[0].split("'")[0] for line, _ in SAYS]
    assert all(any(line.startswith(one) for line in seen) for one in begins), begins
