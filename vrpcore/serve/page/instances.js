/** Instances as problems to draw, from the JSON in which the server writes all that it reads. */

import { constrainedProblem } from './constraints.js';
import { median } from './far.js';

const MATRICES = 'matrices';

/**
 * @typedef {Object} Item
 * @property {string} name
 * @property {import('./problem.js').Problem|null} problem
 * @property {string} code Why there is no problem, or empty.
 * @property {string} error The same in words.
 * @property {Preview} preview How the server read it.
 * @property {import('./problem.js').Problem|null} [sketch] What can be drawn where there is no problem.
 */

/**
 * @typedef {Object} Preview What the server says of an instance in addition to its JSON.
 * @property {'csv'|'vroom'|null} inKind What it is answered in.
 * @property {number|null} clock Seconds in its unit of time, where times are times of day.
 * @property {string[]} notes What its author should know.
 */

/**
 * The items of one text that the server read.
 * @param {object[]} previews As it sent them.
 * @returns {Item[]}
 */
export function previewItems(previews) {
  return previews.map(({ instance, in_kind: inKind, clock, notes, names, left_out: leftOut, ...refused }) => {
    if (!instance) {
      const { name, code, error } = refused;
      return { name: String(name), problem: null, code: String(code), error: String(error), preview: { inKind, clock: null, notes: [] } };
    }
    const problem = {
      ...(instance.depots ? constrainedProblem(instance) : plainProblem(instance)),
      lacksMatrices: leftOut.includes(MATRICES),
      names: new Map(Object.entries(names)),
    };
    return { name: problem.name, problem, code: '', error: '', preview: { inKind, clock, notes } };
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

/** An instance with one capacity, one depot and nothing else. */
function plainProblem({ name, capacity, metric = 'euclidean', depot, customers, coords, demands, distances = null, max_vehicles: most }) {
  const points = customers ? customers.map(({ x, y }) => [x, y]) : coords;
  return {
    name, capacity, metric, distances,
    coords: depot ? Float64Array.from([depot, ...points].flat()) : null,
    demand: Float64Array.from([0, ...(demands ?? customers.map(({ demand }) => demand))]),
    ids: customers ? customers.map(({ id }) => id) : demands.map((_, index) => index + 1),
    maxVehicles: most ?? null,
    depots: ['0'], vehicles: null, constrained: false,
  };
}
