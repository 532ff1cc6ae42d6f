/**
 * Instances as problems to draw: JSON of this project is read here, all other texts by the
 * server, which tells them as such JSON.
 */

import { hasConstraints, readConstrained } from './constraints.js';
import { METRICS, InstanceFault, checkedCapacity, checkedDemand, finite } from './problem.js';

const MAX_DRAWN_CHARACTERS = 2 ** 26;
const BEGINNING = /^[\s\uFEFF]*/;
const MATRICES = 'matrices';

/**
 * @typedef {Object} Item
 * @property {string} name
 * @property {import('./problem.js').Problem|null} problem
 * @property {string} code Why there is no problem, or empty.
 * @property {string} error The same in words.
 * @property {Told} [told] How the server read it.
 */

/**
 * @typedef {Object} Told What the server says of an instance beside its JSON.
 * @property {'csv'|'vroom'|null} inKind What it is answered in.
 * @property {number|null} clock Seconds in its unit of time, where times are times of day.
 * @property {string[]} notes What its author should know.
 * @property {boolean} complete Its JSON lacks nothing that routes depend on.
 */

/**
 * Reads all instances of one text of this project's JSON.
 * @param {string} text JSON in any form, or JSON Lines.
 * @returns {{items: Item[], error: string}|null} `error` says why the whole text cannot be read;
 *   null: it is of another format, which the server reads.
 */
export function readInstances(text) {
  const first = text[text.match(BEGINNING)[0].length];
  if (first === undefined) return { items: [], error: '' };
  if (first !== '{' && first !== '[') return null;
  if (text.length > MAX_DRAWN_CHARACTERS) return { items: [], error: 'too large to draw here' };
  try {
    const values = jsonValues(text.replace(/^\uFEFF/, ''));
    return values.some(isForeign) ? null : { items: values.map((value, index) => jsonItem(value, index)), error: '' };
  } catch (error) {
    return { items: [], error: `not JSON: ${error.message}` };
  }
}

/**
 * What the server told of one text.
 * @param {object[]} told Its items.
 * @returns {Item[]}
 */
export function toldItems(told) {
  return told.map(({ instance, in_kind: inKind, clock, notes, left_out: leftOut, ...refused }, index) => {
    if (!instance) {
      const { name, code, error } = refused;
      return { name: String(name), problem: null, code: String(code), error: String(error), told: { inKind, clock: null, notes: [], complete: false } };
    }
    const complete = !leftOut.includes(MATRICES);
    const item = readItem(() => readObject(instance, `instances[${index}]`, instance.name, !complete), instance.name);
    return { ...item, told: { inKind, clock, notes, complete } };
  });
}

/** Whether a parsed value is a problem of VROOM's, or spreadsheets, which the server reads. */
function isForeign(value) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  return 'stops' in value || 'jobs' in value || value.shipments?.[0]?.pickup?.id !== undefined;
}

function jsonValues(text) {
  let value;
  try {
    value = JSON.parse(text);
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
      return JSON.parse(line);
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
    return readObject(value, `instances[${index}]`, name);
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

function readObject(value, place, name, noMatrices = false) {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new InstanceFault('WRONG_TYPE', `${place}: expected an object`);
  }
  if (hasConstraints(value)) return readConstrained(value, place, name);
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
  const coords = withDepot(value.depot, customers.points, distances || noMatrices, place);
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
