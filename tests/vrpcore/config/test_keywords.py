import inspect
import pydoc
from typing import TypedDict, Unpack

from vrpcore.config.keywords import explicit


class Size(TypedDict, total=False):
    width: float


class Box(Size, total=False):
    label: str | None


@explicit
def packed(name: str, **values: Unpack[Box]) -> str:
    """Packs."""
    return f"{name} {values}"


def test_keywords_are_shown_one_by_one():
    shown = "(name: str, *, width: float = ..., label: str | None = ...) -> str"
    assert str(inspect.signature(packed)) == shown
    assert f"packed{shown}" in pydoc.render_doc(packed, renderer=pydoc.plaintext)


def test_calls_are_as_before():
    assert packed("a", label=None) == "a {'label': None}"
