"""How often a run looks at what is left of the machine: before every long round, and not before each of many short ones."""

import pytest

from claw_adapter.errors import MachineError
from claw_adapter.runner import headroom
from claw_adapter.runner.headroom import LOOK_SECONDS, Headroom


def test_enough_is_believed_for_a_moment_and_a_shortage_never(tmp_path, monkeypatch):
    now, free = [100.0], [10**12]
    monkeypatch.setattr(headroom.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(headroom, "space", lambda _: (free[0], None))
    looking = Headroom(tmp_path)
    looking.require()
    free[0] = 0
    now[0] += LOOK_SECONDS / 2
    looking.require()
    assert looking.shortage() is not None, "whoever asks after a failure is told how it stands now"
    now[0] += LOOK_SECONDS
    for _ in range(2):
        with pytest.raises(MachineError):
            looking.require()
