"""The rest of ``openclaw`` (gateway, status, security, agents, plugins and smaller ones) and ``date``."""

from __future__ import annotations

import json
from collections.abc import Callable

from claw_adapter_forge.surfaces.grammar import Arg, Args, Flag, Refused, UsageError, Verb
from claw_adapter_forge.surfaces.oc_config import SECRET_PREFIX, current_model, put_setting
from claw_adapter_forge.world.records import Agent, Channel, ConfigValue, CronJob, Gateway, Plugin
from claw_adapter_forge.world.state import World

__all__ = ["VERBS", "gateway_line"]


def _gateway(world: World) -> Gateway:
    return world.get("gateway", "gateway", Gateway) or Gateway("gateway", "stopped")


def gateway_line(world: World) -> str:
    """The gateway's state in one line."""
    gateway = _gateway(world)
    return f"Gateway: {gateway.status} (port {gateway.port})"


def _gateway_status(world: World, _args: Args) -> str:
    return gateway_line(world)


def _switch(status: str) -> Callable[[World, Args], str]:
    def run(world: World, _args: Args) -> str:
        gateway = _gateway(world)
        world.put("gateway", Gateway(gateway.id, status, gateway.port))
        return gateway_line(world)

    return run


def _status(world: World, args: Args) -> str:
    data = {
        "gateway": _gateway(world).status,
        "model": current_model(world),
        "channels": {c.id: c.status for c in world.rows("channels", Channel)},
        "cron": len(world.rows("cron", CronJob)),
    }
    if args.given("json"):
        return json.dumps(data)
    channels = ", ".join(f"{c.id}={c.status}" for c in world.rows("channels", Channel)) or "none"
    return f"{gateway_line(world)}\nModel: {data['model']}\nChannels: {channels}\nCron jobs: {data['cron']}"


def _health(world: World, _args: Args) -> str:
    if _gateway(world).status != "running":
        raise Refused("Gateway is not running")
    return "OK"


def _audit(world: World, _args: Args) -> str:
    token = any(r.id.startswith(SECRET_PREFIX) for r in world.rows("config", ConfigValue))
    expired = [c.id for c in world.rows("channels", Channel) if c.status == "expired"]
    lines = [f"  gateway token: {'set' if token else 'missing'}"]
    lines += [f"  channel {name}: session expired" for name in expired]
    return "\n".join(["Security audit:", *lines])


def _token(world: World, args: Args) -> str:
    world.put("config", ConfigValue(SECRET_PREFIX + "token", args.text("token")))
    return "Token updated."


def _agents(world: World, _args: Args) -> str:
    rows = world.rows("agents", Agent)
    return "\n".join(["Agents:", *(f"  {a.id} {a.identity}".rstrip() for a in rows)]) if rows else "No agents."


def _agent(world: World, args: Args) -> Agent:
    agent = world.get("agents", args.text("name"), Agent)
    if agent is None:
        raise Refused(f"Agent not found: {args.text('name')}")
    return agent


def _agent_add(world: World, args: Args) -> str:
    if world.get("agents", args.text("name"), Agent) is not None:
        raise Refused(f"Agent exists already: {args.text('name')}")
    world.put("agents", Agent(args.text("name")))
    return f"Agent added: {args.text('name')}"


def _agent_delete(world: World, args: Args) -> str:
    world.remove("agents", _agent(world, args).id)
    return f"Agent deleted: {args.text('name')}"


def _agent_identity(world: World, args: Args) -> str:
    world.edit("agents", _agent(world, args), identity=args.text("identity"))
    return f"Identity of {args.text('name')} set."


def _agent_run(_world: World, _args: Args) -> str:
    raise Refused("no other agent can be started from inside this world")


def _configure(world: World, args: Args) -> str:
    key, equals, value = args.text("setting").partition("=")
    if not equals or not key:
        raise UsageError("configure takes KEY=VALUE")
    put_setting(world, key, value)
    return f"Configured {key}."


def _plugins(world: World, _args: Args) -> str:
    rows = world.rows("plugins", Plugin)
    return "\n".join(["Plugins:", *(f"  {p.id} {p.version}" for p in rows)]) if rows else "No plugins installed."


def _plugin_install(world: World, args: Args) -> str:
    world.put("plugins", Plugin(args.text("name")))
    return f"Plugin installed: {args.text('name')}"


def _doctor(world: World, _args: Args) -> str:
    return f"{gateway_line(world)}\nNo problems found."


def _constant(text: str) -> Callable[[World, Args], str]:
    def run(_world: World, _args: Args) -> str:
        return text

    return run


def _date(world: World, _args: Args) -> str:
    return f"{world.now}:00Z"


_NAME = (Arg("name", "name"),)
_READS = (
    (("gateway", "status"), "Whether the gateway runs.", _gateway_status),
    (("health",), "Whether the gateway answers.", _health),
    (("security", "audit"), "Look for missing tokens and expired sessions.", _audit),
    (("agents", "list"), "List agents.", _agents),
    (("plugins", "list"), "List plugins.", _plugins),
    (("doctor",), "Check the installation.", _doctor),
    (("setup",), "Say how the installation stands.", _constant("Setup is complete.")),
    (("logs",), "The gateway's last lines.", _constant("No log lines.")),
    (("sessions",), "List sessions.", _constant("No other sessions.")),
    (("devices",), "List paired devices.", _constant("No devices paired.")),
    (("webhooks",), "List webhooks.", _constant("No webhooks.")),
    (("skills",), "List skills.", _constant("Skills: tasks, calendar, email, weather, file")),
)
_WRITES = (
    (("gateway", "start"), "Start the gateway.", _switch("running"), ()),
    (("gateway", "stop"), "Stop the gateway.", _switch("stopped"), ()),
    (("gateway", "restart"), "Restart the gateway.", _switch("running"), ()),
    (("security", "set-token"), "Replace the gateway's token.", _token, (Arg("token", "new token"),)),
    (("agents", "add"), "Add an agent.", _agent_add, _NAME),
    (("agents", "delete"), "Remove an agent.", _agent_delete, _NAME),
    (
        ("agents", "set-identity"),
        "Describe an agent.",
        _agent_identity,
        (*_NAME, Arg("identity", "description", rest=True)),
    ),
    (("agent",), "Start an agent (not possible in here).", _agent_run, (Arg("words", "message", rest=True),)),
    (("configure",), "Change a setting.", _configure, (Arg("setting", "KEY=VALUE"),)),
    (("plugins", "install"), "Install a plugin.", _plugin_install, _NAME),
)

VERBS = (
    Verb(("openclaw", "status"), "An overview.", _status, (Flag("json", "as JSON", "switch"),)),
    *(Verb(("openclaw", *path), text, run) for path, text, run in _READS),
    *(Verb(("openclaw", *path), text, run, args=args, mutates=True) for path, text, run, args in _WRITES),
    Verb(("date",), "The present moment (UTC).", _date),
)
