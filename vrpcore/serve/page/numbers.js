/** Numbers as they are shown. */

const LOCALE = 'en-GB';

/** A cost: whole numbers whole, others with about six digits, all shown, for columns. */
export function cost(value) {
  return amount(value, true);
}

/** A load or demand, also in several dimensions: as a cost, without zeros at its end. */
export function amount(value, padded = false) {
  if (Array.isArray(value)) return value.map((each) => amount(each, padded)).join(', ');
  if (typeof value !== 'number' || !Number.isFinite(value)) return '–';
  if (Number.isInteger(value)) return value.toLocaleString(LOCALE);
  const size = Math.abs(value);
  const digits = size >= 1000 ? 1 : size >= 10 ? 3 : 4;
  return value.toLocaleString(LOCALE, { maximumFractionDigits: digits, minimumFractionDigits: padded ? digits : 0 });
}

/** A span of time. */
export function seconds(value) {
  if (!Number.isFinite(value)) return '–';
  if (value < 1) return `${Math.max(1, Math.round(value * 1000))} ms`;
  return `${value.toFixed(value < 100 ? 1 : 0)} s`;
}

/** A length in metres. */
export function kilometres(metres) {
  return `${amount(Math.round(metres / 100) / 10)} km`;
}

/** A share, as in `1.2 %`. */
export function percent(value) {
  return `${(100 * value).toFixed(2)} %`;
}

/** A number of things, as in `1 route` and `3 routes`. */
export function count(number, noun) {
  return `${number.toLocaleString(LOCALE)} ${noun}${number === 1 ? '' : 's'}`;
}

/** A file's size. */
export function bytes(size) {
  if (size < 1000) return `${size} bytes`;
  return size < 1e6 ? `${Math.round(size / 1000)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}
