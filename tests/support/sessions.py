"""Small sessions for tests."""

from claw_adapter.harness import Message, Session


def session(name: str, *texts: str, **fields) -> Session:
    """A session of alternating user and assistant messages."""
    roles = ("user", "assistant")
    messages = [Message(id=f"{name}-{i}", role=roles[i % 2], text=text) for i, text in enumerate(texts)]
    return Session(id=name, messages=tuple(messages), **fields)


def user_messages(*texts: str) -> list[Message]:
    """Messages of the user whose ids are their texts."""
    return [Message(id=text, role="user", text=text) for text in texts]


def user_session(name: str, *texts: str) -> Session:
    """A session in which only the user speaks."""
    return Session(id=name, messages=tuple(user_messages(*texts)))
