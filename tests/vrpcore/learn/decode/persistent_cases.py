"""Tours in one launch beside those of the steps; prints the share that is the same.

python -m tests.vrpcore.learn.decode.persistent_cases cpu|cuda N:B ...   or N:B:TILE, tile by tile
python -m tests.vrpcore.learn.decode.persistent_cases resources   registers, spills, shared memory
"""

import re
import sys

import torch

from tests.vrpcore.learn.decode.offline import TABLES, compiled_for, resources
from vrpcore.learn.bench.self_cases import plain_case, shipped_policy, variants_case
from vrpcore.learn.decode import persistent
from vrpcore.learn.decode.fixed_shape import FixedShapeRollout
from vrpcore.learn.env.inputs import to_device


def tours_alike(tours, expected):
    """The share of tours that are the same, up to where the shorter ones end."""
    length = min(tours.shape[2], expected.shape[2])
    return float((tours[:, :, :length] == expected[:, :, :length]).all(2).float().mean())


def share(case, device, temperature, most_starts=None):
    """The share of tours that are the same; three nodes are padding, one start is free."""
    policy = shipped_policy(case.model, device)
    batch = case.batch.padded(case.batch.valid.shape[1] + 3)
    inputs, starts = (
        to_device(batch, device),
        torch.from_numpy(case.starts[:, :most_starts].copy()).to(device),
    )
    starts[:, 0] = 0
    arguments = (inputs, starts, torch.arange(len(starts), device=device), temperature)
    with torch.no_grad():
        cache = policy.encode(inputs)
        expected = FixedShapeRollout(policy).by_steps(cache, *arguments)
        tours = persistent.construct(policy, cache, *arguments)
    assert not tours[:, :, expected.shape[2] :].any()
    return tours_alike(tours, expected)


TYPES = {
    "*i64": ("first_ptr", "stream_ptr", "home_ptr", "depots_ptr"),
    "*i8": ("customer_ptr", "flags_ptr"),
    "*i16": ("tour_ptr",),
    "i32": ("B", "M", "S", "T"),
    "fp32": ("temperature",),
}
FEW_STARTS = 5


def program(capability, variants, *, nodes=32, sampled=True, precision="bf16"):
    """The kernel compiled for a processor that need not be there, as `construct` would."""
    kernel, sizes = persistent.kernel_for(nodes, variants)
    num_warps = sizes.pop("num_warps")
    constants = sizes | {
        "H": 8, "D": 16, "BS": persistent.STARTS_TOGETHER, "VARIANTS": variants,
        "SAMPLED": sampled, "PRECISION": precision,
    }  # fmt: skip
    types = dict.fromkeys(("query_ptr", "key_ptr", "value_ptr", "pointer_ptr"), TABLES[precision])
    for kind, of_kind in TYPES.items():
        types |= dict.fromkeys(of_kind, kind)
    if "NW" in sizes:
        types |= dict.fromkeys(("customer_ptr", "reach_ptr"), "*i64")
    return compiled_for(capability, kernel, types, constants, num_warps)


def carried(compiled):
    """How many names the outer loop carries."""
    return max(map(int, re.findall(r"%\S+:(\d+) = scf\.while", compiled.asm["ttir"])))


def report():
    """Prints a line for each processor and kind of program."""
    for capability in (80, 90):
        for variants in (False, True):
            for precision in TABLES:
                for nodes in (32, 64, 128, 256, 512, 1024):
                    how = {"nodes": nodes, "precision": precision}
                    found = resources(program(capability, variants, **how), capability)
                    kind = "variants" if variants else "plain"
                    print(f"sm_{capability} {kind} {precision} {nodes} nodes: {found}", flush=True)


def main():
    """Prints a line for each case, greedy and sampled."""
    if sys.argv[1] == "resources":
        report()
        return
    device = torch.device(sys.argv[1])
    torch.set_float32_matmul_precision("highest")
    for sizes in sys.argv[2:]:
        size, count, *tile = map(int, sizes.split(":"))
        starts = None
        if tile:
            persistent.MOST_AT_ONCE, persistent.TILE_NODES, starts = 0, tile[0], FEW_STARTS
        for kind in (plain_case, variants_case):
            for temperature in (0.0, 1.0):
                found = share(kind(size, count), device, temperature, starts)
                print(f"{kind.__name__} {sizes} {temperature} {found:.4f}", flush=True)


if __name__ == "__main__":
    main()
