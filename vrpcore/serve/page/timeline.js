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
    this.list.addEventListener('click', ({ target }) => this.#optionOf(visitAt(target))?.focus({ preventScroll: true }));
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

  /** Selects the visit that is pointed at; of node 0: none. */
  mark(visit) {
    if (!this.scene) return;
    this.list.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', 'false');
    const option = this.#optionOf(visit);
    this.said.textContent = option ? option.ariaLabel : '';
    if (!option) return;
    option.setAttribute('aria-selected', 'true');
    this.list.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1');
    option.tabIndex = 0;
    this.#reveal(option);
  }

  #fill() {
    const { scene, box } = this;
    const focused = this.list.contains(document.activeElement) ? visitAt(document.activeElement) : { node: 0 };
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
      axis.lastElementChild.replaceChildren(...whole.map(({ at, label: text }) => this.#placed(element('span', {}, text), at)));
    }
    byId('axis-below').hidden = rows.length < 9;
    this.more.hidden = rows.length === timed.length;
    this.more.textContent = `Show more (${timed.length - rows.length} left)`;
    const first = this.options.values().next().value;
    if (first) first.tabIndex = 0;
    this.#optionOf(focused)?.focus({ preventScroll: true });
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
    const closed = [[this.limits[0], open], [close, this.limits[1]]].filter(([from, to]) => from < to);
    track.append(
      ...ticks.map(({ at }) => this.#bar('grid', at)), ...closed.map((span) => this.#bar('closed', ...span)), ...this.#windows(nodes),
      ...bars.map(({ kind, begin, end, stop }) => this.#bar(kind, begin, end, kind === 'travel' ? 0 : nodes[stop], stop)),
      ...[[stated.departure, stated.start], [stated.return, stated.end]].map(([at, depot]) => this.#bar(depot === null ? 'end open' : 'end', at)),
      ...this.#names(route), ...nodes.map((node, stop) => this.#option(node, stop, route)));
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

  /** A part of a track, of a stop if there is a node; without an end, a mark. */
  #bar(className, begin, end, node, stop = -1) {
    const made = element('i', node ? { className, 'data-node': node, 'data-stop': stop } : { className });
    return this.#placed(made, begin, end);
  }

  #placed(made, begin, end) {
    const [left, right] = [begin, end].map((time) => (time === undefined ? null : this.#share(time)));
    made.style.left = `${left.toFixed(3)}%`;
    if (right !== null) made.style.width = `${(right - left).toFixed(3)}%`;
    return made;
  }

  /** Below the bars, in lanes, so that those of a lane overlap as little as may be. */
  #windows(nodes) {
    const [low, high] = this.limits;
    const free = Array(LANES).fill(-Infinity);
    const all = nodes.flatMap((node) => this.scene.windowsOf(node).map(([from, to]) => ({ node, from, to })));
    const seen = all.filter(({ from, to }) => from < high && to > low).sort((a, b) => a.from - b.from || a.to - b.to);
    return seen.map(({ node, from, to }) => {
      const empty = free.findIndex((until) => until <= from);
      const lane = empty < 0 ? free.indexOf(Math.min(...free)) : empty;
      free[lane] = Math.max(free[lane], to);
      return this.#bar(`window lane-${lane}${from < low ? ' beginless' : ''}${to > high ? ' endless' : ''}`, from, to, node);
    });
  }

  /** Names of stops above the bars, and of depots where it reloads, as many as there is room for. */
  #names({ nodes, bars, stated }) {
    const stops = bars.filter(({ kind }) => kind === 'service')
      .map(({ begin, stop }) => [begin, this.scene.briefly(this.scene.problem.ids[nodes[stop] - this.scene.first], CHARACTERS)]);
    const reloads = stated.reloads.map(({ begin, depot }) => [begin, `\u21bb ${depot}`]);
    let free = -Infinity;
    return [...stops, ...reloads].sort(([one], [other]) => one - other).flatMap(([begin, text]) => {
      const left = (this.#share(begin) / 100) * this.track;
      const wide = text.length * CHARACTER_PX + 6;
      if (left < free || left + wide > this.track || text.length > CHARACTERS) return [];
      free = left + wide;
      return [this.#placed(element('span', { className: 'name', 'aria-hidden': 'true' }, text), begin)];
    });
  }

  #option(node, stop, { index, nodes, stated, ends }) {
    const words = [`${this.scene.nameOf(node)}: stop ${stop + 1} of route ${index + 1}`, ...this.scene.timesOf(node, { route: index, stop })];
    const made = element('div', {
      role: 'option', className: 'stop', tabIndex: -1, 'aria-selected': 'false', 'aria-label': words.join(', '),
      'aria-posinset': stop + 1, 'aria-setsize': nodes.length, 'data-node': node, 'data-stop': stop,
    });
    this.options.set(`${index} ${stop}`, made);
    return this.#placed(made, stated.arrivals[stop], ends[stop]);
  }

  #optionOf({ node, ...visit }) {
    const { route, stop } = this.scene.visitOf(node, visit);
    return this.options.get(`${route} ${stop}`);
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
    const visit = visitAt(event.target);
    if (!visit.node) return;
    event.preventDefault();
    const option = event.key === 'Escape' ? null : this.#optionOf(this.#next(visit, event.key));
    if (event.key === 'Escape') this.onPoint(-1, 0, true);
    option?.focus({ preventScroll: true });
    option?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  #next({ route: index, stop }, key) {
    const { scene } = this;
    const { nodes } = scene.routes[index];
    const visit = (route, at) => ({ route, node: scene.routes[route].nodes[at], stop: at });
    const along = { ArrowLeft: stop - 1, ArrowRight: stop + 1, Home: 0, End: nodes.length - 1 }[key];
    if (along !== undefined) return visit(index, Math.min(nodes.length - 1, Math.max(0, along)));
    const { order } = this;
    const next = order.indexOf(index) + (key === 'ArrowUp' ? -1 : 1);
    const other = order[Math.min(order.length - 1, Math.max(0, next))];
    const now = scene.routes[index].stated.begins[stop];
    const away = scene.routes[other].stated.begins.map((begin) => Math.abs(begin - now));
    return visit(other, away.indexOf(Math.min(...away)));
  }
}

function visitAt(target) {
  const [route, node, stop] = ['route', 'node', 'stop'].map((key) => Number(target.closest(`[data-${key}]`)?.dataset[key] ?? -1));
  return { route, node: Math.max(0, node), stop };
}

/** The times that are shown: what is driven, and shifts and windows that are near. */
function limitsOf(scene, routes) {
  const driven = routes.flatMap(({ stated }) => [stated.departure, stated.return]).sort((a, b) => a - b);
  const [low, high] = [driven[0], driven.at(-1)];
  const beyond = BEYOND * (high - low || 1);
  const others = routes.flatMap(({ shift, nodes }) => [shift, ...nodes.flatMap((node) => scene.windowsOf(node))].flat());
  const all = [...driven, ...others.filter((time) => time >= low - beyond && time <= high + beyond)].sort((a, b) => a - b);
  const [first, last] = [all[0], all.at(-1)];
  const margin = MARGIN * (last - first || 1);
  return [first - margin, last + margin];
}
