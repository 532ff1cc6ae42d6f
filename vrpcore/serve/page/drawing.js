/** The map: one canvas for everything, one above it for what is pointed at. */

import { byId } from './element.js';
import { Labels } from './labels.js';
import { arrows, cross, frame, lines, ring, scaleBar } from './marks.js';
import { extent, latitudeOf } from './projection.js';
import { CORNERS, colourOf, dashOf, onSchemeChange, shapeOf, themeColour } from './palette.js';
import { shortened } from './scene.js';
import { Tiles } from './tiles.js';

const PADDING = 30;
const MAX_ZOOM = 40;
const NEAR_PX = 18;
const NEAR_LINE_PX = 7;
const MAX_NUMBERED = 24;
const EDGE_PX = 40;
const MAX_NAMED = 40; // depots, and locations far away
const MAX_AVOIDED = 400; // stops that labels stay clear of
const LABEL_PX = 13;
const FRAME_PX = 4; // from a depot to the frame around it
const SMALL = { px: 11, weight: 400 };
const MAX_LABELLED = 60; // stops of the map, or of the route that is pointed at
const MAX_DIRECTED = 400; // stops of routes with arrows
const METRES_OF_DEGREE = 111_195;
const SMALLEST_SHAPED = 2.5; // smaller dots are all round

/** Draws a scene; knows nothing of who points where. */
export class Drawing {
  constructor() {
    Object.assign(this, { frame: byId('map'), base: byId('base'), overlay: byId('overlay'), scene: null, route: -1, node: 0, stop: -1 });
    this.tiles = new Tiles(byId('streets'), () => this.paint());
    this.fit();
    new ResizeObserver(() => this.paint()).observe(this.frame);
    onSchemeChange(() => this.paint());
  }

  /** Another scene, seen whole. */
  show(scene) {
    Object.assign(this, { scene, route: -1, node: 0, stop: -1 });
    this.fit();
    this.paint();
  }

  /** Emphasises a route (-1: none) and a customer (0: none) at one of its stops (-1: whichever). */
  point({ route, node, stop }) {
    Object.assign(this, { route, node, stop });
    this.#paintOverlay();
  }

  /** The whole picture. */
  fit() {
    this.view = { scale: 1, x: 0, y: 0 };
  }

  /** Zooms around a point of the frame, by default its middle. */
  zoom(factor, at = [this.frame.clientWidth / 2, this.frame.clientHeight / 2]) {
    const scale = Math.min(MAX_ZOOM, Math.max(1, this.view.scale * factor));
    const grown = scale / this.view.scale;
    this.view = { scale, x: at[0] - (at[0] - this.view.x) * grown, y: at[1] - (at[1] - this.view.y) * grown };
    this.pan(0, 0);
  }

  /** Moves the picture, never out of sight. */
  pan(dx, dy) {
    const { scale, x, y } = this.view;
    const within = (value, size) => Math.min(0, Math.max(size * (1 - scale), value));
    this.view = { scale, x: within(x + dx, this.frame.clientWidth), y: within(y + dy, this.frame.clientHeight) };
    this.paint();
  }

  /** Where a node is, in pixels of the frame. */
  pointOf(node) {
    return [this.pixels[2 * node], this.pixels[2 * node + 1]];
  }

  /** What a depot's field says of a point of the frame: x and y, or latitude and longitude. */
  placeOf(x, y) {
    const { unit, left, top } = this.place;
    const [east, north] = [(x - left) / unit, (top - y) / unit];
    const { west } = this.scene;
    return west === null ? [east, north] : [latitudeOf(north), ((west + east + 540) % 360) - 180];
  }

  /** Brings a node into view. */
  reveal(node) {
    const [x, y] = this.pointOf(node);
    const outside = (value, size) => (value < EDGE_PX ? EDGE_PX - value : Math.min(0, size - EDGE_PX - value));
    const [dx, dy] = [outside(x, this.frame.clientWidth), outside(y, this.frame.clientHeight)];
    if ((dx || dy) && this.view.scale > 1) this.pan(dx, dy);
  }

  /** The customer and the route next to a point of the frame. */
  nearest(x, y) {
    if (!this.scene?.points) return { route: -1, node: 0 };
    let node = 0;
    let best = NEAR_PX ** 2;
    for (let other = this.scene.first; other < this.scene.size; other += 1) {
      const away = (this.pixels[2 * other] - x) ** 2 + (this.pixels[2 * other + 1] - y) ** 2;
      if (away < best) [best, node] = [away, other];
    }
    return node ? { route: this.scene.routeOf[node], node } : { route: this.#nearestLine(x, y), node: 0 };
  }

  #nearestLine(x, y) {
    let found = -1;
    let best = NEAR_LINE_PX;
    this.scene.routes.forEach((route, index) => {
      for (const [from, to] of this.#legs(route, false)) {
        const away = distanceToLine([x, y], from, to);
        if (away < best) [best, found] = [away, index];
      }
    });
    return found;
  }

  /** Everything anew, at the frame's size. */
  paint() {
    const { clientWidth: width, clientHeight: height } = this.frame;
    if (!this.scene?.points || !width || !height) return;
    const density = Math.min(3, window.devicePixelRatio || 1);
    for (const canvas of [this.tiles.canvas, this.base, this.overlay]) {
      const [wide, high] = [Math.round(width * density), Math.round(height * density)];
      if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
      canvas.getContext('2d').setTransform(density, 0, 0, density, 0, 0);
    }
    const named = { ground: 'map', ink: 'ink', quiet: 'dot', bad: 'bad', late: 'late' };
    this.colours = Object.fromEntries(Object.entries(named).map(([use, name]) => [use, themeColour(name)]));
    this.#locate(width, height);
    this.tiles.paint({ width, height, density }, this.scene.west === null ? null : { ...this.place, west: this.scene.west });
    this.#paintBase(width, height);
    this.#paintOverlay();
  }

  #locate(width, height) {
    const { points } = this.scene;
    const box = extent(points);
    const [wide, high] = [box.right - box.left, box.top - box.bottom];
    const unit = Math.min((width - 2 * PADDING) / (wide || high || 1), (height - 2 * PADDING) / (high || wide || 1));
    const [middleX, middleY] = [box.left + wide / 2, box.bottom + high / 2];
    const { scale, x, y } = this.view;
    const [left, top] = [(width / 2 - middleX * unit) * scale + x, (height / 2 + middleY * unit) * scale + y];
    this.place = { unit: unit * scale, left, top }; // pixels of a unit, and of x = 0 and y = 0
    this.pixels = new Float64Array(points.length);
    for (let index = 0; index < points.length; index += 2) {
      this.pixels[index] = left + points[index] * unit * scale;
      this.pixels[index + 1] = top - points[index + 1] * unit * scale;
    }
    const room = Math.sqrt((width * height) / this.scene.size);
    this.radius = Math.min(5.5, Math.max(1.8, room / 9)) * Math.min(1.8, Math.sqrt(scale));
    this.half = Math.max(6, this.radius + 2); // of a depot's side
  }

  #paintBase(width, height) {
    const pen = this.base.getContext('2d');
    pen.clearRect(0, 0, width, height);
    const { routes, instead, size, first, late, far, west } = this.scene;
    const stops = Array.from({ length: size - first }, (_, index) => index + first);
    const ties = [...instead].map((pair) => pair.map((node) => this.pointOf(node)));
    lines(pen, ties, { strokeStyle: this.colours.quiet, lineWidth: 1 }, [1.5, 3]);
    for (const route of routes) this.#line(pen, route, this.radius > 3 ? 2 : 1.4, 0.42);
    if (size <= MAX_DIRECTED) for (const route of routes) this.#arrows(pen, route, { size: 7, least: 34 });
    for (const node of stops) this.#dot(pen, node, this.radius);
    this.labels = new Labels(width, height);
    if (size <= MAX_AVOIDED) for (const node of stops) this.labels.avoid(this.pointOf(node), 2 * this.radius);
    this.#depots(pen);
    for (const { reloads } of routes) for (const { node } of reloads) this.#frame(pen, node, this.colours.ink);
    for (const node of late) this.#ring(pen, node);
    this.#names(pen, this.half + (routes.some(({ reloads }) => reloads.length) ? FRAME_PX : 0));
    this.numbers = routes.length > 1 && routes.length <= MAX_NUMBERED ? routes.map((route, index) => this.#number(pen, route, index)) : [];
    if (west !== null) this.#scale(pen, height);
    this.stopNames = size > MAX_LABELLED ? []
      : this.#stopNames(pen, this.labels, stops.filter((node) => !far.has(node)), (node) => shortened(this.scene.nameOf(node)));
  }

  /** Names of stops and their places, as far as there is room. */
  #stopNames(pen, labels, nodes, textOf) {
    return nodes.flatMap((node, stop) => {
      const text = textOf(node, stop);
      const place = labels.place(this.pointOf(node), this.radius, this.#sizeOf(pen, text, SMALL), { strict: true });
      return place ? [[text, place, this.colours.ink, SMALL]] : [];
    });
  }

  #scale(pen, height) {
    const { unit, top } = this.place;
    const cosine = Math.cos((latitudeOf((top - height / 2) / unit) * Math.PI) / 180);
    const { text, at } = scaleBar(pen, (METRES_OF_DEGREE * cosine) / unit, height, this.colours.ink);
    this.labels.block(at, 60);
    this.#write(pen, text, at, this.colours.ink, SMALL);
  }

  #paintOverlay() {
    const { clientWidth: width, clientHeight: height } = this.frame;
    if (!this.scene?.points || !this.pixels) return;
    const pen = this.overlay.getContext('2d');
    pen.clearRect(0, 0, width, height);
    const route = this.scene.routes[this.route];
    this.frame.classList.toggle('faded', Boolean(route));
    if (route) {
      this.#line(pen, route, 3, 0.85);
      this.#arrows(pen, route, {});
      for (const node of route.nodes) this.#dot(pen, node, this.radius + 1);
      const number = this.numbers[this.route];
      if (number) this.#write(pen, String(this.route + 1), number, colourOf(route.rank));
      this.#depots(pen);
      for (const { node } of route.reloads) this.#frame(pen, node, colourOf(route.rank));
      for (const node of [...route.nodes, route.end]) if (this.scene.late.has(node)) this.#ring(pen, node);
      for (const name of this.names) this.#write(pen, ...name);
    }
    const said = route ? this.#routeNames(pen, route, [width, height]) : this.stopNames;
    for (const name of said) this.#write(pen, ...name);
    if (this.node) {
      this.#dot(pen, this.node, this.radius + 2);
      ring(pen, this.pointOf(this.node), this.radius + 6, this.colours.ink, 2);
    }
  }

  /** Number, name and arrival of each stop of the route that is pointed at. */
  #routeNames(pen, { nodes }, size) {
    if (nodes.length > MAX_LABELLED) return [];
    const labels = new Labels(...size);
    for (const node of nodes) labels.block(this.pointOf(node), 2 * this.radius);
    for (let node = 0; node < this.scene.first; node += 1) labels.block(this.pointOf(node), 4 * this.radius);
    for (const [text, place] of this.names) labels.block(place, ...this.#sizeOf(pen, text));
    const number = this.numbers[this.route];
    if (number) labels.block(number, LABEL_PX);
    return this.#stopNames(pen, labels, nodes, (node, stop) => this.scene.shortly(node, { route: this.route, stop }));
  }

  #arrows(pen, { path, rank }, size) {
    arrows(pen, path.map((node) => this.pointOf(node)), colourOf(rank), size);
  }

  /** A route's line; the legs from and to the depots fainter, for they cover the rest. */
  #line(pen, route, width, depotAlpha) {
    const { nodes, rank, type } = route;
    if (!nodes.length) return;
    const style = { strokeStyle: colourOf(rank), lineJoin: 'round', lineCap: 'round' };
    lines(pen, this.#trips(route), { ...style, lineWidth: width }, dashOf(rank, type));
    pen.globalAlpha = depotAlpha;
    lines(pen, this.#legs(route, true), { ...style, lineWidth: width * 0.75 });
    pen.globalAlpha = 1;
  }

  /** A stop in the shape of its vehicle's type; who is not served is a cross. */
  #dot(pen, node, radius) {
    const route = this.scene.routes[this.scene.routeOf[node]];
    if (!route && this.scene.reasons.has(node)) {
      const optional = this.scene.reasons.get(node) === 'PRIZE';
      cross(pen, this.pointOf(node), Math.max(4, radius), optional ? this.colours.quiet : this.colours.bad, this.colours.ground);
      return;
    }
    const [x, y] = this.pointOf(node);
    const corners = CORNERS[shapeOf(radius < SMALLEST_SHAPED ? null : route?.type)];
    pen.beginPath();
    if (corners.length) corners.forEach(([dx, dy], index) => pen[index ? 'lineTo' : 'moveTo'](x + 1.35 * radius * dx, y + 1.35 * radius * dy));
    else pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.closePath();
    const other = this.scene.instead.has(node);
    pen.fillStyle = route ? colourOf(route.rank) : other ? this.colours.ground : this.colours.quiet;
    pen.fill();
    if (radius < SMALLEST_SHAPED && !other) return;
    Object.assign(pen, { strokeStyle: other ? this.colours.quiet : this.colours.ground, lineWidth: 1.5 });
    pen.setLineDash([]);
    pen.stroke();
  }

  /** Around a depot where vehicles reload. */
  #frame(pen, node, colour) {
    frame(pen, this.pointOf(node), this.half + FRAME_PX, colour);
  }

  /** Around who is late. */
  #ring(pen, node) {
    ring(pen, this.pointOf(node), node < this.scene.first ? this.half + 7 : this.radius + 4, this.colours.late);
  }

  /** A route's number next to its stop farthest from the depot. @returns Where it stands, or null. */
  #number(pen, { nodes, path, rank }, index) {
    if (!nodes.length) return null;
    const [depotX, depotY] = this.pointOf(path[0]);
    const away = (node) => Math.hypot(this.pointOf(node)[0] - depotX, this.pointOf(node)[1] - depotY);
    const farthest = nodes.reduce((best, node) => (away(node) > away(best) ? node : best));
    const [[x, y], length] = [this.pointOf(farthest), away(farthest)];
    const wish = length ? [(x - depotX) / length, (y - depotY) / length] : [0, -1];
    const text = String(index + 1);
    const place = this.labels.place([x, y], this.radius, this.#sizeOf(pen, text), { wish });
    if (place) this.#write(pen, text, place, colourOf(rank));
    return place;
  }

  #sizeOf(pen, text, { px = LABEL_PX, weight = 600 } = {}) {
    pen.font = `${weight} ${px}px system-ui, sans-serif`;
    return [pen.measureText(text).width, px];
  }

  #write(pen, text, place, fillStyle, { px = LABEL_PX, weight = 600 } = {}) {
    Object.assign(pen, { font: `${weight} ${px}px system-ui, sans-serif`, textAlign: 'center', textBaseline: 'middle' });
    Object.assign(pen, { strokeStyle: this.colours.ground, lineWidth: 4, lineJoin: 'round', fillStyle });
    pen.setLineDash([]);
    pen.strokeText(text, ...place);
    pen.fillText(text, ...place);
  }

  #depots(pen) {
    pen.setLineDash([]);
    for (let node = 0; node < this.scene.first && !this.scene.problem.lacksDepot; node += 1) {
      const [x, y] = this.pointOf(node);
      Object.assign(pen, { fillStyle: this.colours.ink, strokeStyle: this.colours.ground, lineWidth: 2.5 });
      pen.beginPath();
      pen.rect(x - this.half, y - this.half, 2 * this.half, 2 * this.half);
      pen.fill();
      pen.stroke();
    }
  }

  /** Names of locations at the edge that are far away, and of several depots. */
  #names(pen, half) {
    const { scene, colours } = this;
    const { depots } = scene.problem;
    depots.forEach((_, node) => this.labels.block(this.pointOf(node), 2 * half));
    const named = [...scene.far].slice(0, MAX_NAMED)
      .map((node) => [node, `${shortened(scene.nameOf(node))}: far away`, colours.bad]);
    if (depots.length > 1 && depots.length <= MAX_NAMED) {
      depots.forEach((id, node) => { if (!scene.far.has(node)) named.push([node, shortened(id), colours.ink]); });
    }
    this.names = named.flatMap(([node, text, colour]) => {
      const [wide, high] = this.#sizeOf(pen, text);
      const place = this.labels.place(this.pointOf(node), half, [wide, high + 3]);
      return place ? [[text, place, colour]] : [];
    });
    for (const name of this.names) this.#write(pen, ...name);
  }

  /** The points of a route between two depots. */
  #trips({ path }) {
    const starts = path.flatMap((node, at) => (node < this.scene.first ? [at] : []));
    return [-1, ...starts].map((start, index) => path.slice(start + 1, starts[index]).map((node) => this.pointOf(node)));
  }

  /** The legs of a route with or without a depot at an end, as points. */
  #legs({ path }, withDepots) {
    const legs = path.slice(1).map((node, at) => [path[at], node]);
    return legs.filter((leg) => leg.some((node) => node < this.scene.first) === withDepots).map((leg) => leg.map((node) => this.pointOf(node)));
  }
}

function distanceToLine([x, y], [fromX, fromY], [toX, toY]) {
  const [wide, high] = [toX - fromX, toY - fromY];
  const square = wide * wide + high * high;
  const share = square ? Math.min(1, Math.max(0, ((x - fromX) * wide + (y - fromY) * high) / square)) : 0;
  return Math.hypot(x - fromX - share * wide, y - fromY - share * high);
}
