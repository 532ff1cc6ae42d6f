/** Places far from all others, by the rule of `vrpcore/cost/far.py`. */

import { lengthOf } from './problem.js';

const FACTOR = 10;
const LEAST_REST = 4; // locations that say how far apart locations are
const LEAST_METRES = 100_000;
const ZERO_FACTOR = 2; // times the median of the others: a location of 0 and 0 was hardly meant

/**
 * The nodes more than ten times farther from the middle than all the rest, far last. The rest is
 * more than half of all, and at least four; with degrees, far is also at least 100 km, and
 * locations at 0 and 0 are far already at twice the distance of the others.
 * @param {Float64Array} coords x and y of each node.
 * @param {string} metric
 * @returns {number[]}
 */
export function farNodes(coords, metric) {
  const size = coords.length / 2;
  const zero = metric === 'haversine' ? atZero(coords) : [];
  if (zero.length && isApart(coords, zero)) {
    const rest = [...Array(size).keys()].filter((node) => !zero.includes(node));
    const others = rest.flatMap((node) => [coords[2 * node], coords[2 * node + 1]]);
    return [...farNodes(others, metric).map((index) => rest[index]), ...zero];
  }
  if (size <= LEAST_REST) return [];
  const length = lengthOf({ coords: [...coords, median(coords, 0), median(coords, 1)], metric });
  const away = Array.from({ length: size }, (_, node) => length(node, size));
  const order = [...away.keys()].sort((a, b) => away[a] - away[b]);
  for (let rank = Math.max(LEAST_REST, Math.floor(size / 2) + 1); rank < size; rank += 1) {
    const [before, after] = [away[order[rank - 1]], away[order[rank]]];
    const counts = metric === 'haversine' ? after > LEAST_METRES : before > 0;
    if (counts && after > FACTOR * before) return order.slice(rank);
  }
  return [];
}

/** Locations at 0 and 0, unless they are half of all. */
function atZero(coords) {
  const found = [...Array(coords.length / 2).keys()].filter((node) => !coords[2 * node] && !coords[2 * node + 1]);
  return 4 * found.length < coords.length ? found : [];
}

/** Whether those at 0 and 0 are 100 km from the middle of the others, and twice their distance. */
function isApart(coords, zero) {
  const rest = Array.from(coords).filter((_, index) => !zero.includes(index >> 1));
  const size = rest.length / 2;
  const length = lengthOf({ coords: [...rest, median(rest, 0), median(rest, 1), 0, 0], metric: 'haversine' });
  const away = Array.from({ length: size }, (_, node) => length(node, size)).sort((a, b) => a - b);
  return length(size + 1, size) > Math.max(LEAST_METRES, ZERO_FACTOR * away[size >> 1]);
}

/** The median of one axis of points. */
export function median(coords, axis) {
  const values = Float64Array.from({ length: coords.length / 2 }, (_, node) => coords[2 * node + axis]).sort();
  const half = values.length >> 1;
  return values.length % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}
