"""Template 5: the session specification, layer 2."""

from __future__ import annotations

from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.spec.sessions import Channel, Loop
from claw_adapter_scenarios.specdocs.common import document, table, tokens

__all__ = ["text"]

RULES = (
    "History sessions may use read and light exec.",
    "History sessions do not use session-listing tools.",
    "Group session user text includes the full channel prefix; DM text stays plain.",
    "Every user message is answered; the agent never speaks twice in a row.",
)


def text(made: Compiled) -> str:
    """The document."""
    return document(
        f"Session specification (layer 2): {made.id}",
        [
            ("Main Session", _main(made)),
            ("History Session Roster", _roster(made)),
            ("Per-Session Design", "\n\n".join(_design(made, channel) for channel in made.spec.sessions.channels)),
            ("Session Rules", "\n".join(f"- {rule}" for rule in RULES)),
        ],
    )


def _main(made: Compiled) -> str:
    opening, reply = made.material.main[0], made.material.main[1]
    row = ("main", opening.text, reply.text)
    return table(("Channel", "Loop 0 user message: scene background and roster", "Loop 0 assistant reply"), [row])


def _roster(made: Compiled) -> str:
    rows = []
    for channel in made.spec.sessions.channels:
        spoken = [m.text for loop in made.material.loops if loop.session == channel.id for m in loop.messages]
        kind = "Group" if channel.kind == "group" else "DM"
        rows.append(
            (
                channel.id,
                channel.channel,
                kind,
                channel.id.upper().replace("-", "_"),
                len(channel.phases),
                tokens("\n".join(spoken)),
            )
        )
    return table(
        ("Session name", "Channel", "DM/Group", "Session ID placeholder", "Phase count", "Token estimate"), rows
    )


def _design(made: Compiled, channel: Channel) -> str:
    people = ", ".join(made.canon.text(name, "") or name for name in channel.participants)
    kind = "Group" if channel.kind == "group" else "DM"
    placeholder = channel.id.upper().replace("-", "_")
    head = f"Channel {channel.channel}, {kind}, participants {people}, placeholder {placeholder}."
    parts = [f"### {channel.id}\n\n{head}"]
    phases = [(made.canon.render(phase.name).text, phase.loops) for phase in channel.phases]
    phases += [
        (f"update {update.id}", growth.loops)
        for update in made.spec.updates.updates
        for growth in update.grow
        if growth.channel == channel.id
    ]
    parts += [f"#### Phase: {name}\n\n{_loops(made, loops)}" for name, loops in phases]
    parts.append(f"Generated loops: {channel.noise} noise, {channel.context} near-signal.")
    return "\n\n".join(parts)


def _loops(made: Compiled, loops: tuple[Loop, ...]) -> str:
    def render_template(template: str) -> str:
        return made.canon.render(template).text

    rows = [
        (
            number,
            loop.label,
            f"{made.canon.text(loop.sender, '')}: {render_template(loop.say)}",
            f"read {render_template(loop.read)}" if loop.read else "",
            render_template(loop.reply) or "(drawn)",
            render_template(loop.effect),
        )
        for number, loop in enumerate(loops, start=1)
    ]
    return table(
        (
            "Loop",
            "Signal/noise label",
            "User message",
            "Agent tool calls",
            "Agent reply",
            "Contradiction or bias effect",
        ),
        rows,
    )
