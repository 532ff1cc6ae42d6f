/** When vehicles leave, arrive and are back, in float64: of routes that a model of variants covers. */

import { exactSum, lengthOf } from './problem.js';

const TIME_TOLERANCE = 1e-9; // of the span of an instance's times: what rounding may add up to
const FAR = 1e-4; // of the largest time, where that is more than the span

/**
 * @typedef {Object} Route
 * @property {number} vehicle Index of its type.
 * @property {number[]} stops 0..N-1 in visiting order, at least one.
 */

/**
 * @typedef {Object} Schedule With the least duration, and among such the earliest departure.
 * @property {number} departure
 * @property {number} end Back at the depot; of the last service where the end is open.
 * @property {number} distance
 * @property {number[]} arrivals Waiting not yet included.
 * @property {number[]} begins Of service.
 */

/** Schedules routes of one problem. */
export class Timetable {
  /**
   * @param {import('./problem.js').Problem} problem
   * @param {import('./rules.js').Rules} rules That the model covers.
   */
  constructor(problem, rules) {
    this.rules = rules;
    this.length = lengthOf(problem);
    this.slack = TIME_TOLERANCE * span(rules); // how much too late counts as in time
  }

  /**
   * The best times of a route; null where some window cannot be met.
   * @param {Route} route
   * @returns {Schedule|null}
   */
  schedule(route) {
    const way = this.#way(route);
    const first = this.#run(way, way.earliest);
    const departure = way.earliest + (first ? usefulDelay(way, first) : 0);
    const run = first && this.#run(way, departure);
    if (!run) return null;
    const size = route.stops.length;
    return {
      departure,
      end: run.begins.at(-1) + way.services.at(-1),
      distance: exactSum(way.lengths),
      arrivals: run.arrivals.slice(0, size),
      begins: run.begins.slice(0, size),
    };
  }

  /** The places behind the start depot: the legs to them, their windows and services. */
  #way({ vehicle, stops }) {
    const { depots, vehicles, stops: known, speed } = this.rules;
    const { start, end, window: [early, latest], speed: factor } = vehicles[vehicle];
    const nodes = [start, ...stops.map((stop) => depots.length + stop), ...(end === null ? [] : [end])];
    const lengths = nodes.slice(1).map((node, index) => this.length(nodes[index], node));
    const ends = end === null ? [] : [{ windows: [depots[end].window], service: 0 }];
    const places = [...stops.map((stop) => known[stop]), ...ends];
    return {
      earliest: Math.max(early, depots[start].window[0]),
      latest,
      lengths,
      legs: lengths.map((length) => length / speed / factor),
      windows: places.map(({ windows }) => windows[0]),
      services: places.map(({ service }) => service),
    };
  }

  /** Arrivals and begins after a departure; null where something is too late. */
  #run({ legs, windows, services, latest }, departure) {
    let now = departure;
    const arrivals = [];
    const begins = [];
    for (let place = 0; place < legs.length; place += 1) {
      now += legs[place];
      arrivals.push(now);
      if (now > windows[place][1] + this.slack) return null;
      now = Math.max(now, windows[place][0]);
      begins.push(now);
      now += services[place];
    }
    return now > latest + this.slack ? null : { arrivals, begins };
  }
}

/** How much later to leave, so that nobody waits longer than must be. */
function usefulDelay({ windows }, { arrivals, begins }) {
  let waited = 0;
  let room = Infinity;
  begins.forEach((begin, place) => {
    waited += begin - arrivals[place];
    room = Math.min(room, windows[place][1] - begin + waited);
  });
  return Math.max(0, Math.min(waited, room));
}

/** Latest minus earliest time; at least 1, and the share of the largest that rounding needs. */
function span({ depots, vehicles, stops }) {
  const windows = [...depots, ...vehicles].map(({ window }) => window).concat(stops.map((stop) => stop.windows[0]));
  const times = windows.flat().filter(Number.isFinite);
  if (!times.length) return 1;
  const [first, last] = [Math.min(...times), Math.max(...times)];
  return Math.max(1, last - first, FAR * Math.max(Math.abs(first), Math.abs(last)));
}
