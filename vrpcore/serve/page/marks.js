/** Marks on the map that stand for one thing each; they know pens and pixels only. */

const SCALE_PX = 120; // the longest scale

/** Lines through points, all in one style. @param {[number, number][][]} paths */
export function lines(pen, paths, style, dash = []) {
  Object.assign(pen, style);
  pen.setLineDash(dash);
  pen.beginPath();
  for (const path of paths) path.forEach((point, index) => pen[index ? 'lineTo' : 'moveTo'](...point));
  pen.stroke();
}

/** Arrows on the legs of a path that are long enough. @param {[number, number][]} points */
export function arrows(pen, points, fillStyle, { size = 11, least = 26 } = {}) {
  pen.fillStyle = fillStyle;
  for (let stop = 0; stop + 1 < points.length; stop += 1) {
    const [[x, y], [toX, toY]] = [points[stop], points[stop + 1]];
    const length = Math.hypot(toX - x, toY - y);
    if (length < least) continue;
    const [ux, uy] = [(toX - x) / length, (toY - y) / length];
    const [tipX, tipY] = [(x + toX) / 2 + (size / 2) * ux, (y + toY) / 2 + (size / 2) * uy];
    pen.beginPath();
    pen.moveTo(tipX, tipY);
    pen.lineTo(tipX - size * ux - (size / 2) * uy, tipY - size * uy + (size / 2) * ux);
    pen.lineTo(tipX - size * ux + (size / 2) * uy, tipY - size * uy - (size / 2) * ux);
    pen.fill();
  }
}

/** A square around a point. */
export function frame(pen, [x, y], half, strokeStyle) {
  Object.assign(pen, { strokeStyle, lineWidth: 2 });
  pen.setLineDash([]);
  pen.strokeRect(x - half, y - half, 2 * half, 2 * half);
}

/** A circle around a point. */
export function ring(pen, point, reach, strokeStyle, lineWidth = 2.5) {
  Object.assign(pen, { strokeStyle, lineWidth });
  pen.setLineDash([]);
  pen.beginPath();
  pen.arc(...point, reach, 0, 2 * Math.PI);
  pen.stroke();
}

/** A cross with a border. */
export function cross(pen, [x, y], half, colour, border) {
  const strokes = [-1, 1].map((sign) => [[x - half, y - sign * half], [x + half, y + sign * half]]);
  for (const [strokeStyle, lineWidth] of [[border, 6], [colour, 3]]) lines(pen, strokes, { strokeStyle, lineWidth, lineCap: 'round' });
}

/**
 * How long some kilometres are, in the lower left corner.
 * @param {number} metres Of a pixel.
 * @param {number} bottom Of the map, in pixels.
 * @returns {{text: string, at: [number, number]}} What is to be written, and where its middle is.
 */
export function scaleBar(pen, metres, bottom, strokeStyle) {
  const power = 10 ** Math.floor(Math.log10(metres * SCALE_PX));
  const length = power * [5, 2, 1].find((each) => each * power <= metres * SCALE_PX);
  const [left, y, wide] = [12, bottom - 10, length / metres];
  lines(pen, [[[left, y - 4], [left, y], [left + wide, y], [left + wide, y - 4]]], { strokeStyle, lineWidth: 1.5 });
  return { text: length >= 1000 ? `${length / 1000} km` : `${length} m`, at: [left + wide / 2, y - 10] };
}
