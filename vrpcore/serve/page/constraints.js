/**
 * Instances with depots, vehicles, times or shipments, as far as this page draws them. What they
 * ask for is read, and refused, by the server; for solving here, `rules.js` reads it.
 */

import { InstanceFault, METRICS, finite } from './problem.js';

const KEYS = [
  'depots', 'vehicles', 'shipments', 'windows', 'services', 'pickups', 'prizes', 'speed', 'durations',
  'costs', 'matrices', 'backhauls', 'pickup_only_routes', 'return_to_depot',
];
const PLAIN_CUSTOMER = new Set(['id', 'x', 'y', 'demand']);

/** What may be given of all customers as lists, in place of `customers`. */
export const COMPACT = ['coords', 'demands', 'windows', 'services', 'pickups', 'prizes'];

/** Whether an instance, an object, asks for more than one capacity and one depot, or lacks a road. */
export function hasConstraints(value) {
  if (KEYS.some((key) => given(value[key])) || Array.isArray(value.capacity)) return true;
  if (given(value.depot) && !Array.isArray(value.depot)) return true;
  if (lacksRoads(value.distances)) return true;
  return Array.isArray(value.customers) && value.customers.some(asksForMore);
}

/** Whether a value is there: null means that it is missing. */
export function given(value) {
  return value !== undefined && value !== null;
}

/** Whether a value is an object, not a list. */
export function isObject(value) {
  return given(value) && typeof value === 'object' && !Array.isArray(value);
}

/** Whether a matrix has null beside its diagonal. */
function lacksRoads(matrix) {
  return Array.isArray(matrix) && matrix.some((row, from) => Array.isArray(row)
    && row.some((length, to) => length === null && from !== to));
}

function asksForMore(customer) {
  return isObject(customer) && (Array.isArray(customer.demand)
    || Object.entries(customer).some(([key, value]) => given(value) && !PLAIN_CUSTOMER.has(key)));
}

/**
 * Reads one for which `hasConstraints`.
 * @param {object} value
 * @param {string} place Begins each message.
 * @param {string} name
 * @returns {import('./problem.js').Problem}
 * @throws {InstanceFault} Something that is drawn is not what it should be.
 */
export function readConstrained(value, place, name) {
  const metric = value.metric ?? 'euclidean';
  if (!METRICS.includes(metric)) throw new InstanceFault('METRIC', `${place}.metric: unknown metric`);
  const depots = readDepots(value, place);
  const vehicles = given(value.vehicles) ? readVehicles(value.vehicles, `${place}.vehicles`) : null;
  const stops = [...readCustomers(value, place), ...readShipments(value.shipments ?? [], `${place}.shipments`)];
  const size = dimensions(value, stops);
  const nodes = [...depots, ...stops];
  return {
    name,
    capacity: vehicles ? null : value.capacity ?? null,
    coords: nodes.every(({ point }) => point) ? Float64Array.from(nodes.flatMap(({ point }) => point)) : null,
    demand: [...depots.map(() => 0), ...stops.map(({ demand }) => demand ?? (size ? Array(size).fill(0) : 0))],
    ids: stops.map(({ id }) => id),
    metric,
    distances: value.distances ?? value.durations ?? null,
    maxVehicles: Number.isInteger(value.max_vehicles) ? value.max_vehicles : null,
    depots: depots.map(({ id }) => id),
    vehicles,
    constrained: true,
    source: value,
  };
}

/** A list of objects, or a fault that names its place. */
export function objects(list, place) {
  if (!Array.isArray(list)) throw new InstanceFault('WRONG_TYPE', `${place}: expected a list`);
  list.forEach((item, index) => {
    if (!isObject(item)) throw new InstanceFault('WRONG_TYPE', `${place}[${index}]: expected an object`);
  });
  return list;
}

function readDepots(value, place) {
  const list = given(value.depots) ? value.depots : [value.depot ?? {}];
  if (!Array.isArray(list) || !list.length) throw new InstanceFault('WRONG_TYPE', `${place}.depots: expected a list`);
  return list.map((depot, index) => {
    const where = `${place}.depots[${index}]`;
    if (Array.isArray(depot)) return { id: String(index), point: pair(depot, where) };
    if (!isObject(depot)) throw new InstanceFault('WRONG_TYPE', `${where}: expected an object`);
    return { id: String(depot.id ?? index), point: pointOf(depot, where) };
  });
}

function pair(value, place) {
  if (!Array.isArray(value) || value.length !== 2) throw new InstanceFault('SHAPE', `${place}: expected [x, y]`);
  return [finite(value[0], place), finite(value[1], place)];
}

function pointOf(value, place) {
  return given(value.x) || given(value.y) ? pair([value.x, value.y], place) : null;
}

function readVehicles(list, place) {
  return objects(list, place).map(({ id, count }, index) => ({
    id: String(id ?? index), count: Number.isInteger(count) ? count : null,
  }));
}

function readCustomers(value, place) {
  if (given(value.customers)) {
    return objects(value.customers, `${place}.customers`).map((customer, index) => ({
      id: customer.id ?? index + 1,
      point: pointOf(customer, `${place}.customers[${index}]`),
      demand: amount(customer.demand),
    }));
  }
  const key = COMPACT.find((each) => given(value[each]));
  if (!key) return [];
  const list = value[key];
  if (!Array.isArray(list)) throw new InstanceFault('WRONG_TYPE', `${place}.${key}: expected a list`);
  return list.map((_, index) => ({
    id: index + 1,
    point: given(value.coords?.[index]) ? pair(value.coords[index], `${place}.coords[${index}]`) : null,
    demand: amount(value.demands?.[index]),
  }));
}

/** Pickup and delivery of each shipment; what a delivery unloads is negative. */
function readShipments(list, place) {
  return objects(list, place).flatMap(({ id, amount: carried, pickup, delivery }, index) => {
    const where = `${place}[${index}]`;
    objects([pickup, delivery], where);
    const taken = amount(carried);
    const left = Array.isArray(taken) ? taken.map((number) => -number) : taken === null ? null : -taken;
    return [
      { id: `${id}:pickup`, point: pointOf(pickup, `${where}.pickup`), demand: taken },
      { id: `${id}:delivery`, point: pointOf(delivery, `${where}.delivery`), demand: left },
    ];
  });
}

/** A number, a list of numbers, or null: not given, or nothing that this page can show. */
function amount(value) {
  const good = Array.isArray(value) ? value.length && value.every(Number.isFinite) : Number.isFinite(value);
  return good ? value : null;
}

/** Length of the instance's amounts where they are lists, else 0. */
function dimensions(value, stops) {
  const capacities = Array.isArray(value.vehicles) ? value.vehicles.map((vehicle) => vehicle?.capacity) : [value.capacity];
  const listed = (list) => (Array.isArray(list) ? list : []);
  const pickups = [...listed(value.customers).map(({ pickup }) => pickup), ...listed(value.pickups)];
  const known = [...capacities, ...stops.map(({ demand }) => demand), ...pickups].find(Array.isArray);
  return known?.length ?? 0;
}
