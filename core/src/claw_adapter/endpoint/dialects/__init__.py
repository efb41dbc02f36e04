"""The wire forms that harnesses speak. One module per dialect; `DIALECTS` lists them."""

from claw_adapter.endpoint.dialects.anthropic import AnthropicMessages
from claw_adapter.endpoint.dialects.base import Dialect, Head, StreamRenderer
from claw_adapter.endpoint.dialects.openai_chat import OpenAIChat
from claw_adapter.endpoint.dialects.responses import OpenAIResponses

__all__ = ["DIALECTS", "Dialect", "Head", "StreamRenderer"]

DIALECTS: tuple[Dialect, ...] = (OpenAIChat(), OpenAIResponses(), AnthropicMessages())
