/** Any instance's coordinates on a plane, on the map, and in the unit square for the model. */

import { farNodes } from './far.js';

const RADIAN = Math.PI / 180;
const MAX_LATITUDE = 85.0511; // of the square map of Web Mercator
const EDGE = 1.25; // of the map, in halves of what is drawn to scale

/**
 * The points as read, or a local map of longitudes and latitudes.
 * @param {import('./problem.js').Problem} problem With coordinates.
 * @param {Set<number>} [far] Nodes that do not decide how wide a degree is.
 * @returns {Float64Array} x and y of each node.
 */
export function planePoints(problem, far = new Set()) {
  return problem.metric === 'haversine' ? localMap(problem.coords, far) : problem.coords;
}

/**
 * The points to draw, degrees in Web Mercator: those far from all others at the edge, so that the rest is seen.
 * @param {import('./problem.js').Problem} problem With coordinates.
 * @returns {{points: Float64Array, far: Set<number>, west: number|null}} x and y of each node, and
 *   who is moved; the longitude of x = 0, null where points are no degrees.
 */
export function drawnPoints(problem) {
  const far = new Set(farNodes(problem.coords, problem.metric));
  const { points, west } = problem.metric === 'haversine' ? mercator(problem.coords) : { points: problem.coords, west: null };
  const box = extent(points.filter((_, index) => !far.has(index >> 1)));
  const sides = [[box.left, box.right], [box.bottom, box.top]];
  const longer = Math.max(...sides.map(([low, high]) => high - low));
  if (!far.size || !longer) return { points, west, far: new Set() };
  const middle = sides.map(([low, high]) => low + (high - low) / 2);
  const half = sides.map(([low, high]) => (EDGE / 2) * Math.max(high - low, longer / 2));
  const drawn = points.slice();
  for (const node of far) {
    const away = middle.map((at, axis) => points[2 * node + axis] - at);
    const times = Math.max(...away.map((each, axis) => Math.abs(each) / half[axis]));
    away.forEach((each, axis) => { drawn[2 * node + axis] = middle[axis] + each / times; });
  }
  return { points: drawn, west, far };
}

/**
 * Points moved and scaled, the same in both axes: the longer side of their box fills
 * [0, 1], the shorter one is centred. Points all in one place go to the centre.
 */
export function unitBox(points) {
  const box = extent(points);
  const side = Math.max(box.right - box.left, box.top - box.bottom);
  const middle = [box.left + (box.right - box.left) / 2, box.bottom + (box.top - box.bottom) / 2];
  return points.map((value, index) =>
    (side > 0 ? Math.min(1, Math.max(0, (value - middle[index % 2]) / side + 0.5)) : 0.5));
}

/** The bounding box. */
export function extent(points) {
  const box = { left: Infinity, right: -Infinity, bottom: Infinity, top: -Infinity };
  for (let index = 0; index < points.length; index += 2) {
    box.left = Math.min(box.left, points[index]);
    box.right = Math.max(box.right, points[index]);
    box.bottom = Math.min(box.bottom, points[index + 1]);
    box.top = Math.max(box.top, points[index + 1]);
  }
  return box;
}

/** Degrees in Web Mercator, where the equator is 360 wide. */
function mercator(degrees) {
  const { longitudes, west } = eastwards(degrees);
  const points = new Float64Array(degrees.length);
  longitudes.forEach((east, node) => {
    const latitude = Math.max(-MAX_LATITUDE, Math.min(MAX_LATITUDE, degrees[2 * node + 1])) * RADIAN;
    points[2 * node] = east;
    points[2 * node + 1] = Math.asinh(Math.tan(latitude)) / RADIAN;
  });
  return { points, west };
}

/** Latitude of a y in Web Mercator. */
export function latitudeOf(y) {
  return Math.atan(Math.sinh(y * RADIAN)) / RADIAN;
}

/** Longitudes from the widest gap between them eastwards. */
function eastwards(degrees) {
  const size = degrees.length / 2;
  const longitudes = Array.from({ length: size }, (_, node) => ((degrees[2 * node] % 360) + 360) % 360);
  const ordered = [...longitudes].sort((a, b) => a - b);
  let west = ordered[0];
  let widest = -1;
  ordered.forEach((value, index) => {
    const next = index + 1 < size ? ordered[index + 1] : ordered[0] + 360;
    if (next - value > widest) {
      widest = next - value;
      west = ordered[(index + 1) % size];
    }
  });
  return { west, longitudes: longitudes.map((each) => (each - west + 360) % 360) };
}

/** Degrees as a plane, equirectangular, cut open in the widest gap between longitudes. */
function localMap(degrees, far) {
  const size = degrees.length / 2;
  const { longitudes } = eastwards(degrees);
  let latitude = 0;
  for (let node = 0; node < size; node += 1) {
    if (!far.has(node)) latitude += degrees[2 * node + 1] / (size - far.size);
  }
  const shrink = Math.max(Math.cos((latitude * Math.PI) / 180), 0);
  const plane = new Float64Array(degrees.length);
  for (let node = 0; node < size; node += 1) {
    plane[2 * node] = longitudes[node] * shrink;
    plane[2 * node + 1] = degrees[2 * node + 1];
  }
  return plane;
}
