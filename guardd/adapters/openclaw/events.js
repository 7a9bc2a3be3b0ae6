/** The gateway's agent events, each once: registering several times doubles a subscription. */

/** How many events are remembered; doubles come one right after the other. */
const MEMORY = 256;

export class Events {
  #seen = new Set();
  #handlers;

  /** @param {Record<string, ((event: object) => void)[]>} handlers by stream, called in order */
  constructor(handlers) {
    this.#handlers = handlers;
  }

  /** @param {{runId: string, stream: string, seq?: number, ts?: number, data: object}} event */
  handle(event) {
    const handlers = this.#handlers[event?.stream];
    if (handlers && this.#isNew(event)) {
      handlers.forEach((handler) => handler(event));
    }
  }

  #isNew({ runId, seq, ts }) {
    if (seq === undefined) {
      return true;
    }
    // The number alone begins anew where a run is known no longer.
    const key = `${runId}\n${seq}\n${ts}`;
    if (this.#seen.has(key)) {
      return false;
    }
    this.#seen.add(key);
    if (this.#seen.size > MEMORY) {
      this.#seen.delete(this.#seen.values().next().value);
    }
    return true;
  }
}
