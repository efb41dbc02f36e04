"""Two children of ours have no key of the kernel in common, and none of ours."""

import ctypes
import platform
import sys

import pytest

from claw_adapter.drivers import Command, run
from claw_adapter.drivers.keyring import KEYCTL, fresh_keyring

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
