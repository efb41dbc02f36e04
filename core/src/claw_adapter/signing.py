"""Signatures by keys of SSH, made and checked by `ssh-keygen`: nobody needs a key of a kind of our own."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from claw_adapter.errors import ClawError

__all__ = ["fingerprints", "sign", "signed_by", "signing_key"]

MOST_BYTES: Final = 1024 * 1024
"""Of a file of public keys."""


def sign(text: bytes, key: Path, namespace: str) -> str:
    """The signature of a text (armoured, PROTOCOL.sshsig).

    Args:
        text: what is signed.
        key: a private key of SSH.
        namespace: what the signature is for, so that one made for something else does not count.

    Raises:
        ClawError: `ssh-keygen` is not there, or does not sign.
    """
    with tempfile.TemporaryDirectory(prefix="claw-sign-") as name:
        path = Path(name) / "text"
        path.write_bytes(text)
        done = _ssh_keygen("-Y", "sign", "-q", "-f", str(key), "-n", namespace, str(path))
        if done.returncode:
            raise ClawError(f"ssh-keygen does not sign: {_said(done.stderr)}", where=str(key))
        return path.with_name("text.sig").read_text("ascii")


def signed_by(text: bytes, signature: str, signers: Path, signer: str, namespace: str) -> bool:
    """Whether `signer`, of the `signers` in an ``allowed_signers`` file of SSH, has signed a text.

    Raises:
        ClawError: that is no file, or larger than anybody's keys are.
    """
    _refuse_what_has_no_keys(signers)
    with _stored(signature) as path:
        done = _ssh_keygen(
            "-Y", "verify", "-f", str(signers), "-I", signer, "-n", namespace, "-s", path.name, text=text
        )  # fmt: skip
    return done.returncode == 0


def signing_key(text: bytes, signature: str, namespace: str) -> str:
    """The fingerprint of the key that has signed a text; empty if the signature is none of it."""
    with _stored(signature) as path:
        done = _ssh_keygen("-Y", "check-novalidate", "-n", namespace, "-s", path.name, text=text)
    found = re.search(r"SHA256:\S+", _said(done.stdout))
    return found.group() if found and done.returncode == 0 else ""


def fingerprints(keys: Path) -> frozenset[str]:
    """The fingerprints of the public keys in a file of SSH.

    Raises:
        ClawError: it is no file, or larger than anybody's keys are.
    """
    _refuse_what_has_no_keys(keys)
    done = _ssh_keygen("-l", "-f", str(keys))
    return frozenset(re.findall(r"SHA256:\S+", _said(done.stdout)))


def _refuse_what_has_no_keys(file: Path) -> None:
    if file.exists() and not (file.is_file() and file.stat().st_size <= MOST_BYTES):
        raise ClawError(f"it is no file of keys, or one of more than {MOST_BYTES:,} bytes", where=str(file))


def _stored(signature: str) -> tempfile._TemporaryFileWrapper[bytes]:
    file = tempfile.NamedTemporaryFile(prefix="claw-sign-")  # noqa: SIM115 - the caller's `with` closes it
    file.write(signature.encode())
    file.flush()
    return file


def _ssh_keygen(*arguments: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["ssh-keygen", *arguments], input=text, capture_output=True, check=False)
    except FileNotFoundError:
        raise ClawError(
            "ssh-keygen is not installed", remedy="Install OpenSSH to sign, and to check signatures."
        ) from None


def _said(output: bytes) -> str:
    return output.decode("utf-8", "replace").strip()
