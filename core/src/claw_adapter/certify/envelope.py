"""The envelope of a certificate: a DSSE envelope (https://github.com/secure-systems-lab/dsse) around an in-toto statement.

What is signed is DSSE's pre-authentication encoding of the payload, by a key of SSH.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field

from claw_adapter.protocol.base import Record
from claw_adapter.reading import each_once, parse_json
from claw_adapter.signing import sign, signed_by, signed_by_any, signing_key

__all__ = ["Envelope", "EnvelopeSignature", "seal"]

NAMESPACE: Final = "claw-certificate"
PAYLOAD: Final = "application/vnd.in-toto+json"
STATEMENT: Final = "https://in-toto.io/Statement/v1"
PREDICATE: Final = "urn:claw-adapter:certification:2"

MOST_SIGNATURES: Final = 64
"""Each costs a call of ssh-keygen."""


class EnvelopeSignature(Record):
    """One signature; `sig` is base64 of an SSH signature."""

    keyid: str = Field(default="", pattern=r"^[ -~]{0,200}$")
    sig: str


class Envelope(Record):
    """``certificate.json``."""

    payload_type: Literal["application/vnd.in-toto+json"] = Field(default=PAYLOAD, alias="payloadType")
    payload: str
    """Base64 of the statement."""
    signatures: tuple[EnvelopeSignature, ...] = Field(default=(), max_length=MOST_SIGNATURES)

    def predicate(self) -> dict[str, Any]:
        """What the statement says of its subjects.

        Raises:
            ValueError: the payload is no statement of ours.
        """
        try:
            statement = parse_json(base64.b64decode(self.payload, validate=True).decode("utf-8"), each_once)
        except ValueError as error:
            raise ValueError(f"the payload is not base64 of JSON: {error}") from None
        if not isinstance(statement, dict) or statement.get("_type") != STATEMENT:
            raise ValueError(f"the payload is no statement of type {STATEMENT}")
        if statement.get("predicateType") != PREDICATE:
            raise ValueError(f"the statement says nothing of type {PREDICATE}")
        found = statement.get("predicate")
        try:
            if not isinstance(found, dict) or subjects(found) != statement.get("subject"):
                raise ValueError("the statement's subjects are not those of the certificate")
        except (KeyError, TypeError, AttributeError):
            raise ValueError("the statement does not say what a certificate says") from None
        return found

    def signer(self, signers: Path | None = None, signer: str = "") -> str:
        """Who signed it: `signer`, if that one of `signers` did; else the fingerprint of a key (of `signers`, if any)."""
        text = _encoded(self.payload_type, base64.b64decode(self.payload))
        for one in self.signatures:
            signature = base64.b64decode(one.sig).decode("utf-8", "replace")
            if signers is not None and signer:
                if signed_by(text, signature, signers, signer, NAMESPACE):
                    return signer
            elif (signers is None or signed_by_any(text, signature, signers, NAMESPACE)) and (
                key := signing_key(text, signature, NAMESPACE)
            ):
                return key
        return ""


def subjects(predicate: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a certificate is about, by digest: the adapter's files as imported, what they stand on, the vendor's programs."""
    named = {
        f"adapter:{predicate['adapter']}": predicate["code"],
        "kit:claw-adapter": predicate["kit_code"],
        **{f"dependency:{name}": digest for name, digest in predicate["dependencies"].items()},
        **{f"program:{name}": digest for name, digest in predicate["programs"].items()},
    }
    return [{"name": name, "digest": {"sha256": digest}} for name, digest in named.items() if digest]


def seal(predicate: dict[str, Any], key: Path | None) -> Envelope:
    """Put a certificate into an envelope, signed if there is a key.

    Raises:
        ClawError: it cannot be signed.
    """
    statement = {"_type": STATEMENT, "subject": subjects(predicate), "predicateType": PREDICATE, "predicate": predicate}
    payload = json.dumps(statement, ensure_ascii=False).encode()
    signed: tuple[EnvelopeSignature, ...] = ()
    if key is not None:
        text = _encoded(PAYLOAD, payload)
        signature = sign(text, key, NAMESPACE)
        signed = (
            EnvelopeSignature(
                keyid=signing_key(text, signature, NAMESPACE), sig=base64.b64encode(signature.encode()).decode()
            ),
        )
    return Envelope(payload=base64.b64encode(payload).decode(), signatures=signed)


def _encoded(kind: str, payload: bytes) -> bytes:
    """DSSE's pre-authentication encoding."""
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)
