"""A page in headless Chromium, driven over its debugging pipe: sizes, colour schemes, keys, and what is asked of the page."""

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
)  # fmt: skip
LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for to, end in zip((3, 4), ends):
    os.dup2(end, to)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Chromium reads commands from descriptor 3 and answers on 4."""


class Browser:
    """One page of a running Chromium."""

    def __init__(self, commands: IO[bytes], answers: IO[bytes]) -> None:
        self._commands, self._answers = commands, answers
        self._number, self._session = 0, None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.send("Page.enable")

    def send(self, method: str, **params) -> dict:
        """Send a command and wait for its answer; events on the way are dropped."""
        self._number += 1
        asked = {"id": self._number, "method": method, "params": params}
        self._commands.write(
            json.dumps(asked | ({"sessionId": self._session} if self._session else {})).encode() + b"\0"
        )
        while (answer := self._message()).get("id") != self._number:
            pass
        assert "error" not in answer, answer
        return answer["result"]

    def _message(self) -> dict:
        found = bytearray()
        while (byte := self._answers.read(1)) != b"\0":
            assert byte, "the browser has ended"
            found += byte
        return json.loads(found)

    def open(self, page: Path, width: int, *, dark: bool = False) -> None:
        """Show a page in a window of `width` pixels."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.send("Page.navigate", url=page.as_uri())
        while self.ask("document.readyState + location.href") != "complete" + page.as_uri():
            pass

    def ask(self, script: str):
        """The value of an expression in the page."""
        found = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def tab(self) -> None:
        """Press Tab."""
        for kind in ("rawKeyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)

    def picture(self, path: Path) -> None:
        """Write the whole page as a PNG."""
        found = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(found["data"]))


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser with its profile in `folder`; the test is skipped where there is none."""
    if CHROMIUM is None:
        pytest.skip("NO BROWSER: pages were not looked at; install chromium to have them looked at")
    (theirs, commands), (answers, theirs_too) = os.pipe(), os.pipe()
    command = [sys.executable, "-c", LAUNCH, str(theirs), str(theirs_too), CHROMIUM, *OPTIONS]
    with (folder / "browser.log").open("wb") as log:
        program = subprocess.Popen(
            [*command, f"--user-data-dir={folder / 'browser'}"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(theirs, theirs_too), start_new_session=True,
        )  # fmt: skip
    os.close(theirs)
    os.close(theirs_too)
    with os.fdopen(commands, "wb", buffering=0) as to, os.fdopen(answers, "rb") as since:
        try:
            yield Browser(to, since)
        finally:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()
