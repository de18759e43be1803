// What a command is refused for.

/** A refusal that the daemon turns into one of its errors. */
export class Refusal extends Error {
  /** @param {string} reason @param {object} facts */
  constructor(reason, facts = {}) {
    super(reason);
    /** @type {Record<string, any>} */
    this.facts = { error: reason, ...facts };
  }
}
