/** A model's tours as the answer to a problem with constraints: none is believed unseen. */

import { exactSum } from './problem.js';
import { isLess, unsolved } from './policy.js';
import { Timetable } from './schedule.js';

const TOLERANCE = 1e-9; // relative, of loads and distances

/**
 * The cheapest tour that serves everybody and keeps all limits, by the numbers as read.
 * @param {import('./problem.js').Problem} problem
 * @param {import('./rules.js').Rules} rules That the model covers.
 * @param {BigInt64Array} tours One after another.
 * @param {number} count How many.
 * @returns {object} A solution of a `vrp-solutions/1` document.
 */
export function bestPlan(problem, rules, tours, count) {
  const timetable = new Timetable(problem, rules);
  const steps = tours.length / count;
  let best = null;
  let reason = null;
  for (let row = 0; row < count; row += 1) {
    const plan = planOf(routesOf(tours.subarray(row * steps, (row + 1) * steps), rules), rules, timetable);
    reason ??= plan.reason;
    if (!plan.reason && (!best || isLess(plan.cost, best.cost))) best = plan;
  }
  if (!best) return unsolved(problem.name, 'partial', ...reason);
  return {
    name: problem.name,
    status: 'solved',
    cost: best.cost,
    routes: best.routes.map((route) => written(route, problem, rules)),
    gap: null,
    warnings: [],
    unserved: [],
  };
}

/**
 * Routes of a tour: the depot before a route is its vehicle type.
 * @param {BigInt64Array} tour
 * @param {import('./rules.js').Rules} rules
 * @returns {import('./schedule.js').Route[]}
 */
function routesOf(tour, { vehicles }) {
  const routes = [];
  for (const node of Array.from(tour, Number)) {
    if (node < vehicles.length) routes.push({ vehicle: node, stops: [] });
    else routes.at(-1)?.stops.push(node - vehicles.length);
  }
  return routes.filter(({ stops }) => stops.length);
}

/**
 * Routes with their costs, or why they are no solution.
 * @param {import('./schedule.js').Route[]} routes
 * @param {import('./rules.js').Rules} rules
 * @param {Timetable} timetable
 * @returns {{cost: number, routes: object[], reason: [string, string]|null}}
 */
export function planOf(routes, rules, timetable) {
  const served = routes.flatMap(({ stops }) => stops);
  if (new Set(served).size !== served.length) throw new Error('the model repeated a customer');
  const refused = (code, error) => ({ cost: NaN, routes: [], reason: [code, error] });
  const missing = rules.stops.length - served.length;
  if (missing) return refused('UNSERVED', `the model leaves out ${missing} of ${rules.stops.length}; Solve searches further`);
  const lacking = rules.vehicles.find(({ count }, index) =>
    routes.filter(({ vehicle }) => vehicle === index).length > (count ?? Infinity));
  if (lacking) return refused('TOO_MANY_ROUTES', `the model needs more than ${lacking.count} vehicles of type ${lacking.id}; Solve searches further`);
  const planned = routes.map((route) => plannedRoute(route, rules, timetable));
  if (planned.includes(null)) return refused('NOT_SOLVED_HERE', 'each of the model’s tours breaks a limit. Use Solve.');
  return { cost: exactSum(planned.map(({ cost }) => cost)), routes: planned, reason: null };
}

/** A route with its times, load and cost; null where it breaks a limit. */
function plannedRoute(route, rules, timetable) {
  const { capacity, maxDistance, maxDuration, fixedCost, distanceCost } = rules.vehicles[route.vehicle];
  const stops = route.stops.map((stop) => rules.stops[stop]);
  const times = timetable.schedule(route);
  const load = mostOnBoard(stops);
  const good = times && inOrder(stops, rules)
    && load <= capacity[0] * (1 + TOLERANCE)
    && times.distance <= maxDistance * (1 + TOLERANCE)
    && times.end - times.departure <= maxDuration + timetable.slack;
  return good ? { ...route, ...times, load, cost: fixedCost + times.distance * distanceCost } : null;
}

/** Deliveries are on board from the start, pickups to the end. */
function mostOnBoard(stops) {
  let board = exactSum(stops.map(({ delivery }) => delivery[0]));
  let most = board;
  for (const { delivery, pickup } of stops) {
    board += pickup[0] - delivery[0];
    most = Math.max(most, board);
  }
  return most;
}

function inOrder(stops, { backhaulsLast, pickupOnly }) {
  const firstPickup = stops.findIndex(({ pickup }) => pickup[0] > 0);
  const lastDelivery = stops.findLastIndex(({ delivery }) => delivery[0] > 0);
  if (backhaulsLast && firstPickup >= 0 && lastDelivery > firstPickup) return false;
  return pickupOnly || firstPickup < 0 || lastDelivery >= 0;
}

function written(route, { ids }, { depots, vehicles, listedVehicles, listedAmounts }) {
  const { id, start, end } = vehicles[route.vehicle];
  return {
    customers: route.stops.map((stop) => ids[stop]),
    load: listedAmounts ? [route.load] : route.load,
    cost: route.cost,
    ...(listedVehicles ? { vehicle: id } : {}),
    start: depots[start].id,
    end: end === null ? null : depots[end].id,
    distance: route.distance,
    duration: route.end - route.departure,
    departure: route.departure,
    return: route.end,
    arrivals: route.arrivals,
    begins: route.begins,
  };
}
