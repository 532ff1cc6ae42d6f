/**
 * Runs an exported model on a plain instance and writes the best of its routes.
 *
 *   node routes.mjs MODEL.onnx INSTANCE.json ANSWER.json [FOLDER of ort.wasm.bundle.min.mjs]
 *
 * Without the folder, the npm package onnxruntime-web is used.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [modelFile, instanceFile, answerFile, folder] = process.argv.slice(2);

async function runtime() {
  if (!folder) return import('onnxruntime-web');
  const place = pathToFileURL(`${resolve(folder)}/`);
  const ort = await import(new URL('ort.wasm.bundle.min.mjs', place));
  ort.env.wasm.wasmBinary = await readFile(new URL('ort-wasm-simd-threaded.wasm', place));
  return ort;
}

/** The depot and the customers in the unit square: the longer side of their box fills it. */
function unitSquare(points) {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const middle = [xs, ys].map((values) => (Math.min(...values) + Math.max(...values)) / 2);
  const side = Math.max(...[xs, ys].map((values) => Math.max(...values) - Math.min(...values)));
  return points.flatMap(([x, y]) => [(x - middle[0]) / side + 0.5, (y - middle[1]) / side + 0.5]);
}

/** The routes of a tour, as lists of nodes; 0 = back to the depot. */
function routesOf(tour) {
  const routes = [[]];
  for (const node of tour) {
    if (node) routes.at(-1).push(Number(node));
    else if (routes.at(-1).length) routes.push([]);
  }
  return routes.filter((nodes) => nodes.length);
}

const instance = JSON.parse(await readFile(instanceFile));
const points = [instance.depot, ...instance.customers.map(({ x, y }) => [x, y])];
const demand = [0, ...instance.customers.map((customer) => customer.demand)]; // whole numbers
const nodes = points.length;
const starts = Array.from({ length: nodes - 1 }, (_, index) => index + 1); // a tour from each

const ort = await runtime();
ort.env.wasm.numThreads = 1;
const session = await ort.InferenceSession.create(new Uint8Array(await readFile(modelFile)));
const { tour } = await session.run({
  coords: new ort.Tensor('float32', Float32Array.from(unitSquare(points)), [1, nodes, 2]),
  demand: new ort.Tensor('float32', Float32Array.from(demand), [1, nodes]),
  capacity: new ort.Tensor('float32', [instance.capacity], [1]),
  valid: new ort.Tensor('bool', new Uint8Array(nodes).fill(1), [1, nodes]),
  starts: new ort.Tensor('int64', BigInt64Array.from(starts, BigInt), [1, starts.length]),
  temperature: new ort.Tensor('float32', [0], []),
  seed: new ort.Tensor('int64', [0n], [1]),
});

// The model returns only tours; the caller computes in full precision which is the shortest.
const lengthOf = (route) => {
  const way = [0, ...route, 0].map((node) => points[node]);
  return way.slice(1).reduce(
    (sum, [x, y], index) => sum + Math.hypot(x - way[index][0], y - way[index][1]), 0);
};
const costOf = (routes) => routes.reduce((sum, route) => sum + lengthOf(route), 0);
const steps = tour.data.length / starts.length;
const tours = starts.map((_, row) => routesOf(tour.data.subarray(row * steps, (row + 1) * steps)));
const best = tours.reduce((one, other) => (costOf(other) < costOf(one) ? other : one));

const routes = best.map((route) => ({
  customers: route.map((node) => instance.customers[node - 1].id),
  load: route.reduce((sum, node) => sum + demand[node], 0),
  cost: lengthOf(route),
}));
const answer = { name: instance.name, status: 'solved', cost: costOf(best), routes };
await writeFile(answerFile, JSON.stringify([answer]));
console.log(`${best.length} routes, ${answer.cost.toFixed(2)} km, best of ${tours.length} tours`);
