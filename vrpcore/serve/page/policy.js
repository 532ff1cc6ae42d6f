/** A problem as the model's inputs, and the model's tours as an answer. */

import { fits, lengthOf, routeCost, routeLoad } from './problem.js';
import { planePoints, unitBox } from './projection.js';

const EXACT = 2 ** 24; // whole numbers below this are exact in float32
const DECIMAL_FACTORS = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];
const MAX_STARTS = 50;

/**
 * The arrays of one problem, without a batch axis.
 * @param {import('./problem.js').Problem} problem
 */
export function modelInputs(problem) {
  const coords = Float32Array.from(unitBox(planePoints(problem)));
  const { demand, capacity } = wholeDemands(problem.demand, problem.capacity);
  return { coords, demand: Float32Array.from(demand), capacity, starts: startsOf(coords) };
}

/**
 * Demands and capacity as whole numbers below 2^24: decimal fractions are scaled up, what
 * does not fit is rounded up, which never makes a tour that is too heavy.
 */
export function wholeDemands(demand, capacity) {
  const total = demand.reduce((sum, value) => sum + value, 0);
  const useful = Math.min(capacity, total + 1);
  for (const factor of DECIMAL_FACTORS) {
    if (useful * factor >= EXACT) break;
    const whole = demand.map((value) => roundEven(value * factor));
    const scaled = whole.every((value, node) => value === demand[node] * factor);
    if (scaled || whole.every((value, node) => value / factor === demand[node])) {
      return { demand: whole, capacity: Math.floor(useful * factor * (1 + 1e-12)) };
    }
  }
  const limit = EXACT / 2;
  return { demand: demand.map((value) => Math.min(Math.ceil((value / useful) * limit), limit)), capacity: limit };
}

function roundEven(value) {
  const down = Math.floor(value);
  if (value - down !== 0.5) return Math.round(value);
  return down % 2 ? down + 1 : down;
}

/** Nodes of first customers, spread evenly by their angle around the depot, which is the first node. */
function startsOf(coords) {
  const size = coords.length / 2 - 1;
  const count = Math.min(size, Math.max(8, Math.min(MAX_STARTS, Math.floor(5000 / size))));
  const offset = (node, axis) => Math.fround(coords[2 * node + axis] - coords[axis]);
  const nodes = Array.from({ length: size }, (_, index) => index + 1);
  const angle = new Map(nodes.map((node) => [node, Math.fround(Math.atan2(offset(node, 1), offset(node, 0)))]));
  const around = nodes.sort((a, b) => angle.get(a) - angle.get(b) || offset(a, 0) - offset(b, 0));
  return Array.from({ length: count }, (_, index) => around[Math.floor((index * size) / count)]);
}

/**
 * The best of the model's tours, by costs in float64 of the numbers as read.
 * @param {import('./problem.js').Problem} problem
 * @param {BigInt64Array} tours One after another.
 * @param {number} count How many.
 * @returns {object} A solution of a `vrp-solutions/1` document.
 */
export function bestSolution(problem, tours, count) {
  const length = lengthOf(problem);
  const steps = tours.length / count;
  let best = null;
  let fewest = Infinity;
  for (let row = 0; row < count; row += 1) {
    const routes = routesOf(tours.subarray(row * steps, (row + 1) * steps));
    fewest = Math.min(fewest, routes.length);
    if (routes.length > (problem.maxVehicles ?? Infinity)) continue;
    const cost = routes.reduce((sum, nodes) => sum + routeCost(length, nodes), 0);
    if (!best || isLess(cost, best.cost)) best = { cost, routes };
  }
  if (!best) {
    const error = `the model needs ${fewest} vehicles, max_vehicles is ${problem.maxVehicles}; Solve searches further`;
    return unsolved(problem.name, 'partial', 'TOO_MANY_ROUTES', error);
  }
  check(problem, best.routes);
  return {
    name: problem.name,
    status: 'solved',
    cost: best.cost,
    routes: best.routes.map((nodes) => ({
      customers: nodes.map((node) => problem.ids[node - 1]),
      load: routeLoad(problem, nodes),
      cost: routeCost(length, nodes),
    })),
    gap: null,
    warnings: [],
  };
}

/** Whether a sum of lengths is less than another one, beyond what the order of adding may change. */
function isLess(cost, other) {
  return cost < other * (1 - 1e-12);
}

/** The answer to what has no routes. */
export function unsolved(name, status, code, error) {
  return { name, status, code, error };
}

function routesOf(tour) {
  const routes = [[]];
  for (const node of tour) {
    if (node) routes.at(-1).push(Number(node));
    else if (routes.at(-1).length) routes.push([]);
  }
  return routes.filter((nodes) => nodes.length);
}

/** Every customer once, no vehicle overloaded: what the model says is not believed unseen. */
function check(problem, routes) {
  const seen = new Set(routes.flat());
  const total = routes.reduce((sum, nodes) => sum + nodes.length, 0);
  if (seen.size !== problem.ids.length || total !== seen.size) throw new Error('the model left out or repeated a customer');
  for (const nodes of routes) {
    if (!fits(problem, routeLoad(problem, nodes))) throw new Error('the model overloaded a vehicle');
  }
}
