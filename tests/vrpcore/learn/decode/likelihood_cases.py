"""Likelihoods in one launch beside those of PyTorch, with their gradients.

python -m tests.vrpcore.learn.decode.likelihood_cases cpu|cuda N:B ...
python -m tests.vrpcore.learn.decode.likelihood_cases resources     registers, spills, shared memory

A line for each kind: the largest difference of a log-probability; of the gradients of the cache's
products and the decoder's weights the least cosine, and by what share a length is off at most.
"""

import sys

import torch

from tests.vrpcore.learn.decode.offline import TABLES, compiled_for, resources
from vrpcore.learn.bench.self_cases import plain_case, shipped_policy, variants_case
from vrpcore.learn.decode import fused_likelihood
from vrpcore.learn.decode.fixed_shape import construct_once
from vrpcore.learn.decode.likelihood import log_likelihood
from vrpcore.learn.decode.likelihood_kernel import gradient_kernel, logs_kernel
from vrpcore.learn.env.inputs import to_device


def gradients(logs_of, policy, cache, inputs, tours):
    """Log-probabilities, and the gradient of a random sum of them by each table and weight."""
    parts = [part.detach().requires_grad_() for part in cache[:5]]
    leaves = cache._replace(**dict(zip(cache._fields[:5], parts, strict=True)))
    policy.zero_grad()
    logs = logs_of(policy, leaves, inputs, tours)
    draw = torch.Generator().manual_seed(0)
    weight = torch.randn(logs.shape, generator=draw).to(logs.device)
    (logs * weight).sum().backward()
    weights = [policy.decoder.room]
    if policy.knows_variants:
        weights.append(policy.way_factors)
    return logs.detach(), [part.grad.flatten().float() for part in (*parts, *weights)]


def differences(case, device):
    """The largest difference of logs, and the least cosine; three nodes are padding."""
    policy = shipped_policy(case.model, device)
    inputs = to_device(case.batch.padded(case.batch.valid.shape[1] + 3), device)
    starts = torch.from_numpy(case.starts[:, :3].copy()).to(device)
    tours = construct_once(policy, inputs, starts, 1.0, torch.arange(len(starts), device=device))
    with torch.no_grad():
        cache = policy.encode(inputs)
    logs, fused = gradients(fused_likelihood.fused_log_likelihood, policy, cache, inputs, tours)
    expected, right = gradients(log_likelihood, policy, cache, inputs, tours)
    cosines = [
        float(torch.nn.functional.cosine_similarity(one, other, dim=0))
        for one, other in zip(fused, right, strict=True)
    ]
    lengths = [float(one.norm() / other.norm()) for one, other in zip(fused, right, strict=True)]
    off = max(abs(length - 1) for length in lengths)
    return float((logs - expected).abs().max()), min(cosines), off


def program(kernel, capability, variants, nodes, precision):
    """A kernel compiled as `fused_log_likelihood` would have it."""
    constants = fused_likelihood.sizes(nodes, 8, 16)
    num_warps = constants.pop("num_warps")
    constants |= {"V": 5 if variants else 2, "PRECISION": precision}
    if kernel is gradient_kernel:
        constants["BV"] = 16
    tables = ("query_ptr", "key_ptr", "value_ptr", "pointer_ptr")
    types = dict.fromkeys((*tables, *(f"to_{name}" for name in tables)), TABLES[precision])
    types |= dict.fromkeys(("last_ptr", "choice_ptr"), "*i64")
    types |= {"mask_ptr": "*i8", "M": "i32", "R": "i32"}
    return compiled_for(capability, kernel, types, constants, num_warps)


def report(capabilities, all_nodes):
    """Prints a line for each program."""
    for capability in capabilities:
        for kernel in (logs_kernel, gradient_kernel):
            for variants in (False, True):
                for precision in TABLES:
                    for nodes in all_nodes:
                        compiled = program(kernel, capability, variants, nodes, precision)
                        found = resources(compiled, capability)
                        kind = "variants" if variants else "plain"
                        name = f"{kernel.__name__} sm_{capability} {kind} {precision} {nodes} nodes"
                        print(f"{name}: {found}", flush=True)


def main():
    """Prints a line for each case."""
    if sys.argv[1] == "resources":
        report((80, 90), (32, 64, 128))
        return
    device = torch.device(sys.argv[1])
    torch.set_float32_matmul_precision("highest")
    for each in sys.argv[2:]:
        size, count = map(int, each.split(":"))
        for kind in (plain_case, variants_case):
            logs, cosine, off = differences(kind(size, count), device)
            print(f"{kind.__name__} {each} {logs:.6f} {cosine:.6f} {off:.6f}", flush=True)


if __name__ == "__main__":
    main()
