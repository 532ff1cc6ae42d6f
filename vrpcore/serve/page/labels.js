/** Spots for texts on a map, so that none covers another or what it belongs to. */

const GAP = 4;
const AROUND = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [-1, -1], [1, 1], [-1, 1]];

/** Boxes that are taken; the first text gets the best spot. */
export class Labels {
  /** @param {number} width Of the frame; `height` likewise. */
  constructor(width, height) {
    Object.assign(this, { width, height, taken: [], avoided: [] });
  }

  /** Keeps a spot of some size around a point free of texts. */
  block(point, wide, high = wide) {
    this.taken.push(boxAround(point, wide, high));
  }

  /** The same, where there is another spot for them. */
  avoid(point, wide) {
    this.avoided.push(boxAround(point, wide, wide));
  }

  /**
   * A free spot next to a point.
   * @param {[number, number]} point
   * @param {number} reach Of what is drawn at the point.
   * @param {[number, number]} size Of the text.
   * @param {{wish?: [number, number], strict?: boolean}} how `wish`: the direction that is tried first; `strict`:
   *   rather no spot than one that is only avoided.
   * @returns {[number, number]|null} Its middle; null: there is no room.
   */
  place([x, y], reach, [wide, high], { wish, strict = false } = {}) {
    const spots = (wish ? [wish, ...AROUND] : AROUND)
      .map(([dx, dy]) => [x + dx * (reach + GAP + wide / 2), y + dy * (reach + GAP + high / 2)])
      .filter(([atX, atY]) => atX >= wide / 2 && atY >= high / 2 && atX + wide / 2 <= this.width && atY + high / 2 <= this.height);
    const free = (others) => spots.find((at) => !others.some((other) => overlap(boxAround(at, wide, high), other)));
    const found = free([...this.taken, ...this.avoided]) ?? (strict ? null : free(this.taken)) ?? null;
    if (found) this.block(found, wide, high);
    return found;
  }
}

function boxAround([x, y], wide, high) {
  return [x - wide / 2, y - high / 2, x + wide / 2, y + high / 2];
}

function overlap(one, other) {
  return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
}
