/** One routing problem as this page understands it, for drawing. */

/**
 * @typedef {Object} Problem
 * @property {string} name
 * @property {number|number[]|null} capacity null: each vehicle has its own.
 * @property {Float64Array|null} coords x and y of each node, depots first; null: distances only.
 * @property {Float64Array|(number|number[])[]} demand Of each node; a depot's is 0.
 * @property {(string|number)[]} ids Of the customers, and of the stops of shipments.
 * @property {Map<string, string>} [names] What people call some of them, by id.
 * @property {('customer'|'pickup'|'delivery')[]} [kinds] Of the same; of constrained ones.
 * @property {string} metric
 * @property {number[][]|null} distances Row = from, column = to; it is the cost.
 * @property {number|null} maxVehicles
 * @property {string[]} depots Their ids.
 * @property {{id: string, count: number|null}[]|null} vehicles Types where they are listed.
 * @property {boolean} [reloads] Some vehicle may reload; of constrained ones.
 * @property {boolean} constrained It has more than one capacity and one depot.
 * @property {boolean} [lacksDepot] Nobody has said where the depot is.
 * @property {boolean} [lacksMatrices] The server left them out, as too large.
 * @property {object} [source] As the server writes it; of constrained ones.
 */

const EARTH_RADIUS_M = 6371008.8;

/**
 * The length between two nodes, float64, by the problem's metric or matrix.
 * @param {Problem} problem
 * @returns {(from: number, to: number) => number}
 */
export function lengthOf({ coords, distances, metric }) {
  if (distances) return (from, to) => (from === to ? 0 : distances[from][to]);
  if (metric === 'haversine') return (from, to) => haversine(coords, from, to);
  const straight = (from, to) => {
    const dx = coords[2 * from] - coords[2 * to];
    const dy = coords[2 * from + 1] - coords[2 * to + 1];
    return Math.sqrt(dx * dx + dy * dy);
  };
  if (metric === 'euc_2d') return (from, to) => Math.floor(straight(from, to) + 0.5);
  if (metric === 'ceil_2d') return (from, to) => Math.ceil(straight(from, to));
  return (from, to) => Math.hypot(coords[2 * from] - coords[2 * to], coords[2 * from + 1] - coords[2 * to + 1]);
}

/**
 * Where distances come from: `given`, a metric, or both where types of vehicles differ.
 * @param {Problem} problem
 */
export function distancesInWords({ distances, lacksMatrices, metric, source }) {
  if (distances || lacksMatrices) return 'given';
  const matrices = source?.matrices;
  if (!matrices) return metric;
  const own = (source.vehicles ?? []).map(({ matrix }) => Boolean(matrices[matrix]?.distances));
  if (own.length && own.every(Boolean)) return 'given';
  return own.some(Boolean) ? `given, ${metric}` : metric;
}

/**
 * The metres that all routes drive; null where distances have no known unit.
 * @param {Problem} problem
 * @param {object} solution With routes.
 */
export function drivenMetres(problem, { routes }) {
  if (problem.metric !== 'haversine' || distancesInWords(problem) !== 'haversine') return null;
  return exactSum(routes.map(({ distance, cost }) => distance ?? cost));
}

function haversine(coords, from, to) {
  const radians = Math.PI / 180;
  const longitude = (coords[2 * from] - coords[2 * to]) * radians;
  const latitude = (coords[2 * from + 1] - coords[2 * to + 1]) * radians;
  const cosines = Math.cos(coords[2 * from + 1] * radians) * Math.cos(coords[2 * to + 1] * radians);
  const half = Math.sin(latitude / 2) ** 2 + cosines * Math.sin(longitude / 2) ** 2;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.sqrt(Math.min(1, Math.max(0, half))));
}

/** A sum whose rounding errors are carried along (Neumaier 1974). */
export function exactSum(values) {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}
