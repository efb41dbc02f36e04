"""Tools of MCP servers in a certification: a client that takes all that they give, and those that do not."""

from __future__ import annotations

import json
import subprocess
from functools import partial

import pytest

from certification.planted import Planted
from claw_adapter.certify.bench import Bench
from claw_adapter.certify.checks.env import LOOKS, ORDERS
from claw_adapter.certify.judge import certify, plan
from claw_adapter.harness import Support
from support.misbehaving import Wire


class Client(Wire):
    """Starts the servers that it is given, and offers their tools."""

    def __init__(self, inner, ctx):
        super().__init__(inner, ctx)
        self.servers, self.child, self.children, self.offered = ctx.mcp, None, [], []

    def start(self):
        for server in self.servers:
            self.child = subprocess.Popen(
                server.command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(server.env)
            )
            self.children.append(self.child)
            self.asked("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={})
            for tool in self.listed():
                name = self.named(server.name, tool["name"])
                about = {"name": name, "description": tool["description"], "parameters": tool["inputSchema"]}
                self.offered.append({"type": "function", "function": about})
                setattr(self.agent, f"tool_{name}", partial(self.called_of, self.child, tool["name"]))

    async def close(self):
        await super().close()
        for child in self.children:
            child.kill()
            child.communicate()

    def named(self, server, tool):
        return f"{server}_{tool}"

    def called_of(self, child, name, **given):
        self.child = child
        return self.called(name, given)

    def asked(self, method, **params):
        self.child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n")
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())["result"]

    def listed(self):
        told = self.asked("tools/list")
        found = told["tools"]
        while "nextCursor" in told:
            told = self.asked("tools/list", cursor=told["nextCursor"])
            found += told["tools"]
        return found

    def called(self, name, given):
        told = self.asked("tools/call", name=name, arguments=self.given(given))
        texts = [part.get("resource", part)["text"] for part in told["content"]]
        return self.shown([*texts, *self.data(told)], failed=told["isError"])

    def data(self, told):
        return [json.dumps(told["structuredContent"])] if "structuredContent" in told else []

    def given(self, arguments):
        return arguments

    def shown(self, texts, *, failed):
        return "\n".join(texts)

    def spoil_request(self, data):
        if self.child is None:
            self.start()
        data["tools"] += self.offered


class FirstPart(Client):
    def shown(self, texts, *, failed):
        return texts[0]


class NoErrors(Client):
    def shown(self, texts, *, failed):
        return "the tool has failed" if failed else "\n".join(texts)


class Cut(Client):
    def shown(self, texts, *, failed):
        return "\n".join(texts)[:400]


class AllAsText(Client):
    def given(self, arguments):
        return {key: value if isinstance(value, str) else json.dumps(value) for key, value in arguments.items()}


class FirstPage(Client):
    def listed(self):
        return self.asked("tools/list")["tools"]


class WithoutNothings(Client):
    def given(self, arguments):
        return {key: value for key, value in arguments.items() if value}


class LastFirst(Client):
    def shown(self, texts, *, failed):
        return "\n".join(reversed(texts))


class OnlyText(Client):
    def called(self, name, given):
        told = self.asked("tools/call", name=name, arguments=given)
        return "\n".join(part["text"] for part in told["content"] if part["type"] == "text")


class NoData(Client):
    def data(self, told):
        return []


class AsTheyLook(Client):
    def given(self, arguments):
        return {key: value if key == "entry" else looks(value) for key, value in arguments.items()}


def looks(value):
    """A text as what it is in JSON, if it is any."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


class ShortNames(Client):
    def listed(self):
        return list({tool["name"][:55]: tool | {"name": tool["name"][:55]} for tool in super().listed()}.values())


class OneOfEachName(Client):
    def named(self, server, tool):
        return tool


class OnlyWhatIsListed(Client):
    """What a schema does not list by name is left out of an object."""

    def given(self, arguments):
        return {key: {} if key == "kinds" else value for key, value in arguments.items()}


class NoTools(Client):
    def spoil_request(self, data):
        pass


def served(kind):
    """A harness whose conversations are of this kind, and that is declared to take servers."""

    def capabilities(self):
        return super(made, self).capabilities().model_copy(update={"mcp": Support.full()})

    made = type(
        kind.__name__, (Planted,), {"capabilities": capabilities, "spoil": lambda _, inner, ctx: kind(inner, ctx)}
    )
    return made()


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Client, ""),
        (FirstPart, "of 3 lines that the server's tool has given for 'parts' the model was not given"),
        (NoErrors, "of 1 lines that the server's tool has given for 'nowhere' the model was not given"),
        (Cut, "of 40 lines"),
        (AllAsText, "the model has written"),
        (FirstPage, f"its tool {ORDERS} is not offered"),
        (NoData, "of 1 lines that the server's tool has given for 'data' the model was not given"),
        (AsTheyLook, "the model has written"),
        (ShortNames, "is not offered"),
        (WithoutNothings, "the model has written"),
        (LastFirst, "in another order"),
        (OnlyText, "of 3 lines that the server's tool has given for 'parts' the model was not given"),
        (OneOfEachName, "under one name"),
        (OnlyWhatIsListed, "the model has written"),
        (NoTools, f"its tool {LOOKS} is not offered"),
    ],
)
async def test_all_that_a_server_gives_reaches_the_model_and_all_that_the_model_says_the_server(kind, said):
    async with Bench(served(kind), nonce="served") as bench:
        (result,) = await certify(bench, plan("gold", only=["ENV-001"]))
    assert result.outcome == ("failed" if said else "passed"), result.what
    assert said in result.what


async def test_where_servers_are_not_taken_none_is_given():
    async with Bench(Planted(), nonce="served") as bench:
        (result,) = await certify(bench, plan("gold", only=["ENV-001"]))
    assert result.outcome == "passed"
    assert "none was given" in "".join(result.notes)
