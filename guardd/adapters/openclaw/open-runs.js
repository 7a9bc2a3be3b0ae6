/**
 * Which run each session is in, in small files that outlive the process: after a restart the gateway goes on
 * with an interrupted turn, but does not say which run it was.
 */

import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export class OpenRuns {
  #directory;
  #tell;

  /**
   * @param {string | undefined} directory where the files are, made when needed; nothing is remembered without it
   * @param {(text: string) => void} tell told when a file cannot be written
   */
  constructor(directory, tell) {
    this.#directory = directory;
    this.#tell = tell;
  }

  /** Note that a run has begun in a session. */
  open(sessionKey, runId) {
    if (!this.#directory || !sessionKey || !runId) {
      return;
    }
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      writeFileSync(this.#file(sessionKey), runId, { mode: 0o600 });
    } catch (error) {
      this.#tell(`a restart of the gateway will begin a new run: ${error.message}`);
    }
  }

  /** Note that a run has ended; of another run of the session the note stays. */
  close(sessionKey, runId) {
    if (this.find(sessionKey) === runId) {
      rmSync(this.#file(sessionKey), { force: true });
    }
  }

  /** @returns {string | undefined} the run that was last begun in the session, if it was not closed */
  find(sessionKey) {
    if (!this.#directory || !sessionKey) {
      return undefined;
    }
    try {
      return readFileSync(this.#file(sessionKey), "utf8") || undefined;
    } catch {
      return undefined;
    }
  }

  #file(sessionKey) {
    return join(this.#directory, createHash("sha256").update(sessionKey).digest("hex").slice(0, 32));
  }
}
