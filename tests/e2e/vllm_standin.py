"""A stand-in for vLLM: the command line, health, models, metrics and replies of ``vllm serve``, and its ways to fail.

Called as ``vllm_standin.py serve MODEL …``. The model's name says what happens: ``ok``, or a key of `FAULTS`, whose text is
printed before it ends; ``slow`` is never ready; ``dies`` serves one request and then runs out of memory.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FAULTS = {
    "oom": "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 47 GiB",
    "kv": "ValueError: To serve at least one request with the model's max seq len (204800), 12.50 GiB KV cache is needed, "
    "which is larger than the available KV cache memory (3.1 GiB). The estimated maximum model length is 50000.",
    "blocks": "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`",
    "shared": "ValueError: Free memory on device (10.1/47.4 GiB) on startup is less than desired GPU memory utilization",
    "nogpu": "RuntimeError: No CUDA GPUs are available",
    "parser": "KeyError: 'invalid tool call parser: qwen9 (chose from { hermes, qwen3_coder })'",
    "kind": "ValueError: Model architectures ['X'] are not supported for now.",
    "weights": "OSError: /models/x is not a local folder and is not a valid model identifier listed on",
    "arguments": "vllm: error: unrecognized arguments: --colour",
    "cpu": "importlib.metadata.PackageNotFoundError: No package metadata was found for vllm",
    "vision": "ModuleNotFoundError: Could not import module 'LlamaConfig'. Are this object's requirements defined correctly?",
    "broken": "ModuleNotFoundError: No module named 'vllm._C'",
    "unknown": "Something nobody has seen before",
}
METRICS = """# HELP vllm:prompt_tokens Number of prefill tokens processed.
# TYPE vllm:prompt_tokens_total counter
vllm:prompt_tokens_total{{engine="0",model_name="m"}} {prompt}.0
# TYPE vllm:request_success counter
vllm:request_success_total{{finished_reason="stop",model_name="m"}} {count}.0
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{{model_name="m"}} 3.0
# TYPE vllm:e2e_request_latency_seconds histogram
vllm:e2e_request_latency_seconds_bucket{{le="0.3"}} 1.0
vllm:e2e_request_latency_seconds_sum{{model_name="m"}} {count}.5
vllm:e2e_request_latency_seconds_count{{model_name="m"}} {count}.0
# TYPE python_gc_objects_collected_total counter
python_gc_objects_collected_total 5.0
"""


class Handler(BaseHTTPRequestHandler):
    count = 100
    model = ""
    alias = ""

    def log_message(self, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        texts = {
            "/health": "",
            "/version": json.dumps({"version": "0.0-standin"}),
            "/v1/models": json.dumps({"object": "list", "data": [{"id": self.alias}]}),
            "/metrics": METRICS.format(count=Handler.count, prompt=10 * Handler.count),
        }
        ready = self.path in texts and not (self.path == "/health" and self.model == "slow")
        self._say(200 if ready else 503, texts.get(self.path, ""))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Handler.count += 1
        message = {"role": "assistant", "content": "\\bbox{A}"}
        reply = {
            "id": "c", "object": "chat.completion", "created": 1, "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 4, "total_tokens": 14},
        }  # fmt: skip
        self._say(200 if body["model"] == self.alias else 404, json.dumps(reply))
        if self.model == "dies":
            print(FAULTS["oom"], file=sys.stderr, flush=True)
            self.wfile.flush()
            os._exit(1)

    def _say(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if text.startswith("{") else "text/plain")
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())


def main() -> None:
    command, model, *flags = sys.argv[1:]
    assert command == "serve"
    if model in FAULTS:
        print("INFO starting\n" + FAULTS[model], file=sys.stderr)
        sys.exit(1)
    told = dict(zip(flags[::2], flags[1::2], strict=False))
    Handler.model, Handler.alias = model, told["--served-model-name"]
    worker = subprocess.Popen(["sleep", "600"], start_new_session=True)  # like vLLM's engine, in a session of its own
    print(f"worker {worker.pid}", flush=True)
    ThreadingHTTPServer((told["--host"], int(told["--port"])), Handler).serve_forever()


if __name__ == "__main__":
    main()
