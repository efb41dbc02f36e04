"""What a harness sees of a certification around its prompts: names and folders of an ordinary run, drawn from the nonce.

The adapter's own code shares our process and can always know what it serves; that it behaves otherwise in a run is found by
`claw audit`.
"""

from __future__ import annotations

from random import Random

from claw_adapter.certify.plans.texts import Texts
from claw_adapter.runs.plan import slug

__all__ = ["Disguise"]


class Disguise:
    """Draws names of trials, and the model that all of them have."""

    def __init__(self, nonce: str, harness: str) -> None:
        self._texts = Texts(Random(f"{nonce}/names"))
        self._harness = harness
        self.model = self._texts.model()

    def trial(self) -> tuple[str, str]:
        """A scenario's name, and that of its trial."""
        scenario = self._texts.scenario()
        return scenario, "--".join(map(slug, (scenario, self._harness, self.model, "s0")))
