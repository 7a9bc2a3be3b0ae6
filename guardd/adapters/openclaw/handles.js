/**
 * How a run is ended in the gateway.
 *
 * The gateway's own function looks the run up among those that are under way. From 2026.7.1's list a run is
 * missing after an overflow inside an attempt: it is taken off when the model's error is seen, and goes on after
 * the compaction all the same. Its handle is therefore remembered while it is on the list.
 */

/** Where both releases keep the list, for copies of their own code that are loaded twice. */
const EMBEDDED_RUN_STATE = Symbol.for("openclaw.embeddedRunState");

export class Handles {
  /** @type {Map<string, {abort?: Function}>} by session id */
  #known = new Map();

  /** Note the handle of the run that a session is in. */
  remember(sessionId) {
    const handle = globalThis[EMBEDDED_RUN_STATE]?.activeRuns?.get?.(sessionId);
    if (typeof handle?.abort === "function") {
      this.#known.set(sessionId, handle);
    }
  }

  /** Forget the handle of a run that has ended. */
  forget(sessionId) {
    this.#known.delete(sessionId);
  }

  /**
   * End the run that a session is in.
   *
   * @param {string | undefined} sessionId
   * @returns {Promise<string | undefined>} why it could not be ended, else nothing
   */
  async abort(sessionId) {
    if (!sessionId) {
      return "the gateway did not say which session it belongs to";
    }
    try {
      // Imported only here: outside of a gateway there is no such module.
      const { abortAgentHarnessRun } = await import("openclaw/plugin-sdk/agent-harness-runtime");
      if (abortAgentHarnessRun(sessionId)) {
        return undefined;
      }
      const handle = this.#known.get(sessionId);
      if (!handle) {
        return "the gateway knows no run of its session";
      }
      handle.abort();
      return undefined;
    } catch (error) {
      return String(error?.message ?? error);
    }
  }
}
