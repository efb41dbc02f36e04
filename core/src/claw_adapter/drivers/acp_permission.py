"""What an ACP agent may ask of us: permission, answered by a policy, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Literal, cast

if TYPE_CHECKING:
    from acp import Client
    from acp.schema import PermissionOption, RequestPermissionResponse, ToolCallUpdate

__all__ = ["Permission", "answering"]

Permission = Literal["allow", "deny"]
"""What is answered to ``session/request_permission``: the narrowest option of that kind that the agent offers."""
Note = Callable[[str, str, str], None]
"""Called with the session, a name and a text of what is worth an event."""
KINDS: Final[Mapping[Permission, tuple[str, ...]]] = {
    "allow": ("allow_once", "allow_always"),
    "deny": ("reject_once", "reject_always"),
}


def answering(policy: Permission, note: Note) -> Client:
    """The client's side for the protocol's library, which refuses what this does not have."""
    return cast("Client", _Client(policy, note))


class _Client:
    def __init__(self, policy: Permission, note: Note) -> None:
        self._policy: Permission = policy
        self._note = note

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_meta: object
    ) -> RequestPermissionResponse:
        """Answer at once, by the policy; where the agent offers nothing of that kind, with "cancelled"."""
        from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

        chosen = _chosen(self._policy, options)
        title = tool_call.title or tool_call.tool_call_id
        self._note(session_id, "permission", f"{chosen.kind if chosen else 'cancelled'}: {title}")
        if chosen is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=chosen.option_id))


def _chosen(policy: Permission, options: Sequence[PermissionOption]) -> PermissionOption | None:
    kinds = KINDS[policy]
    wanted = sorted((o for o in options if o.kind in kinds), key=lambda option: kinds.index(option.kind))
    return wanted[0] if wanted else None
