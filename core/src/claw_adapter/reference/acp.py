"""The reference harness as an ACP agent: the same agent, behind the driver that drives any other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claw_adapter.drivers.acp import AcpChild, AcpRefusal, AcpTurn
from claw_adapter.errors import ClawError
from claw_adapter.harness import Session, TrialContext
from claw_adapter.reference.acp_conversation import AcpConversation, SeededConversation
from claw_adapter.reference.acp_harness import begin
from claw_adapter.reference.child import child_command, model_failure

__all__ = ["start"]


class _Reference(SeededConversation):
    """Knows what the agent adds to its answers."""

    @property
    def versions(self) -> Mapping[str, str]:
        """Nothing that its probe does not say."""
        return {}

    def _reason(self, error: ClawError) -> ClawError:
        data = error.data if isinstance(error, AcpRefusal) else None
        if isinstance(data, dict) and "claw" in data:
            return model_failure(int(data["claw"]["status"]), error.what)
        return error

    def _worked(self, turn: AcpTurn, inside: float) -> float:
        ours = turn.meta.get("claw")
        return float(ours["seconds"]) if isinstance(ours, dict) else inside


async def start(ctx: TrialContext, sessions: Sequence[Session]) -> AcpConversation:
    """Start the agent and give it its past.

    Raises:
        HarnessStartError: it does not come up.
    """
    argv, files = child_command("acp")
    told = {"CLAW_KEY": ctx.endpoint.key, "CLAW_URL": ctx.endpoint.openai, "CLAW_MODEL": ctx.endpoint.model}
    process = await ctx.spawn(argv, env=told, readable=files, lines=True)
    return await begin(await AcpChild.connect(process, deadline=ctx.deadline), ctx, sessions, kind=_Reference)
