/** JSON as it was written. */

const LONG = /[^\d.]\d{16}/; // there may be an integer beyond 2^53
const INTEGER = /^-?\d+$/;

/**
 * Parses JSON; ids beyond 2^53, which numbers here do not hold, are texts with all their digits.
 * @param {string} text
 * @param {boolean} listed Integers in lists are ids as well, as in answers.
 * @returns {any}
 * @throws {SyntaxError}
 */
export function parseJson(text, listed = false) {
  if (!LONG.test(text)) return JSON.parse(text);
  return JSON.parse(text, function exact(key, value, context) {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const written = context?.source; // older browsers do not tell it
    const isId = key === 'id' || (listed && Array.isArray(this));
    return isId && INTEGER.test(written) ? written : value;
  });
}
