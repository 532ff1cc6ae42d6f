"""What moves the weights along their gradient."""

from typing import Any

import torch
from torch import Tensor, nn

from vrpcore.policy.policy import Policy

# A matrix's step against the learning rate; of 1, 4 and 10 the best (docs/experiments.md).
_MATRIX_RATE = 4.0


class Optimizer:
    """Muon for the matrices between hidden features, AdamW for all other weights.

    Muon's step has the same size in all directions of a matrix, however small the gradient
    is in some: half as many steps are needed as with AdamW alone.

    Args:
        policy: Whose weights.
        weight_decay: Of both.

    Source:
        Jordan et al. 2024, "Muon: An optimizer for hidden layers in neural networks"; size
        of a step after Liu et al. 2025, arXiv:2502.16982. AdamW: Loshchilov & Hutter
        2019, arXiv:1711.05101.
    """

    def __init__(self, policy: Policy, weight_decay: float) -> None:
        matrices = hidden_matrices(policy)
        chosen = {id(matrix) for matrix in matrices}
        others = [part for part in policy.parameters() if id(part) not in chosen]
        self._adamw = torch.optim.AdamW(others, weight_decay=weight_decay, fused=True)
        self._muon = torch.optim.Muon(
            matrices, weight_decay=weight_decay, adjust_lr_fn="match_rms_adamw"
        )

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


def hidden_matrices(policy: Policy) -> list[Tensor]:
    """The matrices from features to features; not those that read coordinates."""
    return [
        module.weight
        for module in policy.modules()
        if isinstance(module, nn.Linear) and module.in_features > 3
    ]
