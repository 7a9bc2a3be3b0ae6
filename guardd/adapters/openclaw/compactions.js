/**
 * Compactions of a run's context, and whether the turn is tried again after them; only then does guardd arm its
 * post-compaction guard. They happen in three ways:
 *
 * 1. An overflow inside an attempt: a compaction event with `willRetry: true` and the run's id.
 * 2. An overflow that the outer runner sees: the hooks without any such event, and then the run's lifecycle
 *    starts again.
 * 3. A threshold that was reached: a compaction event with `willRetry: false`, then `after_compaction`; or, at
 *    the end of a turn, the hooks only. Nothing is tried again.
 */

export class Compactions {
  #guard;
  #runs;
  /** Runs whose compaction was told by an event, and whose hook is still to come. */
  #told = new Set();
  /** Compactions that only a hook has told of; what comes next says whether the turn is tried again. By run. */
  #untold = new Map();

  /**
   * @param {import("./guard.js").Guard} guard
   * @param {import("./runs.js").Runs} runs
   */
  constructor(guard, runs) {
    this.#guard = guard;
    this.#runs = runs;
  }

  /** `after_compaction`: it names a session, no run. */
  compacted(event, ctx) {
    const run = this.#runs.inSession(ctx ?? {});
    if (!run || this.#told.delete(run.runId) || event?.compactedCount === 0) {
      return;
    }
    this.#untold.set(run.runId, { tokensAfter: size(event?.tokenCount) });
  }

  /** A compaction event; each is to be handed over once. */
  compactionEvent(event) {
    const { phase, completed, willRetry } = event.data ?? {};
    if (phase !== "end" || typeof willRetry !== "boolean") {
      return; // one without it only carries a hook's messages to the user
    }
    const scope = this.#runs.scopeOf(event);
    // Its hook may be quicker than the event. It comes even if the compaction came to nothing.
    if (!this.#untold.delete(scope.runId) && !willRetry) {
      this.#told.add(scope.runId);
    }
    if (completed !== false) {
      this.#record(scope, willRetry);
    }
  }

  /** A lifecycle event; each is to be handed over once. */
  lifecycle(event) {
    const phase = event.data?.phase;
    if (phase !== "start" && phase !== "end" && phase !== "error") {
      return;
    }
    const scope = this.#runs.scopeOf(event);
    const compaction = this.#untold.get(scope.runId);
    this.#untold.delete(scope.runId);
    this.#told.delete(scope.runId);
    if (compaction) {
      this.#record(scope, phase === "start", compaction);
    }
  }

  /** `before_tool_call`: the run goes on, so nothing is tried again after a compaction before it. */
  callBegins(event, ctx) {
    const scope = this.#runs.scopeOf(event, ctx);
    const compaction = this.#untold.get(scope.runId);
    if (compaction) {
      this.#untold.delete(scope.runId);
      this.#record(scope, false, compaction);
    }
  }

  #record(scope, willRetry, sizes = {}) {
    void this.#guard.ask("compaction.record", {
      ...scope,
      willRetry,
      reason: willRetry ? "overflow" : "threshold",
      ...sizes,
    });
  }
}

function size(value) {
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
