"""Write core/src/claw_adapter/sandbox/no_keys.bpf again: the filter of system calls that every sandbox has.

python tools/no_keys.py

No namespace keeps the kernel's keys apart: what is in one sandbox would find, by /proc/keys and a number, those of another.
So add_key(2), request_key(2) and keyctl(2) are answered with ENOSYS, as by a kernel without keys; all else is let through.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).parents[1] / "core/src/claw_adapter/sandbox/no_keys.bpf"
CALLS: Final = {
    0xC000003E: (248, 250),  # x86-64, and x32, whose numbers have bit 30
    0x40000003: (286, 288),  # i386
    0xC00000B7: (217, 219),  # aarch64
    0x40000028: (309, 311),  # arm
    0xC00000F3: (217, 219),  # riscv64
}
"""AUDIT_ARCH of linux/audit.h → the first and last number of the three, from each unistd.h."""
LOAD, EQUAL, AT_LEAST, ABOVE, AND, RETURN = 0x20, 0x15, 0x35, 0x25, 0x54, 0x06
"""Instructions of classic BPF (linux/bpf_common.h): of a word, and with a constant."""
NUMBER, ARCHITECTURE = 0, 4
"""Where they are in seccomp_data."""
ALLOW, NO_SUCH_CALL = 0x7FFF0000, 0x00050000 | 38


def program() -> bytes:
    """The filter as bubblewrap reads it: structs sock_filter, of little-endian machines."""
    steps = [(LOAD, 0, 0, ARCHITECTURE)]
    for architecture, (first, last) in CALLS.items():
        steps += [
            (EQUAL, 0, 6, architecture),  # else the next one
            (LOAD, 0, 0, NUMBER),
            (AND, 0, 0, 0xBFFFFFFF),
            (AT_LEAST, 0, 2, first),
            (ABOVE, 1, 0, last),
            (RETURN, 0, 0, NO_SUCH_CALL),
            (RETURN, 0, 0, ALLOW),
        ]
    return b"".join(struct.pack("<HBBI", *step) for step in (*steps, (RETURN, 0, 0, ALLOW)))


if __name__ == "__main__":
    FILE.write_bytes(program())
