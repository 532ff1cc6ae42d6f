/** A street map below the routes: tiles of the host that the server names; of others, nothing is fetched. */

import { byId } from './element.js';

const TILE_PX = 256;
const MAX_LEVEL = 19;
const MOST = 120; // tiles in sight
const KEPT = 300;
const WORLD = 360; // its width where degrees are drawn

/** Draws tiles on a canvas of their own. */
export class Tiles {
  /** @param {HTMLCanvasElement} canvas @param {() => void} onArrival There is more to draw. */
  constructor(canvas, onArrival) {
    Object.assign(this, { canvas, onArrival, url: null, shown: true, images: new Map(), waiting: 0 });
    this.button = byId('show-streets');
    this.note = byId('attribution');
    this.button.addEventListener('click', () => {
      this.shown = !this.shown;
      this.button.setAttribute('aria-pressed', String(this.shown));
      onArrival();
    });
  }

  /** @param {{tiles: string|null, attribution: string}} source A template with {z}, {x} and {y}. */
  use({ tiles, attribution }) {
    Object.assign(this, { url: tiles, attribution, images: new Map() });
    this.onArrival();
  }

  /**
   * Draws what lies below a part of the world.
   * @param {{width: number, height: number, density: number}} frame In pixels.
   * @param {{unit: number, left: number, top: number, west: number}|null} view Pixels of a degree
   *   and of x = 0 and y = 0, and the longitude there; null: what is drawn is no part of the world.
   */
  paint({ width, height, density }, view) {
    const possible = Boolean(this.url && view);
    this.button.hidden = !possible;
    this.note.hidden = !possible || !this.shown;
    const pen = this.canvas.getContext('2d');
    pen.clearRect(0, 0, width, height);
    if (this.note.hidden) return;
    const { unit, left, top, west } = view;
    const wanted = Math.round(Math.log2((WORLD * unit * density) / TILE_PX));
    let level = Math.min(MAX_LEVEL, Math.max(0, wanted));
    while (level > 0 && (width * height) / ((WORLD * unit) / 2 ** level) ** 2 > MOST) level -= 1;
    const across = 2 ** level;
    const size = (WORLD * unit) / across;
    const [originX, originY] = [left - (west + WORLD / 2) * unit, top - (WORLD / 2) * unit];
    const [firstY, lastY] = [-originY, height - originY].map((y) => Math.floor(y / size));
    for (let x = Math.floor(-originX / size); originX + x * size < width; x += 1) {
      for (let y = Math.max(0, firstY); y <= Math.min(across - 1, lastY); y += 1) {
        const image = this.#image(level, ((x % across) + across) % across, y);
        if (image.naturalWidth) pen.drawImage(image, originX + x * size, originY + y * size, size, size);
      }
    }
    this.#say();
  }

  #image(z, x, y) {
    const url = this.url.replace('{z}', z).replace('{x}', x).replace('{y}', y);
    const known = this.images.get(url);
    if (known) return known;
    const image = new Image();
    image.referrerPolicy = 'origin'; // hosts of maps ask who uses them
    image.addEventListener('load', () => this.#arrived());
    image.addEventListener('error', () => this.#arrived());
    image.src = url;
    this.images.set(url, image);
    if (this.images.size > KEPT) this.images.delete(this.images.keys().next().value);
    return image;
  }

  /** Draws at once what arrives together. */
  #arrived() {
    this.waiting ||= requestAnimationFrame(() => {
      this.waiting = 0;
      this.onArrival();
    });
  }

  #say() {
    const all = [...this.images.values()];
    const failed = all.length > 0 && all.every((image) => image.complete && !image.naturalWidth);
    this.note.textContent = failed ? 'The street map cannot be loaded.' : this.attribution;
  }
}
