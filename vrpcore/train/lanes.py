"""Eight float32 numbers that the compiled training step computes with at once.

A compiler finds such groups by itself in long plain loops only; a decoder step consists of
short ones over a few heads. So the group is a type of its own here, and each function
below one instruction, or a few, of any processor with vectors.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from vrpcore.train.arrays import LANES

_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)
_INTEGERS = ir.VectorType(ir.IntType(32), LANES)
_FAST = ("contract", "nsz")
_LARGEST = 60.0  # products of its exponential and a feature are no denormal numbers
_BIAS = 127.0  # of a float32's exponent


class Lanes(types.Type):
    """The group as numba's type."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Lanes) -> None:
        super().__init__(manager, kind, _VECTOR)  # type: ignore[no-untyped-call]


_LANES = Lanes()


def _constant(value: float) -> ir.Constant:
    return ir.Constant(_VECTOR, [ir.Constant(_FLOAT, value)] * LANES)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), _VECTOR.as_pointer())


def _multiply_add(builder: Any, one: Any, other: Any, more: Any) -> Any:
    return builder.fadd(builder.fmul(one, other, flags=_FAST), more, flags=_FAST)


@intrinsic
def load(_context: Any, array: Any, _index: Any) -> Any:
    """The group at an index of a one-dimensional float32 array."""

    def make(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, signature.args[0], *args), align=4)

    return _LANES(array, types.intp), make


@intrinsic
def store(_context: Any, array: Any, _index: Any, value: Any) -> Any:
    """Writes a group to an index of a one-dimensional float32 array."""

    def make(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array, index, value = args
        address = _address(context, builder, signature.args[0], array, index)
        builder.store(value, address, align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, value), make


@intrinsic
def spread(_context: Any, _value: Any) -> Any:
    """One number in all places."""

    def make(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        first = builder.insert_element(
            ir.Constant(_VECTOR, ir.Undefined), args[0], ir.Constant(ir.IntType(32), 0)
        )
        return builder.shuffle_vector(first, first, ir.Constant(_INTEGERS, [0] * LANES))

    return _LANES(types.float32), make


@intrinsic
def times(_context: Any, one: Any, other: Any) -> Any:
    """Products."""

    def make(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.fmul(*args, flags=_FAST)

    return _LANES(one, other), make


@intrinsic
def minus(_context: Any, one: Any, other: Any) -> Any:
    """Differences."""

    def make(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.fsub(*args, flags=_FAST)

    return _LANES(one, other), make


@intrinsic
def over(_context: Any, one: Any, other: Any) -> Any:
    """Quotients."""

    def make(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.fdiv(*args)

    return _LANES(one, other), make


@intrinsic
def largest(_context: Any, one: Any, other: Any) -> Any:
    """The larger of each two."""

    def make(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered(">", *args), *args)

    return _LANES(one, other), make


@intrinsic
def plus_product(_context: Any, more: Any, one: Any, other: Any) -> Any:
    """`more` + `one` * `other`."""

    def make(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        more, one, other = args
        return _multiply_add(builder, one, other, more)

    return _LANES(more, one, other), make


@intrinsic
def total(_context: Any, value: Any) -> Any:
    """The sum of a group."""

    def make(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        (part,), width = args, LANES
        while width > 1:
            width //= 2
            kind = ir.VectorType(ir.IntType(32), width)
            low = builder.shuffle_vector(part, part, ir.Constant(kind, list(range(width))))
            upper = list(range(width, 2 * width))
            high = builder.shuffle_vector(part, part, ir.Constant(kind, upper))
            part = builder.fadd(low, high, flags=_FAST)
        return builder.extract_element(part, ir.Constant(ir.IntType(32), 0))

    return types.float32(value), make


@intrinsic
def exponential(_context: Any, value: Any) -> Any:
    """e^value, to 2e-7 of it; values count as -60 below that, and as 60 above.

    2^n e^r with n the nearest whole number to value / ln 2 and a polynomial of |r| < 0.35.
    """
    # Taylor's coefficients, the last ones bent to be best over that range.
    series = (1.9875691e-4, 1.3981999e-3, 8.3334519e-3, 4.1665796e-2, 1.6666665e-1, 0.5, 1.0, 1.0)

    def make(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        bounded = args[0]
        for sign, bound in ((">", _constant(-_LARGEST)), ("<", _constant(_LARGEST))):
            inside = builder.fcmp_ordered(sign, bounded, bound)
            bounded = builder.select(inside, bounded, bound)
        # Positive, so that cutting off what is behind the point rounds down.
        up = _constant(_BIAS + 0.5)
        shifted = _multiply_add(builder, bounded, _constant(1.4426950408889634), up)
        cut = builder.fptosi(shifted, _INTEGERS)
        whole = builder.fsub(builder.sitofp(cut, _VECTOR), _constant(_BIAS))
        rest = _multiply_add(builder, whole, _constant(-0.693359375), bounded)
        rest = _multiply_add(builder, whole, _constant(2.12194440e-4), rest)
        result = _constant(series[0])
        for coefficient in series[1:]:
            result = _multiply_add(builder, result, rest, _constant(coefficient))
        # The whole number as the exponent of a float32's bits.
        bits = builder.shl(cut, ir.Constant(_INTEGERS, [23] * LANES))
        power = builder.bitcast(bits, _VECTOR)
        return builder.fmul(result, power)

    return _LANES(value), make
