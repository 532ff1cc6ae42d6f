/** Times as they are shown: of a day where the instance has such, else as numbers. */

import { amount } from './numbers.js';

const STEPS_S = [60, 300, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400];
const SECOND_STEPS = [1, 5, 15, 30];
const DAY_S = 86400;
const EPOCH_S = 1e8; // seconds from here on are counted since 1970, not since midnight

/** How an instance's times are written. */
export class Clock {
  /**
   * @param {number|null} unit Seconds in the instance's unit of time; null: times are numbers.
   * @param {number} earliest A time of the instance; of dates, it tells the first day.
   */
  constructor(unit, earliest = 0) {
    this.unit = unit;
    this.dated = unit !== null && earliest * unit >= EPOCH_S;
    this.day = this.dated ? Math.floor((earliest * unit) / DAY_S) * DAY_S : 0;
  }

  /** The first day in words where times are dates, else empty. */
  get date() {
    return this.dated ? `${dateOf(this.day)}, UTC` : '';
  }

  /** Whether a time can stand among the others: of dates, it is one. */
  holds(value) {
    return !this.dated || value * this.unit >= EPOCH_S;
  }

  /** A time; with its date where that is another one than the first. */
  time(value) {
    if (!Number.isFinite(value)) return '–';
    if (this.unit === null) return amount(value);
    return this.#parts(value).filter(Boolean).join(' ');
  }

  /** A length of time, in words. */
  span(value) {
    if (!Number.isFinite(value)) return '–';
    if (this.unit === null) return amount(value);
    const seconds = value * this.unit;
    if (seconds > 0 && seconds < 59.5) return `${Math.max(1, Math.round(seconds))} s`;
    const minutes = Math.round(seconds / 60);
    const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
    return [hours ? `${hours} h` : '', rest || !hours ? `${rest} min` : ''].filter(Boolean).join(' ');
  }

  /**
   * Places of an axis, in order.
   * @param {number} most How many there is room for.
   * @returns {{at: number, label: string}[]}
   */
  ticks(low, high, most) {
    const unit = this.unit ?? 1;
    const step = this.unit === null ? roundStep((high - low) / most)
      : ([...(unit < 60 ? SECOND_STEPS : []), ...STEPS_S].find((each) => ((high - low) * unit) / each <= most)
        ?? DAY_S * Math.ceil(((high - low) * unit) / DAY_S / most)) / unit;
    const first = Math.ceil(low / step);
    const number = Math.min(2 * most, Math.floor(high / step) - first) + 1;
    const places = Array.from({ length: Math.max(0, number) }, (_, index) => (first + index) * step + 0); // never -0
    return places.map((at) => ({ at, label: this.#label(at) }));
  }

  /** Of an axis: midnight after the first day is a date. */
  #label(at) {
    if (!this.dated) return this.time(at);
    const [date, clock] = this.#parts(at);
    return date && clock === '00:00' ? date : clock;
  }

  /** The date where it is another one than the first, and the time of day: whole minutes where that is as exact. */
  #parts(value) {
    const seconds = this.unit < 60 ? Math.round(value * this.unit) : 60 * Math.floor((value * this.unit) / 60 + 0.5);
    const day = this.dated ? Math.floor(seconds / DAY_S) * DAY_S : 0;
    return [day === this.day ? '' : dateOf(day), clockOf(seconds - day)];
  }
}

function clockOf(seconds) {
  const [sign, rest] = [seconds < 0 ? '-' : '', Math.abs(seconds)];
  const parts = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60];
  if (rest % 60) parts.push(rest % 60);
  return sign + parts.map((part) => String(part).padStart(2, '0')).join(':');
}

function dateOf(seconds) {
  return new Date(1000 * seconds).toISOString().slice(0, 10);
}

/** 1, 2 or 5 times a power of ten, not below a number. */
function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least > 0 ? least : 1));
  return [1, 2, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) * power;
}
