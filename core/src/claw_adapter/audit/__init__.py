"""The audit: whether a harness gave the model what it was given, in every request of a run; pure, and without a harness.

`audit_run` reads a run folder, `audit_trial` judges one trial from facts. See docs/audit.md.
"""

from claw_adapter.audit.ledger import TrialFacts, audit_trial
from claw_adapter.audit.load import audit_run, run_again
from claw_adapter.audit.records import (
    AuditFinding,
    Bite,
    CallsAgain,
    HarnessVerdict,
    OwnWords,
    RunAudit,
    TrialAudit,
    Unjudged,
)

__all__ = [
    "AuditFinding",
    "Bite",
    "CallsAgain",
    "HarnessVerdict",
    "OwnWords",
    "RunAudit",
    "TrialAudit",
    "TrialFacts",
    "Unjudged",
    "audit_run",
    "audit_trial",
    "run_again",
]
