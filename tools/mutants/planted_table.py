"""The mutants inside the runner's process that the tests of the kit have, as rows of the table."""

from __future__ import annotations

import planted

from claw_adapter.testing import PlantedConversation
from mutants.base import Mutant


def _planted(name: str, kind: type, run: str, trips: str) -> Mutant:
    make = planted.with_conversation(kind) if issubclass(kind, PlantedConversation) else kind
    return Mutant(name, make, tuple(run.split()), frozenset(trips.split()))


PLANTED = (
    _planted("writes outside its state", planted.LitteringHarness, "LIFE", "LIFE-008"),
    _planted("starts a process past the context", planted.StrayProcess, "LIFE", "LIFE-009"),
    _planted("its key on a command line", planted.KeyOnCommandLine, "LIFE-006 LIFE-014", "LIFE-014"),
    _planted("leaves a capability undeclared", planted.Undeclared, "LIFE", "LIFE-003"),
    _planted("a probe that writes", planted.BusyProbe, "LIFE", "LIFE-004"),
    _planted("a banner before the answer", planted.Banner, "PLAN-001", "PLAN-001"),
    _planted("empty answer as success", planted.InventsAnswers, "TURN-003 TURN-005", "TURN-005"),
    _planted("events twice", planted.DoubleEvents, "PLAN-001", "PLAN-001"),
    _planted("raises when the model fails", planted.RaisesOnFailure, "TURN-003 TURN-015", "TURN-015"),
    _planted("loses the histories", planted.LosesHistories, "SEED PLAN-002", "SEED-007 PLAN-002"),
    _planted("a short memory", planted.ShortMemory, "SEED", "SEED-005"),
    _planted("checkpoints without tool calls", planted.ForgetsSpeakersTools, "SEED TOK-003", "SEED-008 TOK-003"),
    _planted("drops updates", planted.DropsUpdates, "PLAN-002 RUN-001", "PLAN-002 RUN-001"),
    _planted("doubles updates", planted.UpdatesTwice, "PLAN-002", "PLAN-002"),
    _planted(
        "answers reads from a cache", planted.CachesFiles, "PLAN-001 PLAN-004 RUN-001", "PLAN-001 PLAN-004 RUN-001"
    ),
    _planted("cuts files earlier than it says", planted.CutsEarlier, "RUN-002", "RUN-002"),
    _planted("doubles usage", planted.DoubleUsage, "TOK PLAN-001 RUN-001", "PLAN-001 RUN-001"),
    _planted("its key left after a failure", planted.KeyInWorkspaceAfterFailure, "PLAN-003", "PLAN-003"),
    _planted("declares usage and reports none", planted.NoUsage, "TOK", "TOK-001"),
)
