/**
 * One connection to guardd: JSON-RPC 2.0, one message a line.
 *
 * - Every request has its own deadline, and a `requestId`: when the connection breaks, a request without an
 *   answer is sent once more on the next one, and guardd counts it once.
 * - After a break the client is patient: requests wait for the daemon to come back, up to their deadline, so
 *   that a restart of the daemon goes unnoticed.
 * - A daemon that is not there, or that hangs, is *down*: requests fail at once, and cost nothing, until the
 *   next attempt is due. Attempts become rarer; an answer resets that.
 */

import { randomUUID } from "node:crypto";
import { createConnection } from "node:net";

import { LineSplitter } from "./lines.js";

/** The longest message that the daemon takes, in bytes. */
const FRAME_LIMIT = 16 * 1024 * 1024;
/** Milliseconds between attempts to connect while patient. */
const PATIENT_PAUSE = 50;
/** Milliseconds between attempts to reach a daemon that is down, before jitter takes up to half off. */
const SHORTEST_PAUSE = 250;
const LONGEST_PAUSE = 10_000;
/** A request at which the connection broke this often may be what breaks it. */
const MAX_SENDS = 2;
/** guardd's error code for a daemon that is going away: nothing was done, and the next one is asked. */
const SHUTTING_DOWN = -32005;

/** There is no answer; the message says why. */
export class GuardUnavailable extends Error {}

/** guardd answered with an error. */
export class GuardError extends Error {
  /** @param {{code?: number, message?: string, data?: {kind?: string}}} error as it came */
  constructor(error) {
    super(String(error?.message ?? "an error without a message"));
    this.code = error?.code;
    this.kind = error?.data?.kind;
  }
}

export class Client {
  #findSockets;
  #timeoutMs;
  #pending = new Map();
  #numbers = 0;
  #socket = null;
  #isConnecting = false;
  #lines = null;
  #isProven = false;
  #heardAt = 0;
  #patientUntil = 0;
  #retryAt = 0;
  #pause = SHORTEST_PAUSE;
  #trouble = "guardd was not asked yet";

  /**
   * @param {object} options
   * @param {() => string[]} options.findSockets the sockets to try, in order; asked at each attempt
   * @param {number} options.timeoutMs how long a request may take
   */
  constructor({ findSockets, timeoutMs }) {
    this.#findSockets = findSockets;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Ask guardd. Requests arrive there in the order in which this is called.
   *
   * @param {string} method
   * @param {object} params without `requestId`
   * @returns {Promise<object>} the result; rejects with `GuardUnavailable` or `GuardError`
   */
  request(method, params) {
    const number = ++this.#numbers;
    const line = encode({ jsonrpc: "2.0", id: number, method, params: { ...params, requestId: randomUUID() } });
    if (Buffer.byteLength(line) > FRAME_LIMIT) {
      return Promise.reject(new GuardError({ message: "the message is longer than guardd takes" }));
    }
    if (!this.#socket && !this.#isConnecting && Date.now() < this.#retryAt) {
      return Promise.reject(new GuardUnavailable(this.#trouble));
    }
    return new Promise((resolve, reject) => {
      const request = { number, line, resolve, reject, sends: 0, sentAt: 0 };
      request.timer = setTimeout(() => this.#expire(request), this.#timeoutMs);
      this.#pending.set(number, request);
      if (this.#socket) {
        this.#send(request);
      } else if (!this.#isConnecting) {
        this.#connect();
      }
    });
  }

  /** Close the connection; what waits for an answer fails, and nothing more is to be asked. */
  close() {
    this.#drop();
    this.#failAll(new GuardUnavailable("the connection was closed"));
  }

  #connect() {
    this.#isConnecting = this.#pending.size > 0;
    if (!this.#isConnecting) {
      return; // nobody waits any longer
    }
    this.#attempt(this.#findSockets(), "no place to look for guardd's socket is safe to use");
  }

  #attempt([path, ...others], trouble) {
    if (path === undefined) {
      this.#connectFailed(trouble);
      return;
    }
    const socket = createConnection({ path });
    let wasConnected = false;
    socket.once("connect", () => {
      wasConnected = true;
      this.#connected(socket);
    });
    socket.on("data", (chunk) => this.#received(socket, chunk));
    socket.on("error", (error) => {
      if (!wasConnected) {
        this.#attempt(others, `guardd cannot be reached at ${path} (${error.code ?? error.message})`);
      }
    });
    // It comes after an error, too. Of a connection that was given up already it says nothing new.
    socket.once("close", () => this.#lost(socket, "guardd closed the connection"));
  }

  #connectFailed(trouble) {
    this.#trouble = trouble;
    if (Date.now() < this.#patientUntil && this.#pending.size > 0) {
      setTimeout(() => this.#connect(), PATIENT_PAUSE);
      return;
    }
    this.#isConnecting = false;
    this.#goDown();
  }

  #connected(socket) {
    this.#isConnecting = false;
    this.#socket = socket;
    this.#lines = new LineSplitter();
    this.#isProven = false;
    for (const request of this.#pending.values()) {
      this.#send(request);
    }
    this.#holdProcess();
  }

  #send(request) {
    request.sends += 1;
    request.sentAt = performance.now();
    this.#holdProcess();
    this.#socket.write(request.line);
  }

  #received(socket, chunk) {
    for (const line of this.#lines?.feed(chunk) ?? []) {
      if (this.#socket !== socket) {
        return;
      }
      this.#read(line);
    }
  }

  #read(line) {
    const message = decode(line);
    if (message === undefined) {
      this.#giveUp("guardd's answer was not understood");
      return;
    }
    if (message.id === null || message.id === undefined) {
      if (message.error) {
        this.#giveUp(`guardd closed the connection: ${message.error.message}`);
      }
      return; // a notification; nothing was subscribed to
    }
    const request = this.#pending.get(message.id);
    if (request && message.error?.code === SHUTTING_DOWN && request.sends < MAX_SENDS) {
      this.#lost(this.#socket, "guardd is shutting down");
      return;
    }
    this.#heardAt = performance.now();
    this.#isProven = true;
    this.#pause = SHORTEST_PAUSE;
    if (request) {
      this.#settle(request, message.error ? new GuardError(message.error) : undefined, message.result);
    }
  }

  #lost(socket, reason) {
    if (this.#socket !== socket) {
      return;
    }
    const wasProven = this.#isProven;
    this.#drop();
    this.#trouble = reason;
    for (const request of [...this.#pending.values()]) {
      if (request.sends >= MAX_SENDS) {
        this.#settle(request, new GuardUnavailable(reason));
      }
    }
    if (!wasProven) {
      this.#goDown();
      return;
    }
    this.#patientUntil = Date.now() + this.#timeoutMs;
    if (this.#pending.size > 0) {
      this.#connect();
    }
  }

  /** Give a request up whose deadline has passed, and with it a daemon that has been silent since. */
  #expire(request) {
    if (!this.#socket) {
      this.#settle(request, new GuardUnavailable(this.#trouble));
      return;
    }
    const reason = "guardd did not answer in time";
    this.#settle(request, new GuardUnavailable(reason));
    if (this.#heardAt <= request.sentAt) {
      this.#giveUp(reason);
    }
  }

  #giveUp(reason) {
    this.#drop();
    this.#trouble = reason;
    this.#goDown();
  }

  #goDown() {
    this.#retryAt = Date.now() + this.#pause * (0.5 + Math.random() / 2);
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
    this.#failAll(new GuardUnavailable(this.#trouble));
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    this.#lines = null;
    socket?.destroy();
  }

  #failAll(error) {
    for (const request of [...this.#pending.values()]) {
      this.#settle(request, error);
    }
  }

  #settle(request, error, result) {
    clearTimeout(request.timer);
    this.#pending.delete(request.number);
    this.#holdProcess();
    if (error) {
      request.reject(error);
    } else {
      request.resolve(result);
    }
  }

  /** Keep the process alive for an answer, but never for an idle connection. */
  #holdProcess() {
    if (this.#pending.size > 0) {
      this.#socket?.ref();
    } else {
      this.#socket?.unref();
    }
  }
}

function encode(message) {
  try {
    return `${JSON.stringify(message)}\n`;
  } catch {
    return `${JSON.stringify(message, dropTheUnspeakable())}\n`;
  }
}

/** A replacer for values that JSON cannot say: a tool may return anything, and must not lose its report. */
function dropTheUnspeakable() {
  const ancestors = [];
  return function replace(_key, value) {
    if (typeof value === "bigint") {
      return String(value);
    }
    if (typeof value !== "object" || value === null) {
      return value;
    }
    while (ancestors.length > 0 && ancestors.at(-1) !== this) {
      ancestors.pop();
    }
    if (ancestors.includes(value)) {
      return "[circular]";
    }
    ancestors.push(value);
    return value;
  };
}

function decode(line) {
  try {
    const message = JSON.parse(line);
    return typeof message === "object" && message !== null ? message : undefined;
  } catch {
    return undefined;
  }
}
