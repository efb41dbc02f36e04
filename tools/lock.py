"""Resolve the workspace's dependencies into hashed requirement files; no registry is named in them."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = Path(sys.executable).with_name("uv")
HEAVY = {"checks", "inspect", "ray"}
"""Extras, and plugins, with so many distributions that they stay out of the development environment."""
OPTIONS = [
    "--universal", "--generate-hashes", "--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate",
    "--python-version", "3.11", "--quiet",
]  # fmt: skip


def compile_file(output: str, *inputs: str) -> None:
    """One `uv pip compile`; our own distributions are left out."""
    members = [path.parent for path in ROOT.glob("*/*/pyproject.toml")] + [ROOT / "core"]
    names = [line.split('"')[1] for m in members for line in (m / "pyproject.toml").read_text().splitlines()
             if line.startswith("name = ")]  # fmt: skip
    own = [word for name in names for word in ("--no-emit-package", name)]
    subprocess.run([UV, "pip", "compile", *inputs, *OPTIONS, *own, "-o", output], cwd=ROOT, check=True)


def extras(*manifests: str) -> list[str]:
    """All extras but the heavy ones, as options."""
    names = {name for one in manifests
             for name in tomllib.loads((ROOT / one).read_text())["project"].get("optional-dependencies", {})}  # fmt: skip
    return [word for name in sorted(names - HEAVY) for word in ("--extra", name)]


if __name__ == "__main__":
    manifests = sorted(
        p.relative_to(ROOT).as_posix()
        for p in [ROOT / "core/pyproject.toml", *ROOT.glob("*/*/pyproject.toml")]
        if p.parent.name not in HEAVY
    )
    compile_file("requirements/dev.txt", *manifests, *extras(*manifests), "--group", "pyproject.toml:dev")
    compile_file("requirements/ray.txt", "core/pyproject.toml", "plugins/ray/pyproject.toml")
    compile_file(
        "requirements/validators.txt",
        "core/pyproject.toml",
        "--extra",
        "inspect",
        "--group",
        "pyproject.toml:validators",
    )
    subprocess.run(
        [UV, "pip", "compile", "-", *OPTIONS, "-o", "requirements/uv.txt"], cwd=ROOT, check=True, input=b"uv"
    )
