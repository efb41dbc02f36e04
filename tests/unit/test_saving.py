"""Waiting for files to be saved."""

from claw_adapter.plugins import files_of
from claw_adapter.saving import each_save


def test_what_was_saved_appeared_or_went_is_named(tmp_path):
    (tmp_path / "a.py").write_text("1")
    saves = each_save(lambda: tmp_path.glob("*.py"), every=0.001)
    assert next(saves) == []
    (tmp_path / "b.py").write_text("1")
    (tmp_path / "a.py").unlink()
    assert next(saves) == ["a.py", "b.py"]
    (tmp_path / "b.py").write_text("22")
    assert next(saves) == ["b.py"]


def test_files_of_a_plugin_are_found_without_importing_it():
    assert {"adapter.py", "agent.py"} <= {path.name for path in files_of("reference")}
    assert files_of("nobody") == []
