"""Signatures by keys of SSH, made and checked by `ssh-keygen`: nobody needs a key of a kind of our own."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from claw_adapter.errors import ClawError

__all__ = ["fingerprints", "sign", "signed_by", "signed_by_any", "signing_key"]

MOST_BYTES: Final = 1024 * 1024
"""Of a file of public keys."""
KINDS: Final = ("ssh-", "ecdsa-", "sk-ssh-", "sk-ecdsa-")
"""With what the kind of a key begins."""
KEY: Final = re.compile(r"(?:ssh|ecdsa|sk)-\S+\s+(AAAA[A-Za-z0-9+/]+=*)")
"""A public key: its kind, and what it is."""
ANYBODY: Final = "anybody"
"""The name of whose key stands without one."""


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


def signed_by_any(text: bytes, signature: str, signers: Path, namespace: str) -> bool:
    """Whether anybody in a file has signed a text: of public keys, or of ``allowed_signers``, whose conditions hold.

    Conditions of other files of SSH (``authorized_keys``, ``@revoked``) are none here: a line with one counts for nobody.

    Raises:
        ClawError: it is no file, or larger than anybody's keys are.
    """
    _refuse_what_has_no_keys(signers)
    lines = signers.read_text("utf-8-sig", "replace").splitlines() if signers.exists() else []
    named = (f"{ANYBODY} {line}" if line.split()[0].startswith(KINDS) else line for line in lines if line.split())
    with _stored(signature) as path, _stored("\n".join((*filter(_names_somebody, named), ""))) as allowed:
        done = _ssh_keygen("-Y", "find-principals", "-f", allowed.name, "-s", path.name)
        found = _said(done.stdout).splitlines() if done.returncode == 0 else []
        return any(signed_by(text, signature, Path(allowed.name), one, namespace) for one in dict.fromkeys(found))


def fingerprints(signers: Path) -> set[str]:
    """Those of the public keys that stand in a file, whatever it says of them; none of what cannot be read.

    Raises:
        ClawError: it is no file, or larger than anybody's keys are.
    """
    _refuse_what_has_no_keys(signers)
    text = signers.read_text("utf-8-sig", "replace") if signers.exists() else ""
    found = set[str]()
    for blob in KEY.findall(text):
        with contextlib.suppress(ValueError):
            digest = hashlib.sha256(base64.b64decode(blob, validate=True)).digest()
            found.add(f"SHA256:{base64.b64encode(digest).decode().rstrip('=')}")
    return found


def _names_somebody(line: str) -> bool:
    """Whether what a line of a file of signers begins with may be somebody's name."""
    first = line.split(maxsplit=1)[0]
    return first[0] not in "@#" and "=" not in first and first != "cert-authority" and any(map(str.isalnum, first))


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
