"""The shipped tokenizer: right vocabulary, ordinary semantics, no network, no hanging."""

import gzip
import os
import socket
import subprocess
import sys
import threading
from importlib.resources import files

import pytest

from claw_adapter.errors import ClawError
from claw_adapter.tokens import VocabularyError, cl100k, count, count_messages, render


@pytest.fixture
def unloaded(monkeypatch):
    monkeypatch.setattr(cl100k, "_loaded", None)


def packed():
    return files("claw_adapter.tokens").joinpath(cl100k.FILE).read_bytes()


def test_the_shipped_file_has_the_expected_hash_and_every_rank_once():
    ranks = cl100k.parse_vocabulary(packed())
    assert sorted(ranks.values()) == list(range(100_256))


def test_one_changed_byte_trips_the_hash(unloaded, monkeypatch):
    raw = bytearray(gzip.decompress(packed()))
    raw[1000] ^= 1
    monkeypatch.setattr(cl100k, "_shipped", lambda: gzip.compress(bytes(raw)))
    with pytest.raises(VocabularyError, match=r"cl100k_base\.tiktoken\.gz.*sha256"):
        count("hello")


SPOILS = {
    "cut": lambda packed: packed[:-100],
    "empty": lambda packed: b"",
    "foreign": lambda packed: b"not gzip",
    "overwritten": lambda packed: packed[:500] + b"\0" * 50 + packed[550:],
}


@pytest.mark.parametrize("spoil", SPOILS.values(), ids=SPOILS)
def test_a_file_that_does_not_decompress_is_a_typed_error(spoil):
    with pytest.raises(VocabularyError) as caught:
        cl100k.parse_vocabulary(spoil(packed()))
    assert isinstance(caught.value, ClawError)
    assert caught.value.remedy


def test_a_missing_file_is_a_typed_error(unloaded, monkeypatch):
    monkeypatch.setattr(cl100k, "FILE", "absent.gz")
    with pytest.raises(VocabularyError, match="cannot be read"):
        count("hello")


def test_a_failed_load_is_not_remembered(unloaded, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(cl100k, "FILE", "absent.gz")
        with pytest.raises(VocabularyError):
            count("hello")
    assert count("hello world") == 2


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("<|im_start|>", 6),
        ("<|im_end|>\n", 6),
        ("<|im_start|>user\nhi<|im_end|>\n", 15),
        ("<|endoftext|>", 7),
        ("\ufeff\ufeff", 2),
    ],
)
def test_known_counts(text, tokens):
    assert count(text) == len(cl100k.encode(text)) == tokens


def test_known_token_ids():
    assert cl100k.encode("hello world") == [15339, 1917]


@pytest.mark.parametrize(
    "special", ["<|endoftext|>", "<|fim_prefix|>", "<|fim_middle|>", "<|fim_suffix|>", "<|endofprompt|>"]
)
def test_special_markers_in_a_file_are_ordinary_text(special):
    assert count(special) > 1
    assert max(cl100k.encode(special)) < 100_256


@pytest.mark.parametrize(
    "text", ["\ud800", "a\udc00b", "\udc00\ud800", "x" * 200_000 + "\udfff", "\ud800" + " " * 200_000 + "\udfffy"]
)
def test_lone_surrogates_count_as_replacement_characters(text):
    replaced = "".join("\ufffd" if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)
    assert count(text) == count(replaced) > 0


def test_a_split_surrogate_pair_counts_as_its_character():
    assert count("\ud83d\ude00") == count("\U0001f600")
    assert count("y" * 200_000 + "\ud83d\ude00") == count("y" * 200_000 + "\U0001f600")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit", ["a", " ", "\n", ".", "\u00e9", "\u4e2d", "0", "\0", "\U0001f600", "ab", " \n", "\u3000"]
)
def test_a_million_equal_characters_neither_hang_nor_raise(unit):
    assert 0 < count(unit * (1_000_000 // len(unit))) <= 2_000_000


@pytest.mark.timeout(60)
@pytest.mark.parametrize("blank", ["\u3000"])
def test_a_run_of_blanks_longer_than_the_engines_stack_counts_exactly(blank):
    run = 1_500_000
    alone = count(blank * (run - 1))  # a text that ends in blanks needs no stack
    assert count(f"left{blank * run}right") == count("left") + alone + count(f"{blank}right")
    assert count(f"left\n{blank * run}!\n") == count("left\n") + alone + count(f"{blank}!\n")


@pytest.mark.timeout(60)
def test_line_breaks_around_huge_runs_of_blanks_do_not_raise():
    run = " " * 1_200_000
    assert count(f"x{run}\ny") < count(f"x{run}\n{run}y") < count(f"x{run}\n{run}y{run}")


def test_chatml_is_concatenated_and_encoded_as_one_string():
    messages = [("user", "hi"), ("assistant", "")]
    assert render(messages) == "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<|im_end|>\n"
    assert count_messages(messages) == count(render(messages))
    assert render([]) == ""
    assert count_messages(iter(messages)) == count_messages(messages)


def test_loading_uses_no_network_and_no_cache_folder(unloaded, monkeypatch, tmp_path):
    def refuse(*_args, **_kwargs):
        raise AssertionError("the tokenizer opened a socket")

    cache = tmp_path / "cache"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(cache))
    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    before = dict(os.environ)
    assert count("hello world") == 2
    assert not cache.exists()
    assert dict(os.environ) == before


def test_many_threads_build_the_tokenizer_once(unloaded, monkeypatch):
    builds, start = [], threading.Barrier(8)
    build = cl100k._build
    monkeypatch.setattr(cl100k, "_build", lambda ranks: builds.append(1) or build(ranks))
    results = []

    def work():
        start.wait()
        results.append(count("hello world"))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (results, builds) == ([2] * 8, [1])


def test_importing_the_package_loads_no_tokenizer():
    code = "import sys, claw_adapter.tokens as t; print('tiktoken' in sys.modules, t.cl100k._loaded)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "None"]
