/**
 * What an instance says of times, as far as they are drawn; nothing here is an error. What is not
 * what it should be counts as not said: the server has refused it, or has not been asked yet.
 */

import { Clock } from './clock.js';
import { COMPACT, given } from './constraints.js';

const NEVER = [-Infinity, Infinity];
const OF_INSTANCES = ['durations', 'matrices', 'windows', 'services'];
const OF_STOPS = ['window', 'windows', 'service', 'setup', 'release', 'service_by_vehicle', 'setup_by_vehicle'];
const OF_VEHICLES = [
  'window', 'max_duration', 'max_travel_time', 'duration_cost', 'travel_cost', 'breaks', 'speed',
];

/**
 * @typedef {Object} Visit
 * @property {[number, number][]} windows When service may begin; none: always.
 * @property {(vehicle: string) => {service: number, setup: number}} lasts
 * @property {string|number} place The same for stops at the same place.
 */

/**
 * @typedef {Object} Bar What a vehicle does for a while.
 * @property {'travel'|'waiting'|'service'|'break'} kind
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
    const source = problem.source ?? {};
    const stops = stopsOf(source);
    const first = problem.depots.length;
    this.visits = problem.ids.map((_, index) => visitOf(stops[index] ?? {}, source, index, placeOf(problem, stops[index], first + index)));
    const depots = list(source.depots ?? [source.depot]);
    this.depots = problem.depots.map((id, index) => ({
      id, window: window(object(depots[index]).window), place: placeOf(problem, depots[index], index),
    }));
    this.vehicles = new Map(list(source.vehicles).map((vehicle, index) => [String(object(vehicle).id ?? index), vehicleOf(object(vehicle))]));
    const bounds = [...this.visits.flatMap(({ windows }) => windows), ...[...this.vehicles.values()].map((each) => each.window)];
    const known = bounds.map(([begin]) => begin).filter((begin) => begin > 0 && begin < Infinity);
    this.clock = new Clock(unit, known.reduce((a, b) => Math.min(a, b), known.length ? Infinity : 0));
    this.said = OF_INSTANCES.some((key) => given(source[key])) || (source.speed ?? 1) !== 1
      || stops.some((stop) => OF_STOPS.some((key) => given(object(stop)[key])))
      || this.depots.some((depot) => depot.window !== NEVER)
      || list(source.vehicles).some((vehicle) => OF_VEHICLES.some((key) => given(object(vehicle)[key])));
  }

  /** When a route's vehicle may be under way. @returns {[number, number]} */
  shift({ vehicle, start, end }) {
    const own = this.vehicles.get(String(vehicle ?? '0'))?.window ?? [0, Infinity];
    const of = (id) => this.depots.find((depot) => depot.id === String(id))?.window ?? NEVER;
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
    const stated = [departure, back, ...list(arrivals), ...list(begins)].every(Number.isFinite)
      && list(arrivals).length === stops.length && list(begins).length === stops.length;
    if (!stated) return null;
    const found = [];
    const add = (kind, begin, end, stop) => { if (end > begin || kind === 'service') found.push({ kind, begin, end, stop }); };
    const rests = list(route.breaks).filter((rest) => Number.isFinite(object(rest).begin));
    const vehicle = String(route.vehicle ?? '0');
    const lasting = this.vehicles.get(vehicle)?.breaks ?? new Map();
    let now = departure;
    let place = this.depots.find(({ id }) => id === String(route.start))?.place;
    const rest = (after) => {
      for (const each of rests.filter((one) => one.after === after)) {
        add('waiting', now, each.begin, -1);
        now = each.begin + (lasting.get(String(each.id)) ?? 0);
        add('break', each.begin, now, -1);
      }
    };
    stops.forEach((stop, index) => {
      rest(index);
      const visit = this.visits[stop];
      const { service, setup } = visit.lasts(vehicle);
      add('travel', now, arrivals[index], index);
      add('waiting', arrivals[index], begins[index], index);
      now = begins[index] + service + (visit.place === place ? 0 : setup);
      add('service', begins[index], now, index);
      place = visit.place;
    });
    rest(stops.length);
    add('travel', now, back, -1);
    return found;
  }

  /** A stop's windows in words. */
  windowWords(stop) {
    return this.visits[stop].windows.map(([opens, closes]) => {
      if (closes === Infinity) return `from ${this.clock.time(opens)}`;
      return opens === -Infinity ? `until ${this.clock.time(closes)}` : `${this.clock.time(opens)} to ${this.clock.time(closes)}`;
    }).join(', ');
  }
}

function list(value) {
  return Array.isArray(value) ? value : [];
}

function object(value) {
  return given(value) && typeof value === 'object' ? value : {};
}

function number(value) {
  return Number.isFinite(value) ? value : 0;
}

/** Customers, then both ends of each shipment; with the compact form, nothing of each. */
function stopsOf(source) {
  const ends = list(source.shipments).flatMap((shipment) => [object(shipment).pickup, object(shipment).delivery]);
  const customers = list(source.customers);
  const compact = Math.max(...COMPACT.map((key) => list(source[key]).length));
  return [...(given(source.customers) ? customers : Array(compact).fill({})), ...ends].map(object);
}

function visitOf(stop, source, index, place) {
  const own = given(stop.windows) ? list(stop.windows) : [stop.window ?? list(source.windows)[index]];
  const service = number(stop.service ?? list(source.services)[index]);
  const at = (table, vehicle, otherwise) => {
    const value = object(table)[vehicle];
    return Number.isFinite(value) ? value : otherwise;
  };
  return {
    windows: own.map(window).filter((each) => each !== NEVER),
    lasts: (vehicle) => ({
      service: at(stop.service_by_vehicle, vehicle, service),
      setup: at(stop.setup_by_vehicle, vehicle, number(stop.setup)),
    }),
    place,
  };
}

function vehicleOf(vehicle) {
  const [opens, closes] = window(vehicle.window);
  const breaks = list(vehicle.breaks).map((each, index) => [String(object(each).id ?? index), number(object(each).duration)]);
  return { window: [Math.max(0, opens), closes], breaks: new Map(breaks) };
}

/** `NEVER` itself where nothing is said. */
function window(value) {
  if (!Array.isArray(value) || value.length !== 2) return NEVER;
  const [opens, closes] = value;
  if (!Number.isFinite(opens) && !Number.isFinite(closes)) return NEVER;
  return [Number.isFinite(opens) ? opens : -Infinity, Number.isFinite(closes) ? closes : Infinity];
}

/** Names a node's place; the same for nodes at the same one. */
function placeOf({ coords }, said, node) {
  const stated = object(said).place;
  if (given(stated)) return `place ${stated}`;
  return coords ? `${coords[2 * node]},${coords[2 * node + 1]}` : `node ${node}`;
}
