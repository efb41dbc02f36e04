"""A tiny model of our own making that vLLM serves: ``PYTHON tiny_model.py FOLDER --tool read --arguments '{"path": "a.txt"}'``.

Run by the Python of vLLM's environment, which has torch, transformers and tokenizers. The layers have random weights, too
small to count; embedding and head are a table of which token follows which. The chat template ends a prompt with one of two
tokens: after the result of a tool the model says a sentence, else it calls the tool, in the way of writing that one of
vLLM's parsers reads. So any harness that has the tool can hold a whole conversation with it, at any temperature up to 1,
and nothing is forced: what it gets is what vLLM generated and its parser took for a call.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

START, END, CALL, SAY = "<|im_start|>", "<|im_end|>", "<|im_call|>", "<|im_say|>"
SIZE, HEADS, LAYERS, WORDS, WINDOW = 128, 2, 2, 600, 204_800
SURE = 60.0
"""Logit of the token that follows; others reach about half of it by chance."""
TEMPLATE = (
    "{% if tools %}<|im_start|>system\n{{ tools | tojson }}<|im_end|>\n{% endif %}"
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{% if message.content %}{{ message.content if message.content is string else message.content | tojson }}{% endif %}"
    "{% if message.tool_calls %}{{ message.tool_calls | tojson }}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}{% if messages[-1].role == 'tool' %}<|im_say|>{% else %}<|im_call|>{% endif %}{% endif %}"
)


def _hermes(tool: str, arguments: dict[str, str], said: str) -> tuple[list[str], list[str]]:
    return ["<tool_call>", json.dumps({"name": tool, "arguments": arguments}), "</tool_call>"], [said]


def _qwen3_coder(tool: str, arguments: dict[str, str], said: str) -> tuple[list[str], list[str]]:
    """With a thought (reasoning parser `qwen3`), which a call ends."""
    given = "".join(f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in arguments.items())
    body = f"\n<function={tool}>\n{given}</function>\n"
    return ["I look it up.", "<tool_call>", body, "</tool_call>"], ["</think>", said]


def _gemma4(tool: str, arguments: dict[str, str], said: str) -> tuple[list[str], list[str]]:
    """With a thought (reasoning parser `gemma4`)."""
    given = ",".join(f'{name}:<|"|>{value}<|"|>' for name, value in arguments.items())
    thought = ["<|channel>", "thought\nI look it up.", "<channel|>"]
    return [*thought, "<|tool_call>", f"call:{tool}{{{given}}}", "<tool_call|>"], [said]


PARSERS: dict[str, Callable[[str, dict[str, str], str], tuple[list[str], list[str]]]] = {
    "hermes": _hermes, "qwen3_coder": _qwen3_coder, "gemma4": _gemma4,
}  # fmt: skip
"""Tool parser → what the model writes to call a tool and to say a sentence; each part is a token of its own."""
NAMED = {"hermes": [], "qwen3_coder": ["<think>"], "gemma4": ['<|"|>', "<|turn>", "<|tool_response>"]}
"""What else a parser looks for in the vocabulary."""


def tokenizer(parts: list[str]) -> PreTrainedTokenizerFast:
    """Bytes and a few pairs of them, and these parts."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    words = trainers.BpeTrainer(vocab_size=WORDS, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    made.train_from_iterator([Path(__file__).read_text("utf-8")], words)
    whole = PreTrainedTokenizerFast(tokenizer_object=made, eos_token=END, pad_token=END)
    whole.add_special_tokens({"additional_special_tokens": [START, CALL, SAY]})
    whole.add_tokens(parts)
    whole.chat_template = TEMPLATE
    return whole


def model(words: int, end: int, follows: dict[int, int], seed: int) -> LlamaForCausalLM:
    """Random, but for which token follows which: one of the table, or the end."""
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=words, hidden_size=SIZE, intermediate_size=SIZE, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
        num_key_value_heads=HEADS, max_position_embeddings=WINDOW, eos_token_id=end, bos_token_id=None, pad_token_id=end,
        tie_word_embeddings=False, initializer_range=1e-3,
    )  # fmt: skip
    made = LlamaForCausalLM(config)
    with torch.no_grad():
        rows = torch.nn.functional.normalize(torch.randn(words, SIZE), dim=1) * SIZE**0.5
        rows[:, 0] = 1.0
        made.model.embed_tokens.weight.copy_(rows)
        head = torch.zeros(words, SIZE)
        for token, next_one in follows.items():
            head[next_one] += rows[token] * SURE / SIZE
        head[end, 0] += SURE * 0.7
        made.lm_head.weight.copy_(head)
    return made


def write(folder: Path, parser: str, tool: str, arguments: dict[str, str], said: str, seed: int) -> None:
    """Weights, tokenizer and template, as vLLM loads them."""
    call, say = PARSERS[parser](tool, arguments, said)
    parts = list(dict.fromkeys([*call, *say, *NAMED[parser]]))
    words = tokenizer(parts)
    chains = [[CALL, *call, END], [SAY, *say, END]]
    number = words.convert_tokens_to_ids
    follows = {number(one): number(after) for chain in chains for one, after in pairwise(chain)}
    words.save_pretrained(folder)
    model(len(words), number(END), follows, seed).save_pretrained(folder)


def main() -> None:
    """The command line."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("folder", type=Path)
    asked.add_argument("--parser", choices=PARSERS, default="hermes")
    asked.add_argument("--tool", default="read_file")
    asked.add_argument("--arguments", type=json.loads, default={"path": "notes.txt"})
    asked.add_argument("--say", default="I have read it.")
    asked.add_argument("--seed", type=int, default=0)
    given = asked.parse_args()
    write(given.folder, given.parser, given.tool, given.arguments, given.say, given.seed)


if __name__ == "__main__":
    main()
