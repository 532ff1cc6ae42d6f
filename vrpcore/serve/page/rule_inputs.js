/** A problem with constraints as the inputs of a model of variants, whose unit is a side of the square. */

import { startsOf, wholeDemands } from './policy.js';
import { EARTH_RADIUS_M } from './problem.js';
import { extent, planePoints, unitBox } from './projection.js';

const FAR = 1e6; // closing times and limits that do not bind
// Closing times and limits are this much earlier and shorter than in the instance, so that what
// fits in float32 fits in float64, too.
const SLACK = 1e-5;

/**
 * The arrays of one problem, without a batch axis. Nodes are the depots of the vehicle types,
 * then the customers.
 * @param {import('./problem.js').Problem} problem
 * @param {import('./rules.js').Rules} rules That the model covers.
 */
export function ruleInputs(problem, rules) {
  const { vehicles, stops } = rules;
  const depots = vehicles.length;
  const nodes = [...vehicles.map(({ start }) => start), ...stops.map((_, index) => rules.depots.length + index)];
  const { places, side } = inSquare(problem, nodes);
  const pace = (rules.speed * vehicles[0].speed) / side; // sides of the square in a unit of time
  const windows = [...vehicles.map((vehicle) => opening(rules, vehicle)), ...stops.map((stop) => stop.windows[0])];
  const begin = beginOf(windows, depots, 2 / pace);
  const coords = Float32Array.from(places);
  return {
    ...neutral(nodes.length),
    coords,
    ...loads(rules),
    opening: Float32Array.from(windows, ([opens]) => Math.max(opens - begin, 0) * pace),
    closing: Float32Array.from(windows, ([, closes]) => Math.min((closes - begin) * pace - SLACK, FAR)),
    service: Float32Array.from(nodes, (_, node) => (node < depots ? 0 : stops[node - depots].service * pace)),
    ...limitOf(vehicles[0], side, pace),
    open_end: vehicles[0].end === null,
    backhauls_last: rules.backhaulsLast,
    pickup_only: rules.pickupOnly,
    num_depots: depots,
    starts: startsOf(coords, depots),
  };
}

/** What a model of variants is told of constraints that a problem of so many nodes does not have. */
export function neutral(nodes) {
  return {
    pickup: new Float32Array(nodes),
    opening: new Float32Array(nodes),
    closing: new Float32Array(nodes).fill(FAR),
    service: new Float32Array(nodes),
    limit: FAR,
    limit_has_service: false,
    open_end: false,
    backhauls_last: false,
    pickup_only: true,
    num_depots: 1,
  };
}

/** Places in the unit square, and the length of its side in the problem's unit. */
function inSquare({ coords, metric }, nodes) {
  const points = planePoints({ metric, coords: Float64Array.from(nodes.flatMap((node) => [coords[2 * node], coords[2 * node + 1]])) });
  const box = extent(points);
  const unit = metric === 'haversine' ? (Math.PI / 180) * EARTH_RADIUS_M : 1;
  return { places: unitBox(points), side: Math.max(box.right - box.left, box.top - box.bottom) * unit || 1 };
}

function loads({ vehicles, stops }) {
  const amounts = [...stops.map(({ delivery }) => delivery[0]), ...stops.map(({ pickup }) => pickup[0])];
  const { demand, capacity } = wholeDemands(amounts, vehicles[0].capacity[0]);
  const depots = new Array(vehicles.length).fill(0);
  return {
    demand: Float32Array.from([...depots, ...demand.slice(0, stops.length)]),
    pickup: Float32Array.from([...depots, ...demand.slice(stops.length)]),
    capacity: Math.max(capacity, 1),
  };
}

function limitOf({ maxDistance, maxDuration }, side, pace) {
  if (maxDistance < Infinity) return { limit: maxDistance / side - SLACK };
  if (maxDuration < Infinity) return { limit: maxDuration * pace - SLACK, limit_has_service: true };
  return {};
}

/** When a vehicle may leave first, and has to be back, or have done its last service. */
function opening({ depots }, { window: [early, late], start, end }) {
  const [opens, closes] = depots[start].window;
  return [Math.max(early, opens), end === null ? late : Math.min(late, closes)];
}

/** The time that counts as 0: nobody need be anywhere before it. `way` takes the longest one there may be. */
function beginOf(windows, depots, way) {
  const first = (list) => list.reduce((least, [opens]) => Math.min(least, opens), Infinity);
  const opens = first(windows.slice(0, depots));
  return Math.max(opens > -Infinity ? opens : 0, first(windows.slice(depots)) - way);
}
