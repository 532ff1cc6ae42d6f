/** Any instance's coordinates on a plane, and in the unit square for the model. */

/**
 * The points to draw: as read, or a local map of longitudes and latitudes.
 * @param {import('./problem.js').Problem} problem With coordinates.
 * @returns {Float64Array} x and y of each node.
 */
export function planePoints(problem) {
  return problem.metric === 'haversine' ? localMap(problem.coords) : problem.coords;
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

/** Degrees as a plane, equirectangular, cut open in the widest gap between longitudes. */
function localMap(degrees) {
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
  let latitude = 0;
  for (let node = 0; node < size; node += 1) latitude += degrees[2 * node + 1] / size;
  const shrink = Math.max(Math.cos((latitude * Math.PI) / 180), 0);
  const plane = new Float64Array(degrees.length);
  for (let node = 0; node < size; node += 1) {
    plane[2 * node] = ((longitudes[node] - west + 360) % 360) * shrink;
    plane[2 * node + 1] = degrees[2 * node + 1];
  }
  return plane;
}
