/** Bytes to lines. */

const NEWLINE = 0x0a;

export class LineSplitter {
  #parts = [];

  /**
   * Take what the stream brought.
   *
   * @param {Buffer} chunk
   * @returns {string[]} the lines that it completed, without their ends
   */
  feed(chunk) {
    const lines = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#parts.push(chunk.subarray(start, end));
      // Joined before it is decoded: a character's bytes may have come in two chunks.
      lines.push(Buffer.concat(this.#parts).toString("utf8"));
      this.#parts = [];
      start = end + 1;
    }
    if (start < chunk.length) {
      this.#parts.push(chunk.subarray(start));
    }
    return lines;
  }
}
