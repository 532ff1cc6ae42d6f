/** CVRPLIB `.vrp` text as a problem; what has no coordinates can be listed, not drawn. */

import { InstanceFault, checkedCapacity, checkedDemand } from './problem.js';

const METRICS = { EUC_2D: 'euc_2d', CEIL_2D: 'ceil_2d' };
const SECTIONS = ['NODE_COORD_SECTION', 'DEMAND_SECTION', 'DEPOT_SECTION', 'DISPLAY_DATA_SECTION'];
const OF_VEHICLES = /^(VEHICLES_|SERVICE_TIME|RELEASE_TIME)/;
const KEYWORD = /^([A-Za-z_]\w*)\s*(?::\s*(.*))?$/;

/**
 * Reads one file.
 * @param {string} text
 * @param {string} stem Its name if it gives none.
 * @returns {import('./problem.js').Problem} Depot first; ids are node numbers less one.
 * @throws {InstanceFault} It is none, or is of a kind that only the server reads.
 */
export function readVrp(text, stem) {
  const { headers, sections } = split(text);
  const type = headers.get('EDGE_WEIGHT_TYPE');
  if (!type) throw new InstanceFault('PARSE', 'a format that is read by the server only, or none');
  if (!METRICS[type]) throw new InstanceFault('UNSUPPORTED', `${type} distances are read by the server only`);
  checkPlain(headers, sections);
  const size = Number(headers.get('DIMENSION'));
  if (!Number.isInteger(size) || size < 1) throw new InstanceFault('NOT_AN_INTEGER', 'DIMENSION: expected a whole number');
  const capacity = checkedCapacity(Number(headers.get('CAPACITY') ?? NaN), 'CAPACITY');
  const coords = table(sections, 'NODE_COORD_SECTION', size, 2);
  const demands = table(sections, 'DEMAND_SECTION', size, 1);
  const depot = (sections.get('DEPOT_SECTION') ?? [[1]])[0]?.[0] - 1;
  if (!(depot >= 0 && depot < size)) throw new InstanceFault('NOT_ONE_DEPOT', 'DEPOT_SECTION: expected one depot');
  const order = [depot, ...Array.from({ length: size }, (_, node) => node).filter((node) => node !== depot)];
  const vehicles = Number(headers.get('VEHICLES'));
  return {
    name: headers.get('NAME') || stem || 'instance-0',
    capacity,
    coords: Float64Array.from(order.flatMap((node) => coords[node])),
    demand: Float64Array.from(order, (node) =>
      checkedDemand(demands[node][0], capacity, `DEMAND_SECTION: node ${node + 1}`)),
    ids: order.slice(1),
    metric: METRICS[type],
    distances: null,
    maxVehicles: vehicles >= 1 ? vehicles : null,
    depots: ['0'],
    vehicles: null,
    constrained: false,
  };
}

/** What has more than one capacity and one depot is drawn from JSON alone. */
function checkPlain(headers, sections) {
  const more = [...sections.keys()].find((name) => !SECTIONS.includes(name))
    ?? [...headers.keys()].find((name) => OF_VEHICLES.test(name))
    ?? ((sections.get('DEPOT_SECTION') ?? []).filter(([node]) => node > 0).length > 1 ? 'DEPOT_SECTION' : null)
    ?? ((headers.get('TYPE') ?? 'CVRP') === 'CVRP' ? null : headers.get('TYPE'));
  if (more) throw new InstanceFault('UNSUPPORTED', `${more}: such files are read by the server only`);
}

function split(text) {
  const headers = new Map();
  const sections = new Map();
  let rows = null;
  for (const raw of text.split(/\r\n|\n|\r/)) {
    const line = raw.replace(/^\uFEFF/, '').trim();
    const keyword = KEYWORD.exec(line);
    if (line === 'EOF') break;
    if (!line) continue;
    if (!keyword) rows?.push(line.split(/\s+/).map(Number));
    else if (keyword[1].endsWith('_SECTION')) {
      rows = [];
      sections.set(keyword[1], rows);
    } else headers.set(keyword[1], (keyword[2] ?? '').trim());
  }
  return { headers, sections };
}

function table(sections, name, size, width) {
  const found = [];
  for (const [node, ...values] of sections.get(name) ?? []) {
    if (!(node >= 1 && node <= size) || values.length !== width || !values.every(Number.isFinite)) {
      throw new InstanceFault('SHAPE', `${name}: expected a node from 1 to ${size} and ${width} numbers`);
    }
    found[node - 1] = values;
  }
  for (let node = 0; node < size; node += 1) {
    if (!found[node]) throw new InstanceFault('SHAPE', `${name}: node ${node + 1} is missing`);
  }
  return found;
}
