/** Runs the model outside the page's thread, so that the page stays responsive. */

import * as ort from './ort/ort.wasm.bundle.min.mjs';
import { modelMetadata } from './metadata.js';
import { bestSolution, modelInputs } from './policy.js';

// What each format reads; files of the second one list it, so that a later one may have more.
const PLAIN = ['coords', 'demand', 'capacity', 'valid', 'starts', 'temperature', 'seed'];
const INPUTS = { 'vrp-policy/1': () => PLAIN, 'vrp-policy/2': ({ inputs }) => Object.keys(JSON.parse(inputs)) };
const OPTIONS = { executionProviders: ['wasm'], logSeverityLevel: 3 }; // only errors
const FAR = 1e6; // closing times and limits that do not bind

ort.env.wasm.numThreads = 1;
ort.env.wasm.wasmPaths = { wasm: new URL('./ort/ort-wasm-simd-threaded.wasm', import.meta.url).href };

let session;
let inputs;
let sizes;

const work = {
  async load({ model }) {
    const metadata = modelMetadata(model);
    inputs = INPUTS[metadata.format]?.(metadata);
    if (!inputs) throw new Error(`the server’s model is of another format: ${metadata.format ?? 'none'}`);
    const unknown = inputs.find((input) => !TENSORS[input]);
    if (unknown) throw new Error(`the server’s model asks for an input that this page does not know: ${unknown}`);
    session = await ort.InferenceSession.create(new Uint8Array(model), OPTIONS);
    sizes = JSON.parse(metadata.train_sizes);
    return { name: metadata.name, sha256: metadata.sha256, backend: 'onnxruntime-web', device: 'browser' };
  },

  async solve({ problem }) {
    const size = problem.ids.length;
    const values = modelInputs(problem);
    const { tour } = await session.run(Object.fromEntries(inputs.map((input) => [input, TENSORS[input](values)])));
    const solution = bestSolution(problem, tour.data, values.starts.length);
    if (solution.warnings && (size < sizes[0] || size > sizes[1])) solution.warnings.push('SIZE_OUT_OF_TRAINING');
    return solution;
  },
};

const real = (data, shape) => new ort.Tensor('float32', Float32Array.from(data), shape);
const whole = (data, shape) => new ort.Tensor('int64', BigInt64Array.from(data, BigInt), shape);
const yesOrNo = (data, shape) => new ort.Tensor('bool', Uint8Array.from(data), shape);
const everywhere = (value) => ({ demand }) => real(Array(demand.length).fill(value), [1, demand.length]);
const always = (value) => () => yesOrNo([value], [1]);

// A batch of one problem; B comes first. The last ten are constraints, which it does not have.
const TENSORS = {
  coords: ({ coords }) => real(coords, [1, coords.length / 2, 2]),
  demand: ({ demand }) => real(demand, [1, demand.length]),
  capacity: ({ capacity }) => real([capacity], [1]),
  valid: ({ demand }) => yesOrNo(Array(demand.length).fill(1), [1, demand.length]),
  starts: ({ starts }) => whole(starts, [1, starts.length]),
  temperature: () => real([0], []),
  seed: () => whole([0], [1]),
  pickup: everywhere(0),
  opening: everywhere(0),
  closing: everywhere(FAR),
  service: everywhere(0),
  limit: () => real([FAR], [1]),
  limit_has_service: always(0),
  open_end: always(0),
  backhauls_last: always(0),
  pickup_only: always(1),
  num_depots: () => whole([1], [1]),
};

self.addEventListener('message', async ({ data }) => {
  try {
    self.postMessage({ id: data.id, result: await work[data.kind](data) });
  } catch (error) {
    self.postMessage({ id: data.id, error: String(error?.message ?? error) });
  }
});
