"""What a mutant is, and the two ways to make one: a patched program, and a conversation with one changed habit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from claw_adapter.harness import Checkpoint, Conversation, Harness, TrialContext
from claw_adapter.reference import agent, serve
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.testing import PlantedConversation, planted

Patch = tuple[str, str, str]
"""File (``agent`` or ``serve``), the text that is there once, its replacement."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A harness with one planted defect.

    Attributes:
        name: what is wrong, in a few words.
        make: makes the harness.
        run: ids or areas of checks it is run against.
        trips: exactly the checks that must fail.
        child: whether it is a real child process.
        quick: whether the test of the table runs it.
    """

    name: str
    make: Callable[[], Harness]
    run: tuple[str, ...]
    trips: frozenset[str]
    child: bool = field(default=False)
    quick: bool = field(default=False)


class Child(ReferenceHarness):
    """The reference harness as a child whose program is patched; the patched copy lies in the state directory."""

    patches: ClassVar[tuple[Patch, ...]] = ()

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        ctx.lines = self._lines(ctx)  # type: ignore[method-assign]
        return await super().open(ctx, checkpoint)

    def _lines(self, ctx: TrialContext) -> Callable[..., Any]:
        start, folder = ctx.lines, ctx.state_dir / "program"

        async def lines(argv: Sequence[str], **more: Any) -> Any:
            write_program(folder, self.patches)
            return await start([argv[0], "-I", str(folder / "serve.py"), *argv[3:]], **self.given(ctx, more))

        return lines

    def given(self, ctx: TrialContext, more: Mapping[str, Any]) -> dict[str, Any]:
        """What the process is started with."""
        del ctx
        return {**more, "readable": ()}


def write_program(folder: Path, patches: Sequence[Patch]) -> None:
    """Write the reference agent's program, changed in one place."""
    texts = {
        name: Path(module.__file__ or "").read_text("utf-8") for name, module in (("agent", agent), ("serve", serve))
    }
    for file, before, after in patches:
        if texts[file].count(before) != 1:
            raise ValueError(
                f"the reference agent has changed: {before!r} is {texts[file].count(before)} times in {file}.py"
            )
        texts[file] = texts[file].replace(before, after)
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, "utf-8")


def patched(*patches: Patch) -> Callable[[], Harness]:
    """A child with a patched program."""
    return type("Patched", (Child,), {"patches": patches})


def wrapped(kind: type[PlantedConversation], *patches: Patch, inside: bool = False) -> Callable[[], Harness]:
    """A harness whose conversations are of this kind; `inside` the runner's process, else a child."""
    spoilt = planted(type("Patched", (Child,), {"patches": patches}), kind)
    return lambda: spoilt(mode="in-process" if inside else "child")
