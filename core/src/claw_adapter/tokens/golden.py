"""Make the strings of the self-test again: ``python -m claw_adapter.tokens.golden > …/tokens/fast_golden.json``."""

from __future__ import annotations

import json
import random
import sys

from claw_adapter.tokens.cl100k import count

__all__ = ["main", "strings"]

_SEED = 20261121
_PIECES = (
    "the", " quick", "Brown", " fox's", "don't", "WE'LL", " 12", "3456789", "1,234.56", " ", "  ", "\n", "\r\n", "\t", "\n\n  ",
    "é", "ß", "ñandú", "日本語", "数据差异", "한국어", "עברית", "हिन्दी", "🎉", "👩‍👩‍👧", "\u200b", "\u00a0", "\u3000",
    "\ufeff", "…", "—",
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|fim_prefix|>", "{}", '{"a": [1, 2]}', "def f(x):", "https://a.b/c?d=1",
    "**bold**", "| a | b |", "```", "###", "$100", "50%", "_-_", "\\n", "'", '"', "A1b2C3", "İ", "ǅ", "ﬁ", "½", "Ⅷ", "x̂",
)  # fmt: skip
_FIXED = (
    "", " ", "\n", "a", "<|endoftext|>", "<|im_start|>user\nhi<|im_end|>\n", "'S", "'\u017f", "I'LL go", "x" * 300, " " * 300,
    "\n" * 50,
    " \n" * 40, "a b " * 60, "0123456789" * 10, "é" * 100, "数" * 100, "🎉" * 40, "\u2028\u2029\u0085", "tab\tsep\tvalues\t\n",
)  # fmt: skip


def strings() -> list[str]:
    """About 200 strings: fixed edge cases, and random joins of pieces that tokenizers are known to differ on."""
    source = random.Random(_SEED)
    joined = ["".join(source.choices(_PIECES, k=source.randint(2, 14))) for _ in range(180)]
    return [*_FIXED, *joined]


def main() -> None:
    """Write the strings with tiktoken's counts."""
    lines = ",\n".join(json.dumps([text, count(text)], ensure_ascii=True) for text in strings())
    sys.stdout.write(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
