/** Runs the model beside the page, so that the page stays responsive. */

import * as ort from './ort/ort.wasm.bundle.min.mjs';
import { modelMetadata } from './metadata.js';
import { bestSolution, modelInputs, refusalOf, unsolved } from './policy.js';

const FORMAT = 'vrp-policy/1';

ort.env.wasm.numThreads = 1;
ort.env.wasm.wasmPaths = { wasm: new URL('./ort/ort-wasm-simd-threaded.wasm', import.meta.url).href };

let session = null;
let sizes = [0, Infinity];

const work = {
  async load({ model }) {
    const metadata = modelMetadata(model);
    if (metadata.format !== FORMAT) throw new Error('the server’s model is of another format');
    session = await ort.InferenceSession.create(new Uint8Array(model), { executionProviders: ['wasm'] });
    sizes = JSON.parse(metadata.train_sizes);
    return { name: metadata.name, sha256: metadata.sha256, backend: 'onnxruntime-web', device: 'browser' };
  },

  async solve({ problem }) {
    const refusal = refusalOf(problem);
    if (refusal) return unsolved(problem.name, 'partial', 'NOT_SOLVED_HERE', refusal);
    const size = problem.ids.length;
    if (!size) return { name: problem.name, status: 'solved', cost: 0, routes: [], gap: null, warnings: [] };
    const inputs = modelInputs(problem);
    const { tour } = await session.run(feeds(inputs));
    const solution = bestSolution(problem, tour.data, inputs.starts.length);
    if (solution.warnings && (size < sizes[0] || size > sizes[1])) solution.warnings.push('SIZE_OUT_OF_TRAINING');
    return solution;
  },
};

function feeds({ coords, demand, capacity, starts }) {
  const nodes = demand.length;
  return {
    coords: new ort.Tensor('float32', coords, [1, nodes, 2]),
    demand: new ort.Tensor('float32', demand, [1, nodes]),
    capacity: new ort.Tensor('float32', Float32Array.of(capacity), [1]),
    valid: new ort.Tensor('bool', new Uint8Array(nodes).fill(1), [1, nodes]),
    starts: new ort.Tensor('int64', BigInt64Array.from(starts, BigInt), [1, starts.length]),
    temperature: new ort.Tensor('float32', Float32Array.of(0), []),
    seed: new ort.Tensor('int64', BigInt64Array.of(0n), [1]),
  };
}

self.addEventListener('message', async ({ data }) => {
  try {
    self.postMessage({ id: data.id, result: await work[data.kind](data) });
  } catch (error) {
    self.postMessage({ id: data.id, error: String(error?.message ?? error) });
  }
});
