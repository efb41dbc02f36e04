"""Whose signature a file of keys accepts where nobody is named."""

import subprocess

import pytest

from claw_adapter.signing import sign, signed_by_any

NAMESPACE, TEXT = "claw-certificate", b"what was certified"


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    for name in ("one", "other"):
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"key {name}", "-f", folder / name], check=True
        )
    return folder


@pytest.mark.parametrize(
    ("form", "accepted"),
    [
        ("{other}\n{one}\n", True),
        ("\ufeff# whose we take\r\n\r\n{one}\r\n", True),
        ("bob@example.org {one}", True),
        ('"bob b,*@example.org" namespaces="claw-certificate",valid-after="20250101" {one}', True),
        ('bob@example.org valid-before="20250101" {one}', False),
        ('bob@example.org namespaces="git" {one}', False),
        ("@revoked {one}", False),
        ("@revoked bob@example.org {one}", False),
        ('expiry-time="20250101" {one}', False),
        ("# {one}", False),
        ("; {one}", False),
        ("cert-authority {one}", False),
        ('namespaces="git" {one}', False),
        ("{private}", False),
        ("{other}", False),
        ("", False),
    ],
)
def test_a_file_says_whose_signature_counts_and_until_when(keys, tmp_path, form, accepted):
    words = {name: " ".join((keys / f"{name}.pub").read_text().split()[:2]) for name in ("one", "other")}
    file = tmp_path / "signers"
    file.write_bytes(form.format(**words, private=(keys / "one").read_text()).encode())
    assert signed_by_any(TEXT, sign(TEXT, keys / "one", NAMESPACE), file, NAMESPACE) is accepted
    assert not signed_by_any(b"another text", sign(TEXT, keys / "one", NAMESPACE), file, NAMESPACE)
