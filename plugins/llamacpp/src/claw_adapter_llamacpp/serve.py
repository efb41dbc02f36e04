"""Runs in the environment that ``claw frameworks install llamacpp`` made: serves one GGUF file until our input ends.

Called with one argument, a JSON object: model (path), alias, port, context (tokens), threads. Only the standard library and
xllamacpp are imported. The end of standard input ends the process: whoever started it is gone then.
"""

from __future__ import annotations

import json
import os
import sys

CACHE_MEGABYTES = 256
"""Most that llama.cpp keeps of prompts it has worked on."""


def main() -> None:
    """Start the server; it works in threads of its own."""
    import xllamacpp  # type: ignore[import-not-found]  # it is in an environment of its own

    told = json.loads(sys.argv[1])
    params = xllamacpp.CommonParams()
    params.model.path = told["model"]
    params.model_alias = {told["alias"]}
    params.hostnames = ["127.0.0.1"]
    params.port = told["port"]
    params.n_ctx = told["context"]
    params.n_parallel = 1  # several slots would share the context
    params.cpuparams.n_threads = told["threads"]
    params.cpuparams_batch.n_threads = told["threads"]
    params.cache_ram_mib = CACHE_MEGABYTES
    params.endpoint_metrics = True
    params.ui = False
    params.offline = True
    server = xllamacpp.Server(params)
    sys.stdin.buffer.read()
    del server
    os._exit(0)


if __name__ == "__main__":
    main()
