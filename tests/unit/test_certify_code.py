"""What certification knows of an adapter's code: its digest, and whether somebody writes beside it."""

import sys

import pytest

from claw_adapter.certify.digests import code_digest, code_times


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "some_adapter"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "settings.json").write_text("{}")
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    sys.modules.pop("some_adapter", None)


def test_a_file_that_is_written_with_the_same_text_is_written(package):
    digest, times = code_digest("some_adapter.adapter"), code_times("some_adapter.adapter")
    new = package / "settings.new"
    new.write_text("{}")
    new.replace(package / "settings.json")
    assert code_digest("some_adapter.adapter") == digest
    now = code_times("some_adapter.adapter")
    assert {name for name in now if now[name] != times[name]} == {"settings.json"}


def test_what_python_compiles_there_is_nobodys(package):
    times = code_times("some_adapter")
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "x.pyc").write_text("")
    assert code_times("some_adapter") == times
