"""Whole tours in one launch: a program takes some starts of an instance to their ends."""

import warnings
from collections.abc import Callable
from typing import Any

import torch
import triton
from torch import Tensor

from vrpcore.decode.fixed_shape import STEPS_BETWEEN_TESTS
from vrpcore.decode.select import start_streams
from vrpcore.decode.tour_kernel import construct_kernel
from vrpcore.device import uses_tf32
from vrpcore.env.inputs import Inputs
from vrpcore.errors import is_out_of_memory
from vrpcore.policy.decoder import Cache
from vrpcore.policy.policy import Policy

# A program holds rows of so many nodes; more of them would spill its registers.
MOST_NODES = 128
# The fewest rows and columns of a product; a program's starts, and its warps.
_LEAST_TILE = 16
STARTS_TOGETHER, NUM_WARPS = 16, {False: 2, True: 4}
# Rounding decides near-ties otherwise: about one choice in a hundred of sampled tours. Of so many
# tours some are then the same to their ends, and none are where every vehicle's end goes wrong.
_LEAST_SAME, _ENOUGH_TOURS = 0.95, 200
# Of each program that was tried, whether its first tours were those of the steps.
_WORKS: dict[tuple[object, ...], bool] = {}
_NUM_CONSTRAINTS = 12  # pointers of the kernel that plain instances do not read


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
        """Whole tours, [B, S, T] int64, T at least the longest; None where steps have to do it.

        Args:
            by_steps: Constructs the same step by step.
            cache: See `construct`, as the next four.
            inputs: See there.
            starts: See there.
            seed: See there.
            temperature: See there.
        """
        program = _program(self.policy, cache, inputs, temperature)
        if not knows(self.policy, inputs.valid.shape[1]) or _WORKS.get(program) is False:
            return None
        arguments = (cache, inputs, starts, seed, temperature)
        try:
            tours = construct(self.policy, *arguments)
            if program not in _WORKS:
                share, whole = choices_alike(tours, by_steps(*arguments))
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
    """What the compiler makes a program of its own for."""
    decoder = policy.decoder
    tile = triton.next_power_of_2(inputs.valid.shape[1])
    sizes = (decoder.num_heads, decoder.head_dim, tile)
    return (policy.knows_variants, temperature > 0, _precision(cache), *sizes)


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
    width = policy.decoder.head_dim
    return num_nodes <= MOST_NODES and width >= _LEAST_TILE and width & (width - 1) == 0


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
    length = 2 * num_nodes + 1 - policy.env.begun
    shape = (batch_size, num_starts, length)
    tours = torch.zeros(shape, dtype=torch.int16, device=starts.device)
    customers, first, constraints = _problem(policy, inputs, starts)
    decoder = policy.decoder
    construct_kernel[batch_size, triton.cdiv(num_starts, STARTS_TOGETHER)](
        cache.query.contiguous(), cache.key, cache.value, cache.pointer,
        cache.distance.contiguous(), decoder.room.detach(),
        inputs.demand, inputs.capacity, customers.to(torch.int8), first.contiguous(),
        start_streams(seed, num_starts), tours, *constraints,
        batch_size, num_nodes, num_starts, length, temperature,
        H=decoder.num_heads, D=decoder.head_dim,
        BM=max(_LEAST_TILE, triton.next_power_of_2(num_nodes)), BS=STARTS_TOGETHER,
        VARIANTS=policy.knows_variants, SAMPLED=temperature > 0, PRECISION=_precision(cache),
        num_warps=NUM_WARPS[policy.knows_variants], num_stages=2,
    )  # fmt: skip
    return tours


def _precision(cache: Cache) -> str:
    """How products are computed: as those of the cache were."""
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
