"""A vendor's program is fetched and unpacked safely: whatever server or archive does, nothing unchecked is ever in place."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from claw_adapter.frameworks import Framework, InstallFailed, doctor, find_binary, install, remarks, remove
from claw_adapter.frameworks.release import platform_name
from support.commands import call

SCRIPT = b"#!/bin/sh\necho tiny 2.1\n"
NEWER = b"#!/bin/sh\necho tiny 3.0\n"


def archive(*members: tuple[str, bytes | tuple[bytes, str]]) -> bytes:
    """A .tar.gz of files (name, content) and links (name, (type, target)), in this order."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for name, content in members:
            info = tarfile.TarInfo(name)
            if isinstance(content, bytes):
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
            else:
                info.type, info.linkname = content
                tar.addfile(info)
    return made.getvalue()


GOOD = archive(("README.md", b"read me"), ("tiny-launcher", b"#!/bin/sh\n"), ("tiny", SCRIPT))
ANSWERS: dict[str, bytes] = {"good.tar.gz": GOOD, "newer.tar.gz": archive(("release/tiny", NEWER)), "program": SCRIPT}
ELSEWHERE = {
    "away": "http://192.0.2.1/good.tar.gz",
    "disk": "file:///etc/passwd",
    "here": "/good.tar.gz",
    "round": "/round",
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        name = self.path.strip("/")
        self.server.asked.append(name)
        if name in ELSEWHERE:
            self.send_response(302)
            self.send_header("Location", ELSEWHERE[name])
            self.end_headers()
        elif name in ("truncated", "endless"):
            self.send_response(200)
            if name == "truncated":
                self.send_header("Content-Length", str(len(GOOD)))
            self.end_headers()
            self.wfile.write(GOOD[:-7])
            while name == "endless":
                try:
                    self.wfile.write(b"\0" * (1 << 20))
                except OSError:
                    return
        elif name in ANSWERS:
            self.send_response(200)
            self.send_header("Content-Length", str(len(ANSWERS[name])))
            self.end_headers()
            self.wfile.write(ANSWERS[name])
        else:
            self.send_error(404)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as made:
        made.asked = []
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


@pytest.fixture(autouse=True)
def surroundings(tmp_path, monkeypatch, server):
    monkeypatch.setenv("PATH", f"{tmp_path / 'path'}:/usr/bin:/bin")
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv("CLAW_TINY", raising=False)
    server.asked.clear()


@pytest.fixture
def describe(tmp_path, server):
    """The description of a program whose release is one file of the server's."""

    def made(name: str = "good.tar.gz", sha256: str | None = None, platform: str = "", base: str = "") -> Framework:
        known = hashlib.sha256(ANSWERS.get(name, GOOD)).hexdigest() if sha256 is None else sha256
        path = tmp_path / "description.toml"
        path.write_text(f"""
name = "tiny"
title = "Tiny"
version = "2.1"
kind = "binary"
requirement = "release 2.1"
check = ["{{program}}", "version"]
version_pattern = "tiny (\\\\S+)"
megabytes = 1
licence = "MIT"
homepage = "https://example.org"
[release]
version = "2.1"
url = "{base or f"http://127.0.0.1:{server.server_port}"}"
[release.files.{platform or platform_name()}]
name = "{name}"
sha256 = "{known}"
""")
        return Framework.load(path)

    return made


def left(home: Path) -> list[str]:
    """What lies below the frameworks of `home`, locks left out."""
    return sorted(p.relative_to(home).as_posix() for p in home.rglob("*") if p.is_file() and p.suffix != ".lock")


@pytest.mark.parametrize("name", ["good.tar.gz", "program"])
def test_a_release_is_fetched_checked_and_found_and_not_fetched_again(describe, server, tmp_path, name):
    spec = describe(name)
    there = install(spec, home=tmp_path)
    assert there.path == tmp_path / "frameworks" / "tiny-2.1" / "bin" / "tiny"
    assert there.path.read_bytes() == SCRIPT
    assert find_binary(spec, tmp_path) == there
    assert remarks(spec, there) == []
    assert all(finding.ok for finding in doctor(spec, tmp_path))
    assert left(tmp_path / "frameworks") == ["tiny-2.1/bin/tiny", "tiny-2.1/installed.json"]
    assert install(spec, home=tmp_path) == there
    assert server.asked == [name]
    assert remove(spec, tmp_path) == ("2.1",)
    assert find_binary(spec, tmp_path) is None


def test_a_redirect_to_where_the_first_address_could_point_is_followed(describe, tmp_path, server):
    install(describe("here", hashlib.sha256(GOOD).hexdigest()), home=tmp_path)
    assert server.asked == ["here", "good.tar.gz"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("truncated", "it ended early"),
        ("endless", "larger than 4 MB"),
        ("nothing", "404"),
        ("away", "over https only"),
        ("disk", "302"),
        ("round", "302"),
    ],
)
def test_what_does_not_arrive_whole_leaves_nothing_and_says_what_to_do(describe, tmp_path, name, says):
    with pytest.raises(InstallFailed, match=says) as caught:
        install(describe(name), home=tmp_path)
    assert caught.value.remedy
    assert left(tmp_path / "frameworks") == []


def test_without_a_network_it_names_the_file_to_fetch_and_how_to_go_on(describe, tmp_path):
    base = "http://127.0.0.1:9"
    with pytest.raises(InstallFailed, match="cannot be fetched") as caught:
        install(describe(base=base), home=tmp_path)
    assert f"{base}/good.tar.gz" in caught.value.remedy
    assert caught.value.remedy.endswith("claw frameworks install tiny --from good.tar.gz")


@pytest.mark.parametrize("base", ["http://example.org", "http://127.0.0.1.example.org"])
def test_another_machine_is_never_asked_without_https(describe, tmp_path, base):
    with pytest.raises(InstallFailed, match="over https only"):
        install(describe(base=base), home=tmp_path)


def test_a_wrong_digest_is_refused_before_anything_is_unpacked_or_run(describe, tmp_path):
    with pytest.raises(InstallFailed, match=f"{hashlib.sha256(GOOD).hexdigest()}, and not {'0' * 64}"):
        install(describe(sha256="0" * 64), home=tmp_path)
    with pytest.raises(InstallFailed, match="and not"):
        install(describe(), home=tmp_path, sha256="1" * 64)
    assert left(tmp_path / "frameworks") == []


def test_an_unknown_digest_must_be_given_and_nothing_is_fetched_without_it(describe, tmp_path, server):
    spec = describe(sha256="")
    with pytest.raises(InstallFailed, match="not known") as caught:
        install(spec, home=tmp_path)
    assert "--sha256 HEX" in caught.value.remedy
    assert "--from" in caught.value.remedy
    assert not server.asked
    there = install(spec, home=tmp_path, sha256=hashlib.sha256(GOOD).hexdigest().upper())
    assert there.path.read_bytes() == SCRIPT
    with pytest.raises(InstallFailed, match="not a SHA-256"):
        install(spec, home=tmp_path, sha256="abc")


def test_another_platform_is_told_to_bring_a_file(describe, tmp_path):
    with pytest.raises(InstallFailed, match=f"listed for {platform_name()}") as caught:
        install(describe(platform="plan9-vax"), home=tmp_path)
    assert "--from FILE" in caught.value.remedy


@pytest.mark.parametrize("name", ["good.tar.gz", "program", "newer.tar.gz"])
def test_a_file_is_taken_without_a_server_and_what_is_not_listed_is_said(describe, tmp_path, server, name):
    spec = describe("good.tar.gz")
    file = tmp_path / "mine"
    file.write_bytes(ANSWERS[name])
    there = install(spec, home=tmp_path / "home", source=file)
    assert not server.asked
    unlisted = f"not a file that the adapter lists: its SHA-256 is {hashlib.sha256(ANSWERS[name]).hexdigest()}"
    notes = remarks(spec, there)
    assert (unlisted in notes) is (name != "good.tar.gz")
    assert any("tested with Tiny 2.1, this is 3.0" in note for note in notes) is (name == "newer.tar.gz")
    with pytest.raises(InstallFailed, match="and not"):
        install(spec, home=tmp_path / "home", source=file, sha256="2" * 64)
    assert find_binary(spec, tmp_path / "home") == there, "what worked before stays"


OUT = "is a link, or leads out of it"


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ([("../tiny", SCRIPT)], OUT),
        ([("/tmp/tiny", SCRIPT)], OUT),
        ([("tiny", (tarfile.SYMTYPE, "/bin/sh"))], OUT),
        ([("x", SCRIPT), ("tiny", (tarfile.LNKTYPE, "x"))], OUT),
        ([("tiny", (tarfile.CHRTYPE, ""))], OUT),
        ([("other", SCRIPT)], "there is no 'tiny'"),
        ([("filler", b"\0" * 5_000_000), ("tiny", SCRIPT)], "unpacks into more than 4 MB"),
        ([("tiny", b"\0" * 5_000_000)], "more than 4 MB|larger than 4 MB"),
        ([("tiny", b"not a program")], "cannot be run here"),
        ([("tiny", b"#!/bin/sh\nexit 3\n")], "does not work: status 3"),
    ],
)
def test_a_strange_archive_is_refused_and_nothing_of_it_is_left(describe, tmp_path, members, says):
    file, home = tmp_path / "strange.tar.gz", tmp_path / "home"
    file.write_bytes(archive(*members))
    with pytest.raises(InstallFailed, match=says):
        install(describe(), home=home, source=file)
    assert left(home) == []


def test_members_beside_the_program_are_never_written(describe, tmp_path):
    file, home = tmp_path / "evil.tar.gz", tmp_path / "home"
    strange = [("../../../../evil", b"x"), ("bin", (tarfile.SYMTYPE, str(tmp_path))), ("bin/evil", b"x")]
    file.write_bytes(archive(*strange, ("tiny", SCRIPT)))
    install(describe(), home=home, source=file)
    assert left(tmp_path) == [
        "description.toml",
        "evil.tar.gz",
        "home/frameworks/tiny-2.1/bin/tiny",
        "home/frameworks/tiny-2.1/installed.json",
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (GOOD[:-20], "damaged"),
        (gzip.compress(b"no archive"), "damaged|there is no"),
        (b"PK\x03\x04 a zip", "neither a .tar.gz archive nor a program"),
        (b"", "neither"),
    ],
    ids=["cut", "no-tar", "zip", "empty"],
)
def test_what_is_no_archive_is_said_so(describe, tmp_path, content, says):
    file = tmp_path / "file"
    file.write_bytes(content)
    with pytest.raises(InstallFailed, match=says):
        install(describe(), home=tmp_path / "home", source=file)


def test_the_installed_program_goes_before_path_and_the_variable_before_both(describe, tmp_path, monkeypatch):
    spec = describe()
    other = tmp_path / "path" / "tiny"
    other.parent.mkdir()
    other.write_bytes(NEWER)
    other.chmod(0o755)
    assert find_binary(spec, tmp_path).path == other
    there = install(spec, home=tmp_path)
    assert find_binary(spec, tmp_path) == there
    assert remarks(spec, there) == [f"there is also {other} on PATH (3.0): it is not used"]
    monkeypatch.setenv("CLAW_TINY", str(other))
    assert find_binary(spec, tmp_path).path == other
    assert f"CLAW_TINY={other} goes before it: unset it to use what was installed" in remarks(spec, there)


def test_an_installation_that_was_killed_is_made_good(describe, tmp_path):
    spec = describe()
    left_over = tmp_path / "frameworks" / "tiny-2.1" / "incoming"
    left_over.mkdir(parents=True)
    (left_over / "package").write_bytes(b"half")
    assert install(spec, home=tmp_path).path.read_bytes() == SCRIPT
    there = tmp_path / "frameworks" / "tiny-2.1"
    (there / "bin" / "tiny").unlink()
    assert install(spec, home=tmp_path).path.exists(), "a program that is gone is fetched again"


def test_packages_are_not_installed_from_a_file(tmp_path):
    done = call("frameworks", "install", "nanobot", "--from", __file__)
    assert done.code == 4
    assert "Leave --from and --sha256 out" in done.err
    two = call("frameworks", "install", "nanobot", "picoclaw", "--from", __file__)
    assert two.code == 2
    assert "one NAME" in two.err
