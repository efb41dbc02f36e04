"""vLLM as an upstream: ``claw run demo --model vllm:profile=gemma-4-31b-it,model=/models/gemma``."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.drivers.ports import free_port
from claw_adapter.errors import EndpointError
from claw_adapter.model_server import ModelServer, ServedUpstream, served
from claw_adapter.protocol import ATTACHED, ModelSpec
from claw_adapter.upstream import UpstreamContext
from claw_adapter_vllm.failures import EXPLANATIONS
from claw_adapter_vllm.options import Options

__all__ = ["Vllm", "environment", "fingerprint"]

INSTALL: Final = "Install vLLM (pip install vllm, in an environment of its own) and name it with the option program."
ATTACH_SECONDS: Final = 10.0
PASSED: Final = ("CUDA_", "HF_", "HIP_", "NCCL_", "NVIDIA_", "OMP_", "ROCR_", "VLLM_")
"""Beginnings of the variables of ours that vLLM may see: which devices, which caches, how it is tuned."""
SECRETS: Final = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "VLLM_API_KEY")
"""Not passed on, though they begin like that: weights are on this machine, and the server has no key."""


def environment() -> dict[str, str]:
    """Variables for vLLM's process: what tunes it, and nothing that reports to its makers or leaves the machine."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(PASSED) and name not in SECRETS}
    home = {"HF_HOME": str(Path.home() / ".cache" / "huggingface")}
    return {
        **home,
        **kept,
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "HF_HUB_OFFLINE": kept.get("HF_HUB_OFFLINE", "1"),
    }


def fingerprint(folder: Path) -> str:
    """sha256 over the names, sizes and (of JSON files) contents of a folder of weights.

    The weights themselves may have hundreds of gigabytes; reading them would take longer than many a run.
    """
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
            digest.update(path.read_bytes() if path.suffix == ".json" else b"")
    return digest.hexdigest()


class Vllm(ServedUpstream):
    """A vLLM server, ours (``vllm serve``) or somebody else's (option ``base_url``); options: see `Options`."""

    name: ClassVar[str] = "vllm"
    counted = "vllm:"

    def __init__(self, **options: Any) -> None:
        self.options = Options.parse(options)

    async def start(self, model: ModelSpec, ctx: UpstreamContext) -> ModelSpec:
        """See `Upstream.start`."""
        if self.options.base_url:
            return await self._attach(model)
        port = free_port()
        argv = self.options.argv(port, model.name)
        try:
            self.server = await ModelServer.start(
                argv, port, ctx, deadline=self.options.start_seconds, env=environment(), explanations=EXPLANATIONS
            )
        except EndpointError as error:
            remedy = INSTALL if "no such program" in error.what else error.remedy
            raise EndpointError(error.what, where=f"model {model.name}, {error.where}", remedy=remedy) from error
        self.facts = {**await self._version(), "arguments": shlex.join(self._shown(argv)), **self._weights()}
        return served(model, self.server.url, model.name)

    async def _attach(self, model: ModelSpec) -> ModelSpec:
        url = self.options.base_url.rstrip("/").removesuffix("/v1")
        self.server = ModelServer(url)
        await self.server.ready(ATTACH_SECONDS)
        ids = [str(one.get("id")) for one in (await self._json("/v1/models")).get("data", [])]
        wanted = self.options.model or (ids[0] if len(ids) == 1 else "")
        if wanted not in ids:
            remedy = f"Name one with the option model: {', '.join(ids) or 'it serves none'}."
            what = f"the server does not serve {wanted!r}" if wanted else "the server serves several models"
            raise EndpointError(what, where=f"model {model.name} at {url}", remedy=remedy)
        self.facts = {**await self._version(), ATTACHED: url, "model": wanted}
        return served(model, url, wanted)

    async def _json(self, path: str) -> dict[str, Any]:
        try:
            value = json.loads(await self.server.text(path) if self.server else "")
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    async def _version(self) -> dict[str, str]:
        return {"vllm": str((await self._json("/version")).get("version", "of unknown version"))}

    def _shown(self, argv: list[str]) -> list[str]:
        """The arguments without those that differ from start to start."""
        port = argv.index("--port")
        return [*argv[:port], *argv[port + 2 :]]

    def _weights(self) -> dict[str, str]:
        folder = Path(self.options.model).expanduser()
        return {"weights": f"sha256:{fingerprint(folder)} (names, sizes, JSON)"} if folder.is_dir() else {}
