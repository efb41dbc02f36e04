"""A format of data sets is found by asking plugins; one of ours that is not installed is named."""

import subprocess
import sys
from functools import partial

import pytest

from claw_adapter import plugins
from claw_adapter.datasets.checking import check_data
from claw_adapter.datasets.converting import convert_data
from claw_adapter.datasets.find import find_format
from claw_adapter.datasets.measuring import measure
from claw_adapter.errors import PluginError, ScenarioError
from support.commands import call
from support.packages import make_up
from support.scenarios import write_scenario

THEIRS = """
from claw_adapter.data_format import Checked, Counted, DataFormat, Facts, Item
from claw_adapter.hooks import hookimpl
from claw_adapter.finding import Finding, Rule

RULES = {"T-1": Rule("warning", "a line says something")}


class Theirs(DataFormat):
    name = "theirs"
    layout = "lines"

    def recognises(self, path):
        return path.is_file() and path.suffix == ".theirs"

    def check(self, path, layout="all"):
        return Checked("theirs", {"lines": (Finding("T-1", "warning", "empty", f"{path}:1"),)}, RULES)

    def convert(self, path, out, *, layout, compat=False):
        folders = [out / name for name in path.read_text().split()]
        for folder in folders:
            folder.mkdir(parents=True)
            (folder / "scenario.yaml").write_text("schema: scenario/1")
        return folders

    def count(self, path, layout, ledger):
        items = [Item("s1", "questions", path.read_bytes(), str.upper), Item("s1", "main", "said")]
        return Counted("theirs", {"lines": ledger.add(items)}, {"lines": [Facts("s1", 1)]})

    async def score(self, results, data, *, isolation, progress=None):
        raise NotImplementedError


@hookimpl
def claw_data_format():
    return Theirs
"""


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of fake distributions: name → module source."""
    folder = tmp_path / "site"
    folder.mkdir()

    monkeypatch.syspath_prepend(folder)
    return partial(make_up, folder)


def test_a_strangers_format_is_found_and_read_and_a_broken_plugin_beside_it_does_no_harm(site, tmp_path):
    site(theirs=THEIRS, abroken="raise RuntimeError('no luck')")
    data = tmp_path / "data.theirs"
    data.write_text("one two")
    assert [one.id for one in check_data(data).findings["lines"]] == ["T-1"]
    counted = measure(data)
    assert (counted.name, counted.distinct) == ("theirs", 2)
    assert counted.tables["lines"].table8.tokens["main"] == 1
    with pytest.raises(
        ScenarioError, match=r"0 scenarios are written to .*; not those that cannot be run: one: (.|\n)*; two: "
    ):
        convert_data(data, tmp_path / "out", layout="lines")
    assert list((tmp_path / "out").iterdir()) == [], "what cannot be run is not left there"
    data.write_text("")
    assert convert_data(data, tmp_path / "none", layout="lines") == []
    done = call("check", data)
    assert done.code == 0
    assert "a line says something" in done.out


def test_reading_a_scenario_imports_no_plugin(site, tmp_path):
    site(theirs=THEIRS)
    write_scenario(tmp_path / "mine", [{"id": "r1"}])
    code = (
        "import sys; from pathlib import Path; from claw_adapter.datasets.checking import check_data;"
        f"sys.path.insert(0, {str(tmp_path / 'site')!r}); check_data(Path({str(tmp_path / 'mine')!r}));"
        "print([name for name in sys.modules if name in ('theirs_mod', 'claw_adapter_clawarena')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("command", ["check", "tokens"])
def test_published_data_without_the_package_that_reads_them_say_which_it_is(command, tmp_path, monkeypatch):
    (tmp_path / "tests.json").write_text("{}")
    monkeypatch.setattr(plugins, "entry_points", lambda _name=None: [])
    for path in (tmp_path, tmp_path / "tests.json"):
        done = call(command, path)
        assert done.code == 4
        assert "Traceback" not in done.err
        assert done.err.count("pip install claw-adapter-clawarena") == 1


def test_published_results_without_the_package_that_reads_them_say_which_it_is(tmp_path, monkeypatch):
    plugins._load.cache_clear()  # a test before this one may have loaded it
    monkeypatch.setattr(plugins, "entry_points", lambda _name=None: [])
    done = call("score", tmp_path, "--from", "clawarena", "--data", tmp_path)
    assert done.code == 4
    assert "pip install claw-adapter-clawarena" in done.err


@pytest.mark.parametrize(
    ("name", "says"),
    [("clawarna", "Did you mean 'clawarena'?"), ("demo", "not for data_format"), ("x", "claw plugins")],
)
def test_results_in_a_format_that_nobody_reads_are_refused_with_a_way_out(tmp_path, name, says):
    done = call("score", tmp_path, "--from", name, "--data", tmp_path)
    assert done.code == 4
    assert says in done.err


def test_a_folder_without_anything_is_no_data_set(tmp_path):
    assert find_format(tmp_path) is None
    with pytest.raises(ScenarioError, match="no scenario"):
        check_data(tmp_path)


def test_a_scenario_needs_no_conversion(tmp_path):
    write_scenario(tmp_path / "mine", [{"id": "r1"}])
    with pytest.raises(ScenarioError, match="nothing to convert"):
        convert_data(tmp_path / "mine", tmp_path / "out", layout="x")


def test_a_broken_plugin_of_ours_is_not_passed_over(tmp_path, monkeypatch):
    def broken(name, found_in):
        raise PluginError(f"plugin {name!r} cannot be loaded")

    (tmp_path / "tests.json").write_text("{}")
    monkeypatch.setattr(plugins, "_load", broken)
    with pytest.raises(PluginError, match="clawarena"):
        find_format(tmp_path)
