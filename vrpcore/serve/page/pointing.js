/** Pointing at the map: mouse, touch and keyboard. */

import { byId, element } from './element.js';

const KEYS = {
  ArrowRight: { along: 1 }, ArrowLeft: { along: -1 }, ArrowDown: { across: 1 }, ArrowUp: { across: -1 },
};

/** Tells which route and customer are meant, and shows the customer next to it. */
export class Pointing {
  /**
   * @param {(route: number, node: number, pin: boolean, stop?: number) => void} onPoint
   * @param {(at: [number, number]) => void} onPlace Of a click next to nothing, where no depot is yet.
   */
  constructor(drawing, onPoint, onPlace) {
    Object.assign(this, { drawing, onPoint, onPlace, drag: null, tooltip: byId('tooltip') });
    const { frame } = drawing;
    frame.addEventListener('pointermove', (event) => this.#move(event));
    frame.addEventListener('pointerdown', (event) => this.#down(event));
    frame.addEventListener('pointerup', (event) => this.#up(event));
    frame.addEventListener('pointercancel', () => { this.drag = null; });
    frame.addEventListener('pointerleave', () => { if (!this.drag) onPoint(-1, 0, false); });
    frame.addEventListener('keydown', (event) => this.#key(event));
    frame.addEventListener('blur', () => onPoint(-1, 0, false));
    frame.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    byId('zoom-in').addEventListener('click', () => this.#zoom(1.5));
    byId('zoom-out').addEventListener('click', () => this.#zoom(1 / 1.5));
    byId('zoom-fit').addEventListener('click', () => this.#fit());
  }

  /** Shows a customer next to its point; 0 hides it. */
  tell(node, aloud) {
    const { scene } = this.drawing;
    const { tooltip } = this;
    tooltip.hidden = !node || !scene?.points;
    if (!node || !scene) return;
    const [name, ...rest] = scene.describe(node, this.drawing);
    tooltip.replaceChildren(element('strong', {}, name), ...rest.map((line) => element('span', {}, line)));
    if (aloud) byId('map-said').textContent = [name, ...rest].join(', ');
    if (scene.points) this.#placeTooltip(node);
  }

  #placeTooltip(node) {
    const { tooltip, drawing: { frame } } = this;
    const [x, y] = this.drawing.pointOf(node);
    const [wide, high] = [tooltip.offsetWidth, tooltip.offsetHeight];
    // Behind the point where there is room, else before it.
    const away = (at, size, most) => (at + 16 + size < most - 4 ? at + 16 : at - 16 - size);
    const side = away(x, wide, frame.clientWidth);
    const beside = side > 4;
    const left = beside ? side : x - wide / 2;
    const top = beside ? y - high / 2 : away(y, high, frame.clientHeight);
    tooltip.style.left = `${Math.max(4, Math.min(left, frame.clientWidth - wide - 4))}px`;
    tooltip.style.top = `${Math.max(4, Math.min(top, frame.clientHeight - high - 4))}px`;
  }

  #pointOf(event) {
    const box = this.drawing.frame.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  #move(event) {
    const at = this.#pointOf(event);
    if (this.drag) {
      const [dx, dy] = [at[0] - this.drag.at[0], at[1] - this.drag.at[1]];
      this.drag.far ||= Math.hypot(dx, dy) > 5;
      if (this.drag.far && this.drawing.view.scale > 1) {
        this.drawing.pan(dx, dy);
        this.drag.at = at;
      }
      return;
    }
    const { route, node } = this.drawing.nearest(...at);
    this.onPoint(route, node, false);
  }

  #down(event) {
    this.drag = { at: this.#pointOf(event), far: false };
    if (this.drawing.view.scale > 1) this.drawing.frame.setPointerCapture(event.pointerId);
  }

  #up(event) {
    const tapped = this.drag && !this.drag.far;
    this.drag = null;
    if (!tapped) return;
    const at = this.#pointOf(event);
    const { route, node } = this.drawing.nearest(...at);
    if (!node && this.drawing.scene?.problem.lacksDepot) this.onPlace(this.drawing.placeOf(...at));
    else this.onPoint(route, node, true);
  }

  #wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
    event.preventDefault();
    this.drawing.zoom(Math.exp(-event.deltaY / 200), this.#pointOf(event));
    this.#touch();
  }

  #zoom(factor) {
    const { node } = this.drawing;
    this.drawing.zoom(factor, node ? this.drawing.pointOf(node) : undefined);
    this.#touch();
  }

  #fit() {
    this.drawing.fit();
    this.drawing.paint();
    this.#touch();
  }

  /** A finger moves the picture only where there is more of it than can be seen. */
  #touch() {
    this.drawing.frame.classList.toggle('zoomed', this.drawing.view.scale > 1);
    this.tell(this.drawing.node, false);
  }

  #key(event) {
    const { scene, node } = this.drawing;
    if (!scene || event.altKey || event.ctrlKey || event.metaKey) return;
    if (KEYS[event.key]) {
      const next = scene.step(node, this.drawing, KEYS[event.key]);
      this.onPoint(next.route, next.node, false, next.stop);
      this.drawing.reveal(next.node);
      this.tell(next.node, true);
    } else if (event.key === '+' || event.key === '=') this.#zoom(1.5);
    else if (event.key === '-') this.#zoom(1 / 1.5);
    else if (event.key === '0') this.#fit();
    else if (event.key === 'Escape') this.onPoint(-1, 0, false);
    else return;
    event.preventDefault();
  }
}
