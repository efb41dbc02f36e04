"""Claude Code behind the ACP server that is made for it, ``claude-agent-acp``; it starts the same program as the other modes.

A failed model request comes as an error of the protocol with a sentence, so its class is told from the sentence.
"""

from __future__ import annotations

from typing import Any, Final, Self

from claw_adapter.drivers.acp import AcpChild, AcpRefusal, Permission
from claw_adapter.errors import (
    ClawError,
    DeadlineExceeded,
    EndpointAuthError,
    EndpointError,
    EndpointQuotaError,
    EndpointTransientError,
    HarnessCrash,
    HarnessProtocolError,
    HarnessStartError,
)
from claw_adapter.harness import TrialContext
from claw_adapter_claude_code.configuration import environment
from claw_adapter_claude_code.failures import exhausted, failure, status
from claw_adapter_claude_code.options import Options, tools
from claw_adapter_claude_code.program import executable, installed
from claw_adapter_claude_code.state import State
from claw_adapter_claude_code.stream import Outcome

__all__ = ["AcpProgram"]

SERVER: Final = ("@agentclientprotocol", "claude-agent-acp", "dist", "index.js")
MOST: Final = "Reached maximum number of turns"
"""How the server says that `max_requests` are used up."""

PROVIDER: Final[dict[object, type[EndpointError]]] = {
    "authentication_failed": EndpointAuthError,
    "oauth_org_not_allowed": EndpointAuthError,
    "billing_error": EndpointQuotaError,
    "rate_limit": EndpointQuotaError,
    "overloaded": EndpointTransientError,
    "server_error": EndpointTransientError,
    "invalid_request": EndpointError,
    "model_not_found": EndpointError,
}
"""What ``errorKind`` says of a failed model request, whose sentence is the program's own."""


class AcpProgram:
    """A running server with one session; see `Program`."""

    def __init__(self, agent: AcpChild, session: str) -> None:
        self._agent = agent
        self._session = session

    @classmethod
    async def start(cls, ctx: TrialContext, options: Options, state: State, deadline: float) -> Self:
        """Start the server, and begin or resume the session.

        Raises:
            HarnessNotFound: it is not installed.
            HarnessStartError: it does not come up.
        """
        there = installed()
        argv = [str(there.node), str(there.modules.joinpath(*SERVER))]
        env = {**environment(ctx, options, state.config), "CLAUDE_CODE_EXECUTABLE": str(executable(there))}
        process = await ctx.spawn(argv, env=env, readable=there.readable, lines=True)
        permission: Permission = "allow" if options.permission_mode == "bypassPermissions" else "deny"
        agent = await AcpChild.connect(process, permission=permission, deadline=deadline)
        try:
            if state.exists:
                session = state.uuid
                await agent.resume_session(session, ctx.inside(ctx.workspace), deadline, ctx.mcp, **_meta(options))
            else:
                session = await agent.new_session(ctx.inside(ctx.workspace), deadline, ctx.mcp, **_meta(options))
                state.begun(session)
        except ClawError as error:
            await agent.close(0)
            raise HarnessStartError(f"it does not take the session: {error.what}", where="claude-agent-acp") from error
        except BaseException:
            await agent.close(0)
            raise
        return cls(agent, session)

    async def turn(self, prompt: str, deadline: float) -> Outcome:
        """See `Program.turn`."""
        said = ("", prompt, "") if prompt.startswith("/") else prompt
        turn = await self._agent.prompt(self._session, said, deadline)
        usage = (
            turn.usage if turn.usage is not None and turn.usage.kind == "per_turn" else None
        )  # else its context's size
        return Outcome(turn.text, _judged(turn.error, turn.text), turn.events, usage)

    async def cancel(self) -> None:
        """See `Program.cancel`."""
        await self._agent.cancel(self._session)

    async def finish(self, seconds: float) -> None:
        """See `Program.finish`."""
        await self._agent.close(seconds)

    async def close(self, grace: float) -> int:
        """See `Program.close`."""
        return await self._agent.close(grace)


def _meta(options: Options) -> dict[str, Any]:
    """What the server hands on to the program, as its own command line in the other modes."""
    extra = {"strict-mcp-config": None, "disable-slash-commands": None}
    told: dict[str, Any] = {
        "tools": tools(options),
        "promptSuggestions": False,
        "permissionMode": options.permission_mode,
        "extraArgs": extra,
    }
    if options.max_requests:
        told["maxTurns"] = options.max_requests
    if options.effort:
        told["effort"] = options.effort
    return {"claudeCode": {"options": told}}


def _judged(error: ClawError | None, text: str) -> ClawError | None:
    """The error of a turn; one that the server reports is of the model's making unless it says otherwise."""
    if error is None or isinstance(error, HarnessCrash | DeadlineExceeded | HarnessProtocolError):
        return error
    if "Authentication required" in error.what:
        return EndpointAuthError(error.what, where="model request")
    if MOST in error.what:
        return exhausted("Claude Code's turn (over ACP)")
    if "API Error" not in error.what:
        kind = error.data.get("errorKind") if isinstance(error, AcpRefusal) and isinstance(error.data, dict) else None
        return PROVIDER[kind](error.what, where="model request") if kind in PROVIDER else error
    said = error.what[error.what.index("API Error") :]
    return failure({"is_error": True, "result": said or text, "api_error_status": status(said)})
