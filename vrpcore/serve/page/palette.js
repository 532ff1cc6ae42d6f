/** Colours of routes, shapes and dashes of vehicle types. */

const COLOURS = 8; // of routes, in the style sheet; beyond them, lines are dashed differently
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
/** Corners of each shape around 0, within 1; none: a circle. */
export const CORNERS = {
  circle: [], diamond: regular(4, 0), triangle: regular(3, -Math.PI / 2), pentagon: regular(5, -Math.PI / 2),
  down: regular(3, Math.PI / 2), bar: [[-0.55, -1], [0.55, -1], [0.55, 1], [-0.55, 1]],
};
const SHAPES = Object.keys(CORNERS);

const dark = window.matchMedia('(prefers-color-scheme: dark)');
const known = new Map();

/** Calls back whenever the scheme changes between light and dark. */
export function onSchemeChange(changed) {
  dark.addEventListener('change', () => {
    known.clear();
    changed();
  });
}

/** A colour of the style sheet as a canvas takes it. */
export function themeColour(name) {
  if (!known.has(name)) {
    document.head.style.color = `var(--${name})`;
    known.set(name, getComputedStyle(document.head).color);
  }
  return known.get(name);
}

/** The same of a route, by its vehicle's rank in the order around the depot. */
export function colourOf(rank) {
  return themeColour(`route-${rank % COLOURS}`);
}

/** The same as the style sheet takes it. */
export function routeColour(rank) {
  return `var(--route-${rank % COLOURS})`;
}

/** Dashes of its line, in pixels: by vehicle type where there are several, else beyond eight. */
export function dashOf(rank, type = null) {
  return DASHES[(type ?? Math.floor(rank / COLOURS)) % DASHES.length];
}

/** The shape of a vehicle type's stops; that of all stops where types are not distinguished. */
export function shapeOf(type = null) {
  return SHAPES[(type ?? 0) % SHAPES.length];
}

function regular(corners, turn) {
  return Array.from({ length: corners }, (_, index) => {
    const angle = turn + (2 * Math.PI * index) / corners;
    return [Math.cos(angle), Math.sin(angle)];
  });
}
