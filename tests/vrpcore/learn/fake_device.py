"""A CUDA device that is not there: PyTorch's fake tensors for it, real ones for the host.

Nothing is computed on the device: an operation gives a shape, a dtype and a device. What the
host does is done. Copies between the two are listed, and what comes from the device is what
`FakeDevice.answer` says, else zeros. Streams are simulated by vector clocks: work that reads what
another stream may still be writing is an error. So is memory that another stream may still be
reading at the end; whether it was given back too early before that, and the host waited only then,
is not seen.
"""

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import torch
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    FakeTensorMode,
    unset_fake_temporarily,
)
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map, tree_map_only

from tests.vrpcore.learn.fake_backward import backward
from tests.vrpcore.learn.fake_guard import device_guard
from tests.vrpcore.learn.fake_streams import CUDA, Event, Graph, Memory, RaceError, Stream, join

# PyTorch 2.11 has no error of its own for operands on two devices.
MismatchError = getattr(fake_tensor, "FakeTensorDeviceMismatchError", RuntimeError)
# What an operation raises whose result or shape depends on data: it waits for the device.
WAITS = (DataDependentOutputException, DynamicOutputShapeException)
_aten = torch.ops.aten
# Kernels want one dtype; fake tensors do not ask all of them for it.
_PRODUCTS = (_aten.mm.default, _aten.addmm.default, _aten.bmm.default, _aten.baddbmm.default)
_COPIES = (_aten._to_copy.default, _aten.copy_.default)


class Copy(NamedTuple):
    """One tensor on its way over the bus.

    Attributes:
        to_host: Whether it leaves the device.
        shape: Its shape.
        dtype: Its dtype.
        num_bytes: Its size.
        waits: Whether the host waits for it: asked to block, or pageable memory.
    """

    to_host: bool
    shape: tuple[int, ...]
    dtype: torch.dtype
    num_bytes: int
    waits: bool


class FakeDevice(TorchDispatchMode):
    """See the module; entered by `fake_cuda`.

    Attributes:
        copies: All copies in their order.
        launches: Operations given to the device.
        host_waits: How often the host waited for a stream, an event or the whole device.
        questions: How many numbers the host may still ask the device for, and wait for them.
        answer: Gives what a copy to the host brings, from its shape and dtype.
    """

    def __init__(self) -> None:
        super().__init__()
        self.fake = FakeTensorMode()
        self.copies: list[Copy] = []
        self.launches, self.host_waits, self.replays = 0, 0, 0
        self.answer: Callable[..., torch.Tensor] = _zeros
        self.questions = 0
        self.capturing: Graph | None = None
        self.clocks: list[dict[int, int]] = []
        self.host: dict[int, int] = {}
        self.stream = Stream(clocks=self.clocks)
        self._memory: dict[tuple[bool, int], Memory] = {}
        self._pinned: dict[int, object] = {}

    # What tests ask.

    def to_device(self, *, waiting: bool | None = None) -> list[Copy]:
        """Copies to the device; of those, the ones that wait or do not."""
        return [c for c in self.copies if not c.to_host and waiting in (None, c.waits)]

    def to_host(self, *, waiting: bool | None = None) -> list[Copy]:
        """Copies to the host."""
        return [c for c in self.copies if c.to_host and waiting in (None, c.waits)]

    def check_lifetimes(self) -> None:
        """No memory may be given back while another stream than its own still uses it."""
        for memory in self._memory.values():
            if memory.of_graph:
                continue
            for number, count in memory.foreign.items():
                known = self.clocks[memory.owner].get(number, 0) >= count
                if not known and number not in memory.recorded:
                    raise RaceError(
                        f"memory of stream {memory.owner} is used by {number}: {memory.made}"
                    )

    # Operations.

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        flat = [t for t in tree_flatten((args, kwargs))[0] if isinstance(t, torch.Tensor)]
        there = any(isinstance(t, FakeTensor) for t in flat)
        if func is torch.ops.prim.device.default:
            return args[0].fake_device if there else args[0].device
        device = kwargs.get("device")
        goes = device is not None and torch.device(device).type == "cuda"
        if func in _COPIES:
            moved = self._copy(func, args, kwargs)
            if moved is not None:
                return moved
        if func is _aten.is_pinned.default:
            return _place(args[0])[1] in self._pinned
        if func is _aten._pin_memory.default:
            return self.pin(args[0])
        if func is _aten.record_stream.default:
            return None
        if func is _aten._local_scalar_dense.default and there and self.questions:
            self.questions -= 1
            self.wait_for(self.stream.clock)
            with unset_fake_temporarily():
                return self.answer(torch.Size(), args[0].dtype).item()
        if not (there or goes):
            return self._on_host(func, flat, args, kwargs)
        if func in _PRODUCTS and len({tensor.dtype for tensor in flat}) > 1:
            raise RuntimeError(f"{func}: {[tensor.dtype for tensor in flat]}")
        with self.fake:
            args, kwargs = tree_map(self._as_fake, (args, kwargs))
            result = func(*args, **kwargs)
        self._launch(func, flat, args, result)
        return result

    def _on_host(self, func, flat, args, kwargs):
        for tensor in flat:
            self.read_by_host(tensor)
        pinned = kwargs.pop("pin_memory", False)
        with unset_fake_temporarily():
            result = func(*args, **kwargs)
        return self.pin(result) if pinned else result

    def _as_fake(self, value):
        if isinstance(value, torch.Tensor) and not isinstance(value, FakeTensor):
            return self.fake.from_tensor(value, static_shapes=True)
        return value

    def _copy(self, func, args, kwargs):
        if func is _aten.copy_.default:
            target, source = args[:2]
            to_host = isinstance(source, FakeTensor) and not isinstance(target, FakeTensor)
            to_device = isinstance(target, FakeTensor) and not isinstance(source, FakeTensor)
            dtype, non_blocking = target.dtype, args[2] if len(args) > 2 else False
            non_blocking = kwargs.get("non_blocking", non_blocking)
        else:
            source, target = args[0], None
            device = torch.device(kwargs.get("device") or source.device)
            to_host = isinstance(source, FakeTensor) and device.type == "cpu"
            to_device = not isinstance(source, FakeTensor) and device.type == "cuda"
            dtype, non_blocking = kwargs.get("dtype") or source.dtype, kwargs.get("non_blocking")
        if to_device:
            return self._send(source, target, dtype, bool(non_blocking))
        if to_host:
            return self._fetch(source, target, dtype, bool(non_blocking))
        return None

    def _send(self, source, target, dtype, non_blocking):
        if source.dim() == 0 and target is not None:
            return target  # a number that is sent with the launch
        self.read_by_host(source)
        pinned = _place(source)[1] in self._pinned
        self._note(False, source, not (non_blocking and pinned))
        if target is None:
            with self.fake:
                target = torch.empty_strided(source.shape, _dense(source), dtype=dtype, device=CUDA)
        self.use([], [target], fresh=[target])
        return target

    def _fetch(self, source, target, dtype, non_blocking):
        with unset_fake_temporarily():
            values = self.answer(source.shape, dtype)
            assert values.shape == source.shape
            assert values.dtype == dtype
            pinned = target is not None and _place(target)[1] in self._pinned
            target = values if target is None else target.copy_(values)
        waits = not (non_blocking and pinned)
        self._note(True, source, waits)
        self.use([source], [target], fresh=[target])
        if waits:
            self.wait_for(self.stream.clock)
        return target

    def _note(self, to_host, tensor, waits) -> None:
        if self.capturing:
            raise RaceError("a copy over the bus while a graph is recorded")
        size = math.prod(tensor.shape) * tensor.dtype.itemsize
        self.copies.append(Copy(to_host, tuple(tensor.shape), tensor.dtype, size, waits))

    def _launch(self, func, flat, args, result) -> None:
        self.launches += 1
        given = {_place(t) for t in flat}
        made = [t for t in tree_flatten(result)[0] if isinstance(t, torch.Tensor)]
        fresh = [t for t in made if _place(t) not in given]
        schema = func._schema.arguments
        changed = [
            arg
            for arg, told in zip(args, schema, strict=False)
            if told.alias_info is not None and told.alias_info.is_write
        ]
        changed = [t for t in tree_flatten(changed)[0] if isinstance(t, torch.Tensor)]
        self.use([t for t in flat if isinstance(t, FakeTensor)], changed + fresh, fresh)

    # Memory and streams.

    def use(self, reads, writes, fresh) -> None:
        """Work of the current stream."""
        stream = self.stream
        join(stream.clock, self.host)  # launched after all that the host waited for
        stream.clock[stream.number] += 1
        now = stream.clock[stream.number]
        for tensor in fresh:
            memory = Memory(stream.number, tensor.untyped_storage(), tensor.shape)
            memory.of_graph = self.capturing is not None
            self._memory[_place(tensor)] = memory
        for tensor in reads:
            self._known(tensor, stream.clock, f"stream {stream.number}")
        for tensor in writes:
            memory = self._known(tensor, stream.clock, f"stream {stream.number}")
            for number, count in memory.read.items():
                if stream.clock.get(number, 0) < count:
                    raise RaceError(f"overwrites what stream {number} may still be reading")
        if self.capturing is not None:
            self.capturing.reads += reads
            self.capturing.writes += writes
        for tensor in [*reads, *writes]:
            memory = self._memory[_place(tensor)]
            if stream.number != memory.owner:
                memory.foreign[stream.number] = now
        for tensor in reads:
            self._memory[_place(tensor)].read[stream.number] = now
        for tensor in writes:
            memory = self._memory[_place(tensor)]
            memory.written, memory.read = (stream.number, now), {}

    def _known(self, tensor, clock, who) -> Memory:
        place = _place(tensor)
        if place not in self._memory:
            self._memory[place] = Memory(self.stream.number, tensor.untyped_storage(), tensor.shape)
        memory = self._memory[place]
        if memory.written and clock.get(memory.written[0], 0) < memory.written[1]:
            raise RaceError(f"{who} uses what stream {memory.written[0]} may still be writing")
        return memory

    def read_by_host(self, tensor) -> None:
        """The host looks at a tensor of its own."""
        if not isinstance(tensor, FakeTensor) and _place(tensor) in self._memory:
            self._known(tensor, self.host, "the host")

    def wait_for(self, clock) -> None:
        """The host waits."""
        if self.capturing:
            raise RaceError("the host waits while a graph is recorded")
        self.host_waits += 1
        join(self.host, clock)

    def join_all(self) -> None:
        """The current stream waits for all others."""
        for clock in self.clocks:
            join(self.stream.clock, clock)

    def pin(self, tensor) -> torch.Tensor:
        """A copy in page-locked memory."""
        with unset_fake_temporarily():
            copy = tensor.clone()
        self._pinned[_place(copy)[1]] = copy.untyped_storage()
        return copy

    def keep_for(self, tensor, stream) -> None:
        """`Tensor.record_stream`."""
        self._memory[_place(tensor)].recorded.add(stream.number)


def _place(tensor) -> tuple[bool, int]:
    return isinstance(tensor, FakeTensor), tensor.untyped_storage()._cdata


def _dense(tensor) -> tuple[int, ...]:
    with unset_fake_temporarily():
        return torch.empty_like(tensor).stride()


def _zeros(shape, dtype) -> torch.Tensor:
    return torch.zeros(shape, dtype=dtype)


@contextlib.contextmanager
def fake_cuda(monkeypatch) -> Iterator[FakeDevice]:
    """`torch.cuda` with one device that computes nothing."""
    device = FakeDevice()
    for name, stand_in in _stand_ins(device).items():
        monkeypatch.setattr(torch.cuda, name, stand_in)
    common = torch.cuda.amp.common
    monkeypatch.setattr(common, "amp_definitely_not_available", lambda: False)
    monkeypatch.setattr(torch.autograd, "backward", backward)
    monkeypatch.setattr(FakeTensor, "__deepcopy__", _deep_copy, raising=False)
    numpy = torch.Tensor.numpy

    def to_numpy(tensor, **options):
        device.read_by_host(tensor)
        with unset_fake_temporarily():
            return numpy(tensor, **options)

    monkeypatch.setattr(torch.Tensor, "numpy", to_numpy)
    monkeypatch.setattr(torch.Tensor, "record_stream", lambda one, two: device.keep_for(one, two))
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor, _=None: device.pin(tensor))
    with device_guard(), device.fake, device:
        yield device
    device.check_lifetimes()


def _deep_copy(tensor, memo) -> torch.Tensor:
    copied = tensor.detach().clone().requires_grad_(tensor.requires_grad)
    if isinstance(tensor, torch.nn.Parameter):
        copied = torch.nn.Parameter(copied, tensor.requires_grad)
    memo[id(tensor)] = copied
    return copied


def on_device(tensors) -> list[torch.Tensor]:
    """Tensors of the host as they arrive there, through page-locked memory."""
    return [tensor.pin_memory().to("cuda", non_blocking=True) for tensor in tensors]


def pinned(tree):
    """Tensors of the host in page-locked memory, as a loader of batches hands them over."""
    return tree_map_only(torch.Tensor, lambda tensor: tensor.pin_memory(), tree)


def _stand_ins(device: FakeDevice) -> dict[str, object]:
    @contextlib.contextmanager
    def within(stream):
        before, device.stream = device.stream, stream
        try:
            yield
        finally:
            device.stream = before

    @contextlib.contextmanager
    def record(graph, pool=None, stream=None, capture_error_mode="global"):
        device.capturing = graph
        try:
            with within(stream):
                yield
        finally:
            device.capturing = None

    return {
        "_lazy_init": lambda: None,
        "device_count": lambda: 1,
        "get_device_name": lambda *_: "none",
        "is_bf16_supported": lambda **_: True,
        "Stream": lambda *given, **options: Stream(*given, clocks=device.clocks, **options),
        "Event": lambda enable_timing=False, **_: Event(device, enable_timing),
        "current_stream": lambda *_: device.stream,
        "stream": within,
        "device": lambda *_: contextlib.nullcontext(),
        "synchronize": lambda *_: device.wait_for(device.stream.clock),
        "empty_cache": lambda: None,
        "CUDAGraph": lambda: Graph(device),
        "graph_pool_handle": lambda: (0, 0),
        "graph": record,
        "max_memory_allocated": lambda *_: 0,
    }
