"""Whole tours in one launch: a program takes some starts of an instance to their ends."""

import warnings
from collections.abc import Callable
from typing import Any

import torch
import triton
from torch import Tensor

from vrpcore.errors import is_out_of_memory
from vrpcore.learn.decode.select import start_streams
from vrpcore.learn.decode.step_graph import STEPS_BETWEEN_TESTS
from vrpcore.learn.decode.tiled_kernel import tiled_kernel
from vrpcore.learn.decode.tour_kernel import construct_kernel
from vrpcore.learn.device import uses_tf32
from vrpcore.learn.env.inputs import Inputs
from vrpcore.learn.policy.decoder import Cache
from vrpcore.learn.policy.policy import Policy, is_ours

# A program holds rows of so many nodes; with more of them, which would spill its registers, it goes
# through tiles of them, each node a bit in the word of its tile.
MOST_AT_ONCE, TILE_NODES = 128, 32
MOST_NODES = 1024
# The fewest rows and columns of a product; a program's starts, and its warps.
_LEAST_TILE = 16
STARTS_TOGETHER, NUM_WARPS, TILED_WARPS = 16, {False: 2, True: 4}, 8
# Rounding decides near-ties otherwise: about one choice in a hundred of sampled tours. Of so many
# tours some are then the same to their ends, and none are where every vehicle's end goes wrong.
_LEAST_SAME, _ENOUGH_TOURS = 0.95, 200
# Of each program that was tried, whether its first tours were those of the steps.
_WORKS: dict[tuple[object, ...], bool] = {}
_NUM_CONSTRAINTS = 12  # pointers of the kernel that plain instances do not read
_REACH = 2  # the place among them of the customers that a depot's vehicles can serve


class PersistentRollout:
    """Constructs in one launch what it can, and hands the rest to the steps.

    The first tours are compared with those of the steps: what a compiler makes of the program
    differs between processors and versions, and wrong tours would be silent.

    Args:
        policy: On a CUDA device.
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def construct(
        self,
        by_steps: Callable[..., Tensor],
        cache: Cache,
        inputs: Inputs,
        starts: Tensor,
        seed: Tensor,
        temperature: float,
    ) -> Tensor | None:
        """Construct whole tours, [B, S, T] int64, T at least the longest; None: use steps instead.

        `by_steps` constructs the same step by step; the other arguments are those of `construct`.
        """
        program = _program(self.policy, cache, inputs, temperature)
        if not knows(self.policy, inputs.valid.shape[1]) or _WORKS.get(program) is False:
            return None
        arguments = (cache, inputs, starts, seed, temperature)
        try:
            tours = construct(self.policy, *arguments)
            if program not in _WORKS:
                # Compiling the steps would take longer than these few.
                with torch.compiler.set_stance("force_eager"):
                    expected = by_steps(*arguments)
                share, whole = choices_alike(tours, expected)
                if share < _LEAST_SAME or (not whole and starts.numel() >= _ENOUGH_TOURS):
                    found = f"{share:.0%} of its choices and {whole} of its tours"
                    _fail(program, f"{found} are those of the steps")
                    return None
                _WORKS[program] = True
        except Exception as error:  # compilers fail in many ways, and none is needed
            if is_out_of_memory(error) or isinstance(error, torch.AcceleratorError):
                raise
            _fail(program, str(error))
            return None
        visited = (tours != 0).flatten(0, 1).any(0)
        position = torch.arange(1, len(visited) + 1, device=visited.device)
        longest = int((visited * position).amax())
        # Few lengths, as of the steps, for what is compiled for them.
        length = min(len(visited), longest + -longest % STEPS_BETWEEN_TESTS)
        return tours[:, :, :length].to(torch.int64)


def _program(
    policy: Policy, cache: Cache, inputs: Inputs, temperature: float
) -> tuple[object, ...]:
    """The constants for which the compiler makes a separate program."""
    decoder = policy.decoder
    tile = triton.next_power_of_2(inputs.valid.shape[1])
    sizes = (decoder.num_heads, decoder.head_dim, tile)
    device = inputs.valid.device
    return (device, policy.knows_variants, temperature > 0, precision_of(cache), *sizes)


def _fail(program: tuple[object, ...], reason: str) -> None:
    _WORKS[program] = False
    warnings.warn(f"tours in one launch failed, constructing step by step: {reason}", stacklevel=4)


def choices_alike(tours: Tensor, expected: Tensor) -> tuple[float, int]:
    """Compares tours choice by choice.

    Of long tours that are sampled, few are the same to their ends.

    Args:
        tours: [B, S, T] integers.
        expected: [B, S, U] integers, such tours made another way.

    Returns:
        The share of choices that are the same, of those up to the first other one of each tour,
        and the number of tours that have no other one.
    """
    length = min(tours.shape[2], expected.shape[2])
    differs = tours[:, :, :length] != expected[:, :, :length]
    before = differs.cumsum(2) == 0
    left = expected[:, :, :length].flip(2).cumsum(2).flip(2) > 0  # customers, here or later
    same, other = int((before & left).sum()), int(differs.any(2).sum())
    share = same / (same + other) if same + other else 1.0
    return share, differs.shape[0] * differs.shape[1] - other


def knows(policy: Policy, num_nodes: int) -> bool:
    """Tells whether `construct` takes such a policy and so many nodes."""
    heads, width = policy.decoder.num_heads, policy.decoder.head_dim
    if num_nodes > MOST_NODES or width < _LEAST_TILE or width & (width - 1):
        return False
    if not is_ours(policy):
        return False
    return num_nodes <= MOST_AT_ONCE or heads & (heads - 1) == 0


def construct(
    policy: Policy,
    cache: Cache,
    inputs: Inputs,
    starts: Tensor,
    seed: Tensor,
    temperature: float,
) -> Tensor:
    """Constructs whole tours, the same as steps of a fixed shape but for rounding.

    A program constructs some starts of one instance until all its customers are served. It reads
    the instance's cache, which the processor's own caches keep, at every step, and what changes
    stays in registers. So a step costs no launch, and no memory but the tours'.

    Args:
        policy: One for which `knows` is true.
        cache: Of the instances, without gradients.
        inputs: B instances.
        starts: [B, S] int64, nodes of first customers; 0 lets the policy choose.
        seed: [B] int64, random stream of each instance.
        temperature: 0 = greedy, else samples from logits / temperature.

    Returns:
        [B, S, T] int16 as from `Environment.tour`, T = 2M, or 2M + 1 of variants.
    """
    batch_size, num_nodes = inputs.valid.shape
    num_starts = starts.shape[1]
    length = 2 * num_nodes + 1 - policy.env.started
    shape = (batch_size, num_starts, length)
    tours = torch.zeros(shape, dtype=torch.int16, device=starts.device)
    kernel, sizes = kernel_for(num_nodes, policy.knows_variants)
    customers, first, constraints = _problem(policy, inputs, starts)
    if num_words := sizes.get("NW"):
        customers = in_words(customers, num_words)
        if policy.knows_variants:
            reach = constraints[_REACH] > 0.0
            constraints[_REACH] = in_words(reach.transpose(1, 2), num_words)
    else:
        customers = customers.to(torch.int8)
    decoder = policy.decoder
    kernel[batch_size, triton.cdiv(num_starts, STARTS_TOGETHER)](
        cache.query.contiguous(), cache.key, cache.value, cache.pointer,
        cache.distance.contiguous(), decoder.room.detach(),
        inputs.demand, inputs.capacity, customers, first.contiguous(),
        start_streams(seed, num_starts), tours, *constraints,
        batch_size, num_nodes, num_starts, length, temperature,
        H=decoder.num_heads, D=decoder.head_dim, BS=STARTS_TOGETHER,
        VARIANTS=policy.knows_variants, SAMPLED=temperature > 0, PRECISION=precision_of(cache),
        num_stages=2, **sizes,
    )  # fmt: skip
    return tours


def kernel_for(num_nodes: int, variants: bool) -> tuple[Any, dict[str, int]]:
    """The kernel for so many nodes, and its sizes: of its tiles, and its warps."""
    if num_nodes <= MOST_AT_ONCE:
        tile = max(_LEAST_TILE, triton.next_power_of_2(num_nodes))
        return construct_kernel, {"BM": tile, "num_warps": NUM_WARPS[variants]}
    words = triton.next_power_of_2(triton.cdiv(num_nodes, TILE_NODES))
    return tiled_kernel, {"BN": TILE_NODES, "NW": words, "num_warps": TILED_WARPS}


def in_words(flags: Tensor, num_words: int) -> Tensor:
    """Packs flags of nodes, [..., M] bool, into words of a bit each, [..., W] int64."""
    more = num_words * TILE_NODES - flags.shape[-1]
    padded: Tensor = torch.nn.functional.pad(flags, (0, more))
    by_word = padded.view(*flags.shape[:-1], num_words, TILE_NODES)
    bit = torch.ones([], dtype=torch.int64, device=flags.device)
    position = torch.arange(TILE_NODES, device=flags.device)
    return (by_word.to(torch.int64) * (bit << position)).sum(-1)


def precision_of(cache: Cache) -> str:
    """Return the precision of products: that of the cache."""
    if cache.key.dtype == torch.bfloat16:
        return "bf16"
    return "tf32" if uses_tf32() else "ieee"


def _problem(policy: Policy, inputs: Inputs, starts: Tensor) -> tuple[Tensor, Tensor, list[Any]]:
    """Finds the customers, [B, M] bool, those that come first, [B, S], and all constraints."""
    if not policy.knows_variants:
        customers = inputs.valid.clone()
        customers[:, 0] = False
        return customers, starts, [inputs.demand] * _NUM_CONSTRAINTS
    env = policy.env
    fixed = env.prepare(inputs)
    state = env.begin(inputs, fixed, starts)
    flags = torch.stack([inputs.open_end, inputs.backhauls_last, inputs.pickup_only])
    constraints = [
        state.home, fixed.legs.away, fixed.reach, inputs.pickup, inputs.opening, inputs.closing,
        inputs.service, fixed.legs.counted, inputs.limit, flags.to(torch.int8), inputs.num_depots,
        policy.way_weights(inputs).detach().contiguous(),
    ]  # fmt: skip
    return fixed.customers, state.first, constraints
