"""OpenClaw, a real agent harness, as ``claw/1`` sees it."""

from __future__ import annotations

import json
import secrets
import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.command import find_installed, probe_installed
from claw_adapter.drivers import acp
from claw_adapter.drivers.ports import free_port
from claw_adapter.errors import ClawError, HarnessStartError
from claw_adapter.frameworks import Framework
from claw_adapter.harness import (
    Capabilities,
    Checkpoint,
    Conversation,
    Harness,
    Probe,
    TrialContext,
)
from claw_adapter_openclaw.capabilities import capabilities
from claw_adapter_openclaw.configuration import (
    BRIDGE,
    OWN_COMMAND,
    SETTINGS,
    configuration,
    environment,
    later,
    settings,
    window,
)
from claw_adapter_openclaw.conversation import GatewayConversation
from claw_adapter_openclaw.gateway import Gateway
from claw_adapter_openclaw.options import Options, in_environment
from claw_adapter_openclaw.store import refuse_collisions, session_key

__all__ = ["OpenClaw", "framework"]

CONFIG: Final = "openclaw.json"


def framework() -> Framework:
    """The version of OpenClaw that this adapter was made for."""
    return Framework.load(Path(__file__).parent / "framework" / "framework.toml")


class OpenClaw(Harness):
    """The pinned OpenClaw of ``claw frameworks install openclaw``, one gateway per conversation; options: see `Options`."""

    name: ClassVar[str] = "openclaw"

    def __init__(self, **options: Any) -> None:
        self.options = Options.parse(options)
        self._given = options

    def capabilities(self) -> Capabilities:
        """See `claw_adapter_openclaw.capabilities`."""
        return capabilities(self.options)

    def probe(self) -> Probe:
        """Looks for the environment's marker; starts nothing."""
        if self.options.mode == "acp" and not acp.available():
            return Probe(ready=False, reason="the ACP driver needs agent-client-protocol", remedy=acp.REMEDY)
        return probe_installed(framework())

    def session_key(self, session_id: str) -> str:
        """As its tools sessions_list, sessions_history and sessions_search know it."""
        return session_key(session_id)

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        """Lay out the state directory, start the gateway over it, and write the sessions through our plugin in it.

        Raises:
            HarnessNotFound: it is not installed.
            HarnessStartError: it does not come up.
        """
        return await type(self)(**in_environment(self._given, ctx)).begin(ctx, checkpoint)

    async def begin(self, ctx: TrialContext, checkpoint: Checkpoint | None) -> Conversation:
        """`open`, with the options that hold in this trial."""
        there = find_installed(framework())
        sessions = checkpoint.sessions if checkpoint else (ctx.main, *ctx.histories)
        refuse_collisions([session.id for session in sessions])
        port, token = free_port(), secrets.token_urlsafe(24)
        config = self._lay_out(ctx, port, token)
        env = environment(ctx.inside(ctx.state_dir), ctx.inside(config))
        key = session_key(sessions[0].id)
        gateway = await self._kind().start(
            ctx, there, env, port=port, token=token, key=key, configuration=later(self.options)
        )
        conversation = GatewayConversation(gateway, sessions, ctx.endpoint.model, ctx.log)
        try:
            self._settle(ctx.state_dir)
            await conversation.seed()
            await gateway.attach(ctx.inside(ctx.workspace), window(ctx, self.options), ctx.deadline)
        except ClawError as error:
            await conversation.close()
            what = f"OpenClaw is up, but no conversation begins: {error.what}"
            raise HarnessStartError(what, where=error.where) from error
        except BaseException:
            await conversation.close()
            raise
        return conversation

    def _kind(self) -> type[Gateway]:
        if self.options.mode == "http":
            return Gateway
        from claw_adapter_openclaw.acp import AcpGateway

        return AcpGateway

    def _lay_out(self, ctx: TrialContext, port: int, token: str) -> Path:
        """Everything that OpenClaw finds when it starts; only into an empty state directory."""
        state = ctx.state_dir
        (state / "tmp").mkdir(mode=0o700)
        bridge = state / BRIDGE
        with as_file(files("claw_adapter_openclaw") / "bridge") as packed:
            shutil.copytree(packed, bridge)
        config = state / CONFIG
        config.touch(mode=0o600)
        told = configuration(ctx, self.options, port, token, bridge)
        config.write_text(json.dumps(told, indent=1, ensure_ascii=False), "utf-8")
        return config

    def _settle(self, state: Path) -> None:
        """What it reads before its first turn; laid out earlier, it would be taken for the state of an older version."""
        path = state / SETTINGS
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(settings(self.options)), "utf-8")
        if not self.options.own_command:
            (state / OWN_COMMAND).unlink(missing_ok=True)
