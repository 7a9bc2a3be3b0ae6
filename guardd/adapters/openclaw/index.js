/**
 * The guardd plugin of an OpenClaw gateway: it asks guardd before every tool call, reports every outcome, and
 * does what guardd says.
 *
 * The gateway registers a plugin several times in one process, even in the middle of a run, and calls a hook of
 * one registration and a middleware of another. Whatever has to be remembered is therefore kept once for the
 * process, on `globalThis`.
 */

import { join } from "node:path";

import { Calls } from "./calls.js";
import { Compactions } from "./compactions.js";
import { Events } from "./events.js";
import { Guard } from "./guard.js";
import { OpenRuns } from "./open-runs.js";
import { Runs } from "./runs.js";

const SHARED = Symbol.for("guardd.openclaw");

/** What this process knows, made by its first registration. */
function shared(api) {
  globalThis[SHARED] ??= create(api);
  return globalThis[SHARED];
}

function create(api) {
  const guard = new Guard(api.logger);
  const runs = new Runs(guard, new OpenRuns(runsDirectory(api), (text) => guard.logger.warn(text)));
  const calls = new Calls(guard, runs);
  const compactions = new Compactions(guard, runs);
  runs.onEnd((scope) => calls.endRun(scope));
  const events = new Events({
    compaction: [(event) => compactions.compactionEvent(event)],
    // A run has to be known before what came of its compaction is reported, and not to have ended.
    lifecycle: [(event) => compactions.lifecycle(event), (event) => runs.lifecycle(event)],
  });
  return { guard, runs, calls, compactions, events };
}

function runsDirectory(api) {
  const state = api.runtime?.state?.resolveStateDir?.();
  return state && join(state, "guardd", "runs");
}

/** The plugin's entry, in the form that OpenClaw loads. */
export default {
  id: "guardd",
  name: "guardd",
  /** @param {object} api the gateway's plugin API */
  register(api) {
    const { guard, runs, calls, compactions, events } = shared(api);
    guard.logger = api.logger;
    guard.configure(api.pluginConfig);
    api.on("before_prompt_build", (event, ctx) => runs.prompted(event, ctx));
    api.on("before_tool_call", (event, ctx) => {
      compactions.callBegins(event, ctx);
      return calls.before(event, ctx);
    });
    api.on("after_tool_call", (event, ctx) => calls.after(event, ctx));
    api.on("after_compaction", (event, ctx) => compactions.compacted(event, ctx));
    api.registerAgentToolResultMiddleware((event, ctx) => calls.result(event, ctx), {
      runtimes: ["openclaw", "codex"],
    });
    api.agent.events.registerAgentEventSubscription({
      id: "guardd",
      description: "Begins and ends runs, and reports compactions.",
      streams: ["lifecycle", "compaction"],
      handle: (event) => events.handle(event),
    });
  },
};
