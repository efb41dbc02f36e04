"""The gallery: agents of which a description is the whole adapter (``gallery/NAME/framework.toml``, part ``acp``).

An entry point names one as an attribute of this module, with ``_`` for ``-``: ``claw_adapter.reference.acp_gallery:qwen_code``.
"""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final

from claw_adapter.command import find_installed
from claw_adapter.command.program import installed_places, probe_installed
from claw_adapter.drivers.acp import REMEDY, Permission, available
from claw_adapter.errors import HarnessNotFound
from claw_adapter.frameworks import AcpCommand, Framework
from claw_adapter.harness import Capabilities, Checkpoint, Conversation, Harness, Probe, TrialContext
from claw_adapter.hooks import hookimpl
from claw_adapter.protocol.turn import UsageKind
from claw_adapter.reference.acp_harness import AcpHarness

__all__ = ["GalleryHarness"]

GALLERY: Final = Path(__file__).parents[1] / "gallery"


class GalleryHarness(Harness):
    """An agent of the gallery; `permission` and `usage` are those of the harness ``acp``, by default as described."""

    description: ClassVar[Framework]
    acp: ClassVar[AcpCommand]

    def __init__(self, permission: Permission | None = None, usage: UsageKind | None = None) -> None:
        given = {"permission": permission, "usage": usage}
        self._options = {**self.acp.options, **{name: value for name, value in given.items() if value is not None}}
        self._plain = AcpHarness(self.acp.command, **self._options)  # type: ignore[arg-type]  # checked there

    def capabilities(self) -> Capabilities:
        """Those of any ACP agent, and what the description says."""
        known = self._plain.capabilities()
        return known.model_copy(
            update={
                "endpoint_override": (self.acp.dialect,),
                "memory_files": self.acp.memory_files,
                "losses": self.acp.losses,
                "notes": (*known.notes, *self.acp.notes),
            }
        )

    def probe(self) -> Probe:
        """Whether it is installed, and the protocol's library with it."""
        if not available():
            return Probe(ready=False, reason="the ACP driver needs agent-client-protocol", remedy=REMEDY)
        found = probe_installed(self.description)
        if found.ready:
            try:
                self._command()
            except HarnessNotFound as error:
                return Probe(ready=False, reason=error.what, remedy=error.remedy)
        return found

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        """Start the installed program.

        Raises:
            HarnessNotFound, HarnessStartError: it is not installed, or begins no session.
        """
        there = find_installed(self.description)
        made = AcpHarness(
            self._command(),
            env=self.acp.env,
            files=self.acp.files,
            window=self.acp.window,
            readable=[str(path) for path in there.readable],
            **self._options,  # type: ignore[arg-type]
        )
        return await made.open(ctx, checkpoint)

    def _command(self) -> list[str]:
        places = installed_places(find_installed(self.description))
        words = []
        for word in self.acp.command:
            for name, value in places.items():
                word = word.replace(f"{{{name}}}", value)  # noqa: PLW2901 - filled in one place after the other
            words.append(word)
        if "*" in words[0]:
            found = sorted(map(str, Path("/").glob(words[0].removeprefix("/"))))
            if not found:
                what = f"{self.description.title} has no program for this kind of machine"
                raise HarnessNotFound(what, where=words[0], remedy="Its packages say for which there is one.")
            words[0] = found[0]
        return words


class _Plugin:
    """An entry of the gallery, as the plugin manager takes it."""

    def __init__(self, description: Framework, acp: AcpCommand) -> None:
        fields = {"name": description.name, "description": description, "acp": acp, "__module__": __name__}
        self._kind = type(description.title.replace(" ", ""), (GalleryHarness,), fields)

    @hookimpl
    def claw_harness(self) -> type:
        """The harness."""
        return self._kind


def __getattr__(name: str) -> _Plugin:
    path = GALLERY / name.replace("_", "-") / "framework.toml"
    if name.startswith("_") or not path.is_file():
        raise AttributeError(name)
    description = Framework.load(path)
    if description.acp is None:
        raise AttributeError(f"{path} has no part 'acp'")
    return _Plugin(description, description.acp)
