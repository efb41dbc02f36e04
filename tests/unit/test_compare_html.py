"""Promise: the page of a comparison is inert whatever a run folder says, and shows what the terminal shows."""

import base64
import hashlib
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.report.compare import compare
from claw_adapter.report.compare_html import page, write_html
from claw_adapter.runs.load import load_run

HERE = Path(__file__).parent
make = SimpleNamespace(**runpy.run_path(str(HERE / "compare_runs.py")))
page_tests = SimpleNamespace(**runpy.run_path(str(HERE.parent / "security" / "test_report_html.py")))


@pytest.fixture
def compared(tmp_path):
    sides = {"a": make.flat([1.0, 1.0, 1.0], scenarios=7), "b": make.flat([0.0, 1.0, None], scenarios=7)}
    return compare([load_run(make.run_of(tmp_path / "run", sides))], metrics=["tcr", "crs"], resamples=100)


def read(text):
    found = page_tests.Page(text)
    assert found.problems == []
    assert found.scripts == []
    assert found.styles == [page_tests.asset("style.css")]
    assert found.tags <= set(page_tests.TAGS.split())
    assert found.attributes <= set(page_tests.ATTRIBUTES.split()) | {"height"}
    assert found.hrefs == []
    return found


@pytest.mark.parametrize("payload", page_tests.PAYLOADS, ids=range(len(page_tests.PAYLOADS)))
def test_nothing_written_by_others_becomes_markup(compared, payload):
    payload = payload.encode("utf-8", "backslashreplace").decode()
    rows = tuple(
        row.model_copy(update={"label": payload, "run": payload, "model": payload, "versions": {payload: payload}})
        for row in compared.rows
    )
    pairs = tuple(pair.model_copy(update={"notes": (payload,), "mixed": (payload,)}) for pair in compared.pairs)
    runs = tuple(
        run.model_copy(update=dict.fromkeys(("name", "created", "digest", "claw_adapter"), payload))
        for run in compared.runs
    )
    models = tuple(model.model_copy(update={"name": payload, "meaning": payload}) for model in compared.models)
    poisoned = {
        "rows": rows,
        "pairs": pairs,
        "runs": runs,
        "models": models,
        "warnings": (payload,),
        "not_compared": (payload,),
    }
    found = read(page(compared.model_copy(update=poisoned)))
    if payload.isascii() and payload.isprintable():
        assert found.texts.count(payload) >= 5


def test_the_page_allows_its_own_style_only(compared):
    found = read(page(compared))
    digest = base64.b64encode(hashlib.sha256(found.styles[0].encode()).digest()).decode()
    assert found.policy == f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-{digest}'"


def test_the_page_says_what_the_terminal_says(compared, tmp_path):
    write_html(compared, tmp_path / "out.html")
    texts = " ".join(" ".join(read((tmp_path / "out.html").read_text("utf-8")).texts).split())
    for part in (
        "B − A",
        "A higher",
        "Holm",
        "Smallest detectable",
        "not a language model",
        "Not shown does not mean equal",
    ):
        assert part in texts
