"""`claw scenarios`: a new spec builds and validates as it is; files, exit statuses and schemas are as documented."""

import json
import shutil
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from claw_adapter_scenarios.authoring import EXAMPLE, find_spec, packaged_specs
from claw_adapter_scenarios.cli import scenarios
from claw_adapter_scenarios.spec import schemas
from claw_adapter_scenarios.spec.load import LAYERS
from support.running import claw


def call(*argv: str | Path, status: int = 0) -> str:
    done = CliRunner().invoke(scenarios, [str(a) for a in argv], standalone_mode=False)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert (done.return_value or 0) == status, done.output
    return done.output


def test_the_command_is_there_for_users(tmp_path: Path):
    assert "new" in claw("scenarios", "--help").stdout
    done = claw("scenarios", "build", tmp_path, check=False)
    assert done.returncode == 2
    assert "no spec here" in done.stderr


def test_a_new_spec_builds_and_validates(tmp_path: Path):
    call("new", "my-story", "--out", tmp_path)
    assert "0 errors, 0 warnings" in call("validate", tmp_path / "my-story", "--seeds", "1")
    call("build", tmp_path / "my-story", "--out", tmp_path / "b", "--seed", "2", "--seeds", "2")
    assert sorted(p.name for p in (tmp_path / "b").iterdir()) == ["my-story-v2", "my-story-v3"]
    assert (tmp_path / "schemas" / "0-truth.schema.json").is_file()
    for path in (tmp_path / "my-story").glob("*.yaml"):
        schema = path.read_text("utf-8").splitlines()[0].partition("$schema=")[2]
        assert (path.parent / schema).is_file()


def test_an_existing_folder_is_not_overwritten(tmp_path: Path):
    from claw_adapter.errors import ScenarioError

    (tmp_path / "mine").mkdir()
    with pytest.raises(ScenarioError, match="there already"):
        call("new", "mine", "--out", tmp_path)


def test_findings_are_exit_1_and_json(tmp_path: Path):
    root = tmp_path / "spec"
    shutil.copytree(EXAMPLE, root)
    path = root / "3-rounds.yaml"
    path.write_text(path.read_text("utf-8").replace("teach: [dated]", "teach: [daded]"), "utf-8")
    (report,) = json.loads(call("validate", root, "--json", status=1))
    assert [one["id"] for one in report["findings"]] == ["SPEC-013", "SPEC-013"] or report["findings"][0][
        "id"
    ] == "SPEC-013"


def test_doc_and_preview_write_files(tmp_path: Path):
    call("doc", "clinic-fridge", "--out", tmp_path / "d")
    assert len(list((tmp_path / "d").glob("*.md"))) == 7
    call("preview", "clinic-fridge", "--out", tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text("utf-8").startswith("<!doctype html>")


def test_rules_are_listed():
    assert "SPEC-001" in call("validate", "--rules", "clinic-fridge")


def test_the_packaged_schemas_are_current():
    folder = EXAMPLE.parent.parent / "schemas"
    assert {path.name for path in folder.iterdir()} == {f"{name}.schema.json" for name in schemas()}
    for name, schema in schemas().items():
        assert json.loads((folder / f"{name}.schema.json").read_text("utf-8")) == schema, "run `claw scenarios schema`"


@pytest.mark.parametrize("layer", LAYERS)
def test_the_schema_describes_the_example(layer: str):
    schema = schemas()[layer]
    data = yaml.safe_load((EXAMPLE / f"{layer}.yaml").read_text("utf-8"))
    assert set(schema["required"]) <= data.keys() <= schema["properties"].keys()


def test_every_packaged_spec_names_its_schema():
    for folder in packaged_specs():
        for path in folder.glob("*.yaml"):
            first = path.read_text("utf-8").splitlines()[0]
            assert first == f"# yaml-language-server: $schema=../../schemas/{path.stem}.schema.json", path


def test_a_packaged_spec_is_found_by_name():
    assert find_spec("clinic-fridge") == EXAMPLE
