"""Whole solves on an accelerator: few shapes, compiled, with copies that nothing waits for."""

import contextlib
import threading
import warnings
from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.arrays.batch import Batch
from vrpcore.cost.cost import Tours
from vrpcore.errors import is_out_of_memory
from vrpcore.learn.decode.fixed_shape import FixedShapeRollout
from vrpcore.learn.device import COMPILE_OPTIONS, WorkTime, is_compiler_error, tf32_within
from vrpcore.learn.env.inputs import Inputs, to_device
from vrpcore.learn.env.transfer import HostCopy, tensors_on
from vrpcore.learn.policy.decoder import Cache
from vrpcore.learn.policy.policy import Policy

Int64 = NDArray[np.int64]
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
        precision: Of matrix products: `bf16`, with TF32 for what stays in float32; `tf32`; `fp32`
            as PyTorch is set.
    """

    def __init__(self, policy: Policy, precision: str) -> None:
        self.policy, self._precision = policy, precision
        self.device = next(policy.parameters()).device
        self._eager = _Way(policy.encode, FixedShapeRollout(policy, graphed=True))
        self._way, self._decided, self._worked_s = self._eager, False, 0.0
        self._compiling = False  # perhaps for a minute, for which others go the eager way
        self._compiled_for: set[object] = set()
        self._changed = threading.Condition()  # guards the above, and who is on which way

    def construct(self, batch: Batch, starts: Int64, temperature: float, seed: Int64) -> Tours:
        """Tours of a batch; arguments as in `Rollout.construct`, in NumPy.

        Returns:
            [B, S, T] int16, 0 = depot and padding; T is at least the longest tour, at most 2M, of
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
        return tours[:rows, :num_starts, :most]

    def _run_with_remedies(self, bucket: _Bucket, temperature: float) -> Tours:
        """Runs a batch: again with free memory where it ran out, again without the compiler."""
        remedies = {"memory": self._give_back, "compiler": self._go_without_compiler}
        while True:
            try:
                return self._run(bucket, temperature)
            except Exception as error:
                cause = _cause(error)
                if cause not in remedies:
                    raise
                if cause == "compiler":
                    _warn_of_compiler(error)
            remedies.pop(cause)()  # by now the failed attempt's own memory is free

    def _run(self, bucket: _Bucket, temperature: float) -> Tours:
        staged = self._stage(*bucket)
        kind = (bucket[0].valid.shape, bucket[1].shape, temperature > 0)
        with self._turn(kind) as way:
            work = WorkTime(self.device)
            found = self._solve(way, staged, temperature)
            work.end()
            copy = HostCopy(found)
        tours: Tours = copy.wait().numpy()
        seconds = work.seconds()
        with self._changed:
            self._worked_s += seconds
        return tours

    def compile_when_it_pays(self) -> bool:
        """Compiles encoder and step once so much was constructed that it repays its time.

        Tries both on a small batch, which takes about a minute, in which other threads construct as
        before; where the compiler fails, a warning says so and that is how it stays.

        Returns:
            True where it has been compiled just now.

        Raises:
            RuntimeError: As `construct`.
        """
        with self._changed:
            if self._decided or self._worked_s < _PATIENCE_S:
                return False
            self._decided = True
            # A device must not be measured while it records: what records now is finished first.
            self._changed.wait_for(self._eager.is_free)
            self._compiling = True
        try:
            with self._on_device():
                return self._compile()
        finally:
            with self._changed:
                self._compiling = False
                self._changed.notify_all()

    def _compile(self) -> bool:
        encode = torch.compile(self.policy.encode, dynamic=True, options=COMPILE_OPTIONS)
        way = _Way(encode, FixedShapeRollout(self.policy, compiled=True, graphed=True))
        try:
            self._solve(way, self._stage(*_small_bucket(self.policy.knows_variants)), 0.0)
        except Exception as error:
            if _cause(error) is None:
                raise
            _warn_of_compiler(error)
            return False
        self._way = way
        self._give_back()
        return True

    @contextlib.contextmanager
    def _turn(self, kind: object) -> Iterator["_Way"]:
        """A way for this thread alone, until what it does there is given to the device.

        A kind of batch that is new to compiled code may be compiled for. Meanwhile others go the
        eager way, on which nothing is recorded then.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._next_way().is_free())
            way = self._next_way()
            way.taken, way.rollout.records = True, not self._compiling
            compiles = way is not self._eager and kind not in self._compiled_for
            self._compiling |= compiles
            self._changed.notify_all()  # whoever waits for this way goes the other one
        try:
            yield way
            if compiles:
                self._compiled_for.add(kind)
        finally:
            with self._changed:
                way.taken = False
                if compiles:
                    self._compiling = False
                self._changed.notify_all()

    def _next_way(self) -> "_Way":
        return self._eager if self._compiling else self._way

    def _go_without_compiler(self) -> None:
        self._way = self._eager

    def _give_back(self) -> None:
        """Forgets the recorded shapes of both ways."""
        for way in {self._eager, self._way}:
            with self._changed:
                self._changed.wait_for(way.is_free)
                way.rollout.forget()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    @contextlib.contextmanager
    def _on_device(self) -> Iterator[None]:
        """Work of this thread goes to the right one of several devices, in its precision."""
        on_cuda, exact = self.device.type == "cuda", self._precision == "fp32"
        with (
            torch.cuda.device(self.device) if on_cuda else contextlib.nullcontext(),
            contextlib.nullcontext() if exact else tf32_within(self.device),
        ):
            yield

    def _solve(self, way: "_Way", staged: _Staged, temperature: float) -> Tensor:
        batch, starts, seed, arrived = staged
        if arrived is not None:
            torch.cuda.current_stream(self.device).wait_event(arrived)
        bf16 = self._precision == "bf16"
        # Recorded steps would read copies of weights that such a cache has freed by then.
        lower = torch.autocast(self.device.type, torch.bfloat16, bf16, cache_enabled=False)
        with torch.no_grad(), lower:
            cache = way.encode(batch)
            tours = way.rollout.construct(cache, batch, starts, seed, temperature)
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


class _Way:
    """How batches are constructed: eagerly, or by compiled code. For one thread at a time.

    Args:
        encode: The policy's, or what the compiler made of it.
        rollout: Eager, or compiled.

    Attributes:
        taken: Whether a thread is on it.
    """

    def __init__(self, encode: Callable[[Inputs], Cache], rollout: FixedShapeRollout) -> None:
        self.encode, self.rollout, self.taken = encode, rollout, False

    def is_free(self) -> bool:
        """Return whether no thread is on it."""
        return not self.taken


def _cause(error: Exception) -> str | None:
    """Return what ran out or failed that need not end a solve: `memory` or `compiler`."""
    if is_out_of_memory(error):
        return "memory"
    return "compiler" if is_compiler_error(error) else None


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
