/**
 * Instances as problems to draw: plain ones in JSON of this project are read here and stay here.
 * The server reads everything else, and writes it as such JSON.
 */

import { constrainedProblem } from './constraints.js';
import { median } from './far.js';
import { parseJson } from './json.js';
import { METRICS, InstanceFault, checkedCapacity, checkedDemand, finite } from './problem.js';

const MAX_DRAWN_CHARACTERS = 2 ** 26;
const BEGINNING = /^[\s\uFEFF]*/;
const MATRICES = 'matrices';
// A plain instance has no other keys: any other one may be a constraint, or misspelt.
const PLAIN = new Set([
  'name', 'capacity', 'depot', 'customers', 'coords', 'demands', 'metric', 'distances', 'max_vehicles', 'routes',
]);
const PLAIN_CUSTOMER = new Set(['id', 'x', 'y', 'demand']);

/**
 * @typedef {Object} Item
 * @property {string} name
 * @property {import('./problem.js').Problem|null} problem
 * @property {string} code Why there is no problem, or empty.
 * @property {string} error The same in words.
 * @property {Preview} [preview] How the server read it.
 * @property {import('./problem.js').Problem|null} [sketch] What can be drawn where there is no problem.
 */

/**
 * @typedef {Object} Preview What the server says of an instance in addition to its JSON.
 * @property {'csv'|'vroom'|null} inKind What it is answered in.
 * @property {number|null} clock Seconds in its unit of time, where times are times of day.
 * @property {string[]} notes What its author should know.
 */

/**
 * Reads all instances of one text, if they are plain and in this project's JSON.
 * @param {string} text JSON in any form, or JSON Lines.
 * @returns {{items: Item[], error: string}|null} `error` says why the whole text cannot be read;
 *   null: the server reads it.
 */
export function readInstances(text) {
  const first = text[text.match(BEGINNING)[0].length];
  if (first === undefined) return { items: [], error: '' };
  if (first !== '{' && first !== '[') return null;
  if (text.length > MAX_DRAWN_CHARACTERS) return { items: [], error: 'too large to draw here' };
  try {
    const values = jsonValues(text.replace(/^\uFEFF/, ''));
    return values.every(isPlain) ? { items: values.map((value, index) => jsonItem(value, index)), error: '' } : null;
  } catch (error) {
    return { items: [], error: `not JSON: ${error.message}` };
  }
}

/**
 * The items of one text that the server read.
 * @param {object[]} previews As it sent them.
 * @returns {Item[]}
 */
export function previewItems(previews) {
  return previews.map(({ instance, in_kind: inKind, clock, notes, names, left_out: leftOut, ...refused }, index) => {
    if (!instance) {
      const { name, code, error } = refused;
      return { name: String(name), problem: null, code: String(code), error: String(error), preview: { inKind, clock: null, notes: [] } };
    }
    const lacksMatrices = leftOut.includes(MATRICES);
    const item = readItem(() => ({
      ...(instance.depots ? constrainedProblem(instance) : readPlain(instance, `instances[${index}]`, instance.name, lacksMatrices)),
      lacksMatrices,
      names: new Map(Object.entries(names)),
    }), instance.name);
    return { ...item, preview: { inKind, clock, notes } };
  });
}

/**
 * What can be drawn of stops whose depot, vehicles or speed are missing.
 * @param {import('./problem.js').Problem} problem With others in their stead.
 * @param {boolean} lacksDepot The depot is one of them; the middle of the stops stands for it.
 */
export function sketchOf(problem, lacksDepot) {
  if (!lacksDepot || !problem.coords) return { ...problem, capacity: null };
  const coords = problem.coords.slice();
  for (const axis of [0, 1]) coords[axis] = median(coords.slice(2), axis);
  return { ...problem, capacity: null, coords, lacksDepot: true };
}

/**
 * Whether a parsed value is an instance with nothing but one capacity, one depot and roads
 * everywhere; what is no instance at all need not be sent either.
 */
function isPlain(value) {
  if (!isObject(value) || value instanceof InstanceFault) return true;
  const customers = Array.isArray(value.customers) ? value.customers.filter(isObject) : [];
  return hasOnly(value, PLAIN) && !Array.isArray(value.capacity) && !isObject(value.depot) && !lacksRoads(value.distances)
    && customers.every((customer) => hasOnly(customer, PLAIN_CUSTOMER) && !Array.isArray(customer.demand));
}

function isObject(value) {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function hasOnly(value, keys) {
  return Object.keys(value).every((key) => keys.has(key));
}

/** Whether a matrix has null off its diagonal. */
function lacksRoads(matrix) {
  return Array.isArray(matrix) && matrix.some((row, from) => Array.isArray(row)
    && row.some((length, to) => length === null && from !== to));
}

function jsonValues(text) {
  let value;
  try {
    value = parseJson(text);
  } catch (error) {
    return jsonLines(text, error);
  }
  if (Array.isArray(value)) return value;
  return Array.isArray(value.instances) ? value.instances : [value];
}

function jsonLines(text, error) {
  const lines = text.split(/\r?\n|\r/).filter((line) => line.trim());
  if (lines.length < 2 || !/^\s*\{.*\}\s*$/.test(lines[0])) throw error;
  return lines.map((line) => {
    try {
      return parseJson(line);
    } catch (fault) {
      return new InstanceFault('JSON_SYNTAX', `not JSON: ${fault.message}`);
    }
  });
}

function jsonItem(value, index) {
  const named = value !== null && typeof value === 'object' && typeof value.name === 'string';
  const name = named ? value.name : `instance-${index}`;
  return readItem(() => {
    if (value instanceof InstanceFault) throw value;
    return readPlain(value, `instances[${index}]`, name);
  }, name);
}

function readItem(read, name) {
  try {
    const problem = read();
    return { name: problem.name, problem, code: '', error: '' };
  } catch (error) {
    if (!(error instanceof InstanceFault)) throw error;
    return { name: name || 'instance-0', problem: null, code: error.code, error: error.message };
  }
}

function readPlain(value, place, name, lacksMatrices = false) {
  if (!isObject(value)) throw new InstanceFault('WRONG_TYPE', `${place}: expected an object`);
  const capacity = checkedCapacity(value.capacity, `${place}.capacity`);
  const metric = value.metric ?? 'euclidean';
  if (!METRICS.includes(metric)) throw new InstanceFault('METRIC', `${place}.metric: unknown metric`);
  const customers = Array.isArray(value.customers)
    ? listedCustomers(value.customers, `${place}.customers`)
    : compactCustomers(value, place);
  const demand = new Float64Array(customers.ids.length + 1);
  customers.demands.forEach((item, index) => {
    demand[index + 1] = checkedDemand(item, capacity, customers.place(index));
  });
  const given = value.distances ?? null;
  const distances = given && matrix(given, demand.length, place);
  const coords = withDepot(value.depot, customers.points, distances || lacksMatrices, place);
  const maxVehicles = Number.isInteger(value.max_vehicles) ? value.max_vehicles : null;
  return {
    name, capacity, coords, demand, ids: customers.ids, metric, distances, maxVehicles,
    depots: ['0'], vehicles: null, constrained: false,
  };
}

function listedCustomers(list, place) {
  list.forEach((customer, index) => {
    if (customer === null || typeof customer !== 'object') {
      throw new InstanceFault('WRONG_TYPE', `${place}[${index}]: expected an object`);
    }
  });
  return {
    ids: uniqueIds(list.map((customer, index) => customer.id ?? index + 1), place),
    demands: list.map((customer) => customer.demand),
    points: list.some(({ x }) => x === undefined) ? null : list.map(({ x, y }) => [x, y]),
    place: (index) => `${place}[${index}].demand`,
  };
}

function compactCustomers(value, place) {
  if (!Array.isArray(value.demands)) throw new InstanceFault('MISSING_KEY', `${place}.customers: missing`);
  const points = Array.isArray(value.coords) ? value.coords : null;
  if (points && points.length !== value.demands.length) {
    throw new InstanceFault('SHAPE', `${place}.demands: ${value.demands.length} for ${points.length} coords`);
  }
  return {
    ids: value.demands.map((_, index) => index + 1),
    demands: value.demands,
    points,
    place: (index) => `${place}.demands[${index}]`,
  };
}

function uniqueIds(ids, place) {
  const seen = new Set();
  ids.forEach((id, index) => {
    if (typeof id !== 'string' && typeof id !== 'number') {
      throw new InstanceFault('WRONG_TYPE', `${place}[${index}].id: expected text or an integer`);
    }
    if (seen.has(id)) throw new InstanceFault('DUPLICATE_ID', `${place}[${index}].id: duplicate`);
    seen.add(id);
  });
  return ids;
}

function withDepot(depot, points, distances, place) {
  if (distances && (!points || depot === undefined)) return null;
  if (!points) throw new InstanceFault('MISSING_KEY', `${place}: customers without x and y`);
  const coords = new Float64Array(2 * points.length + 2);
  [depot, ...points].forEach((point, node) => {
    const where = node ? `${place}: customer ${node}` : `${place}.depot`;
    if (!Array.isArray(point) || point.length !== 2) throw new InstanceFault('SHAPE', `${where}: expected [x, y]`);
    coords[2 * node] = finite(point[0], where);
    coords[2 * node + 1] = finite(point[1], where);
  });
  return coords;
}

function matrix(rows, size, place) {
  const square = Array.isArray(rows) && rows.length === size
    && rows.every((row, from) => Array.isArray(row) && row.length === size
      && row.every((length, to) => (Number.isFinite(length) && length >= 0) || (length === null && from === to)));
  if (!square) throw new InstanceFault('SHAPE', `${place}.distances: expected ${size} rows of ${size} numbers`);
  return rows;
}
