"""The neutral records of ``claw/1`` and ``scenario/1``: frozen, versioned, with published JSON Schemas."""

from claw_adapter.protocol.brief import Brief, Locator, Seen
from claw_adapter.protocol.capabilities import Capabilities, Dialect, HistoryRoute, Probe, Support
from claw_adapter.protocol.gold import Answer, Answers, Check, Evidence, Feedback, Fragment, Gold, Preference, Revision
from claw_adapter.protocol.journal import (
    FirstRequest,
    Isolation,
    JournalRecord,
    Metered,
    RoundRecord,
    RoundTraits,
    Score,
    TrialEnd,
    TrialStart,
    Usage,
)
from claw_adapter.protocol.model import ATTACHED, ModelSpec, ServerRecord
from claw_adapter.protocol.scenario import Manifest, Round, RoundFile, RoundTags, Scenario, SessionEntry
from claw_adapter.protocol.session import Message, Session, ToolCall
from claw_adapter.protocol.trial import HarnessSpec, OverlaySpec, RunSettings, TrialSpec
from claw_adapter.protocol.turn import Checkpoint, Event, Failure, ReportedUsage, Timing, TurnResult
from claw_adapter.protocol.update import SessionChange, Update, UpdateAction, UpdateTags

__all__ = [
    "ATTACHED",
    "Answer",
    "Answers",
    "Brief",
    "Capabilities",
    "Check",
    "Checkpoint",
    "Dialect",
    "Event",
    "Evidence",
    "Failure",
    "Feedback",
    "FirstRequest",
    "Fragment",
    "Gold",
    "HarnessSpec",
    "HistoryRoute",
    "Isolation",
    "JournalRecord",
    "Locator",
    "Manifest",
    "Message",
    "Metered",
    "ModelSpec",
    "OverlaySpec",
    "Preference",
    "Probe",
    "ReportedUsage",
    "Revision",
    "Round",
    "RoundFile",
    "RoundRecord",
    "RoundTags",
    "RoundTraits",
    "RunSettings",
    "Scenario",
    "Score",
    "Seen",
    "ServerRecord",
    "Session",
    "SessionChange",
    "SessionEntry",
    "Support",
    "Timing",
    "ToolCall",
    "TrialEnd",
    "TrialSpec",
    "TrialStart",
    "TurnResult",
    "Update",
    "UpdateAction",
    "UpdateTags",
    "Usage",
]
