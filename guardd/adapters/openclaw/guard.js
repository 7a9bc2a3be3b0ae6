/**
 * What becomes of a question without an answer, and who is told: the log says once when guardd goes, and once
 * when it is back.
 */

import { Client, GuardError, GuardUnavailable } from "./client.js";
import { socketCandidates } from "./sockets.js";

/** The name of this kind of gateway in guardd. */
const SOURCE = "openclaw";
const DEFAULT_TIMEOUT_MS = 2000;
const ACTIONS = new Set(["allow", "warn", "block", "abort"]);
/** Kinds of errors that pass by themselves. */
const PASSING = new Set(["storage_unavailable", "denied", "overloaded", "shutting_down"]);
/** How many different mistakes are logged; their texts may hold what a model made up. */
const MAX_MISTAKES = 100;

/** @typedef {{runId?: string, sessionKey?: string, agentId?: string}} Scope what a call belongs to */

export class Guard {
  #client;
  #config;
  #isAway = false;
  #missed = 0;
  #mistakes = new Set();

  /** @param {{info: Function, warn: Function, error: Function}} logger */
  constructor(logger) {
    this.logger = logger;
  }

  /** Whether calls are to be blocked while guardd gives no answer. */
  get failClosed() {
    return this.#config?.failClosed === true;
  }

  /**
   * Take the plugin's configuration; the connection stays if nothing changed.
   *
   * @param {{socketPath?: string, failClosed?: boolean, timeoutMs?: number}} config
   */
  configure(config = {}) {
    if (this.#client && JSON.stringify(config) === JSON.stringify(this.#config)) {
      return;
    }
    this.#client?.close();
    this.#config = config;
    this.#client = new Client({
      findSockets: () => socketCandidates(config.socketPath),
      timeoutMs: config.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    });
  }

  /**
   * Ask guardd, or report something to it; never rejects.
   *
   * @param {string} method
   * @param {Scope & object} params
   * @returns {Promise<{answer?: object, trouble?: string}>} the result, or why there is none
   */
  async ask(method, params) {
    try {
      const answer = await this.#client.request(method, { source: SOURCE, ...params });
      this.#noteAnswer();
      if (method.startsWith("tool.") && !ACTIONS.has(answer?.action)) {
        throw new GuardError({ message: "its verdict was not understood" });
      }
      return { answer };
    } catch (error) {
      const trouble = String(error?.message ?? error);
      if (error instanceof GuardUnavailable || PASSING.has(error?.kind)) {
        this.#noteOutage(trouble);
      } else {
        this.#noteMistake(method, trouble);
      }
      return { trouble };
    }
  }

  #noteAnswer() {
    if (this.#isAway) {
      this.#isAway = false;
      this.logger.info(`guardd answers again; it missed ${this.#missed} requests`);
    }
  }

  #noteOutage(trouble) {
    if (!this.#isAway) {
      this.#isAway = true;
      this.#missed = 0;
      const consequence = this.failClosed ? "tool calls are blocked until it answers" : "tool calls go on unguarded";
      this.logger.warn(`${trouble}; ${consequence}`);
    }
    this.#missed += 1;
  }

  /** Log what no waiting will mend: once for each text, since a loop would repeat it. */
  #noteMistake(method, trouble) {
    const text = `guardd did not take ${method}: ${trouble}`;
    if (!this.#mistakes.has(text) && this.#mistakes.size < MAX_MISTAKES) {
      this.#mistakes.add(text);
      this.logger.error(text);
    }
  }
}

/**
 * The text that the model should see now.
 *
 * @param {object | undefined} verdict of `tool.before` or `tool.after`
 * @returns {string | undefined} nothing for `allow`, and for a warning that was shown a short while ago
 */
export function noticeOf(verdict) {
  const detection = verdict?.detection;
  return verdict?.action !== "allow" && detection?.notify ? detection.message : undefined;
}
