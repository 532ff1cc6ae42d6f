"""The optimizer."""

import math
from typing import Any, cast

import torch
from torch import Tensor, nn

from vrpcore.learn.device import has_bfloat16
from vrpcore.learn.policy.policy import Policy
from vrpcore.learn.train import training_library

# A matrix's step against the learning rate; of 1, 4 and 10 the best (docs/decisions.md).
_MATRIX_RATE = 4.0
# Jordan's quintic: five times x -> a x + b x^3 + c x^5 brings singular values near 1.
_FIRST, _THIRD, _FIFTH = 3.4445, -4.7750, 2.0315
_ITERATIONS = 5
_LEAST_NORM = 1e-7
_MOMENTUM = 0.95


class Optimizer:
    """Muon for the matrices between hidden features, AdamW for all other weights.

    Muon's step has the same size in all directions of a matrix, however small the gradient
    is in some: half as many steps are needed as with only AdamW.

    Args:
        policy: Whose weights.
        weight_decay: Of both.

    Source:
        AdamW: Loshchilov & Hutter 2019, arXiv:1711.05101. Muon: see `Muon`.
    """

    def __init__(self, policy: Policy, weight_decay: float) -> None:
        matrices = hidden_matrices(policy)
        chosen = {id(matrix) for matrix in matrices}
        others = [part for part in policy.parameters() if id(part) not in chosen]
        self._adamw = torch.optim.AdamW(others, weight_decay=weight_decay, fused=True)
        compiled = matrices[0].device.type == "cpu" and training_library.is_built()
        self._muon = Muon(matrices, weight_decay, training_library.Step() if compiled else None)

    def step(self, learning_rate: float, norm: Tensor | None = None) -> None:
        """Moves all weights, and the state of the optimizer.

        Args:
            learning_rate: AdamW's; Muon's is in proportion.
            norm: Of the gradient. Where it is not finite, nothing moves; an accelerator decides
                that for itself, and nobody waits for it.
        """
        lost = None if norm is None else norm.isfinite().logical_not()
        if lost is not None and self._muon.compiled is not None:
            if bool(lost):
                return
            lost = None
        self._muon.lost = lost
        self._adamw.found_inf = None if lost is None else lost.float()  # type: ignore[attr-defined]
        for part, rate in ((self._adamw, 1.0), (self._muon, _MATRIX_RATE)):
            for group in part.param_groups:
                group["lr"] = learning_rate * rate
            part.step()

    def zero_grad(self) -> None:
        """Forgets the gradient."""
        self._adamw.zero_grad(set_to_none=True)
        self._muon.zero_grad(set_to_none=True)

    def state_dict(self) -> dict[str, Any]:
        """Return the state for a checkpoint."""
        return {"adamw": self._adamw.state_dict(), "muon": self._muon.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Load the state of a checkpoint; the weight decay stays as it is."""
        for part, name in ((self._adamw, "adamw"), (self._muon, "muon")):
            own = [group["weight_decay"] for group in part.param_groups]
            part.load_state_dict(state[name])
            for group, decay in zip(part.param_groups, own, strict=True):
                group["weight_decay"] = decay


class Muon(torch.optim.Optimizer):
    """The rule of `torch.optim.Muon`, compiled, or matrices of a shape together.

    PyTorch's iterates in bfloat16, one matrix after the other. A processor without
    instructions for bfloat16 computes such products at a fiftieth of float32's rate:
    this took four fifths of a training step.

    Args:
        matrices: What to move, each [rows, columns] float32.
        weight_decay: Share of the learning rate by which weights shrink.
        compiled: The compiled step, for a CPU; None: PyTorch's products, in bfloat16 where
            there are instructions for it.

    Attributes:
        lost: Scalar bool on the matrices' device: no step is taken where it is true. Not for the
            compiled step.

    Source:
        Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks"; size
        of a step after Liu et al. 2025, arXiv:2502.16982.
    """

    def __init__(
        self, matrices: list[Tensor], weight_decay: float, compiled: training_library.Step | None
    ) -> None:
        super().__init__(matrices, {"lr": 0.0, "weight_decay": weight_decay})
        self.compiled, self.lost = compiled, cast(Tensor | None, None)
        self._dtype = torch.bfloat16 if has_bfloat16(matrices[0].device) else torch.float32

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        """Moves the matrices that have a gradient."""
        for group in self.param_groups:
            matrices = [matrix for matrix in group["params"] if matrix.grad is not None]
            keep = 1.0 - group["lr"] * group["weight_decay"]
            if self.compiled is not None:
                self._move_compiled(self.compiled, matrices, group["lr"], keep)
            else:
                self._move(matrices, group["lr"], keep)

    def _move_compiled(
        self, compiled: training_library.Step, matrices: list[Tensor], rate: float, keep: float
    ) -> None:
        def move(matrix: Tensor) -> None:
            rates = (_MOMENTUM, keep, _step_size(matrix, rate))
            compiled.muon(matrix, self._mean(matrix), rates)

        compiled.each(move, matrices)

    def _move(self, matrices: list[Tensor], rate: float, keep: float) -> None:
        shrink: Tensor | float = keep
        if self.lost is not None:
            shrink = torch.where(self.lost, 1.0, keep)
        alike: dict[tuple[int, int], list[Tensor]] = {}
        for matrix in matrices:
            short, long = sorted(matrix.shape)
            alike.setdefault((short, long), []).append(matrix)
        for group in alike.values():
            directions = [
                direction if _is_wide(matrix) else direction.T
                for matrix, direction in zip(group, self._directions(group), strict=True)
            ]
            torch._foreach_mul_(group, shrink)
            torch._foreach_add_(group, directions, alpha=-_step_size(group[0], rate))

    def _directions(self, matrices: list[Tensor]) -> Tensor:
        """[K, short, long] float32, of matrices that are alike but for their orientation."""
        gradients = [cast(Tensor, matrix.grad) for matrix in matrices]
        means = [self._mean(matrix) for matrix in matrices]
        if self.lost is not None:
            pairs = zip(means, gradients, strict=True)
            gradients = [torch.where(self.lost, mean, own) for mean, own in pairs]
        torch._foreach_lerp_(means, gradients, 1.0 - _MOMENTUM)
        ahead = torch._foreach_lerp(gradients, means, _MOMENTUM)  # Nesterov's
        wide = [each if _is_wide(each) else each.T for each in ahead]
        directions = orthogonalised(torch.stack(wide).to(self._dtype)).float()
        return directions if self.lost is None else directions * self.lost.logical_not()

    def _mean(self, matrix: Tensor) -> Tensor:
        """The moving average of a matrix's gradients."""
        state = self.state[matrix]
        if "momentum_buffer" not in state:
            state["momentum_buffer"] = torch.zeros_like(matrix)
        mean: Tensor = state["momentum_buffer"]
        return mean


def _is_wide(matrix: Tensor) -> bool:
    return matrix.shape[0] <= matrix.shape[1]


def _step_size(matrix: Tensor, rate: float) -> float:
    """Scale to the root mean square of AdamW's steps, which is about 0.2 of the rate."""
    return 0.2 * math.sqrt(max(matrix.shape)) * rate


def orthogonalised(matrices: Tensor) -> Tensor:
    """About the nearest matrices whose singular values are all alike.

    Args:
        matrices: [K, short, long], `short` at most `long`, float32 or bfloat16.

    Returns:
        [K, short, long], the same singular vectors; singular values about 0.7 to 1.2, but
        for those that are next to nothing against the largest.

    Source:
        Newton-Schulz iteration with the coefficients of Jordan et al. 2024.
    """
    matrices = matrices / matrices.norm(dim=(1, 2), keepdim=True).clamp(min=_LEAST_NORM)
    for _ in range(_ITERATIONS):
        square = torch.bmm(matrices, matrices.mT)
        change = torch.baddbmm(square, square, square, beta=_THIRD, alpha=_FIFTH)
        matrices = torch.baddbmm(matrices, change, matrices, beta=_FIRST)
    return matrices


def hidden_matrices(policy: Policy) -> list[Tensor]:
    """The matrices from hidden features to hidden features; not those that read an instance."""
    encoder = policy.encoder
    readers = (encoder.depot, encoder.customer, encoder.fleet)
    return [
        module.weight
        for module in policy.modules()
        if isinstance(module, nn.Linear) and module not in readers
    ]
