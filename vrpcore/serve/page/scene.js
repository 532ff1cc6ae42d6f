/** What there is to see of one instance: points, routes, and which of them is where. */

import { Clock } from './clock.js';
import { amount } from './numbers.js';
import { drawnPoints } from './projection.js';

const CHARACTERS = 24; // of a name on the map

/** A name as there is room for it. */
export function shortened(name) {
  return name.length > CHARACTERS ? `${name.slice(0, CHARACTERS - 1)}…` : name;
}

/** An instance with its solution, ready to be drawn and pointed at. */
export class Scene {
  /**
   * @param {object|null} solution Of a `vrp-solutions/1` document, with routes; null: none yet.
   * @param {({shift: number[], bars: any[][]}|null)[]} timeline Of each route, as the server sends it.
   * @param {number|null} unit Seconds in the unit of time, where times are times of day.
   */
  constructor(problem, solution, timeline = [], unit = null) {
    this.problem = problem;
    this.clock = new Clock(unit, problem.earliest);
    this.types = problem.vehicles && problem.vehicles.length > 1 ? problem.vehicles.map((each) => ({ ...each, used: 0 })) : [];
    const { points, far, west } = problem.coords ? drawnPoints(problem) : { points: null, far: new Set(), west: null };
    Object.assign(this, { points, far, west }); // `far`: nodes drawn at the edge; `west`: longitude of x = 0
    this.first = problem.depots.length; // node of the first customer
    this.size = problem.demand.length;
    this.routeOf = new Int32Array(this.size).fill(-1);
    this.nodes = new Map(problem.ids.map((id, index) => [id, index + this.first]));
    this.routes = (solution?.routes ?? []).map((route, index) => this.#visited(route, index, timeline[index]));
    this.groups = problem.groups.map(({ id, members }, index) => {
      const nodes = members.map((member) => this.#nodesOf(member)); // a customer's, or those of a shipment
      return { id: id ?? `group-${index}`, members: nodes, taken: nodes.find((each) => each.some((node) => this.routeOf[node] >= 0)) };
    });
    // Of who is not served: the alternative that is.
    this.instead = new Map(this.groups.filter(({ taken }) => taken).flatMap(({ members, taken }) =>
      members.filter((each) => each !== taken).flat().map((node) => [node, taken[0]])));
    // Why a node is not served.
    this.reasons = new Map((solution?.unserved ?? []).flatMap(({ id, reason }) => this.#nodesOf(id).map((node) => [node, String(reason ?? '')])));
    // Stops that are served late, and depots where a route ends late or takes overtime.
    this.late = new Set(this.routes.flatMap(({ nodes, end, stated }) => [
      ...nodes.filter((_, stop) => stated.late?.[stop] > 0),
      ...(stated.late_return > 0 || stated.overtime > 0 ? [end < 0 ? nodes.at(-1) : end] : []),
    ]));
    this.#rank();
  }

  #visited(route, index, timed) {
    const found = route.customers.map((id) => this.nodes.get(id)).filter((node) => node !== undefined);
    for (const node of found) this.routeOf[node] = index;
    const [start, end] = [this.#depot(route.start), this.#depot(route.end)];
    const reloads = (route.reloads ?? []).map(({ depot, after }) => ({ node: this.#depot(depot), after }));
    const path = [start, ...found.flatMap((node, stop) => [
      ...reloads.filter(({ after }) => after === stop).map((reload) => reload.node), node,
    ]), end].filter((node) => node >= 0);
    const at = this.types.findIndex(({ id }) => id === String(route.vehicle));
    if (at >= 0) this.types[at].used += 1;
    const times = timed && found.length === route.customers.length ? drivenTimes(timed, route) : { bars: null };
    return {
      nodes: found, start, end, reloads, path, ...times, rank: index, stated: route,
      type: at >= 0 ? at : null, // of the vehicles, where there are several
    };
  }

  /** Node of a route's depot: -1 where that end is open, the first one where it is not stated. */
  #depot(id) {
    if (id === undefined) return 0;
    return id === null ? -1 : this.problem.depots.indexOf(String(id));
  }

  /** Nodes of a customer, a stop, or a shipment; of a group, those of all its members. */
  #nodesOf(id) {
    const own = [id, `${id}:pickup`, `${id}:delivery`].map((name) => this.nodes.get(name)).filter((node) => node !== undefined);
    return own.length ? own : this.groups?.find((group) => group.id === id)?.members.flat() ?? [];
  }

  /** Colours go by the angle around the depot, so that neighbours never share one. */
  #rank() {
    this.order = this.routes.map((_, index) => index);
    if (!this.points) return;
    const away = (nodes, axis) => nodes.reduce((sum, node) => sum + this.points[2 * node + axis] - this.points[axis], 0);
    const angles = this.routes.map(({ nodes }) => Math.atan2(away(nodes, 1), away(nodes, 0)));
    this.order.sort((a, b) => angles[a] - angles[b]).forEach((route, rank) => { this.routes[route].rank = rank; });
  }

  /** Where a customer, a shipment's pickup, or the first member of a group is; 0: nowhere. */
  nodeOf(id) {
    return this.#nodesOf(id)[0] ?? 0;
  }

  /** Whether a route states its times, so that they can be drawn. */
  get timed() {
    return this.routes.some(({ bars }) => bars);
  }

  /** The visit of a node that is meant, by default its last: route and stop, from 0; -1 for none. */
  visitOf(node, { route = -1, stop = -1 } = {}) {
    const index = this.routes[route]?.nodes.includes(node) ? route : this.routeOf[node];
    const { nodes = [] } = this.routes[index] ?? {};
    return { route: index, stop: nodes[stop] === node ? stop : nodes.lastIndexOf(node) };
  }

  /** When a stop is served, in words; nothing where that is not stated. */
  timesOf(node, visit) {
    const { route, stop } = this.visitOf(node, visit);
    const { bars, ends, stated } = this.routes[route] ?? {};
    if (!bars) return [];
    const { clock } = this;
    const [arrival, begin, end] = [stated.arrivals[stop], stated.begins[stop], ends[stop]];
    const words = [`arrives ${clock.time(arrival)}`];
    if (begin > arrival) words.push(`waits ${clock.span(begin - arrival)}`);
    words.push(end > begin ? `served ${clock.time(begin)} to ${clock.time(end)}` : `served ${clock.time(begin)}`);
    if (stated.late?.[stop] > 0) words.push(`${clock.span(stated.late[stop])} late`);
    const windows = this.windowsOf(node).map(([opens, closes]) => {
      if (closes === Infinity) return `from ${clock.time(opens)}`;
      return opens === -Infinity ? `until ${clock.time(closes)}` : `${clock.time(opens)} to ${clock.time(closes)}`;
    });
    return windows.length ? [...words, `window ${windows.join(', ')}`] : words;
  }

  /** When service may begin at a stop; none: always. @returns {[number, number][]} */
  windowsOf(node) {
    return this.problem.windows[node - this.first];
  }

  /** A stop of a route in a few words: its number, its name, when its vehicle arrives. */
  shortly(node, visit) {
    const when = this.routes[visit.route].bars ? `, ${this.arrivalOf(node, visit)}` : '';
    return `${visit.stop + 1}. ${shortened(this.nameOf(node))}${when}`;
  }

  /** When a vehicle comes to a stop; a dash where nobody does or says so. */
  arrivalOf(node, visit) {
    const { route, stop } = this.visitOf(node, visit);
    const { bars, stated } = this.routes[route] ?? {};
    return bars ? this.clock.time(stated.arrivals[stop]) : '–';
  }

  /** How late a route ends, and its overtime, in words. */
  lateWords({ late_return: late, overtime }) {
    const said = [[late, 'late'], [overtime, 'overtime']].filter(([value]) => value > 0);
    return said.map(([value, word]) => `${this.clock.span(value)} ${word}`);
  }

  /** When and where a route's vehicle reloads, in words. */
  reloadWords(route) {
    return route.reloads.map(({ depot, arrival }) => `reloads at ${depot} ${this.clock.time(arrival)}`);
  }

  /** Which alternative is served, in words; nothing of who has none. */
  #groupWords(node) {
    const taken = this.instead.get(node);
    if (taken !== undefined) return [`alternative: ${this.nameOf(taken)} is served`];
    const own = this.groups.find((group) => group.taken?.includes(node));
    return own ? [`taken of ${own.members.length} alternatives (${own.id})`] : [];
  }

  /** What people call a customer: its name with the id behind, where it has one. */
  inWords(id) {
    const name = this.problem.names.get(String(id));
    return name === undefined ? String(id) : `${name} (${id})`;
  }

  /** The same where there is room for so many characters: the name alone, or the id. */
  briefly(id, most) {
    const name = this.problem.names.get(String(id));
    return name !== undefined && name.length <= most ? name : String(id);
  }

  /** What a node is called. */
  nameOf(node) {
    const { ids, depots } = this.problem;
    if (node >= this.first) return this.inWords(ids[node - this.first]);
    return depots.length > 1 ? `depot ${depots[node]}` : 'the depot';
  }

  /** The demand of a node, or its pickup where it has none, in words; or the part of a visit. */
  amountOf(node, part = 0) {
    const isSome = (value) => [value].flat().some((each) => each > 0);
    const [demand, pickup] = [this.problem.demand[node], this.problem.pickup[node]];
    const [word, whole] = isSome(pickup) && !isSome(demand) ? ['pickup', pickup] : ['demand', demand];
    return `${word} ${amount(isSome(part) ? part : whole)}`;
  }

  /** A customer in words, with the visit that is meant. */
  describe(node, visit) {
    const { problem } = this;
    const name = this.nameOf(node);
    const demand = this.amountOf(node);
    const far = this.far.has(node) ? ['far from all others, drawn at the edge'] : [];
    const { route: index, stop } = this.visitOf(node, visit);
    const group = this.#groupWords(node);
    if (index < 0) return [name, demand, ...(this.reasons.has(node) ? [`not served: ${this.reasons.get(node)}`] : []), ...group, ...far];
    const route = this.routes[index];
    return [
      name, demand,
      `stop ${stop + 1} of ${route.nodes.length} on route ${index + 1}`,
      `load ${amount(route.stated.load)}${problem.capacity === null ? '' : ` of ${amount(problem.capacity)}`}`,
      ...this.timesOf(node, { route: index, stop }), ...group, ...far,
    ];
  }

  /** The visit next to that of a node: along its route, or the first one of the next route. */
  step(node, visit, { along = 0, across = 0 }) {
    const { first, routes } = this;
    const order = this.order.filter((index) => routes[index].nodes.length);
    const count = this.size - first;
    if (!order.length) {
      const next = node ? first + ((node - first + along + across + count) % count) : first;
      return { route: -1, stop: -1, node: count && next };
    }
    const { route, stop } = this.visitOf(node, visit);
    const to = (index, at) => ({ route: index, stop: at, node: routes[index].nodes[at] });
    if (!node || route < 0) return to(order[0], 0);
    const number = routes[route].nodes.length;
    if (along) return to(route, (stop + along + number) % number);
    return to(order[(order.indexOf(route) + across + order.length) % order.length], 0);
  }
}

/**
 * When a route's vehicle may be under way, what it does meanwhile, and when each of its stops is served; also
 * a service that takes no time is drawn.
 */
function drivenTimes({ shift: [opens, closes], bars: sent }, { begins }) {
  const bars = sent.map(([kind, begin, end, stop]) => ({ kind, begin, end, stop: stop ?? -1 }));
  const ends = [...begins];
  for (const { kind, end, stop } of bars) if (kind === 'service') ends[stop] = end;
  const brief = begins.flatMap((begin, stop) => (ends[stop] === begin ? [{ kind: 'service', begin, end: begin, stop }] : []));
  return { bars: [...brief, ...bars].sort((one, other) => one.begin - other.begin), ends, shift: [opens ?? -Infinity, closes ?? Infinity] };
}
