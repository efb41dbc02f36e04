"""NanoBot, a real agent harness, as ``claw/1`` sees it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.command import find_installed, probe_installed
from claw_adapter.drivers import RemoteError
from claw_adapter.errors import AdapterError, ClawError, HarnessStartError
from claw_adapter.frameworks import Framework, Installed
from claw_adapter.harness import (
    Capabilities,
    Checkpoint,
    Conversation,
    Harness,
    Probe,
    Session,
    TrialContext,
)
from claw_adapter_nanobot import bridge, serve_mode
from claw_adapter_nanobot.capabilities import capabilities
from claw_adapter_nanobot.cli_mode import CliConversation
from claw_adapter_nanobot.command import command
from claw_adapter_nanobot.configuration import configuration, environment
from claw_adapter_nanobot.conversation import BridgeConversation
from claw_adapter_nanobot.lasting import LastingConversation
from claw_adapter_nanobot.options import Options, in_environment
from claw_adapter_nanobot.pty_mode import PtyConversation
from claw_adapter_nanobot.state import ISOLATED, State
from claw_adapter_nanobot.store import CHANNEL, session_key

__all__ = ["NanoBot", "framework"]

REMEDY: Final = "claw frameworks install nanobot"


def framework() -> Framework:
    """The version of NanoBot that this adapter was made for."""
    return Framework.load(Path(__file__).parent / "framework" / "framework.toml")


class NanoBot(Harness):
    """The pinned NanoBot of ``claw frameworks install nanobot``; options: see `Options`."""

    name: ClassVar[str] = "nanobot"

    def __init__(self, **options: Any) -> None:
        self.options = Options.parse(options)
        self._given = options

    def capabilities(self) -> Capabilities:
        """See `claw_adapter_nanobot.capabilities`."""
        return capabilities(self.options)

    def probe(self) -> Probe:
        """Looks for the environment's marker; starts nothing."""
        return probe_installed(framework(), "nanobot-ai")

    def session_key(self, session_id: str) -> str:
        """As its tools read_session and search_sessions know it."""
        return session_key(session_id, self._channel)

    @property
    def _channel(self) -> str:
        return serve_mode.CHANNEL if self.options.mode == "serve" else CHANNEL

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        """Lay out the state directory, then start NanoBot over it.

        Raises:
            HarnessNotFound: it is not installed.
            HarnessStartError: it does not come up.
            AdapterError: it is a release that this adapter cannot drive.
        """
        return await type(self)(**in_environment(self._given, ctx)).begin(ctx, checkpoint)

    async def begin(self, ctx: TrialContext, checkpoint: Checkpoint | None) -> Conversation:
        """`open`, with the options that hold in this trial."""
        there = find_installed(framework())
        state = State(ctx.state_dir, ctx.workspace, self._channel, ctx.inside(ctx.workspace))
        sessions = checkpoint.sessions if checkpoint else (ctx.main, *ctx.histories)
        self._refuse_twice(sessions)
        token = secrets.token_urlsafe(24) if self.options.mode == "serve" else ""
        state.lay_out(configuration(ctx, self.options, token), sessions, checkpoint)
        env = environment(str(ctx.inside(state.vocabulary)))
        if self.options.mode == "cli":
            return CliConversation(ctx, command(there, self.options), there, state, env)
        if self.options.mode == "bridge":
            return await self._bridged(ctx, there, state, env)
        lasting: LastingConversation = (
            serve_mode.ServeConversation(ctx, command(there, self.options), there, state, env, token)
            if self.options.mode == "serve"
            else PtyConversation(ctx, command(there, self.options), there, state, env)
        )
        await lasting.start(ctx.deadline)
        return lasting

    async def _bridged(self, ctx: TrialContext, there: Installed, state: State, env: dict[str, str]) -> Conversation:
        parts = [Path(bridge.__file__).with_name(f"{name}.py") for name in bridge.PARTS]
        argv = [str(there.python), *ISOLATED, str(parts[0])]
        child = await ctx.lines(argv, env=env, readable=[*there.readable, *parts])
        conversation = BridgeConversation(child, state, ctx.main.id, ctx.log)
        try:
            told = {
                "config": str(ctx.inside(state.config)),
                "denied": list(self.options.tools_denied),
                "pauses": self.options.pauses,
            }
            said = await child.call("open", told, ctx.deadline)
        except RemoteError as error:
            await conversation.close()
            where = str(there.path)
            if error.kind == "refused":
                raise HarnessStartError(f"NanoBot refuses to start: {error.what}", where=where) from error
            what = f"this adapter does not get on with NanoBot {there.version}: {error.kind}: {error.what}"
            raise AdapterError(what, where=where, remedy=REMEDY) from error
        except ClawError as error:
            await conversation.close()
            remedy = "Look at it with: claw frameworks doctor nanobot"
            raise HarnessStartError(
                f"NanoBot does not come up: {error.what}", where=str(there.path), remedy=remedy
            ) from error
        if said["version"] != there.version:
            await conversation.close()
            raise HarnessStartError(f"found NanoBot {said['version']}, not {there.version}", remedy=REMEDY)
        return conversation

    @staticmethod
    def _refuse_twice(sessions: Sequence[Session]) -> None:
        ids = [session.id for session in sessions]
        if len(set(ids)) < len(ids):
            raise AdapterError("two sessions have the same id", where=", ".join(ids))
