/** Runs models beside the page, so that the page stays responsive. */

import * as ort from './ort/ort.wasm.bundle.min.mjs';
import { modelMetadata } from './metadata.js';
import { bestSolution, modelInputs } from './policy.js';
import { bestPlan } from './rule_answer.js';
import { neutral, ruleInputs } from './rule_inputs.js';

// What each format reads; files of the second one list it, so that a later one may have more.
const PLAIN = ['coords', 'demand', 'capacity', 'valid', 'starts', 'temperature', 'seed'];
const INPUTS = { 'vrp-policy/1': () => PLAIN, 'vrp-policy/2': ({ inputs }) => Object.keys(JSON.parse(inputs)) };
const OPTIONS = { executionProviders: ['wasm'], logSeverityLevel: 3 }; // errors alone

ort.env.wasm.numThreads = 1;
ort.env.wasm.wasmPaths = { wasm: new URL('./ort/ort-wasm-simd-threaded.wasm', import.meta.url).href };

const models = new Map();

const work = {
  async load({ name, model }) {
    const metadata = modelMetadata(model);
    const inputs = INPUTS[metadata.format]?.(metadata);
    const format = metadata.format ?? 'none';
    if (!inputs || (name === 'variants' && inputs === PLAIN)) throw new Error(`the server’s model is of another format: ${format}`);
    const unknown = inputs.find((input) => !TENSORS[input]);
    if (unknown) throw new Error(`the server’s model asks for an input that this page does not know: ${unknown}`);
    const session = await ort.InferenceSession.create(new Uint8Array(model), OPTIONS);
    models.set(name, { session, inputs, sizes: JSON.parse(metadata.train_sizes) });
    return { name: metadata.name, sha256: metadata.sha256, backend: 'onnxruntime-web', device: 'browser' };
  },

  async solve({ name, problem, rules }) {
    const { session, inputs, sizes } = models.get(name);
    const size = problem.ids.length;
    const values = rules ? ruleInputs(problem, rules) : { ...neutral(size + 1), ...modelInputs(problem) };
    const { tour } = await session.run(Object.fromEntries(inputs.map((input) => [input, TENSORS[input](values)])));
    const count = values.starts.length;
    const solution = rules ? bestPlan(problem, rules, tour.data, count) : bestSolution(problem, tour.data, count);
    if (solution.warnings && (size < sizes[0] || size > sizes[1])) solution.warnings.push('SIZE_OUT_OF_TRAINING');
    return solution;
  },
};

const ofNodes = (name) => ({ [name]: data }) => new ort.Tensor('float32', data, [1, data.length]);
const ofInstance = (name) => ({ [name]: value }) => new ort.Tensor('float32', Float32Array.of(value), [1]);
const yesOrNo = (name) => ({ [name]: value }) => new ort.Tensor('bool', Uint8Array.of(value), [1]);
const whole = (data, shape) => new ort.Tensor('int64', BigInt64Array.from(data, BigInt), shape);

// A batch of one problem; B comes first.
const TENSORS = {
  coords: ({ coords }) => new ort.Tensor('float32', coords, [1, coords.length / 2, 2]),
  capacity: ofInstance('capacity'),
  valid: ({ demand }) => new ort.Tensor('bool', new Uint8Array(demand.length).fill(1), [1, demand.length]),
  limit: ofInstance('limit'),
  num_depots: ({ num_depots: depots }) => whole([depots], [1]),
  starts: ({ starts }) => whole(starts, [1, starts.length]),
  temperature: () => new ort.Tensor('float32', Float32Array.of(0), []),
  seed: () => whole([0], [1]),
};
for (const name of ['demand', 'pickup', 'opening', 'closing', 'service']) TENSORS[name] = ofNodes(name);
for (const name of ['limit_has_service', 'open_end', 'backhauls_last', 'pickup_only']) TENSORS[name] = yesOrNo(name);

self.addEventListener('message', async ({ data }) => {
  try {
    self.postMessage({ id: data.id, result: await work[data.kind](data) });
  } catch (error) {
    self.postMessage({ id: data.id, error: String(error?.message ?? error) });
  }
});
