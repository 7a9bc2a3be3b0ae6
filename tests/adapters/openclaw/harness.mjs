// A gateway of which only the plugin API is real. Commands come as JSON lines on stdin, answers go to stdout.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const plugin = (await import(pathToFileURL(process.argv[2]))).default;
const registrations = [];
const logs = [];
const aborted = (globalThis.abortedSessions = []);
globalThis.unknownSessions = new Set();
const listed = new Map();
globalThis[Symbol.for("openclaw.embeddedRunState")] = { activeRuns: listed };

function register(config, stateDirectory) {
  const registration = { hooks: {}, middleware: undefined, subscription: undefined };
  const log = (level) => (text) => logs.push({ level, text });
  plugin.register({
    pluginConfig: config,
    logger: { info: log("info"), warn: log("warn"), error: log("error") },
    runtime: { state: { resolveStateDir: () => stateDirectory } },
    on: (name, handler) => (registration.hooks[name] = handler),
    registerAgentToolResultMiddleware: (handler) => (registration.middleware = handler),
    agent: { events: { registerAgentEventSubscription: (subscription) => (registration.subscription = subscription) } },
  });
  registrations.push(registration);
}

const operations = {
  register: ({ config, stateDirectory }) => register(config, stateDirectory),
  // As a gateway does it: a hook of the newest registration, a middleware of the first, events for all of them.
  hook: ({ name, event, ctx }) => registrations.at(-1).hooks[name](event, ctx),
  middleware: ({ event, ctx }) => registrations[0].middleware(event, ctx),
  circular: ({ event, ctx }) => {
    event.result.details = { itself: event.result, big: 12345678901234567890n };
    return registrations[0].middleware(event, ctx).then(() => undefined);
  },
  event: ({ event }) => {
    for (const { subscription } of registrations) {
      if (subscription.streams.includes(event.stream)) {
        subscription.handle({ ...event });
      }
    }
  },
  // The run that a session is in, as the gateway lists it; later it is no longer listed.
  list: ({ sessionId }) => {
    listed.set(sessionId, { abort: () => aborted.push(`handle of ${sessionId}`) });
  },
  unlist: ({ sessionId }) => {
    listed.delete(sessionId);
    globalThis.unknownSessions.add(sessionId);
  },
  logs: () => logs,
  aborted: () => aborted,
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, operation, ...command } = JSON.parse(line);
  Promise.resolve()
    .then(() => operations[operation](command))
    .then((value) => ({ id, value: value ?? null }))
    .catch((error) => ({ id, error: String(error.stack) }))
    .then((answer) => process.stdout.write(`${JSON.stringify(answer)}\n`));
}
