"""Two children of ours have no key of the kernel in common, and none of ours; in a sandbox there are none at all."""

import ctypes
import errno
import platform
import runpy
import sys
from pathlib import Path

import pytest

from claw_adapter.drivers import Command, run
from claw_adapter.drivers.keyring import KEYCTL, fresh_keyring
from claw_adapter.sandbox import IsolationLevel, detect, run_check

pytestmark = pytest.mark.skipif(platform.machine() not in KEYCTL, reason="the numbers of keyctl(2) are not known here")
SESSION, ADD, SEARCH = -3, 248 if platform.machine() == "x86_64" else 217, 10
CHILD = f"""import ctypes, sys
call = ctypes.CDLL(None).syscall
found = call({KEYCTL.get(platform.machine())}, {SEARCH}, {SESSION}, b"user", b"claw-test", 0)
made = call({ADD}, b"user", b"claw-test", b"secret", 6, {SESSION})
print(found > 0, made > 0)
"""


async def test_no_child_finds_a_key_that_we_or_another_child_have():
    call = ctypes.CDLL(None).syscall
    fresh_keyring()
    if call(ADD, b"user", b"claw-test", b"secret", 6, SESSION) < 0:
        pytest.skip("this kernel or container has no keyrings")
    for _ in range(2):
        done = await run(Command([sys.executable, "-I", "-c", CHILD], env={}), 20)
        assert done.stdout.text.split() == ["False", "True"], done.stderr.text


INSIDE = f"""import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
made = libc.syscall({ADD}, b"user", b"claw-test", b"secret", 6, {SESSION})
told = ctypes.get_errno()
try:
    seen = open("/proc/keys").read()
except OSError:
    seen = ""
print(made, told == {errno.ENOSYS}, repr(seen))
"""


@pytest.mark.skipif(detect().bwrap is None, reason=f"no namespaces: {detect().reason}")
async def test_in_a_sandbox_no_key_can_be_left_for_another(tmp_path):
    (tmp_path / "main.py").write_text(INSIDE)
    done = await run_check("python main.py", workspace=tmp_path, level=IsolationLevel.NAMESPACE, deadline=20)
    assert done.stdout.text.split(maxsplit=2) == ["-1", "True", "''\n"], done


def test_the_filter_is_what_the_tool_writes():
    tool = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "no_keys.py"))
    assert tool["FILE"].read_bytes() == tool["program"]()
