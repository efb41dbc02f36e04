"""Any agent that speaks the Agent Client Protocol, as a harness: what to start is in the options of the experiment."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final, get_args

from claw_adapter.drivers.acp import REMEDY, AcpChild, Permission, available
from claw_adapter.errors import AdapterError, ClawError, HarnessNotFound, HarnessStartError
from claw_adapter.harness import Capabilities, Checkpoint, Conversation, Harness, Probe, Session, Support, TrialContext
from claw_adapter.protocol.turn import UsageKind
from claw_adapter.reference.acp_conversation import AcpConversation, SeededConversation, ToldConversation

__all__ = ["AcpHarness", "begin"]

WHERE: Final = "harness acp"
KEY_PLACE: Final = "{key}"
NEWS: Final = (
    "what is new in the main session stands as text in front of the next prompt; after any other change it begins another "
    "session, in which the past stands in front of the next prompt"
)


class AcpHarness(Harness):
    """An ACP agent of the user's choice.

    Args:
        command: program and arguments. ``{workspace}``, ``{state}``, ``{openai}``, ``{anthropic}`` and ``{model}`` are filled
            in: folders, the endpoint's address for clients of either kind, the model's id.
        env: variables for it; ``{key}`` is filled in as well, the endpoint's key has no place on a command line.
        readable: folders that it may read beside its workspace, such as its installation.
        permission: ``allow`` or ``deny``, what its requests for permission are answered.
        usage: what the usage in its answers counts: ``per_turn``, ``cumulative``, ``last_request``, or ``none`` to take none.
        authenticate: one of its ways to authenticate, if it must be chosen.
        files: texts that are written before it starts, such as its settings, by path below its home (``{state}``); places
            are filled in as in `env`.
        window: what stands for ``{window}`` where the endpoint tells no window (`claw_adapter.harness.Endpoint.window`).
    """

    name: ClassVar[str] = "acp"

    def __init__(
        self,
        command: Sequence[str] = (),
        env: Mapping[str, str] | None = None,
        readable: Sequence[str] = (),
        permission: Permission = "allow",
        usage: UsageKind = "per_turn",
        authenticate: str = "",
        files: Mapping[str, str] | None = None,
        window: int = 0,
    ) -> None:
        if isinstance(command, str) or any(KEY_PLACE in word for word in command):
            raise AdapterError(
                "is not a list of words without a key",
                where=f"{WHERE}, option 'command'",
                remedy="Give a list; put {key} into a variable of 'env'.",
            )
        for option, value, choices in (
            ("permission", permission, get_args(Permission)),
            ("usage", usage, get_args(UsageKind)),
        ):
            if value not in choices:
                raise AdapterError(f"{value!r} is not one of {', '.join(choices)}", where=f"{WHERE}, option {option!r}")
        self.command, self.env, self.readable = tuple(command), dict(env or {}), tuple(map(Path, readable))
        self.permission: Permission = permission
        self.usage: UsageKind = usage
        self.authenticate = authenticate
        self.window = window
        self.files = dict(files or {})
        if outside := [path for path in self.files if Path(path).is_absolute() or ".." in Path(path).parts]:
            what = f"{outside[0]!r} is not a path below the agent's home"
            raise AdapterError(what, where=f"{WHERE}, option 'files'")

    def capabilities(self) -> Capabilities:
        """What the protocol gives; what the agent makes of it is not known before it runs."""
        full = Support.full()
        told = "ACP gives an agent no past: it stands as text in front of the first prompt"
        return Capabilities(
            turns=full,
            resume_after_restart=Support.unsupported(told),
            seed_main=Support.unsupported(told),
            seed_history="files",
            update_workspace=full,
            update_session=full,
            cancel=full,
            stream_events=full,
            usage=self.usage,
            endpoint_override=("openai-chat", "openai-responses", "anthropic-messages"),
            concurrent=full,
            isolation_of_state=full,
            overlay_skills=Support.not_implemented("no overlay has been tried with it"),
            deterministic_replay=Support.unsupported("nothing is known of the agent"),
            mcp=full,
            renderings=(
                "system_as",
                "speaker_as",
                "merge",
                "trim",
                "newline",
                "empty_reply",
                "call_id",
                "insert",
                "told",
            ),
            notes=(f"permission requests: {self.permission}", told, NEWS),
        )

    def probe(self) -> Probe:
        """Whether the program and the protocol's library are there."""
        if not self.command:
            what = "Give the agent's command line: options: {command: [...]}"
            return Probe(ready=False, reason="no command", remedy=what)
        if not available():
            return Probe(ready=False, reason="the ACP driver needs agent-client-protocol", remedy=REMEDY)
        if shutil.which(self.command[0]) is None:
            return Probe(ready=False, reason=f"no program {self.command[0]!r}", remedy="Install it, or give its path.")
        return Probe(ready=True, versions={"acp": "1"})

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        """Start the agent with the workspace as its folder, and tell it the past with the first prompt."""
        probe = self.probe()
        if not probe.ready:
            raise HarnessNotFound(probe.reason, where=WHERE, remedy=probe.remedy)
        places = {
            "workspace": str(ctx.inside(ctx.workspace)), "state": str(ctx.inside(ctx.state_dir)), "model": ctx.endpoint.model,
            "openai": ctx.endpoint.openai, "anthropic": ctx.endpoint.anthropic,
            "window": str(ctx.endpoint.window or self.window),
        }  # fmt: skip
        argv = [_filled(word, places) for word in self.command]
        private = {**places, "key": ctx.endpoint.key}
        env = {name: _filled(value, private) for name, value in self.env.items()}
        for path, text in self.files.items():
            file = ctx.state_dir / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_filled(text, private), "utf-8")
        sessions = checkpoint.sessions if checkpoint else (ctx.main, *ctx.histories)
        process = await ctx.spawn(argv, env=env, readable=self.readable, lines=True)
        child = await AcpChild.connect(process, permission=self.permission, meaning=self.usage, deadline=ctx.deadline)
        return await begin(child, ctx, sessions, self.authenticate)


async def begin(
    child: AcpChild,
    ctx: TrialContext,
    sessions: Sequence[Session],
    authenticate: str = "",
    kind: type[SeededConversation] = SeededConversation,
) -> AcpConversation:
    """A conversation over `sessions`, main first: given to an agent that has our extension (as `kind`), told to any other.

    Raises:
        HarnessStartError: the agent refuses; it is ended then.
    """

    async def new() -> str:
        return await child.new_session(ctx.inside(ctx.workspace), ctx.deadline, ctx.mcp)

    try:
        if authenticate:
            await child.authenticate(authenticate, ctx.deadline)
        with child.reading("initialize"):
            seeded = bool((child.agent.meta.get("claw") or {}).get("sessions"))
        if seeded:
            return await kind.begin(child, ctx, sessions)
        session = await new()
    except ClawError as error:
        await child.close(0)
        raise HarnessStartError(f"the agent begins no session: {error.what}", where=error.where) from error
    except BaseException:
        await child.close(0)
        raise
    return ToldConversation(child, session, sessions, new)


def _filled(word: str, places: Mapping[str, str]) -> str:
    for name, value in places.items():
        word = word.replace(f"{{{name}}}", value)
    return word
