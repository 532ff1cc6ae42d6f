"""Texts to documents: at once where they are right, slowly and in words else."""

import re
from functools import cache
from typing import Any, TypeVar, cast

import msgspec

from vrpcore.formats.json.documents import InstanceDocument, PlainDocument
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.json.json_matrices import KEYS
from vrpcore.formats.json.jsonparse import JsonText, is_too_large

T = TypeVar("T")

# Of instances. Most are plain, and these are read twice as fast.
DOCUMENTS: tuple[type[Any], ...] = (PlainDocument, InstanceDocument)
_ENCODER = msgspec.json.Encoder()
# Numbers below 1e-100 have 50 zeros, or an exponent as large; a name such as tree-100 has neither.
_ZEROS = b"0" * 50
_TINY = tuple(
    (e, re.compile(e + rb"-(?<=[0-9]..)0*(?:[5-9]|[1-9][0-9])[0-9]")) for e in (b"e", b"E")
)


def read_text(text: JsonText, place: str, *kinds: type[T]) -> T:
    """Read one document.

    Args:
        text: Of it.
        place: Where it was found; begins each message.
        *kinds: Tried in order; the last is what messages speak of.

    Raises:
        InstanceError: It is no JSON, or too large or too deep, or not what its keys expect.
    """
    found = fast_text(text.data, *kinds)
    return read_as(kinds[-1], text.parsed(place), place) if found is None else found


def fast_text(data: bytes, *kinds: type[T]) -> T | None:
    """Read one document at once; None: it is something else, or only slow reading can tell."""
    if is_too_large(data):
        return None
    for kind in cast(Any, kinds):  # hashable, whatever a type checker knows of them
        try:
            document: T = _decoder(kind).decode(data)
            return None if _is_odd(data) or _has_key_twice(data, document) else document
        except msgspec.ValidationError:
            continue
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            break
    return None


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def _is_odd(data: bytes) -> bool:
    """Return whether msgspec may misread a text: tiny numbers, escapes that hide colons."""
    if (b"\\" in data and b"\\u003" in data) or _ZEROS in data:
        return True
    return any(mark in data and tiny.search(data) for mark, tiny in _TINY)


def _has_key_twice(data: bytes, document: object) -> bool:
    """Return whether a text has more colons than its document when written again."""
    if is_whole(data, document):
        return False
    # Keys that are null, or that no type has, are not in the document.
    return data.count(b":") != _ENCODER.encode(msgspec.json.decode(data)).count(b":")


def is_whole(data: bytes, document: object) -> bool:
    """Return whether a document has all keys of its text, and each is there once."""
    return data.count(b":") == _ENCODER.encode(_lightened(document)).count(b":")


def _lightened(document: Any) -> Any:
    """The document without the numbers of its matrices, if it has some, but with their keys."""
    changes: dict[str, Any] = {key: [] for key in KEYS if getattr(document, key, None) is not None}
    if named := getattr(document, "matrices", None):
        changes["matrices"] = {name: _lightened(each) for name, each in named.items()}
    return msgspec.structs.replace(document, **changes) if changes else document
