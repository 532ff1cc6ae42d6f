/** What is solved here and by which model, and what is not and why. */

import { unsolved } from './policy.js';
import { InstanceFault } from './problem.js';
import { readRules } from './rules.js';

const MAX_CUSTOMERS = 1000;
const MAX_DEPOTS = 16;

/**
 * @typedef {Object} Plan
 * @property {string} model `model`, that of plain instances, or `variants`; empty: none is needed.
 * @property {import('./problem.js').Problem|null} problem
 * @property {import('./rules.js').Rules|null} rules Of a problem with constraints.
 * @property {object|null} solution The answer where no model is needed.
 */

/**
 * How to solve one instance.
 * @param {import('./instances.js').Item} item
 * @returns {Plan}
 */
export function planOf({ name, problem, code, error }) {
  const answered = (solution) => ({ model: '', problem, rules: null, solution });
  if (!problem) return answered({ name, status: 'invalid', code, error });
  let rules = null;
  try {
    const refusal = refusalOf(problem);
    if (refusal) return answered(notSolvedHere(name, refusal));
    rules = problem.constrained ? readRules(problem) : null;
    const words = rules ? notCovered(problem, rules) : '';
    if (words) return answered(notSolvedHere(name, `the model here does not cover this: ${words}`));
  } catch (fault) {
    if (!(fault instanceof InstanceFault)) throw fault;
    return answered({ name, status: 'invalid', code: fault.code, error: fault.message });
  }
  if (!problem.ids.length) {
    const none = { name, status: 'solved', cost: 0, routes: [], gap: null, warnings: [] };
    return answered(rules ? { ...none, unserved: [] } : none);
  }
  const { source, ...known } = problem; // what was written stays on the page
  return { model: rules ? 'variants' : 'model', problem: known, rules, solution: null };
}

/** The answer to what only the server solves. */
export function notSolvedHere(name, reason) {
  return unsolved(name, 'partial', 'NOT_SOLVED_HERE', `${reason}. Use Solve.`);
}

function refusalOf({ ids, coords, constrained, source }) {
  if (ids.length > MAX_CUSTOMERS) return `${ids.length} customers; at most ${MAX_CUSTOMERS} are solved here`;
  if (constrained) return source ? '' : 'the model here does not cover this: formats other than vrp-instances/1';
  return coords ? '' : 'has distances only; the model here needs coordinates';
}

/**
 * The first of these, in words; empty: the model of variants covers it.
 * @param {import('./problem.js').Problem} problem
 * @param {import('./rules.js').Rules} rules
 */
export function notCovered(problem, rules) {
  const { vehicles, stops } = rules;
  const [first] = vehicles;
  const some = (key) => stops.some((stop) => stop[key]);
  const windows = stops.some((stop) => stop.windows[0].some(Number.isFinite));
  const most = Math.max(0, ...stops.flatMap(({ delivery, pickup }) => [delivery[0], pickup[0]]));
  const refusals = [
    ['no coordinates', !problem.coords || problem.source.distances],
    ['matrices of durations', rules.durations || rules.matrices],
    ['several load dimensions', [...vehicles.map(({ capacity }) => capacity), ...stops.flatMap(({ delivery, pickup }) => [delivery, pickup])].some(({ length }) => length > 1)],
    ['shipments', rules.shipments],
    ['skills', some('skills')],
    ['optional customers', some('optional')],
    ['release times', some('release')],
    ['several windows of a customer', stops.some((stop) => stop.windows.length > 1)],
    ['a largest number of customers', first.maxStops < Infinity],
    ['a longest travel time', first.maxTravelTime < Infinity],
    ['limits of distance and duration', Math.max(first.maxDistance, first.maxDuration) < Infinity],
    ['a longest duration beside windows', first.maxDuration < Infinity && windows],
    ['more than a vehicle holds', most > first.capacity[0]],
    ['no capacity', first.capacity[0] < 1e-9],
    ['costs of time', first.durationCost > 0 || first.travelCost > 0],
    ['costs of service', vehicles.some(({ serviceCost }) => serviceCost > 0)],
    ['given costs of legs', rules.costs],
    ['breaks', vehicles.some(({ breaks }) => breaks)],
    ['setups', some('setup')],
    ['services that differ by vehicle', some('serviceByVehicle')],
    ['several vehicle types', new Set(vehicles.map(butDepot)).size > 1],
    ['routes without a start', first.start === null],
    ['routes that end elsewhere', vehicles.some(({ start, end }) =>
      (end !== start && end !== null) || (end === null) !== (first.end === null))],
    ['several types at a depot', new Set(vehicles.map(({ start }) => start)).size < vehicles.length],
    [`more than ${MAX_DEPOTS} depots`, vehicles.length > MAX_DEPOTS],
  ];
  return refusals.find(([, refused]) => refused)?.[0] ?? '';
}

/** What all vehicle types must share. */
function butDepot(vehicle) {
  return JSON.stringify(Object.entries({ ...vehicle, start: vehicle.start === null }).map(([key, value]) =>
    (['id', 'count', 'end', 'serviceCost', 'breaks'].includes(key) ? '' : String(value))));
}
