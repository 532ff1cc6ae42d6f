/** Places far from all others, by the rule of `vrpcore/cost/far.py`. */

import { lengthOf } from './problem.js';

const FACTOR = 10;
const LEAST_REST = 4; // locations that say how far apart locations are
const LEAST_METRES = 100_000;

/**
 * The nodes more than ten times farther from the middle than all the rest, far last. The rest is
 * more than half of all, and at least four; with degrees, far is also at least 100 km.
 * @param {Float64Array} coords x and y of each node.
 * @param {string} metric
 * @returns {number[]}
 */
export function farNodes(coords, metric) {
  const size = coords.length / 2;
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

/** The median of one axis of points. */
export function median(coords, axis) {
  const values = Float64Array.from({ length: coords.length / 2 }, (_, node) => coords[2 * node + axis]).sort();
  const half = values.length >> 1;
  return values.length % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}
