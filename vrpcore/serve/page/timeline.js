/** When each route's vehicle drives, waits, serves and rests: a row for each route, below the map. */

import { byId, element, swatch } from './element.js';
import { count } from './numbers.js';
import { routeColour, shapeOf } from './palette.js';

const ROWS_AT_ONCE = 40;
const BEYOND = 0.25; // of the time that is driven: how far off a window or a shift may widen the axis
const MARGIN = 0.02;
const LANES = 3; // of windows
const LEAST_PX = 560; // of a track; with less room, the timeline scrolls
const STOP_PX = 18;
const TICK_PX = 72;
const EDGE_PX = 20; // where the label of a tick would be cut
const CHARACTER_PX = 6.6;
const CHARACTERS = 12; // of a name above a bar
const KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'Escape'];

/** A list box of stops; arrow keys lead along a route and to other routes at the same time. */
export class Timeline {
  /** @param {(route: number, node: number, pin: boolean) => void} onPoint */
  constructor(onPoint) {
    Object.assign(this, { onPoint, scene: null, shown: 0, width: 0, options: new Map() });
    this.part = byId('timeline');
    this.box = byId('timeline-box');
    this.list = byId('timeline-rows');
    this.said = byId('timeline-said');
    this.more = byId('more-rows');
    this.more.addEventListener('click', () => {
      this.shown += ROWS_AT_ONCE;
      this.#fill();
    });
    this.list.addEventListener('click', ({ target }) => this.options.get(nodeOf(target))?.focus({ preventScroll: true }));
    this.list.addEventListener('keydown', (event) => this.#key(event));
    new ResizeObserver(() => {
      if (this.scene && Math.abs(this.box.clientWidth - this.width) > 1) this.#fill();
    }).observe(this.box);
  }

  /** Another scene; hidden where routes state no times. */
  show(scene) {
    this.scene = scene?.timed ? scene : null;
    this.part.hidden = !this.scene;
    this.shown = ROWS_AT_ONCE;
    this.list.replaceChildren();
    if (!this.scene) return;
    const kinds = new Set(scene.routes.flatMap(({ bars }) => bars ?? []).map(({ kind }) => kind));
    for (const kind of ['break', 'loading']) byId(`key-${kind}`).hidden = !kinds.has(kind);
    byId('key-late').hidden = !scene.late.size;
    this.#fill();
  }

  /** Selects the stop that is pointed at; 0: none. */
  mark(node) {
    if (!this.scene) return;
    this.list.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', 'false');
    const option = this.options.get(node);
    this.said.textContent = option ? option.ariaLabel : '';
    if (!option) return;
    option.setAttribute('aria-selected', 'true');
    this.#rove(option);
    this.#reveal(option);
  }

  #fill() {
    const { scene, box } = this;
    const focused = this.list.contains(document.activeElement) ? nodeOf(document.activeElement) : 0;
    this.width = box.clientWidth;
    const { clock } = scene;
    const known = scene.routes.map((route, index) => ({ ...route, index })).filter(({ bars }) => bars);
    const dated = known.filter(({ stated }) => clock.holds(stated.return));
    const timed = dated.length ? dated : known;
    const left = known.length - timed.length;
    byId('timeline-date').textContent = clock.date + (left ? `; ${count(left, 'route')} without dates not drawn` : '');
    const rows = timed.slice(0, this.shown);
    const most = rows.reduce((stops, { nodes }) => Math.max(stops, nodes.length), 0);
    const label = parseFloat(getComputedStyle(this.list).getPropertyValue('--who')) * 16;
    const track = Math.max(LEAST_PX, most * STOP_PX, this.width - label);
    this.list.parentElement.style.setProperty('--track', `${track}px`);
    this.limits = limitsOf(scene, rows);
    this.track = track;
    const ticks = clock.ticks(...this.limits, Math.max(2, Math.floor(track / TICK_PX)));
    this.options.clear();
    this.order = rows.filter(({ nodes }) => nodes.length).map(({ index }) => index);
    this.list.replaceChildren(...rows.map((route) => this.#row(route, ticks)));
    for (const axis of this.part.querySelectorAll('.axis')) {
      const whole = ticks.filter(({ at }) => {
        const left = (this.#share(at) / 100) * track;
        return left >= EDGE_PX && left <= track - EDGE_PX;
      });
      axis.lastElementChild.replaceChildren(...whole.map(({ at, label: text }) =>
        placed(element('span', {}, text), this.#share(at))));
    }
    byId('axis-below').hidden = rows.length < 9;
    this.more.hidden = rows.length === timed.length;
    this.more.textContent = `Show more (${timed.length - rows.length} left)`;
    const first = this.options.values().next().value;
    if (first) first.tabIndex = 0;
    this.options.get(focused)?.focus({ preventScroll: true });
  }

  #share(time) {
    const [low, high] = this.limits;
    return (100 * (Math.min(high, Math.max(low, time)) - low)) / (high - low || 1);
  }

  #row(route, ticks) {
    const { clock } = this.scene;
    const { index, stated, bars, nodes, shift: [open, close] } = route;
    const vehicle = typeof stated.vehicle === 'string' ? stated.vehicle : '';
    const who = element('span', { className: 'who', 'aria-hidden': 'true' }, swatch(shapeOf(route.type)),
      element('span', {}, element('b', {}, `Route ${index + 1}`), element('small', { title: vehicle }, vehicle)));
    const track = element('div', { className: 'track', role: 'presentation' });
    track.append(...ticks.map(({ at }) => placed(element('i', { className: 'grid' }), this.#share(at))));
    track.append(...[[this.limits[0], open], [close, this.limits[1]]].filter(([from, to]) => from < to)
      .map(([from, to]) => this.#span('closed', from, to)));
    track.append(...this.#windows(nodes));
    track.append(...bars.map((bar) => this.#bar(bar, nodes)));
    track.append(this.#end(stated.departure, stated.start), this.#end(stated.return, stated.end));
    track.append(...this.#names(route), ...nodes.map((node, stop) => this.#option(node, stop, route)));
    const row = element('div', {
      role: 'group', className: 'row', 'data-route': index,
      'aria-label': [
        `Route ${index + 1}`, vehicle, `leaves ${clock.time(stated.departure)}`, ...this.scene.reloadWords(stated),
        `back ${clock.time(stated.return)}`, ...this.scene.lateWords(stated),
      ].filter(Boolean).join(', '),
    }, who, track);
    row.style.setProperty('--route', routeColour(route.rank));
    return row;
  }

  #span(kind, begin, end) {
    const made = element('i', { className: kind });
    const from = this.#share(begin);
    return placed(made, from, this.#share(end) - from);
  }

  #bar({ kind, begin, end, stop }, nodes) {
    const made = this.#span(kind, begin, end);
    if (stop >= 0 && kind !== 'travel') made.dataset.node = nodes[stop];
    return made;
  }

  #end(time, depot) {
    return placed(element('i', { className: depot === null ? 'end open' : 'end' }), this.#share(time));
  }

  /** Below the bars, in lanes. */
  #windows(nodes) {
    const all = nodes.flatMap((node) => this.scene.windowsOf(node).map((pair) => ({ node, pair })));
    const [low, high] = this.limits;
    const seen = all.filter(({ pair: [from, to] }) => from < high && to > low);
    const lanes = lanesOf(seen.map(({ pair }) => pair));
    return seen.map(({ node, pair: [from, to] }, index) => {
      const made = this.#span(`window lane-${lanes[index]}`, from, to);
      made.classList.toggle('endless', to > high);
      made.classList.toggle('beginless', from < low);
      made.dataset.node = node;
      return made;
    });
  }

  /** Names of stops above the bars, and of depots where it reloads, as many as there is room for. */
  #names({ nodes, bars, stated }) {
    const stops = bars.filter(({ kind }) => kind === 'service')
      .map(({ begin, stop }) => [begin, this.scene.briefly(this.scene.problem.ids[nodes[stop] - this.scene.first], CHARACTERS)]);
    const reloads = stated.reloads.map(({ begin, depot }) => [begin, `\u21bb ${depot}`]);
    let free = -Infinity;
    return [...stops, ...reloads].sort(([one], [other]) => one - other).flatMap(([begin, text]) => {
      const at = this.#share(begin);
      const left = (at / 100) * this.track;
      const wide = text.length * CHARACTER_PX + 6;
      if (left < free || left + wide > this.track || text.length > CHARACTERS) return [];
      free = left + wide;
      return [placed(element('span', { className: 'name', 'aria-hidden': 'true' }, text), at)];
    });
  }

  #option(node, stop, { index, nodes, stated, ends }) {
    const words = [`${this.scene.nameOf(node)}: stop ${stop + 1} of route ${index + 1}`, ...this.scene.timesOf(node)];
    const made = element('div', {
      role: 'option', className: 'stop', tabIndex: -1, 'aria-selected': 'false', 'aria-label': words.join(', '),
      'aria-posinset': stop + 1, 'aria-setsize': nodes.length, 'data-node': node,
    });
    const from = this.#share(stated.arrivals[stop]);
    this.options.set(node, made);
    return placed(made, from, this.#share(ends[stop]) - from);
  }

  #rove(option) {
    this.list.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1');
    option.tabIndex = 0;
  }

  /** Moves the timeline sideways, never the page. */
  #reveal(option) {
    const { box } = this;
    if (box.scrollWidth <= box.clientWidth) return;
    const [frame, own] = [box.getBoundingClientRect(), option.getBoundingClientRect()];
    const label = option.closest('.row').firstElementChild.offsetWidth;
    if (own.left < frame.left + label) box.scrollLeft -= frame.left + label + 24 - own.left;
    else if (own.right > frame.right) box.scrollLeft += own.right - frame.right + 24;
  }

  #key(event) {
    if (!KEYS.includes(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
    const node = nodeOf(event.target);
    if (!node) return;
    event.preventDefault();
    if (event.key === 'Escape') {
      this.onPoint(-1, 0, true);
      return;
    }
    const next = this.#next(node, event.key);
    const option = this.options.get(next);
    option?.focus({ preventScroll: true });
    option?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  #next(node, key) {
    const { scene } = this;
    const index = scene.routeOf[node];
    const { nodes } = scene.routes[index];
    const stop = scene.stopOf[node] - 1;
    const along = { ArrowLeft: stop - 1, ArrowRight: stop + 1, Home: 0, End: nodes.length - 1 }[key];
    if (along !== undefined) return nodes[Math.min(nodes.length - 1, Math.max(0, along))];
    const { order } = this;
    const next = order.indexOf(index) + (key === 'ArrowUp' ? -1 : 1);
    const other = scene.routes[order[Math.min(order.length - 1, Math.max(0, next))]];
    const now = scene.routes[index].stated.begins[stop];
    const away = other.stated.begins.map((begin) => Math.abs(begin - now));
    return other.nodes[away.indexOf(Math.min(...away))];
  }
}

function nodeOf(target) {
  return Number(target.closest('[data-node]')?.dataset.node ?? 0);
}

function placed(made, left, width = null) {
  made.style.left = `${left.toFixed(3)}%`;
  if (width !== null) made.style.width = `${width.toFixed(3)}%`;
  return made;
}

/** The times that are shown: what is driven, and shifts and windows that are near. */
function limitsOf(scene, routes) {
  const driven = routes.flatMap(({ stated }) => [stated.departure, stated.return]);
  let low = driven.reduce((a, b) => Math.min(a, b), Infinity);
  let high = driven.reduce((a, b) => Math.max(a, b), -Infinity);
  const span = high - low || 1;
  const near = [low - BEYOND * span, high + BEYOND * span];
  for (const { shift, nodes } of routes) {
    for (const time of [shift, ...nodes.flatMap((node) => scene.windowsOf(node))].flat()) {
      if (time >= near[0] && time <= near[1]) [low, high] = [Math.min(low, time), Math.max(high, time)];
    }
  }
  const margin = MARGIN * (high - low || 1);
  return [low - margin, high + margin];
}

/** A lane for each window, so that those of a lane overlap as little as may be. */
function lanesOf(windows) {
  const free = Array(LANES).fill(-Infinity);
  const found = Array(windows.length).fill(0);
  const order = windows.map((_, index) => index).sort((a, b) => windows[a][0] - windows[b][0] || windows[a][1] - windows[b][1]);
  for (const index of order) {
    const [begin, end] = windows[index];
    const empty = free.findIndex((until) => until <= begin);
    const lane = empty < 0 ? free.indexOf(Math.min(...free)) : empty;
    found[index] = lane;
    free[lane] = Math.max(free[lane], end);
  }
  return found;
}
