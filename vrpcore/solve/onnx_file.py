"""Metadata of an ONNX file, read before ONNX Runtime opens it; weights in other files refused.

Opening a file follows its references: a tensor with external data is read from a path relative to
the current folder, or from an address in memory. So the file is walked first, as its protocol
buffers are laid out, without the package `onnx`.
"""

from collections.abc import Iterator, Mapping

from vrpcore.errors import ModelError

# Messages of onnx.proto that lead to tensors: the field's number, and what it holds.
_TENSOR, _SPARSE, _NODE, _ATTRIBUTE, _GRAPH, _FUNCTION, _TRAINING, _MODEL = range(8)
_FIELDS: Mapping[int, Mapping[int, int]] = {
    _TENSOR: {},
    _SPARSE: {1: _TENSOR, 2: _TENSOR},
    _NODE: {5: _ATTRIBUTE},
    _ATTRIBUTE: {5: _TENSOR, 6: _GRAPH, 10: _TENSOR, 11: _GRAPH, 22: _SPARSE, 23: _SPARSE},
    _GRAPH: {1: _NODE, 5: _TENSOR, 15: _SPARSE},
    _FUNCTION: {7: _NODE, 11: _ATTRIBUTE},
    _TRAINING: {1: _GRAPH, 2: _GRAPH},
    _MODEL: {7: _GRAPH, 20: _TRAINING, 25: _FUNCTION},
}
_METADATA, _EXTERNAL_DATA, _DATA_LOCATION = 14, 13, 14  # of a model; of a tensor
_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5
_VARINT_BITS = 64


def read_metadata(content: bytes, place: str) -> dict[str, str]:
    """Reads the metadata of an ONNX file that holds all of its weights.

    Args:
        content: The file.
        place: Its path, which begins messages.

    Raises:
        ModelError: It is no ONNX file, or takes data from elsewhere.
    """
    metadata, waiting = dict[str, str](), [(_MODEL, 0, len(content))]
    try:
        while waiting:
            kind, start, end = waiting.pop()
            for number, first, last in _fields(content, start, end):
                if kind == _TENSOR and number in (_EXTERNAL_DATA, _DATA_LOCATION) and last > 0:
                    raise ModelError(
                        f"{place}: takes weights from another file, which is not read; save the "
                        "model as one file, e.g. with vrp export"
                    )
                if first < 0:
                    continue
                if kind == _MODEL and number == _METADATA:
                    pair = {key: content[a:b] for key, a, b in _fields(content, first, last)}
                    key, value = (pair.get(i, b"").decode("utf-8", "replace") for i in (1, 2))
                    metadata[key] = value
                elif number in _FIELDS[kind]:
                    waiting.append((_FIELDS[kind][number], first, last))
    except ValueError as error:
        raise ModelError(f"{place}: not a readable ONNX file: {error}") from None
    return metadata


def _fields(content: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yields the fields of one message: number, first byte and end; of a whole number -1 and it.

    Raises:
        ValueError: It is none.
    """
    while start < end:
        tag, start = _varint(content, start)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value, start = _varint(content, start)
            yield number, -1, value
            continue
        if wire == _BYTES:
            size, start = _varint(content, start)
        elif wire in (_FIXED_64, _FIXED_32):
            size = 8 if wire == _FIXED_64 else 4
        else:
            raise ValueError(f"a field of type {wire} before byte {start}")
        if number == 0 or start + size > end:
            raise ValueError(f"a field that ends outside its message, at byte {start}")
        yield number, start, start + size
        start += size


def _varint(content: bytes, start: int) -> tuple[int, int]:
    """A number of 7 bits a byte, and the byte after it."""
    value = 0
    for index, shift in enumerate(range(0, _VARINT_BITS + 6, 7), start):
        if index >= len(content):
            break
        value |= (content[index] & 0x7F) << shift
        if content[index] < 0x80:
            return value, index + 1
    raise ValueError(f"a number without an end at byte {start}")
