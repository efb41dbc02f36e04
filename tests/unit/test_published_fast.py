"""A faster tokenizer is used only when it proves exact; otherwise tiktoken counts, and the notice says why."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from claw_adapter.tokens import count, fast
from claw_adapter.tokens.golden import strings


@pytest.fixture
def install(monkeypatch):
    """Put a module named toktok in place, or none."""

    def put(counter=None, version="9.9"):
        module = ModuleType("toktok")
        module.__version__ = version
        if counter:
            module.batch_count = lambda texts, encoding: [counter(text) for text in texts]
        monkeypatch.setitem(sys.modules, "toktok", module if counter else None)
        fast.backend.cache_clear()
        return fast.backend()

    yield put
    fast.backend.cache_clear()


def test_golden_strings_are_what_tiktoken_counts():
    assert fast.golden() == [(text, count(text)) for text in strings()]
    assert len(fast.golden()) >= 200


def test_without_the_extra_tiktoken_counts_and_nothing_is_said(install):
    found = install()
    assert found.name.startswith("tiktoken")
    assert found.notice == ""
    assert list(found.count(["a b"])) == [2]


def test_an_exact_one_is_used(install):
    found = install(count)
    assert (found.name, found.notice, found.overlaps) == ("toktok-rs 9.9", "", True)
    assert list(found.count(["a b", "", "é"])) == [2, 0, 1]


def test_one_that_takes_special_tokens_for_special_is_not_used(install):
    found = install(lambda text: count(text.replace("<|endoftext|>", "x")))
    assert found.name.startswith("tiktoken")
    assert "failed its self-test" in found.notice


def test_one_that_raises_is_not_used(install):
    def broken(text):
        raise RuntimeError("no")

    found = install(broken)
    assert "RuntimeError: no" in found.notice
    assert list(found.count(["a b"])) == [2]


def test_one_without_its_function_is_not_used(install, monkeypatch):
    monkeypatch.setitem(sys.modules, "toktok", ModuleType("toktok"))
    fast.backend.cache_clear()
    assert "cannot be loaded" in fast.backend().notice


def test_what_an_extension_cannot_take_is_counted_by_tiktoken():
    given: list[str] = []

    def batch(texts):
        for text in texts:
            text.encode("utf-8")
        given.extend(texts)
        return [count(text) for text in texts]

    texts = ["a", "\ud800b", " " * 300_000 + "x", "é"]
    assert fast.safe(batch, texts) == [count(text) for text in texts]
    assert given == ["a", "é"]
