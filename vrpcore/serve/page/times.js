/** What an instance says of times, as far as they are drawn. */

import { Clock } from './clock.js';
import { stopsOf } from './constraints.js';

const ALWAYS = [-Infinity, Infinity];
const OF_INSTANCES = ['durations', 'matrices', 'speed'];
const OF_STOPS = ['window', 'windows', 'service', 'setup', 'release', 'service_by_vehicle', 'setup_by_vehicle', 'late_cost', 'max_late'];
const OF_DEPOTS = ['window', 'service'];
const OF_VEHICLES = [
  'window', 'max_duration', 'max_travel_time', 'latest_start', 'duration_cost', 'travel_cost', 'breaks', 'speed',
  'max_overtime', 'overtime_cost', 'max_late', 'late_cost',
];

/**
 * @typedef {Object} Visit
 * @property {[number, number][]} windows When service may begin; none: always.
 * @property {(vehicle: string) => {service: number, setup: number}} lasts
 * @property {string|number} location The same for stops at the same location.
 */

/**
 * @typedef {Object} Bar What a vehicle does for a while.
 * @property {'travel'|'waiting'|'service'|'break'|'loading'} kind
 * @property {number} begin
 * @property {number} end
 * @property {number} stop Of its route, from 0; -1: none.
 */

/** Times of one instance. */
export class Times {
  /**
   * @param {import('./problem.js').Problem} problem
   * @param {number|null} unit Seconds in its unit of time where times are times of day.
   */
  constructor(problem, unit) {
    const { source } = problem;
    const stops = stopsOf(source);
    const vehicles = source.vehicles ?? [];
    const first = problem.depots.length;
    this.visits = stops.map((stop, index) => visitOf(stop, locationOf(problem, stop, first + index)));
    this.depots = problem.depots.map((id, index) => ({
      id,
      window: window(source.depots[index].window),
      loading: source.depots[index].service ?? 0,
      location: locationOf(problem, source.depots[index], index),
    }));
    this.vehicles = new Map(vehicles.map((vehicle, index) => [vehicle.id ?? String(index), vehicleOf(vehicle)]));
    const bounds = [
      ...this.visits.flatMap(({ windows }) => windows), ...[...this.vehicles.values(), ...this.depots].map((each) => each.window),
    ];
    const known = bounds.map(([begin]) => begin).filter((begin) => begin > 0 && begin < Infinity);
    this.clock = new Clock(unit, known.reduce((a, b) => Math.min(a, b), known.length ? Infinity : 0));
    this.said = problem.lacksMatrices || OF_INSTANCES.some((key) => key in source)
      || stops.some((stop) => OF_STOPS.some((key) => key in stop))
      || source.depots.some((depot) => OF_DEPOTS.some((key) => key in depot))
      || vehicles.some((vehicle) => OF_VEHICLES.some((key) => key in vehicle));
  }

  /** When a route's vehicle may be under way. @returns {[number, number]} */
  shift({ vehicle, start, end }) {
    const own = this.vehicles.get(String(vehicle ?? '0'))?.window ?? [0, Infinity];
    const of = (id) => this.#depot(id)?.window ?? ALWAYS;
    return [Math.max(own[0], of(start)[0]), Math.min(own[1], of(end)[1])];
  }

  /**
   * What a route's vehicle does, from departure to return.
   * @param {object} route Of a solution.
   * @param {number[]} stops Its stops by number, from 0.
   * @returns {Bar[]|null} null where the route does not state its times.
   */
  bars(route, stops) {
    const { arrivals, begins, departure, return: back } = route;
    const loaded = reloadsOf(route).flatMap(({ arrival, begin }) => [arrival, begin]);
    const stated = [departure, back, ...list(arrivals), ...list(begins), ...loaded].every(Number.isFinite)
      && list(arrivals).length === stops.length && list(begins).length === stops.length;
    if (!stated) return null;
    const found = [];
    const add = (kind, begin, end, stop) => { if (end > begin || kind === 'service') found.push({ kind, begin, end, stop }); };
    const rests = list(route.breaks).filter((rest) => Number.isFinite(rest?.begin));
    const vehicle = String(route.vehicle ?? '0');
    const lasting = this.vehicles.get(vehicle)?.breaks ?? new Map();
    const reloads = new Map(reloadsOf(route).map((each) => [each.after, each]));
    let now = departure;
    let { location } = this.#depot(route.start) ?? {};
    const load = (depot, begin) => {
      now = begin + (this.#depot(depot)?.loading ?? 0);
      add('loading', begin, now, -1);
    };
    const rest = (after, at) => {
      for (const each of rests.filter((one) => one.after === after && one.at === at)) {
        add('waiting', now, each.begin, -1);
        now = each.begin + (lasting.get(String(each.id)) ?? 0);
        add('break', each.begin, now, -1);
      }
    };
    load(route.start, departure);
    stops.forEach((stop, index) => {
      rest(index);
      const reload = reloads.get(index);
      if (reload) {
        add('travel', now, reload.arrival, -1);
        add('waiting', reload.arrival, reload.begin, -1);
        load(reload.depot, reload.begin);
        location = this.#depot(reload.depot)?.location;
        rest(index, 'reload');
      }
      const visit = this.visits[stop];
      const { service, setup } = visit.lasts(vehicle);
      add('travel', now, arrivals[index], index);
      add('waiting', arrivals[index], begins[index], index);
      now = begins[index] + service + (visit.location === location ? 0 : setup);
      add('service', begins[index], now, index);
      location = visit.location;
    });
    rest(stops.length);
    add('travel', now, back, -1);
    return found;
  }

  /** A route's depot; undefined: it has none there. */
  #depot(id) {
    return this.depots.find((depot) => depot.id === String(id));
  }

  /** A stop's windows in words. */
  windowWords(stop) {
    return this.visits[stop].windows.map(([opens, closes]) => {
      if (closes === Infinity) return `from ${this.clock.time(opens)}`;
      return opens === -Infinity ? `until ${this.clock.time(closes)}` : `${this.clock.time(opens)} to ${this.clock.time(closes)}`;
    }).join(', ');
  }
}

/** Where a route's vehicle ends a trip and begins the next. */
export function reloadsOf({ reloads }) {
  return list(reloads).filter((each) => Number.isInteger(each?.after));
}

/**
 * When a vehicle is late: from when a stop, or the return, was due; and its overtime.
 * @param {object} route Of a solution, with its times.
 * @returns {[number, number][]}
 */
export function lateSpans(route) {
  const stops = list(route.late).map((late, stop) => [late, route.begins[stop]]);
  const ends = [route.late_return, route.overtime].map((late) => [late, route.return]);
  return [...stops, ...ends].filter(([late]) => late > 0).map(([late, at]) => [at - late, at]);
}

function list(value) {
  return Array.isArray(value) ? value : [];
}

function visitOf({ service = 0, setup = 0, ...stop }, location) {
  const windows = stop.windows ?? (stop.window ? [stop.window] : []);
  const at = (table, vehicle, otherwise) => (Object.hasOwn(table ?? {}, vehicle) ? table[vehicle] : otherwise);
  return {
    windows: windows.map(window),
    lasts: (vehicle) => ({
      service: at(stop.service_by_vehicle, vehicle, service),
      setup: at(stop.setup_by_vehicle, vehicle, setup),
    }),
    location,
  };
}

function vehicleOf({ breaks = [], window: shift }) {
  const [opens, closes] = window(shift);
  return {
    window: [Math.max(0, opens), closes],
    breaks: new Map(breaks.map(({ id, duration = 0 }, index) => [id ?? String(index), duration])),
  };
}

/** Null stands for an end that is open. */
function window([opens, closes] = ALWAYS) {
  return [opens ?? -Infinity, closes ?? Infinity];
}

/** Names a node's location; the same for nodes at the same one. */
function locationOf({ coords }, { place }, node) {
  if (place !== undefined) return `place ${place}`;
  return coords ? `${coords[2 * node]},${coords[2 * node + 1]}` : `node ${node}`;
}
