"""Whole solves on an accelerator: few shapes, compiled, with copies that nothing waits for."""

import contextlib
import math
import threading
import time
import warnings
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.arrays.batch import Batch
from vrpcore.errors import is_out_of_memory
from vrpcore.learn.decode.fixed_shape import FixedShapeRollout
from vrpcore.learn.device import COMPILE_OPTIONS
from vrpcore.learn.env.inputs import Inputs, to_device
from vrpcore.learn.env.transfer import HostCopy, tensors_on
from vrpcore.learn.policy.policy import Policy

Int64 = NDArray[np.int64]
Tours = NDArray[np.int16]
_Bucket = tuple[Batch, Int64, Int64]  # from `in_bucket`
# Instances, first customers, random streams, and when they are on the device.
_Staged = tuple[Inputs, Tensor, Tensor, torch.cuda.Event | None]
_STARTS_STEP = 8
# About what compiling takes. Waiting this long first costs at most twice the better choice.
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
        self._compiled = False
        self._go_without_compiler()
        self._turn = threading.Lock()
        self._worked_s = 0.0

    def construct(self, batch: Batch, starts: Int64, temperature: float, seed: Int64) -> Int64:
        """Tours of a batch; arguments as in `Rollout.construct`, in NumPy.

        Returns:
            [B, S, T] int64, 0 = depot and padding; T is at least the longest tour, at most 2M, of
            variants 2M + 1.

        Raises:
            RuntimeError: As PyTorch has it, e.g. where the batch does not fit into memory
                even when all that was kept for other shapes has been given back.
        """
        rows, num_starts = starts.shape
        bucket = in_bucket(batch, starts, seed)
        with self._on_device():
            tours = self._run_with_remedies(bucket, temperature)
        most = 2 * batch.valid.shape[1] + 1 - self.policy.env.started
        return tours[:rows, :num_starts, :most].astype(np.int64)

    def _run_with_remedies(self, bucket: _Bucket, temperature: float) -> Tours:
        """Runs a batch: again with free memory where it ran out, again without the compiler."""
        remedies = {"memory": self._give_back}
        if self._compiled:  # another shape may have been compiled anew
            remedies["compiled code"] = self._go_without_compiler
        while True:
            try:
                return self._run(bucket, temperature)
            except Exception as error:
                cause = "memory" if is_out_of_memory(error) else "compiled code"
                if cause not in remedies:
                    raise
                if cause == "compiled code":
                    _warn_of_compiler(error)
            with self._turn:  # by now the failed attempt's own memory is free
                remedies.pop(cause)()

    def _run(self, bucket: _Bucket, temperature: float) -> Tours:
        staged = self._stage(*bucket)
        with self._turn:
            started = time.perf_counter()
            copy = HostCopy(self._solve(staged, temperature))
            self._worked_s += time.perf_counter() - started
        tours: Tours = copy.wait().numpy()
        return tours

    def compile_when_it_pays(self) -> bool:
        """Compiles encoder and step once so much was constructed that it repays its time.

        Tries both on a small batch, which takes about a minute; where that fails, a warning
        says so and everything stays as it was.

        Returns:
            True where it has been compiled just now.
        """
        if self._worked_s < _PATIENCE_S:  # asked without waiting for the device
            return False
        with self._turn, self._on_device():
            if self._worked_s < _PATIENCE_S:
                return False
            self._worked_s = -math.inf  # decided for good
            self._give_back()
            self._encode = torch.compile(self.policy.encode, dynamic=True, options=COMPILE_OPTIONS)
            self._rollout = FixedShapeRollout(self.policy, compiled=True, graphed=True)
            self._compiled = True
            try:
                self._solve(self._stage(*_small_bucket(self.policy.knows_variants)), 0.0)
            except Exception as error:  # compilers fail in many ways, and none is needed
                _warn_of_compiler(error)
                self._go_without_compiler()
            return self._compiled

    def _go_without_compiler(self) -> None:
        self._compiled, self._encode = False, self.policy.encode
        self._rollout = FixedShapeRollout(self.policy, graphed=True)

    def _give_back(self) -> None:
        self._rollout.forget()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def _on_device(self) -> contextlib.AbstractContextManager[None]:
        """Work of this thread goes to the right one of several devices."""
        if self.device.type == "cuda":
            return cast(contextlib.AbstractContextManager[None], torch.cuda.device(self.device))
        return contextlib.nullcontext()

    def _solve(self, staged: _Staged, temperature: float) -> Tensor:
        batch, starts, seed, arrived = staged
        if arrived is not None:
            torch.cuda.current_stream(self.device).wait_event(arrived)
        with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16, self._bf16):
            cache = self._encode(batch)
            tours = self._rollout.construct(cache, batch, starts, seed, temperature)
        return tours.to(torch.int16)  # node numbers are small: a quarter of the bytes

    def _stage(self, batch: Batch, starts: Int64, seed: Int64) -> _Staged:
        """Sends the inputs to the device, on a stream of their own while others compute there."""
        if self.device.type != "cuda":
            first, second = tensors_on((starts, seed), self.device)
            return to_device(batch, self.device), first, second, None
        stream = torch.cuda.Stream(self.device)  # type: ignore[no-untyped-call]
        with torch.cuda.stream(stream):
            first, second = tensors_on((starts, seed), self.device)
            inputs = to_device(batch, self.device)
            arrived = torch.cuda.Event()  # type: ignore[no-untyped-call]
            arrived.record(stream)
        for part in (*inputs.columns, first, second):
            part.record_stream(torch.cuda.current_stream(self.device))
        return inputs, first, second, arrived


def _warn_of_compiler(error: Exception) -> None:
    warnings.warn(f"compiled code failed, continuing without it: {error}", stacklevel=3)


def in_bucket(batch: Batch, starts: Int64, seed: Int64) -> _Bucket:
    """Fills a batch up to one of few shapes.

    Rows are filled up to a power of two by repeating the first one, starts to a multiple
    of eight by ones that the policy chooses, nodes by padding to a multiple of eight, or from 128
    of them on by at most an eighth.

    Args:
        batch: B instances.
        starts: [B, S] int64.
        seed: [B] int64.
    """
    rows, num_nodes = batch.valid.shape
    more_rows = max(2, 1 << (rows - 1).bit_length()) - rows  # a single row compiles anew
    more_nodes = -num_nodes % max(8, (1 << num_nodes.bit_length()) >> 4)
    more_starts = -starts.shape[1] % _STARTS_STEP
    source = np.concatenate([np.arange(rows), np.zeros(more_rows, np.int64)])
    padded = batch.take(source).padded(num_nodes + more_nodes)
    return padded, np.pad(starts[source], ((0, 0), (0, more_starts))), seed[source]


def _small_bucket(variants: bool) -> _Bucket:
    """Four instances of 35 random customers, 20 starts: no two sizes are alike.

    A compiler takes equal sizes for the same one, and would compile again where they differ.
    """
    rng = np.random.default_rng(0)
    batch = Batch(
        coords_unit=rng.random((4, 36, 2), np.float32),
        demand=np.ones((4, 36), np.float32) * (np.arange(36) > 0),
        capacity=np.full(4, 7, np.float32),
        valid=np.ones((4, 36), np.bool_),
    )
    columns = batch.full() if variants else batch
    return in_bucket(columns, np.tile(np.arange(1, 21), (4, 1)), np.arange(4))
