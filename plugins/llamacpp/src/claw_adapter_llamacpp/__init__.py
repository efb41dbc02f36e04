"""A real local model with no key: a llama.cpp server behind the endpoint; start with `claw_adapter_llamacpp.upstream`."""
