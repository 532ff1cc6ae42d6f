/**
 * Constraints as numbers, checked as the server checks them: what solving here reads of an
 * instance that `readConstrained` has read for drawing.
 */

import { COMPACT, given, isObject, objects } from './constraints.js';
import { InstanceFault, checkedCapacity, finite } from './problem.js';

const VISIT = ['x', 'y', 'window', 'windows', 'service', 'setup', 'service_by_vehicle', 'setup_by_vehicle', 'place'];

/** Every key there is: one that is not known might ask for something. */
export const KEYS = {
  instance: [
    'name', 'capacity', 'depot', 'customers', 'metric', 'distances', 'max_vehicles', 'routes', 'depots', 'vehicles',
    'shipments', 'speed', 'durations', 'costs', 'matrices', 'backhauls', 'pickup_only_routes', 'return_to_depot',
    ...COMPACT,
  ],
  depot: ['id', 'x', 'y', 'window', 'place'],
  vehicle: [
    'id', 'count', 'capacity', 'start', 'end', 'window', 'max_duration', 'max_travel_time', 'max_distance',
    'max_customers', 'speed', 'matrix', 'fixed_cost', 'distance_cost', 'duration_cost', 'travel_cost', 'service_cost',
    'breaks', 'skills',
  ],
  customer: ['id', ...VISIT, 'demand', 'pickup', 'release', 'prize', 'priority', 'skills'],
};

/**
 * @typedef {Object} Vehicle A vehicle type; what is missing is Infinity.
 * @property {string} id
 * @property {number|null} count null: as many as needed.
 * @property {number[]} capacity A number for each load dimension.
 * @property {number|null} start Index of its depot; null: none. `end` likewise.
 * @property {[number, number]} window
 */

/**
 * @typedef {Object} Stop A customer.
 * @property {number[]} delivery A number for each load dimension; `pickup` likewise.
 * @property {[number, number][]} windows
 * @property {number} service
 */

/**
 * @typedef {Object} Rules
 * @property {{id: string, window: [number, number]}[]} depots
 * @property {Vehicle[]} vehicles
 * @property {Stop[]} stops Those of shipments not among them.
 * @property {boolean} shipments Whether there are some.
 * @property {boolean} listedVehicles Types are written out.
 * @property {boolean} listedAmounts Amounts are lists.
 * @property {boolean} backhaulsLast No delivery comes after a pickup.
 * @property {boolean} pickupOnly A route may have pickups alone.
 */

/**
 * Reads the constraints of one instance.
 * @param {import('./problem.js').Problem} problem With `source`, the instance's object.
 * @returns {Rules}
 * @throws {InstanceFault} Something is not what it should be.
 */
export function readRules({ source: value, name: place }) {
  checkKeys(value, KEYS.instance, place);
  together(value, place, 'depots', ['depot']);
  together(value, place, 'vehicles', ['capacity', 'max_vehicles', 'return_to_depot']);
  together(value, place, 'customers', COMPACT);
  const sizes = new Set();
  const depots = readDepots(value, place);
  const rules = {
    depots,
    vehicles: given(value.vehicles) ? readVehicles(value.vehicles, `${place}.vehicles`, depots, sizes) : [onlyVehicle(value, place, sizes)],
    stops: given(value.customers) ? readCustomers(value.customers, `${place}.customers`, sizes) : compactCustomers(value, place, sizes),
    shipments: given(value.shipments) && objects(value.shipments, `${place}.shipments`).length > 0,
    listedVehicles: given(value.vehicles),
    listedAmounts: sizes.size > 0 && !sizes.has(0),
    speed: positive(value.speed ?? 1, `${place}.speed`),
    durations: given(value.durations),
    costs: given(value.costs),
    matrices: given(value.matrices) && Object.keys(value.matrices).length > 0,
    backhaulsLast: (value.backhauls ?? 'mixed') === 'last',
    pickupOnly: flag(value.pickup_only_routes ?? true, `${place}.pickup_only_routes`),
  };
  if (!['mixed', 'last'].includes(value.backhauls ?? 'mixed')) {
    throw new InstanceFault('UNKNOWN_BACKHAULS', `${place}.backhauls: expected mixed or last`);
  }
  if (sizes.size > 1) throw new InstanceFault('MIXED_AMOUNTS', `${place}: give all amounts alike`);
  checkWhole(rules, value, place);
  return rules;
}

function checkKeys(value, known, place) {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) throw new InstanceFault('UNKNOWN_KEY', `${place}: unknown key '${unknown}'`);
}

function together(value, place, key, others) {
  const other = given(value[key]) && others.find((each) => given(value[each]));
  if (other) throw new InstanceFault('CONFLICTING_KEYS', `${place}.${other}: given beside '${key}'`);
}

/** A number of at least 0; another one where it is missing. */
function amount(value, missing, place) {
  if (!given(value)) return missing;
  if (finite(value, place) < 0) throw new InstanceFault('NEGATIVE', `${place}: ${value} is negative`);
  return value;
}

/** A number of at least 0, or one for each load dimension; `sizes` learns how many, 0 for a number. */
function load(value, missing, place, sizes) {
  if (!given(value)) return [missing];
  const list = Array.isArray(value) ? value : [value];
  if (!list.length) throw new InstanceFault('SHAPE', `${place}: no number`);
  sizes.add(Array.isArray(value) ? value.length : 0);
  return list.map((item) => amount(item ?? NaN, 0, place));
}

function positive(value, place) {
  if (finite(value, place) <= 0) throw new InstanceFault('NOT_POSITIVE', `${place}: ${value} is not a positive number`);
  return value;
}

function whole(value, least, place) {
  if (!given(value)) return null;
  if (!Number.isInteger(value) || value < least) {
    throw new InstanceFault('NOT_AN_INTEGER', `${place}: expected an integer of at least ${least}`);
  }
  return value;
}

function flag(value, place) {
  if (typeof value !== 'boolean') throw new InstanceFault('WRONG_TYPE', `${place}: expected true or false`);
  return value;
}

/** [opens, closes]; null stands for an end that is open. */
function windowOf(value, place, earliest = -Infinity) {
  if (!Array.isArray(value) || value.length !== 2) throw new InstanceFault('SHAPE', `${place}: expected [opens, closes]`);
  const opens = given(value[0]) ? finite(value[0], place) : earliest;
  const closes = given(value[1]) ? finite(value[1], place) : Infinity;
  if (opens > closes) throw new InstanceFault('WINDOW_EMPTY', `${place}: opens after it closes`);
  return [opens, closes];
}

function windowsOf(value, place) {
  together(value, place, 'window', ['windows']);
  if (given(value.window)) return [windowOf(value.window, `${place}.window`)];
  if (!given(value.windows)) return [windowOf([null, null], place)];
  if (!Array.isArray(value.windows) || !value.windows.length) {
    throw new InstanceFault('SHAPE', `${place}.windows: expected a list of windows`);
  }
  return value.windows.map((one, index) => windowOf(one, `${place}.windows[${index}]`));
}

function listed(value) {
  return Array.isArray(value) && value.length > 0;
}

function readDepots(value, place) {
  const list = given(value.depots) ? value.depots : [value.depot ?? {}];
  return list.map((depot, index) => {
    const where = `${place}.depots[${index}]`;
    if (!isObject(depot)) return { id: String(index), window: windowOf([null, null], where) };
    checkKeys(depot, KEYS.depot, where);
    return { id: String(depot.id ?? index), window: windowOf(depot.window ?? [null, null], `${where}.window`) };
  });
}

/** The vehicle type of the short form. */
function onlyVehicle(value, place, sizes) {
  const one = Array.isArray(value.capacity);
  return {
    ...readVehicle({}, place, 0, [{ id: '0' }], new Set()),
    count: whole(value.max_vehicles, 1, `${place}.max_vehicles`),
    capacity: load(one ? value.capacity : checkedCapacity(value.capacity, `${place}.capacity`), 0, `${place}.capacity`, sizes),
    end: flag(value.return_to_depot ?? true, `${place}.return_to_depot`) ? 0 : null,
  };
}

function readVehicles(list, place, depots, sizes) {
  if (!listed(list)) throw new InstanceFault('SHAPE', `${place}: expected at least one vehicle type`);
  const vehicles = objects(list, place).map((vehicle, index) =>
    readVehicle(vehicle, `${place}[${index}]`, index, depots, sizes));
  checkUnique(vehicles.map(({ id }) => id), place);
  return vehicles;
}

function readVehicle(value, place, index, depots, sizes) {
  checkKeys(value, KEYS.vehicle, place);
  const most = (key) => amount(value[key], Infinity, `${place}.${key}`);
  const rate = (key, missing) => amount(value[key], missing, `${place}.${key}`);
  const start = depotIndex(value.start === undefined ? depots[0].id : value.start, depots, `${place}.start`);
  return {
    id: String(value.id ?? index),
    count: whole(value.count, 0, `${place}.count`),
    capacity: load(value.capacity, Infinity, `${place}.capacity`, sizes),
    start,
    end: value.end === undefined ? start : depotIndex(value.end, depots, `${place}.end`),
    window: windowOf(value.window ?? [null, null], `${place}.window`, 0),
    maxDuration: most('max_duration'),
    maxTravelTime: most('max_travel_time'),
    maxDistance: most('max_distance'),
    maxStops: most('max_customers'),
    speed: positive(value.speed ?? 1, `${place}.speed`),
    fixedCost: rate('fixed_cost', 0),
    distanceCost: rate('distance_cost', 1),
    durationCost: rate('duration_cost', 0),
    travelCost: rate('travel_cost', 0),
    serviceCost: rate('service_cost', 0),
    breaks: listed(value.breaks),
  };
}

function depotIndex(name, depots, place) {
  if (name === null) return null;
  const index = depots.findIndex(({ id }) => id === String(name));
  if (index < 0) throw new InstanceFault('NO_DEPOT', `${place}: no depot has the id ${name}`);
  return index;
}

function readCustomers(list, place, sizes) {
  const stops = objects(list, place).map((value, index) => {
    const where = `${place}[${index}]`;
    checkKeys(value, KEYS.customer, where);
    const at = (key, missing) => amount(value[key], missing, `${where}.${key}`);
    return {
      delivery: load(value.demand, 0, `${where}.demand`, sizes),
      pickup: load(value.pickup, 0, `${where}.pickup`, sizes),
      windows: windowsOf(value, where),
      service: at('service', 0),
      setup: at('setup', 0) > 0 || differs(value.setup_by_vehicle, value.setup ?? 0),
      serviceByVehicle: differs(value.service_by_vehicle, value.service ?? 0),
      optional: at('prize', Infinity) < Infinity,
      release: given(value.release),
      skills: listed(value.skills),
    };
  });
  checkUnique(list.map(({ id }, index) => String(id ?? index + 1)), place);
  return stops;
}

/** Whether times that are given by vehicle type differ from the one for all. */
function differs(byVehicle, usual) {
  return isObject(byVehicle) && Object.values(byVehicle).some((time) => time !== usual);
}

function compactCustomers(value, place, sizes) {
  const keys = COMPACT.filter((key) => given(value[key]));
  for (const key of keys) {
    if (!Array.isArray(value[key]) || value[key].length !== value[keys[0]].length) {
      throw new InstanceFault('SHAPE', `${place}.${key}: expected as many values as of ${keys[0]}`);
    }
  }
  return (value[keys[0]] ?? []).map((_, index) => {
    const at = (key) => value[key]?.[index];
    return {
      delivery: load(at('demands'), 0, `${place}.demands[${index}]`, sizes),
      pickup: load(at('pickups'), 0, `${place}.pickups[${index}]`, sizes),
      windows: [windowOf(at('windows') ?? [null, null], `${place}.windows[${index}]`)],
      service: amount(at('services'), 0, `${place}.services[${index}]`),
      setup: false,
      serviceByVehicle: false,
      optional: amount(at('prizes'), Infinity, `${place}.prizes[${index}]`) < Infinity,
      release: false,
      skills: false,
    };
  });
}

function checkUnique(names, place) {
  if (new Set(names).size !== names.length) throw new InstanceFault('DUPLICATE_ID', `${place}: duplicate id`);
}

/** What only the whole instance tells. */
function checkWhole({ stops, vehicles, listedVehicles, backhaulsLast }, value, place) {
  if (!stops.length && !['customers', 'shipments', 'demands'].some((key) => given(value[key]))) {
    throw new InstanceFault('MISSING_KEY', `${place}.customers: missing`);
  }
  stops.forEach(({ delivery, pickup }, index) => {
    const most = (size) => size > (vehicles[0].capacity[0] ?? Infinity);
    if (!listedVehicles && delivery.length === 1 && (most(delivery[0]) || most(pickup[0]))) {
      throw new InstanceFault('DEMAND_EXCEEDS_CAPACITY', `${place}.customers[${index}]: exceeds the capacity`);
    }
    if (backhaulsLast && delivery.some((size) => size > 0) && pickup.some((size) => size > 0)) {
      throw new InstanceFault('CONFLICTING_KEYS', `${place}.customers[${index}]: a demand and a pickup beside backhauls 'last'`);
    }
  });
}
