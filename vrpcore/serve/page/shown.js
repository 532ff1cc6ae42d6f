/** The one instance that is shown: map, routes, customers, downloads. */

import { fileName, offer } from './downloads.js';
import { Drawing } from './drawing.js';
import { hasRoutes, statusWord } from './answer.js';
import { byId, element } from './element.js';
import { showLegend } from './legend.js';
import { fillLists } from './lists.js';
import { clearNotices, notify } from './notices.js';
import { amount, cost, count, kilometres, percent } from './numbers.js';
import { Pointing } from './pointing.js';
import { Scene } from './scene.js';
import { CustomerTable, showRoutes, showUnserved } from './tables.js';
import { Timeline } from './timeline.js';

const NOTHING = { route: -1, node: 0, stop: -1 };
const WARNINGS = {
  SIZE_OUT_OF_TRAINING: 'The model was not trained on instances of this size.',
  POLICY_SKIPPED: 'The model does not cover it; savings or insertion constructed these routes.',
  WARM_START_IGNORED: 'Its known routes have none of its stops, and were ignored.',
  WARM_START_REPAIRED: 'Its known routes did not fit, and were repaired.',
};

/** Map and tables point at each other: what is pointed at in one is marked in all. */
export class Shown {
  /** @param {(at: [number, number]) => void} onPlace Somebody says on the map where the depot is. */
  constructor(onPlace) {
    const point = (...meant) => this.#point(...meant);
    this.drawing = new Drawing();
    this.pointing = new Pointing(this.drawing, point, onPlace);
    this.timeline = new Timeline(point);
    for (const id of ['route-table', 'timeline-rows', 'unserved-table']) listen(byId(id), point);
    this.customers = new CustomerTable();
    this.pinned = NOTHING;
    this.clock = null; // seconds in a unit of time, as the user says
    byId('clock').addEventListener('change', ({ target }) => {
      this.clock = target.value ? Number(target.value) : null;
      this.show(this.view);
    });
    byId('download-sol').addEventListener('click', () => this.#offer('sol', 'text/plain'));
    byId('download-csv').addEventListener('click', () => {
      if (!this.#offerInKind('text/csv')) this.#offer('csv', 'text/csv');
    });
    byId('download-vroom').addEventListener('click', () => this.#offerInKind('application/json'));
    byId('print').addEventListener('click', () => window.print());
    window.addEventListener('beforeprint', () => fillLists(this.view?.name ?? '', this.printed, this.scene));
  }

  /**
   * Shows an instance.
   * @param {{name: string, position: number, item: import('./instances.js').Item|null, solution: object|null,
   *   inKind: {name: string, type: string, text: string}|null, sent: object|null}} view
   *   `solution` null: not solved yet; `item` null: the page does not know which instance it is; `sent`: its
   *   timeline and texts.
   */
  show(view) {
    const { name, item, solution, inKind, sent } = view;
    const problem = item?.problem ?? null;
    const drawn = problem ?? item?.sketch ?? null;
    this.view = view;
    this.pinned = NOTHING;
    const answered = Boolean(solution) && hasRoutes(solution);
    const scene = drawn ? new Scene(drawn, answered ? solution : null, sent?.timeline, item.clock ?? this.clock) : null;
    Object.assign(this, { scene, printed: answered ? solution : null });
    byId('shown-title').textContent = name;
    this.#facts(problem, answered ? solution : null);
    this.#notices(solution, item);
    this.#map(scene, item?.error ?? '');
    byId('no-drawing').hidden ||= !scene && Boolean(solution || item); // the notice says why
    showLegend(scene);
    this.timeline.show(answered ? scene : null);
    byId('clock-field').hidden = Boolean(item?.clock);
    byId('routes').hidden = !answered || !solution.routes.length;
    if (answered) showRoutes(solution, scene);
    showUnserved(solution?.unserved ?? [], scene);
    this.customers.show(scene);
    byId('downloads').hidden = !solution;
    byId('download-sol').disabled = !sent?.sol;
    byId('download-csv').disabled = !sent?.csv && inKind?.type !== 'text/csv';
    byId('download-vroom').hidden = inKind?.type !== 'application/json';
    this.#point(-1, 0, false);
  }

  #facts(problem, solution) {
    const facts = [];
    if (solution) {
      facts.push(['Cost', cost(solution.cost)], ['Routes', String(solution.routes.length)]);
      facts.push(...dayFacts(solution));
      if (solution.unserved.length) facts.push(['Not served', amount(solution.unserved.length)]);
    }
    if (problem) {
      facts.push([problem.constrained ? 'Stops' : 'Customers', amount(problem.ids.length)]);
      if (problem.depots.length > 1) facts.push(['Depots', amount(problem.depots.length)]);
      if (problem.vehicles) facts.push(['Vehicle types', amount(problem.vehicles.length)]);
      else facts.push(['Capacity', amount(problem.capacity)]);
      if (problem.maxVehicles) facts.push(['Vehicles at most', String(problem.maxVehicles)]);
      facts.push(['Distances', problem.distances]);
    }
    if (solution && problem?.distances === 'haversine') {
      const metres = solution.routes.reduce((sum, { distance, cost: own }) => sum + (distance ?? own), 0);
      facts.splice(1, 0, ['Driven', kilometres(metres)]);
    }
    if (typeof solution?.gap === 'number') facts.push(['Gap', percent(solution.gap)]);
    byId('facts').replaceChildren(...facts.map(([title, value]) =>
      element('span', {}, `${title} `, element('strong', {}, value))));
  }

  #notices(solution, item) {
    const [place, below] = ['shown-notice', 'shown-warnings'].map(byId);
    clearNotices(place, below);
    if (!solution) {
      const hint = item?.sketch?.lacksDepot ? '\nOr click the map where the depot is.' : '';
      if (item && !item.problem) notify(place, item.error + hint, { code: item.code });
      return;
    }
    if (solution.status !== 'solved') {
      const word = statusWord(solution);
      const said = solution.error ? `: ${solution.error}` : '';
      notify(place, `${word[0].toUpperCase()}${word.slice(1)}${said}`, { code: solution.code ?? '' });
    }
    if (solution.warnings.length) {
      const text = solution.warnings.map((code) => WARNINGS[code] ?? String(code)).join('\n');
      notify(below, text, { tone: 'warning' });
    }
  }

  #map(scene, reason) {
    const drawn = Boolean(scene?.points);
    byId('drawing').hidden = !drawn;
    byId('no-drawing').hidden = drawn;
    if (drawn) {
      const { problem, routes } = scene;
      const what = routes.length ? `${count(routes.length, 'route')} for ` : '';
      const depots = problem.lacksDepot ? 'no depot yet' : problem.depots.length > 1 ? count(problem.depots.length, 'depot') : 'the depot';
      const far = scene.far.size ? `; ${count(scene.far.size, 'location')} far from all others at the edge` : '';
      byId('map').setAttribute('aria-label', `Map: ${what}${count(problem.ids.length, 'customer')} and ${depots}${far}`);
      byId('map').classList.remove('zoomed');
      this.drawing.show(scene);
      return;
    }
    this.drawing.show(null);
    byId('no-drawing').textContent = scene
      ? 'This instance has distances but no coordinates, so there is no map of it.'
      : `There is no map of it${reason ? `: ${reason}` : '.'}`;
  }

  /** Points at a route and a customer; pinning lasts until another pin, or a pin of nothing. */
  #point(route, node, pin, stop = -1) {
    if (pin) {
      const same = !node && route === this.pinned.route && !this.pinned.node;
      this.pinned = same ? NOTHING : { route, node, stop };
    }
    const nothing = route < 0 && !node;
    const meant = nothing ? this.pinned : { route, node, stop };
    if (pin || ['route', 'node', 'stop'].some((key) => meant[key] !== this.drawing[key])) {
      this.drawing.point(meant);
      mark(meant, this.pinned.route);
      this.timeline.mark(meant);
    }
    this.pointing.tell(meant.node, pin);
  }

  /** The answer in the form of what was asked, to all instances of its text. */
  #offerInKind(type) {
    const { inKind } = this.view;
    if (inKind?.type !== type) return false;
    offer(inKind.name, inKind.text, inKind.type);
    return true;
  }

  #offer(ending, type) {
    const { position, name, sent } = this.view;
    offer(fileName(position, name, ending), sent[ending], type);
  }
}

/** Points at what the mouse, the focus or a click is on. */
function listen(part, point) {
  const found = (target, key, nothing) => Number(target.closest(`[data-${key}]`)?.dataset[key] ?? nothing);
  const meant = ({ target }, pin) => [found(target, 'route', -1), found(target, 'node', 0), pin, found(target, 'stop', -1)];
  for (const kind of ['mouseover', 'focusin']) part.addEventListener(kind, (event) => point(...meant(event, false)));
  for (const kind of ['mouseleave', 'focusout']) part.addEventListener(kind, () => point(-1, 0, false));
  part.addEventListener('click', (event) => {
    const [route, node, ...rest] = meant(event, true);
    if (route >= 0 || node) point(route, node, ...rest);
  });
}

/** Marks a route and a stop wherever they stand, and the route that is pinned; -1 and 0: none. */
function mark({ route, node }, pinned) {
  for (const one of document.querySelectorAll('.pointed')) one.classList.remove('pointed');
  for (const one of document.querySelectorAll(`[data-route="${route}"], [data-node="${node}"]`)) one.classList.add('pointed');
  for (const row of byId('route-table').querySelectorAll('[data-route]')) {
    row.querySelector('button').setAttribute('aria-pressed', String(Number(row.dataset.route) === pinned));
  }
}

/** What a working day was asked for: lateness, overtime, even work, and plans that are kept. */
function dayFacts({ routes, balance, kept, moved }) {
  const number = (key) => routes.filter((route) => route[key] > 0).length;
  const late = routes.flatMap((route) => route.late).filter((each) => each > 0).length;
  const facts = [
    ['Late', late, count(late, 'stop')],
    ['Back late', number('late_return'), count(number('late_return'), 'route')],
    ['Overtime', number('overtime'), count(number('overtime'), 'route')],
    ['Uneven work', typeof balance === 'number', cost(balance)],
    ['Kept', Number.isInteger(kept), `${kept} of ${kept + moved} stops`],
  ];
  return facts.filter(([, there]) => there).map(([title, , words]) => [title, words]);
}
