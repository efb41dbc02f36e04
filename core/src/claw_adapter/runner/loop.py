"""The way of one trial (architecture.md): lay out, open, round by round, end. A crash can interrupt it anywhere."""

from __future__ import annotations

import logging

from claw_adapter.crashpoints import crashpoint
from claw_adapter.errors import ClawError, RunStopped
from claw_adapter.protocol import Failure, TrialEnd
from claw_adapter.runner.headroom import refuse_shortage
from claw_adapter.runner.rounds import RoundRunner
from claw_adapter.runner.stopping import check_stopped
from claw_adapter.runner.trial import Trial
from claw_adapter.runs.journal import Journal
from claw_adapter.runs.named_folders import NamedFolders

__all__ = ["run_trial"]

log = logging.getLogger(__name__)


async def run_trial(trial: Trial) -> None:
    """Take a trial from its next unfinished round to its end; failures become records.

    Raises:
        RunStopped: the run stops; the round under way is not in the journal.
        MachineError: something is missing here that no trial can do without; of the round under way nothing is recorded.
    """
    error: Failure | None = None
    services = trial.services
    path, folders = services.folder.journal(trial.spec.id), NamedFolders(services.folder.root)
    with Journal(path, services.redactor, folders) as trial.journal:
        if trial.journal.finished:
            return
        try:
            trial.services.headroom.require()
            await trial.prepare()
            await _rounds(trial)
        except RunStopped:
            raise
        except ClawError as fault:
            error = Failure.of(fault)
        except Exception as fault:
            log.exception("trial %s", trial.spec.id)
            error = Failure.of(fault)
        finally:
            error = error and trial.services.headroom.blamed(error)
            error = await trial.closed(error)
        if error is not None:
            await check_stopped(trial.services.endpoint)
        refuse_shortage(error)
        trial.journal.append(TrialEnd(error=error, snapshot=trial.last_snapshot, overlay=trial.spent, used=trial.used))
    trial.services.on_end(trial.spec, error)


async def _rounds(trial: Trial) -> None:
    rounds = RoundRunner(trial)
    for index in range(len(trial.journal.rounds), len(trial.scenario.rounds)):
        trial.services.headroom.require()
        record = await rounds.run(index)
        trial.record_start()
        crashpoint("before-journal")
        trial.journal.append(record)
        trial.services.on_round(trial.spec, record, len(trial.scenario.rounds))
    if trial.services.last_feedback:
        await rounds.deliver_last_feedback()
