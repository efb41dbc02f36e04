"""Self-hosted models: vLLM behind the endpoint, started or attached to; `claw_adapter_vllm.upstream` is the place to start."""
