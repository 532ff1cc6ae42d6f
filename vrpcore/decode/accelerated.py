"""Whole solves on an accelerator: few shapes, compiled, and no one waiting for a copy."""

import threading
import time

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.decode.fixed_shape import FixedShapeRollout
from vrpcore.env.batch import DeviceBatch, HostCopy, to_device
from vrpcore.instance.batch import Batch
from vrpcore.policy.policy import Policy

Int64 = NDArray[np.int64]
_Staged = tuple[DeviceBatch, Tensor, Tensor]  # instances, first customers, random streams
_STARTS_STEP = 8
# About what compiling takes: who pays that much twice at most has lost little.
_PATIENCE_S = 30.0


class AcceleratedRollout:
    """Constructs batches of any size on one device, for several threads.

    Batches are padded to one of few shapes, for which the steps are recorded once and
    replayed. While one thread's batch is on the device, another's is copied there
    and the tours of a third are on their way back. Each is in page-locked memory of its
    own, and each crosses the bus once.

    Args:
        policy: On its device, in evaluation mode.
        precision: `bf16` for matrix products in bfloat16, else as PyTorch is set.
    """

    def __init__(self, policy: Policy, precision: str) -> None:
        self.policy, self._bf16 = policy, precision == "bf16"
        self.device = next(policy.parameters()).device
        self._encode = policy.encode
        self._rollout = FixedShapeRollout(policy, graphed=True)
        self._turn = threading.Lock()
        self._worked_s, self._compiled = 0.0, False

    def construct(self, batch: Batch, starts: Int64, temperature: float, seed: Int64) -> Int64:
        """Tours of a batch; arguments as in `Rollout.forward`, in NumPy.

        Returns:
            [B, S, 2M] int64, 0 = depot and padding.

        Raises:
            torch.OutOfMemoryError: The batch is too large; what was kept for other shapes
                has been given back.
        """
        rows, num_starts = starts.shape
        result = np.zeros((rows, num_starts, 2 * batch.valid.shape[1]), np.int64)
        batch, starts, seed = in_bucket(batch, starts, seed)
        inputs, staged = self._stage(batch, starts, seed)
        try:
            with self._turn:
                if staged is not None:
                    torch.cuda.current_stream(self.device).wait_event(staged)
                started = time.perf_counter()
                copy = HostCopy(self._solve(inputs, temperature))
                self._worked_s += time.perf_counter() - started
        except torch.OutOfMemoryError:
            self._rollout.forget()
            raise
        tours = copy.wait().numpy()[:rows, :num_starts, : result.shape[2]]
        result[:, :, : tours.shape[2]] = tours
        return result

    def compile_when_it_pays(self) -> bool:
        """Compiles encoder and step once so much was constructed that it repays its time.

        Returns:
            True where it has just been decided: the next batches take longer.
        """
        with self._turn:
            if self._compiled or self._worked_s < _PATIENCE_S:
                return False
            self._compiled = True
            self._encode = torch.compile(self.policy.encode, dynamic=True)
            self._rollout = FixedShapeRollout(self.policy, compiled=True, graphed=True)
            return True

    def _solve(self, inputs: _Staged, temperature: float) -> Tensor:
        batch, starts, seed = inputs
        with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16, self._bf16):
            cache = self._encode(*batch)
            tours = self._rollout.construct(cache, batch, starts, seed, temperature)
        return tours.to(torch.int16)  # node numbers are small: a quarter of the bytes

    def _stage(
        self, batch: Batch, starts: Int64, seed: Int64
    ) -> tuple[_Staged, torch.cuda.Event | None]:
        """The inputs on the device, and when they are there, beside what runs now."""
        rest = torch.from_numpy(starts), torch.from_numpy(seed)
        if self.device.type != "cuda":
            return (to_device(batch, self.device), *rest), None
        stream = torch.cuda.Stream(self.device)  # type: ignore[no-untyped-call]
        with torch.cuda.stream(stream):
            first, second = (part.pin_memory().to(self.device, non_blocking=True) for part in rest)
            inputs = to_device(batch, self.device)
            staged = torch.cuda.Event()  # type: ignore[no-untyped-call]
            staged.record(stream)
        for part in (*inputs, first, second):
            part.record_stream(torch.cuda.current_stream(self.device))
        return (inputs, first, second), staged


def in_bucket(batch: Batch, starts: Int64, seed: Int64) -> tuple[Batch, Int64, Int64]:
    """The same batch in one of few shapes, about a tenth larger at most in each number.

    Rows are filled up to a power of two by repeating the first one, starts to a multiple
    of eight by ones that the policy chooses, nodes by padding.

    Args:
        batch: B instances.
        starts: [B, S] int64.
        seed: [B] int64.
    """
    rows, num_nodes = batch.valid.shape
    more_rows = (1 << (rows - 1).bit_length()) - rows
    more_nodes = -num_nodes % max(8, (1 << num_nodes.bit_length()) >> 4)
    more_starts = -starts.shape[1] % _STARTS_STEP
    source = np.concatenate([np.arange(rows), np.zeros(more_rows, np.int64)])
    nodes = ((0, 0), (0, more_nodes))
    padded = Batch(
        coords_unit=np.pad(batch.coords_unit[source], (*nodes, (0, 0))),
        demand=np.pad(batch.demand[source], nodes),
        capacity=batch.capacity[source],
        valid=np.pad(batch.valid[source], nodes),
    )
    return padded, np.pad(starts[source], ((0, 0), (0, more_starts))), seed[source]
