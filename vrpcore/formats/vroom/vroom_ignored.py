"""Keys that are not VROOM's in its documents: left out, as VROOM does, and reported."""

import difflib
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from vrpcore.formats.json.explain import plain_name
from vrpcore.formats.vroom.vroom_documents import VroomProblem, unsupported

_MOST_NAMED = 8


def ignored_keys(value: object, document: VroomProblem, place: str) -> tuple[str, ...]:
    """A note that names the keys which VROOM does not know, if there are some.

    Args:
        value: The document as it was parsed.
        document: What was read of it.
        place: Begins each message.

    Raises:
        InstanceError: A key changes the meaning of the problem (code UNSUPPORTED): `matrix`.
    """
    if isinstance(value, Mapping) and value.get("matrix") is not None:
        message = "the old form of durations; give matrices: {'car': {'durations': [...]}}"
        raise unsupported(f"{place}.matrix", message)
    unknown = dict(_ignored(value, document, ""))
    if not unknown:
        return ()
    named = []
    for name, known in [*unknown.items()][:_MOST_NAMED]:
        near = difflib.get_close_matches(name.rpartition(".")[2], known, 1, 0.8)
        named.append(f"{name} (did you mean {near[0]}?)" if near else name)
    more = len(unknown) - len(named)
    rest = f" and {more} more" if more else ""
    return (f"keys that are not VROOM's are ignored: {', '.join(named)}{rest}",)


def _ignored(found: object, read: object, path: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Keys of an object, or of those in a list, that were not read, with those that are known."""
    if isinstance(found, list | tuple) and isinstance(read, list):
        if read and isinstance(read[0], msgspec.Struct):
            for pair in zip(found, read, strict=True):
                yield from _ignored(*pair, path)
    elif isinstance(found, Mapping) and isinstance(read, dict):
        for name, own in read.items():
            yield from _ignored(found[name], own, f"{path}{name}.")
    elif isinstance(found, Mapping) and isinstance(read, msgspec.Struct):
        for key, item in found.items():
            if key in read.__struct_encode_fields__:
                yield from _ignored(item, getattr(read, key, None), f"{path}{key}.")
            else:
                yield f"{path}{plain_name(key)}", read.__struct_encode_fields__
