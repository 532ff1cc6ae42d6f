/** Spots for texts on a map, so that none covers another or what it belongs to. */

const GAP = 4;
const AROUND = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [-1, -1], [1, 1], [-1, 1]];

/** Boxes that are taken; the first text gets the best spot. */
export class Labels {
  /** @param {number} width Of the frame; `height` likewise. */
  constructor(width, height) {
    Object.assign(this, { width, height, taken: [], avoided: [] });
  }

  /** Keeps a spot free of texts. */
  block(x, y, reach) {
    this.taken.push([x - reach, y - reach, x + reach, y + reach]);
  }

  /** The same of a text that stands there. */
  blockText([x, y], [wide, high]) {
    this.taken.push([x - wide / 2, y - high / 2, x + wide / 2, y + high / 2]);
  }

  /** The same, where there is another spot for them. */
  avoid(x, y, reach) {
    this.avoided.push([x - reach, y - reach, x + reach, y + reach]);
  }

  /**
   * A free spot next to a point.
   * @param {[number, number]} point
   * @param {number} reach Of what is drawn at the point.
   * @param {[number, number]} size Of the text.
   * @param {[number, number]} [wish] The direction that is tried first.
   * @param {boolean} [strict] Rather no spot than one that is only avoided.
   * @returns {[number, number]|null} Its middle; null: there is no room.
   */
  place(point, reach, size, wish, strict = false) {
    return this.#find(point, reach, size, wish, [...this.taken, ...this.avoided])
      ?? (strict ? null : this.#find(point, reach, size, wish, this.taken));
  }

  #find([x, y], reach, [wide, high], wish, others) {
    const away = ([dx, dy]) => [x + dx * (reach + GAP + wide / 2), y + dy * (reach + GAP + high / 2)];
    for (const direction of wish ? [wish, ...AROUND] : AROUND) {
      const [atX, atY] = away(direction);
      const box = [atX - wide / 2, atY - high / 2, atX + wide / 2, atY + high / 2];
      if (box[0] < 0 || box[1] < 0 || box[2] > this.width || box[3] > this.height) continue;
      if (others.some((other) => overlap(box, other))) continue;
      this.taken.push(box);
      return [atX, atY];
    }
    return null;
  }
}

function overlap(one, other) {
  return one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3];
}
