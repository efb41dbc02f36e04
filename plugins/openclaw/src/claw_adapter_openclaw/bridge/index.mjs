// Runs inside OpenClaw's gateway and lets the adapter write and read sessions while it runs: POST /claw-bridge, one JSON
// object {"op", "agent", "key", ...} a request, behind the gateway's own token. Only OpenClaw's documented plugin SDK is used.
//
//   configure  config                           its keys are in OpenClaw's configuration from now on
//   write   sessionId, entry, messages          the session is exactly these messages from now on
//   append  messages [{id, message}]            each once, told by its id; all or none
//   read    after                               {sessionId, total, events, used}: its transcript from event number `after` on,
//                                               and the tokens of its turns since the last reading, all requests summed
//
// Every answer says in `milliseconds` how long it took from the moment the gateway got to it.
import { setTimeout } from "node:timers/promises";
import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry";
import {
  appendSessionTranscriptMessagesByIdentity,
  readSessionTranscriptEvents,
} from "openclaw/plugin-sdk/session-transcript-runtime";

const KINDS = ["input", "output", "cacheRead"];
// Session key → tokens. The gateway loads a plugin more than once: what counts is not the one that is asked.
const used = (globalThis[Symbol.for("claw-bridge")] ??= new Map());

function count(key, usage) {
  const before = used.get(key) ?? {};
  used.set(key, Object.fromEntries(KINDS.map((kind) => [kind, (before[kind] ?? 0) + (usage?.[kind] ?? 0)])));
}

function counted(key) {
  const tokens = used.get(key) ?? {};
  used.delete(key);
  return tokens;
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}

function operations(configuration, sessions) {
  const scope = ({ agent, key }) => ({ agentId: agent, sessionKey: key });

  function sessionIdOf(call) {
    const entry = sessions.getSessionEntry(scope(call));
    if (!entry) throw new Error(`no session ${call.key}`);
    return entry.sessionId;
  }

  async function configure({ config }) {
    await configuration.mutateConfigFile({
      afterWrite: { mode: "auto" },
      mutate: (draft) => void Object.assign(draft, config),
    });
    // The gateway takes the file up a moment later.
    while (!Object.keys(config).every((key) => key in configuration.current())) await setTimeout(10);
    return {};
  }

  async function append(call) {
    const sessionId = sessionIdOf(call);
    const messages = call.messages.map(({ id, message }) => ({
      eventId: id,
      idempotencyLookup: "scan",
      message,
      now: message.timestamp,
    }));
    if (messages.length > 0) {
      await appendSessionTranscriptMessagesByIdentity({ ...scope(call), sessionId, messages });
    }
    return { sessionId };
  }

  async function write(call) {
    // A new session id under the same key leaves the old transcript behind.
    const entry = { ...call.entry, sessionId: call.sessionId, updatedAt: Date.now() };
    await sessions.upsertSessionEntry({ ...scope(call), entry });
    return append(call);
  }

  async function read(call) {
    const sessionId = sessionIdOf(call);
    const events = await readSessionTranscriptEvents({ ...scope(call), sessionId });
    return { sessionId, total: events.length, events: events.slice(call.after ?? 0), used: counted(call.key) };
  }

  return { configure, write, append, read };
}

export default definePluginEntry({
  id: "claw-bridge",
  name: "claw-bridge",
  description: "Sessions are written and read while the gateway runs",
  register(api) {
    api.on("llm_output", (event, context) => count(context.sessionKey, event.usage));
    const known = operations(api.runtime.config, api.runtime.agent.session);
    api.registerHttpRoute({
      path: "/claw-bridge",
      auth: "gateway",
      match: "exact",
      handler: async (request, response) => {
        response.setHeader("content-type", "application/json");
        const began = performance.now();
        try {
          const call = await bodyOf(request);
          if (!Object.hasOwn(known, call.op)) throw new Error(`no operation ${call.op}`);
          const result = await known[call.op](call);
          response.end(JSON.stringify({ ...result, milliseconds: performance.now() - began }));
        } catch (error) {
          response.statusCode = 500;
          response.end(JSON.stringify({ error: { message: String(error?.message ?? error) } }));
        }
        return true;
      },
    });
  },
});
