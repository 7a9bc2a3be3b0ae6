/**
 * Runs: one turn each, from a user message to its end.
 *
 * The gateway tells of them by lifecycle events. A turn that a restart interrupted is gone on with under a new
 * run id; for guardd it stays the run that it was, so that its count goes on.
 */

import { Handles } from "./handles.js";

/** How both releases begin the prompt with which they go on with a turn that a restart interrupted. */
const RESUMPTION = "[System] Your previous turn was interrupted by a gateway restart";
/** The stop reason of a run that is cut off for a restart, to be gone on with after it. */
const RESTART = "restart";
/** Of how many ended runs a late outcome is known as such. */
const MAX_ENDED = 256;

export class Runs {
  #guard;
  #openRuns;
  /** Runs whose start was reported and that have not ended, by run id. */
  #started = new Map();
  /** The runs that ended last. */
  #ended = new Set();
  /** Runs that guardd has aborted and that have not ended yet. */
  #aborted = new Set();
  /** @type {Map<string, string>} the run that a run goes on with, by the gateway's id */
  #continued = new Map();
  #handles = new Handles();
  #endListeners = [];

  /**
   * @param {import("./guard.js").Guard} guard
   * @param {import("./open-runs.js").OpenRuns} openRuns
   */
  constructor(guard, openRuns) {
    this.#guard = guard;
    this.#openRuns = openRuns;
  }

  /** Call `listener(scope)` when a run has ended. */
  onEnd(listener) {
    this.#endListeners.push(listener);
  }

  /**
   * What a call or an event belongs to.
   *
   * @param {{runId?: string, sessionKey?: string, agentId?: string}} event
   * @param {{runId?: string, sessionKey?: string, agentId?: string}} [ctx]
   * @returns {import("./guard.js").Scope}
   */
  scopeOf(event, ctx) {
    const runId = event?.runId ?? ctx?.runId;
    return {
      runId: this.#continued.get(runId) ?? runId,
      sessionKey: event?.sessionKey ?? ctx?.sessionKey,
      agentId: event?.agentId ?? ctx?.agentId,
    };
  }

  /** `before_prompt_build`: notice a turn that goes on after a restart of the gateway. */
  prompted(event, ctx) {
    const { runId, sessionKey } = ctx ?? {};
    if (!runId || !sessionKey || !String(event?.prompt ?? "").includes(RESUMPTION)) {
      return;
    }
    const interrupted = this.#openRuns.find(sessionKey);
    if (interrupted !== undefined && interrupted !== runId) {
      this.#continued.set(runId, interrupted);
      this.#started.delete(interrupted); // a gateway can restart without a new process
      this.#guard.logger.info(`run ${runId} goes on with run ${interrupted}, which a restart interrupted`);
    }
  }

  /** A lifecycle event; each is to be handed over once. */
  lifecycle(event) {
    const phase = event.data?.phase;
    const scope = this.scopeOf(event);
    this.#handles.remember(event.sessionId);
    if (phase === "start" && !this.#started.has(scope.runId)) {
      this.#ended.delete(scope.runId);
      this.#started.set(scope.runId, { scope, sessionId: event.sessionId });
      this.#openRuns.open(scope.sessionKey, scope.runId);
      void this.#guard.ask("run.start", scope);
    } else if (phase === "end" || phase === "error") {
      this.#end(event, scope);
    }
  }

  /**
   * The newest run of a session that is under way, by whatever of the session is known.
   *
   * @param {{sessionKey?: string, sessionId?: string}} session
   * @returns {import("./guard.js").Scope | undefined}
   */
  inSession({ sessionKey, sessionId }) {
    const isIn = (run) =>
      sessionKey === undefined
        ? sessionId !== undefined && run.sessionId === sessionId
        : run.scope.sessionKey === sessionKey;
    return [...this.#started.values()].findLast(isIn)?.scope;
  }

  /**
   * End a run on guardd's word.
   *
   * @param {import("./guard.js").Scope} scope
   * @param {string | undefined} sessionId the gateway's handle of what is to be aborted
   * @param {{detector?: string, count?: number} | undefined} detection why
   */
  async abort(scope, sessionId, detection) {
    if (this.#ended.has(scope.runId)) {
      return; // a late outcome; its session may be in another turn by now
    }
    if (scope.runId !== undefined && this.#aborted.has(scope.runId)) {
      await this.#handles.abort(sessionId); // it goes on, with another attempt perhaps
      return;
    }
    const name = scope.runId ?? scope.sessionKey ?? "without a name";
    const why = detection ? `${detection.detector}, ${detection.count} times` : "its run is aborted";
    if (scope.runId !== undefined) {
      this.#aborted.add(scope.runId);
    }
    const trouble = await this.#handles.abort(sessionId);
    if (trouble === undefined) {
      this.#guard.logger.warn(`guardd ended run ${name} (${why})`);
    } else {
      this.#guard.logger.error(`run ${name} could not be ended, its calls are blocked: ${trouble}`);
    }
  }

  #end(event, scope) {
    this.#started.delete(scope.runId);
    this.#handles.forget(event.sessionId);
    this.#continued.delete(event.runId);
    if (event.data.stopReason === RESTART) {
      return;
    }
    const wasStopped = this.#aborted.delete(scope.runId);
    const isAborted = wasStopped || event.data.aborted === true;
    const status = isAborted ? "aborted" : event.data.phase === "error" ? "failed" : "completed";
    if (!wasStopped) {
      this.#openRuns.close(scope.sessionKey, scope.runId); // 2026.7.1 goes on with an aborted turn after a restart
    }
    this.#ended.add(scope.runId);
    if (this.#ended.size > MAX_ENDED) {
      this.#ended.delete(this.#ended.values().next().value);
    }
    void this.#guard.ask("run.end", { ...scope, status });
    this.#endListeners.forEach((listener) => listener(scope));
  }
}
