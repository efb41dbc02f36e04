"""Published distributions, and what is drawn from them: when messages are sent, by whom, how many, and how soon answered.

The registry (`entries`, file ``data/entries.yaml``) names for every number its source, the place in it, and whether the
number was really seen there. Samplers take a `random.Random` and are deterministic by its seed::

    import random
    from claw_adapter_scenarios.realism import noise, timing, tiers, volumes

    rng = random.Random("some scenario/some seed")
    timing.times(rng, start, end, 40, curve="office", tz="Europe/Berlin")     # list of aware datetimes, strictly increasing
    timing.conversations(rng, start, end, 40, curve="hospital", reply="clinical")  # the same, in threads with reply delays
    timing.curve_for("hospital administration")                              # → "hospital"
    tiers.speakers(rng, ["Ada", "Ben", "Cem", "Dee"], 60)                     # who writes each message; the first is innermost
    volumes.split(rng, 300, {"mail": "mail", "ops": "chat"})                 # messages per channel, summing to 300
    noise.labels(rng, 300, 0.4)                                              # True for noise, exactly the share asked for

`fit.fit` tells how well a built scenario or suite agrees with the verified entries.
"""

from __future__ import annotations

from claw_adapter_scenarios.realism.registry import RealismEntry, entries, entry

__all__ = ["RealismEntry", "entries", "entry"]
