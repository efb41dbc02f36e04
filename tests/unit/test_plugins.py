"""A broken plugin is reported and never stops the host; only what is named is imported."""

import subprocess
import sys
from functools import partial

import pytest

from claw_adapter import plugins
from claw_adapter.errors import AdapterError, PluginError
from support.packages import make_up

GOOD = """
from claw_adapter.hooks import hookimpl
from claw_adapter.reference.adapter import ReferenceHarness
class Mine(ReferenceHarness):
    name = "good"
@hookimpl
def claw_harness():
    return Mine
"""
BAD = {
    "raises": "raise RuntimeError('no luck')",
    "exits": "import sys; sys.exit(3)",
    "oldapi": GOOD.replace('name = "good"', 'name = "oldapi"; api = "claw/0"'),
    "nohooks": "x = 1",
    "hangs": "import time; time.sleep(60)",
    "dies": "import os; os._exit(7)",
}


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of fake distributions: name → module source."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return partial(make_up, tmp_path)


def test_each_kind_of_broken_plugin_is_reported_and_the_others_work(site):
    site(good=GOOD, **BAD)
    others = [name for name in BAD if name != "hangs"]
    found = [*plugins.probe_all(["good", *others], seconds=60), *plugins.probe_all(["hangs"], seconds=2)]
    states = {s.plugin.name: s for s in found}
    assert states["good"].ok
    assert states["good"].provides == ("harness",)
    assert states["good"].ready
    assert not any(states[name].ok for name in BAD)
    assert "no luck" in states["raises"].error
    assert "SystemExit" in states["exits"].error
    assert "claw/0" in states["oldapi"].error
    assert "hooks" in states["nohooks"].error
    assert "2 s" in states["hangs"].error
    assert "status 7" in states["dies"].error


def test_an_adapter_that_describes_something_wrong_is_told_to_its_author(site):
    wrong = GOOD.replace("@hookimpl", "from claw_adapter.command import CommandHarness\nclass Other(CommandHarness):\n"
                         "    name, command, files = 'o', ('o',), {'a.yaml': {'b': '{task}'}}\n@hookimpl")  # fmt: skip
    site(wrong=wrong, raises=BAD["raises"])
    with pytest.raises(PluginError, match=r"class Other, files\['a.yaml'\]\['b'\]: no place {task}") as caught:
        plugins.provides("wrong")
    assert "For the text itself" in caught.value.remedy
    with pytest.raises(PluginError) as caught:
        plugins.provides("raises")
    assert "if you write it: python -c 'import " in caught.value.remedy


def test_a_harness_is_probed_with_options(site):
    described = GOOD.replace("ReferenceHarness):\n", "CommandHarness):\n    command = ('no-such-program',)\n").replace(
        "from claw_adapter.reference.adapter import ReferenceHarness", "from claw_adapter.command import CommandHarness"
    )
    site(good=described)
    (missing,) = plugins.probe_all(["good"], 60)
    (there,) = plugins.probe_all(["good"], 60, {"good": {"program": sys.executable}})
    (wrong,) = plugins.probe_all(["good"], 60, {"good": {"colour": "red"}})
    assert (missing.ready, there.ready, there.versions) == (False, True, {"good": sys.version.split()[0]})
    assert "no option 'colour'" in wrong.error


def test_a_name_that_is_taken_twice_is_an_error_not_a_choice(site):
    site(first__same=GOOD, second__same=GOOD)
    with pytest.raises(PluginError, match="first and second"):
        plugins.provides("same")
    assert [state.ok for state in plugins.probe_all(["same"])] == [False, False]


def test_the_host_survives_a_plugin_that_exits(site):
    site(exits=BAD["exits"])
    with pytest.raises(PluginError, match="SystemExit"):
        plugins.create("harness", "exits")


def test_a_name_of_ours_says_what_to_install_and_a_strangers_package_is_never_suggested(monkeypatch):
    monkeypatch.setattr(plugins, "entry_points", lambda _name=None: [])
    for name, distribution in {"lite": "claw-adapter-scenarios", "picoclaw": "claw-adapter-picoclaw"}.items():
        assert plugins.missing(name).remedy.endswith(f"pip install {distribution}")
    assert plugins.missing("picoclow").remedy == "Did you mean 'picoclaw'? Then: pip install claw-adapter-picoclaw"
    assert "pip" not in plugins.missing("nosuch").remedy


def test_wrong_options_are_refused_with_the_name():
    with pytest.raises(AdapterError, match="no option 'colour'") as caught:
        plugins.create("harness", "reference", {"colour": "red"})
    assert (caught.value.where, caught.value.remedy) == ("harness reference", "It has: mode.")


def test_only_what_is_named_is_imported(site):
    site(good=GOOD, raises=BAD["raises"])
    code = "import sys; from claw_adapter import plugins; plugins.create('harness', 'good'); print('raises_mod' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
