/**
 * Colours of routes, shapes and dashes of vehicle types. Each set of eight keeps a contrast of at least 3.2 to the page, and
 * any two of it differ by 22 or more (CIE 1976) in normal vision and with any of the three
 * colour blindnesses; beyond eight, lines are dashed differently.
 */

const LIGHT = ['#4426d9', '#825e17', '#e05299', '#3d8f58', '#772222', '#9575d7', '#0f3f57', '#5e1782'];
const DARK = ['#93b0ec', '#dddd3c', '#c63997', '#67e47c', '#e29cb4', '#8a7a28', '#8152e0', '#367d59'];
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const CORNERS = {
  circle: [], diamond: regular(4, 0), triangle: regular(3, -Math.PI / 2), pentagon: regular(5, -Math.PI / 2),
  down: regular(3, Math.PI / 2), bar: [[-0.55, -1], [0.55, -1], [0.55, 1], [-0.55, 1]],
};
const SHAPES = Object.keys(CORNERS);

const dark = window.matchMedia('(prefers-color-scheme: dark)');

/** Calls back whenever the scheme changes between light and dark. */
export function onSchemeChange(changed) {
  dark.addEventListener('change', changed);
}

/** Colour of a vehicle's rank in the order around the depot. */
export function colourOf(rank) {
  return (dark.matches ? DARK : LIGHT)[rank % LIGHT.length];
}

/** Dashes of its line, in pixels: by vehicle type where there are several, else beyond eight. */
export function dashOf(rank, type = null) {
  return DASHES[(type ?? Math.floor(rank / LIGHT.length)) % DASHES.length];
}

/** The shape of a vehicle type's stops; that of all stops where types are not distinguished. */
export function shapeOf(type = null) {
  return SHAPES[(type ?? 0) % SHAPES.length];
}

/** Corners of a shape around 0, within 1; none: a circle. */
export function cornersOf(shape) {
  return CORNERS[shape];
}

function regular(corners, turn) {
  return Array.from({ length: corners }, (_, index) => {
    const angle = turn + (2 * Math.PI * index) / corners;
    return [Math.cos(angle), Math.sin(angle)];
  });
}

/** A colour of the style sheet. */
export function themeColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
