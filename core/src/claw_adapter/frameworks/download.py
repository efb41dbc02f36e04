"""Fetch one file into a place of ours: hashed as it comes, bounded, over https only (or from this machine)."""

from __future__ import annotations

import hashlib
import http.client
import os
import urllib.request
from http.client import HTTPMessage
from pathlib import Path
from typing import IO, Final, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from claw_adapter.frameworks.errors import InstallFailed

__all__ = ["Reader", "copy_hashed", "download"]

STALL_SECONDS: Final = 30.0
"""How long a server may say nothing."""
_CHUNK: Final = 1 << 20
_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


class Reader(Protocol):
    """Something to read bytes from."""

    def read(self, size: int = ..., /) -> bytes:
        """At most `size` bytes; none at the end."""
        ...


def copy_hashed(source: Reader, target: Path, limit: int, where: str) -> tuple[str, int]:
    """Write what can be read into a new file; its SHA-256 and its number of bytes.

    Raises:
        InstallFailed: it is longer than `limit` bytes.
    """
    digest, size = hashlib.sha256(), 0
    with target.open("xb") as file:
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            if size > limit:
                raise InstallFailed(
                    f"it is larger than {limit // 1_000_000} MB, which no release of this program is",
                    where=where,
                    remedy="It is not what it should be: do not use it.",
                )
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest(), size


def download(url: str, target: Path, limit: int, remedy: str) -> str:
    """Fetch `url` into a new file and return its SHA-256; redirects are followed.

    Args:
        url: https, or http of this machine.
        target: must not exist.
        limit: bytes that the file may have.
        remedy: what to do where it cannot be fetched.

    Raises:
        InstallFailed: no network, an answer that is not the file, a file that ends early or is too large.
    """
    _refuse_insecure(url, plain=True)
    request = urllib.request.Request(url, headers={"Accept-Encoding": "identity", "User-Agent": "claw-adapter"})  # noqa: S310
    try:
        with urllib.request.build_opener(_Redirects).open(request, timeout=STALL_SECONDS) as answer:
            digest, size = copy_hashed(answer, target, limit, url)
            announced = answer.headers.get("Content-Length", "")
    except HTTPError as error:
        error.close()
        raise InstallFailed(f"the server answered {error.code} {error.reason}", where=url, remedy=remedy) from error
    except (URLError, TimeoutError, ConnectionError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise InstallFailed(f"it cannot be fetched: {reason}", where=url, remedy=remedy) from error
    if announced.isdecimal() and int(announced) != size:
        what = f"it ended early: {size} of {announced} bytes came"
        raise InstallFailed(what, where=url, remedy=f"Run the same command again. Or: {remedy}")
    return digest


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects to where the first address could have pointed too, never from https to less."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        try:
            _refuse_insecure(newurl, plain=req.type == "http")
        except InstallFailed:
            fp.close()
            raise
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _refuse_insecure(url: str, *, plain: bool) -> None:
    """Let https pass, and http of this machine if `plain`."""
    parts = urlsplit(url)
    if parts.scheme == "https" or (plain and parts.scheme == "http" and parts.hostname in _LOOPBACK):
        return
    what = "a program is fetched over https only"
    raise InstallFailed(what, where=url, remedy="Fetch the file yourself, compare its digest and name it with --from.")
