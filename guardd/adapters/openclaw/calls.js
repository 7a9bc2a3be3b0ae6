/**
 * Tool calls: asked about before, reported after, each once.
 *
 * A call passes up to three places of the gateway: `before_tool_call`, the tool-result middleware, and
 * `after_tool_call`. Outcomes are reported from the middleware, where the result is still raw. What never gets
 * there (a tool that does not exist, arguments that fail the schema, a call that another guard vetoed, one
 * that was aborted) is reported from `after_tool_call`. What those three have in common is the call's id, and
 * ids repeat: some providers send the same one every time, so an id stands for a queue of calls.
 */

import { noticeOf } from "./guard.js";

/** Calls of tools that are run outside of a turn are never reported as ended. */
const MAX_OPEN_CALLS = 1000;
/** `after_tool_call` is not awaited, so it may come when its run has ended already. */
const KEPT_AFTER_RUN_MS = 60_000;
/** How the gateway words that it did not even try a call. */
const NEVER_BEGAN = /^(Tool .+ not found|Validation failed for tool )/;

/**
 * @typedef {object} OpenCall a call that was asked about and has not passed `after_tool_call` yet
 * @property {string} id the provider's
 * @property {string} toolName
 * @property {object} args those asked with
 * @property {import("./guard.js").Scope} scope
 * @property {string | undefined} sessionId
 * @property {string | undefined} notice a warning that the model has not seen yet
 * @property {boolean} isReported
 */

export class Calls {
  #guard;
  #runs;
  /** @type {Map<string, OpenCall[]>} by id, oldest first */
  #open = new Map();
  #count = 0;
  /** @type {Map<string, string>} warnings of calls without a result to show them in, by run */
  #owedNotices = new Map();

  /**
   * @param {import("./guard.js").Guard} guard
   * @param {import("./runs.js").Runs} runs
   */
  constructor(guard, runs) {
    this.#guard = guard;
    this.#runs = runs;
  }

  /**
   * `before_tool_call`: ask whether the call may be made.
   *
   * @returns {Promise<{block: true, blockReason: string} | undefined>}
   */
  async before(event, ctx) {
    const call = this.#begin(event, ctx);
    const { answer, trouble } = await this.#guard.ask("tool.before", describe(call));
    if (!answer) {
      if (!this.#guard.failClosed) {
        return undefined;
      }
      call.isReported = true; // guardd does not know of it, and it is not made
      return block(`guardd could not be asked, and tool calls are blocked while it is away: ${trouble}`);
    }
    call.notice = noticeOf(answer);
    if (answer.action !== "block" && answer.action !== "abort") {
      return undefined;
    }
    call.notice = undefined; // the model sees it in place of a result
    if (answer.action === "abort") {
      await this.#runs.abort(call.scope, call.sessionId, answer.detection);
    }
    return block(answer.detection?.message ?? "Blocked by guardd.");
  }

  /**
   * The tool-result middleware: report the raw result, and append a warning for the model.
   *
   * @returns {Promise<{result: object} | undefined>} undefined leaves the result as it is
   */
  async result(event, ctx) {
    const call = this.#find(event.toolCallId, (other) => isUnreported(other) && isSame(other, event, ctx), event.args);
    if (!call) {
      return undefined; // it was not asked about; after_tool_call knows more of it
    }
    call.isReported = true;
    const answer = await this.#report(call, { result: event.result });
    const notice = noticeOf(answer) ?? call.notice ?? this.#takeOwedNotice(call.scope);
    call.notice = undefined;
    return notice === undefined ? undefined : { result: withNotice(event.result, notice) };
  }

  /** `after_tool_call`: report what the middleware did not see. */
  async after(event, ctx) {
    const call = this.#findEnded(event, ctx);
    if (call) {
      this.#forget(call);
      if (!call.isReported) {
        await this.#report(call, outcomeOf(event));
      }
      return;
    }
    const unasked = this.#describe(event, ctx);
    const answer = await this.#report(unasked, outcomeOf(event));
    const notice = noticeOf(answer);
    if (notice !== undefined && answer.action === "warn") {
      this.#owedNotices.set(runKey(unasked.scope), notice);
    }
  }

  /** Forget a run that has ended; its calls a little later. */
  endRun(scope) {
    this.#owedNotices.delete(runKey(scope));
    const ended = [...this.#open.values()].flat().filter((call) => runKey(call.scope) === runKey(scope));
    if (ended.length > 0) {
      setTimeout(() => ended.forEach((call) => this.#forget(call)), KEPT_AFTER_RUN_MS).unref();
    }
  }

  #describe(event, ctx) {
    return {
      id: event.toolCallId ?? ctx?.toolCallId,
      toolName: event.toolName,
      args: event.params,
      scope: this.#runs.scopeOf(event, ctx),
      sessionId: ctx?.sessionId,
      notice: undefined,
      isReported: false,
    };
  }

  #begin(event, ctx) {
    const call = this.#describe(event, ctx);
    const queue = this.#open.get(call.id);
    if (queue) {
      queue.push(call);
    } else {
      this.#open.set(call.id, [call]);
    }
    this.#count += 1;
    if (this.#count > MAX_OPEN_CALLS) {
      this.#forget(this.#open.values().next().value[0]);
    }
    return call;
  }

  #forget(call) {
    const queue = this.#open.get(call.id) ?? [];
    const index = queue.indexOf(call);
    if (index < 0) {
      return;
    }
    queue.splice(index, 1);
    this.#count -= 1;
    if (queue.length === 0) {
      this.#open.delete(call.id);
    }
  }

  /** The oldest call with this id that fits, one with the same arguments first: a hook may rewrite them. */
  #find(id, fits, args) {
    const candidates = (this.#open.get(id) ?? []).filter(fits);
    return candidates.find((call) => sameValue(call.args, args)) ?? candidates[0];
  }

  #findEnded(event, ctx) {
    const id = event.toolCallId ?? ctx?.toolCallId;
    const runId = this.#runs.scopeOf(event, ctx).runId;
    const queue = (this.#open.get(id) ?? []).filter(
      (call) => call.toolName === event.toolName && call.scope.runId === runId,
    );
    // Identical calls are interchangeable, but what the middleware has reported has ended before what it has not.
    const candidates = [...queue.filter((call) => call.isReported), ...queue.filter(isUnreported)];
    const exact = candidates.find((call) => sameValue(call.args, event.params));
    return exact ?? (NEVER_BEGAN.test(event.error ?? "") ? undefined : candidates[0]);
  }

  async #report(call, outcome) {
    const { answer } = await this.#guard.ask("tool.after", { ...describe(call), ...outcome });
    if (answer?.action === "abort") {
      await this.#runs.abort(call.scope, call.sessionId, answer.detection);
    }
    return answer;
  }

  #takeOwedNotice(scope) {
    const key = runKey(scope);
    const notice = this.#owedNotices.get(key);
    this.#owedNotices.delete(key);
    return notice;
  }
}

function describe(call) {
  return { ...call.scope, toolName: call.toolName, toolCallId: call.id, args: call.args };
}

/**
 * What to report where there was no middleware.
 *
 * A tool that fails hands its failure over as a result, so the error's text is taken only where there is
 * nothing else: the gateway's own words for a call that it did not make.
 */
function outcomeOf({ error, result, durationMs }) {
  const isBare = typeof error === "string" && (result === undefined || !hasMembers(result?.details));
  return { ...(isBare ? { error } : { result: result ?? null }), durationMs };
}

function hasMembers(value) {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

function isUnreported(call) {
  return !call.isReported;
}

/** Whether the middleware speaks of this call; not every release tells it the run and the session. */
function isSame(call, event, ctx) {
  return (
    call.toolName === event.toolName &&
    (ctx?.sessionKey === undefined || call.scope.sessionKey === undefined || call.scope.sessionKey === ctx.sessionKey)
  );
}

function runKey(scope) {
  return scope.runId ?? `session:${scope.sessionKey}`;
}

function sameValue(left, right) {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

function block(blockReason) {
  return { block: true, blockReason };
}

function withNotice(result, notice) {
  return { ...result, content: [...(result?.content ?? []), { type: "text", text: notice }] };
}
