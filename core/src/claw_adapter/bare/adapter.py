"""The adapter of the bare loop, which runs in the runner's process and acts through the scenario's environment alone."""

from __future__ import annotations

from typing import Any, ClassVar

from claw_adapter import __version__
from claw_adapter.bare.options import BareOptions
from claw_adapter.errors import ScenarioError
from claw_adapter.harness import Capabilities, Checkpoint, Conversation, Harness, Probe, Support, TrialContext
from claw_adapter.options import checked
from claw_adapter.protocol.limits import Prune

__all__ = ["BareHarness"]


class BareHarness(Harness):
    """One command per reply; `options` are those of `BareOptions`."""

    name: ClassVar[str] = "bare"
    runs_inside = True
    executes = False

    def __init__(self, **options: Any) -> None:
        self.options = checked(BareOptions, options, "harness bare")

    def capabilities(self) -> Capabilities:
        """A conversation and nothing else."""
        full, options = Support.full(), self.options
        nothing = Support.unsupported("it sees no file")
        return Capabilities(
            turns=full, resume_after_restart=full, seed_main=full, seed_history="none", update_workspace=nothing,
            update_session=full, cancel=full, stream_events=full, usage="per_turn", endpoint_override=("openai-chat",),
            concurrent=full, isolation_of_state=full, deterministic_replay=full,
            overlay_skills=Support.not_implemented("no overlay has been tried with it"),
            mcp=Support.unsupported("it has no tools: it acts through commands"),
            renderings=("merge", "insert"),
            losses=(Prune(turns=0),) if options.history != "full" else (),
            notes=(
                "one command per reply; no tools, no system prompt, no files",
                f"history: {options.history}; at most {options.retries} retries of a request",
            ),
        )  # fmt: skip

    def probe(self) -> Probe:
        """Always there: it is part of the package."""
        return Probe(ready=True, versions={"bare": __version__})

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        """Open over the checkpoint's sessions, or those of the context.

        Raises:
            ScenarioError: there is no environment to act in.
        """
        from claw_adapter.bare.conversation import BareConversation

        if ctx.environment is None:
            remedy = "Choose scenarios with an environment, or a harness with tools of its own."
            raise ScenarioError("there is no environment to act in", where="harness bare", remedy=remedy)
        sessions = checkpoint.sessions if checkpoint else (ctx.main, *ctx.histories)
        return BareConversation(self.options, ctx.endpoint, ctx.environment, sessions)
