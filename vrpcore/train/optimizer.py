"""What moves the weights along their gradient."""

import math
from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor, nn

from vrpcore.device import has_bfloat16
from vrpcore.policy.policy import Policy

# A matrix's step against the learning rate; of 1, 4 and 10 the best (docs/experiments.md).
_MATRIX_RATE = 4.0
# Jordan's quintic: five times x -> a x + b x^3 + c x^5 brings singular values near 1.
_FIRST, _THIRD, _FIFTH = 3.4445, -4.7750, 2.0315
_ITERATIONS = 5
_LEAST_NORM = 1e-7
_MOMENTUM = 0.95


class Optimizer:
    """Muon for the matrices between hidden features, AdamW for all other weights.

    Muon's step has the same size in all directions of a matrix, however small the gradient
    is in some: half as many steps are needed as with AdamW alone.

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
        native = has_bfloat16(matrices[0].device)
        self._muon = Muon(matrices, weight_decay, torch.bfloat16 if native else torch.float32)

    def step(self, learning_rate: float) -> None:
        """Moves all weights.

        Args:
            learning_rate: AdamW's; Muon's is in proportion.
        """
        for part, rate in ((self._adamw, 1.0), (self._muon, _MATRIX_RATE)):
            for group in part.param_groups:
                group["lr"] = learning_rate * rate
            part.step()

    def zero_grad(self) -> None:
        """Forgets the gradient."""
        self._adamw.zero_grad(set_to_none=True)
        self._muon.zero_grad(set_to_none=True)

    def state_dict(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {"adamw": self._adamw.state_dict(), "muon": self._muon.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """From a checkpoint."""
        self._adamw.load_state_dict(state["adamw"])
        self._muon.load_state_dict(state["muon"])


class Muon(torch.optim.Optimizer):
    """The rule of `torch.optim.Muon`, matrices of a shape together, in a chosen precision.

    PyTorch's iterates in bfloat16, one matrix after the other. A processor without
    instructions for bfloat16 computes such products at a fiftieth of float32's rate:
    four fifths of a training step went there.

    Args:
        matrices: What to move, each [rows, columns] float32.
        weight_decay: Share of the learning rate by which weights shrink.
        dtype: In which the gradients' directions are worked out.

    Source:
        Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks"; size
        of a step after Liu et al. 2025, arXiv:2502.16982.
    """

    def __init__(self, matrices: list[Tensor], weight_decay: float, dtype: torch.dtype) -> None:
        super().__init__(matrices, {"lr": 0.0, "weight_decay": weight_decay})
        self._dtype = dtype

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """Moves the matrices that have a gradient.

        Args:
            closure: As with all of PyTorch's optimizers; computes the gradient.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            alike: dict[tuple[int, int], list[Tensor]] = {}
            for matrix in group["params"]:
                if matrix.grad is not None:
                    short, long = sorted(matrix.shape)
                    alike.setdefault((short, long), []).append(matrix)
            for (_, long), matrices in alike.items():
                directions = self._directions(matrices)
                for matrix, direction in zip(matrices, directions, strict=True):
                    wide = matrix.shape[0] <= matrix.shape[1]
                    matrix.mul_(1.0 - group["lr"] * group["weight_decay"])
                    # The mean square of AdamW's steps, which is about 0.2 of the rate.
                    rate = 0.2 * math.sqrt(long) * group["lr"]
                    matrix.add_(direction if wide else direction.T, alpha=-rate)
        return loss

    def _directions(self, matrices: list[Tensor]) -> Tensor:
        """[K, short, long] float32, of matrices that are alike but for their orientation."""
        wide = []
        for matrix in matrices:
            state, gradient = self.state[matrix], cast(Tensor, matrix.grad)
            if "momentum_buffer" not in state:
                state["momentum_buffer"] = torch.zeros_like(matrix)
            mean = state["momentum_buffer"].lerp_(gradient, 1.0 - _MOMENTUM)
            ahead = gradient.lerp(mean, _MOMENTUM)  # Nesterov's
            wide.append(ahead if ahead.shape[0] <= ahead.shape[1] else ahead.T)
        return orthogonalised(torch.stack(wide).to(self._dtype)).float()


def orthogonalised(matrices: Tensor) -> Tensor:
    """About the nearest matrices whose singular values are all alike.

    Args:
        matrices: [K, short, long], `short` at most `long`, float32 or bfloat16.

    Returns:
        [K, short, long], the same singular vectors; singular values about 0.7 to 1.2, but
        for those that are next to nothing beside the largest.

    Source:
        Newton-Schulz iteration with the coefficients of Jordan et al. 2024.
    """
    matrices = matrices / matrices.norm(dim=(1, 2), keepdim=True).clamp(min=_LEAST_NORM)
    short, long = matrices.shape[1:]
    if matrices.dtype == torch.float32 and long >= 2 * short:
        return torch.bmm(_polynomial(torch.bmm(matrices, matrices.mT)), matrices)
    for _ in range(_ITERATIONS):
        square = torch.bmm(matrices, matrices.mT)
        change = torch.baddbmm(square, square, square, beta=_THIRD, alpha=_FIFTH)
        matrices = torch.baddbmm(matrices, change, matrices, beta=_FIRST)
    return matrices


def _polynomial(square: Tensor) -> Tensor:
    """All iterations on X X^T alone: smaller products than those with a wide X.

    Each multiplies X by a polynomial of X X^T; they commute. In bfloat16 the errors of
    this form would grow.

    Args:
        square: [K, short, short] float32, X X^T.

    Returns:
        [K, short, short], what X is to be multiplied by from the left.
    """
    product = change = _change(square)
    for _ in range(_ITERATIONS - 1):
        square = torch.bmm(torch.bmm(change, square), change)
        change = _change(square)
        product = torch.bmm(change, product)
    return product


def _change(square: Tensor) -> Tensor:
    """[K, short, short], what one iteration multiplies X by, from X X^T."""
    change = torch.baddbmm(square, square, square, beta=_THIRD, alpha=_FIFTH)
    change.diagonal(dim1=1, dim2=2).add_(_FIRST)
    return change


def hidden_matrices(policy: Policy) -> list[Tensor]:
    """The matrices from features to features; not those that read coordinates."""
    return [
        module.weight
        for module in policy.modules()
        if isinstance(module, nn.Linear) and module.in_features > 3
    ]
