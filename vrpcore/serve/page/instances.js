/** Instances as problems to draw, from the JSON in which the server writes all that it reads. */

/**
 * @typedef {Object} Problem
 * @property {string} name
 * @property {number|number[]|null} capacity null: each vehicle has its own.
 * @property {Float64Array|null} coords x and y of each node, depots first; null: distances only.
 * @property {(number|number[])[]} demand Of each node; a depot's is 0.
 * @property {(number|number[])[]} pickup The same.
 * @property {(string|number)[]} ids Of the customers, and of the stops of shipments.
 * @property {Map<string, string>} names What people call some of them, by id.
 * @property {number[]} far Nodes far from all others.
 * @property {[number, number][][]} windows Of each of `ids`: when service may begin; none: always.
 * @property {number} earliest The first of these and of all shifts; 0: none.
 * @property {string} metric
 * @property {string} distances Where they come from: `given`, a metric, or both where types of vehicles differ.
 * @property {number|null} maxVehicles
 * @property {string[]} depots Their ids.
 * @property {{id: string, count: number|null}[]|null} vehicles Types where they are listed.
 * @property {object[]} groups Of alternatives.
 * @property {boolean} constrained It has more than one capacity and one depot.
 * @property {boolean} [lacksDepot] Nobody has said where the depot is.
 */

/**
 * @typedef {Object} Item
 * @property {string} name
 * @property {Problem|null} problem
 * @property {string} code Why there is no problem, or empty.
 * @property {string} error The same in words.
 * @property {number|null} clock Seconds in its unit of time, where times are times of day.
 * @property {string[]} notes What its author should know.
 * @property {Problem|null} [sketch] What can be drawn where there is no problem.
 */

/** The items of one text, as the server sends what it read. @returns {Item[]} */
export function previewItems(previews) {
  return previews.map(({ instance, clock = null, notes = [], names, far, left_out: leftOut, name, code = '', error = '' }) => {
    const problem = instance ? { ...problemOf(instance, leftOut.includes('matrices')), names: new Map(Object.entries(names)), far } : null;
    return { name: problem?.name ?? name, problem, code, error, clock, notes };
  });
}

/**
 * What can be drawn of stops whose depot, vehicles or speed are missing.
 * @param {Problem} problem With others in their stead.
 * @param {boolean} lacksDepot The depot is one of them; the middle of the stops stands for it.
 */
export function sketchOf(problem, lacksDepot) {
  if (!lacksDepot || !problem.coords) return { ...problem, capacity: null };
  const coords = problem.coords.slice();
  for (const axis of [0, 1]) coords[axis] = median(coords.slice(2).filter((_, index) => index % 2 === axis));
  return { ...problem, capacity: null, coords, far: problem.far.filter(Boolean), lacksDepot: true };
}

function median(values) {
  const half = values.length >> 1;
  values.sort();
  return values.length % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

function problemOf(source, lacksMatrices) {
  const depots = (source.depots ?? [source.depot ?? {}]).map((depot, index) => ({ id: depot.id ?? String(index), point: pointOf(depot) }));
  const stops = stopsOf(source);
  const nodes = [...depots, ...stops.map((stop) => ({ point: pointOf(stop) }))];
  const listed = [...stops, ...(source.depots ?? []), ...(source.vehicles ?? [])];
  const begins = listed.flatMap(windowsOf).map(([begin]) => begin).filter((begin) => begin > 0 && begin < Infinity);
  return {
    name: source.name,
    capacity: source.vehicles ? null : source.capacity ?? null,
    coords: nodes.every(({ point }) => point) ? Float64Array.from(nodes.flatMap(({ point }) => point)) : null,
    demand: [...depots.map(() => 0), ...stops.map(demandOf)],
    pickup: [...depots.map(() => 0), ...stops.map(({ pickup }) => pickup ?? 0)],
    ids: stops.map(({ id }, index) => id ?? index + 1),
    windows: stops.map(windowsOf),
    earliest: begins.sort((a, b) => a - b)[0] ?? 0,
    metric: source.metric ?? 'euclidean',
    distances: lacksMatrices ? 'given' : distancesOf(source),
    maxVehicles: source.max_vehicles ?? null,
    depots: depots.map(({ id }) => id),
    vehicles: source.vehicles?.map(({ id, count }, index) => ({ id: id ?? String(index), count: count ?? null })) ?? null,
    groups: source.groups ?? [],
    constrained: Boolean(source.depots),
  };
}

/**
 * Customers, then pickup and delivery of each shipment, whose ids say which they are; of one that
 * is on board only the delivery. What a delivery unloads is a negative demand.
 */
function stopsOf({ customers = [], shipments = [], demands, coords }) {
  if (demands) return demands.map((demand, index) => ({ ...coords?.[index], demand }));
  return [...customers, ...shipments.flatMap(({ id, amount, pickup, delivery }) => [
    ...(pickup ? [{ ...pickup, id: `${id}:pickup`, demand: amount }] : []),
    { ...delivery, id: `${id}:delivery`, demand: Array.isArray(amount) ? amount.map((each) => -each) : -amount },
  ])];
}

/** Of an object, or of a list of two numbers. */
function pointOf({ x, y, 0: first = x, 1: second = y }) {
  return first === undefined ? null : [first, second];
}

/** Without a demand, a customer has a pickup; that says how many load dimensions there are. */
function demandOf({ demand, pickup }) {
  return demand ?? (Array.isArray(pickup) ? pickup.map(() => 0) : 0);
}

/** Null stands for an end that is open. */
function windowsOf({ window, windows = window ? [window] : [] }) {
  return windows.map(([opens, closes]) => [opens ?? -Infinity, closes ?? Infinity]);
}

function distancesOf({ distances, durations, metric = 'euclidean', matrices, vehicles = [] }) {
  if (distances || durations) return 'given';
  const own = matrices ? vehicles.map(({ matrix }) => Boolean(matrices[matrix]?.distances)) : [];
  if (own.length && own.every(Boolean)) return 'given';
  return own.some(Boolean) ? `given, ${metric}` : metric;
}
