/** Any instance's coordinates on the map. */

const RADIAN = Math.PI / 180;
const MAX_LATITUDE = 85.0511; // of the square map of Web Mercator
const EDGE = 1.25; // of the map, in halves of what is drawn to scale

/**
 * The points to draw, degrees in Web Mercator: those far from all others at the edge, so that the rest is seen.
 * @param {import('./instances.js').Problem} problem With coordinates.
 * @returns {{points: Float64Array, far: Set<number>, west: number|null}} x and y of each node, and
 *   who is moved; the longitude of x = 0, null where points are no degrees.
 */
export function drawnPoints({ coords, metric, far: farNodes }) {
  const far = new Set(farNodes);
  const { points, west } = metric === 'haversine' ? mercator(coords) : { points: coords, west: null };
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
