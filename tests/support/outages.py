"""The run that a provider belongs to, as the endpoint's gate knows it, on a clock of its own."""

import asyncio
from types import SimpleNamespace


class RecordedControl:
    """The run that a provider belongs to; its clock moves when somebody waits, and when a request is answered."""

    def __init__(self, patience: float = 600.0) -> None:
        self.patience, self.stopped, self.now = patience, None, 1000.0
        self.pauses: list[float] = []
        self.said: list[str] = []
        self.why = self.remedy = ""

    def stop(self, error, what, remedy):
        self.stopped, self.why, self.remedy = error, what, remedy

    def say(self, _model, text):
        self.said.append(text)

    async def pause(self, seconds):
        self.pauses.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


def request():
    """A request that nobody has answered yet."""
    return SimpleNamespace(sent=False, held=0.0, refused=None)
