"""Choosing a node from its logits: greedily, or by a reproducible draw."""

import torch
from torch import Tensor

# 2^31 - 1 is prime, and 5 does not divide 2^31 - 2: x -> x^5 permutes the residues.
PRIME = 2147483647


def scramble(value: Tensor, prime: int = PRIME) -> Tensor:
    """Mixes integers so that neighbours come out unrelated.

    Plain int64 arithmetic modulo a prime: the same numbers in eager PyTorch,
    TorchScript and ONNX, whose own random generators all differ.

    Args:
        value: int64 >= 0.
        prime: The modulus; an argument because scripted code cannot read globals.

    Returns:
        int64 in [0, 2^31 - 1), the same shape.
    """
    residue = (value + 374761393) % prime
    square = residue * residue % prime
    fifth = square * square % prime * residue % prime
    return (fifth * 48271 + 11) % prime


def start_streams(seed: Tensor, num_starts: int) -> Tensor:
    """One random stream for each start of each instance.

    Args:
        seed: [B] int64 >= 0, one per instance.
        num_starts: S.

    Returns:
        [B, S] int64; independent of an instance's place in the batch.
    """
    start = torch.arange(num_starts, device=seed.device)
    return scramble(scramble(seed).unsqueeze(1) + scramble(start))


def uniform(stream: Tensor, step: Tensor) -> Tensor:
    """A number in [0, 1) for each stream and step.

    Args:
        stream: [B, S] int64 from `start_streams`.
        step: [] int64.

    Returns:
        [B, S] float32, at most 1 - 2^-24.
    """
    drawn = scramble(stream + scramble(step))
    bits = torch.div(drawn, 128, rounding_mode="floor")  # 24 bits: exact in float32
    return bits.to(torch.float32) * (1.0 / 16777216.0)


def sample(logits: Tensor, draw: Tensor) -> Tensor:
    """Draws a node by inverting the cumulative distribution.

    Args:
        logits: [B, S, M] float32, masked ones far below the others.
        draw: [B, S] float32 in [0, 1).

    Returns:
        [B, S] int64; never a masked node. The last node where logits are not numbers.
    """
    weight = torch.exp(logits - logits.amax(dim=2, keepdim=True))
    # A parallel sum may change in its last bits where nothing is added, or even fall: only
    # nodes with a weight count.
    cumulative = torch.where(weight > 0, torch.cumsum(weight, dim=2), 0.0)
    reached = cumulative > draw.unsqueeze(2) * cumulative.amax(dim=2, keepdim=True)
    node = torch.arange(logits.shape[2], device=logits.device)
    return torch.where(reached, node, logits.shape[2] - 1).amin(dim=2)
