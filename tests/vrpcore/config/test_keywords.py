import inspect
import pydoc
from typing import Required, TypedDict, Unpack

import pytest

from vrpcore.config.keywords import explained, explicit
from vrpcore.errors import InstanceError


class Size(TypedDict, total=False):
    width: float
    height: Required[float]


class Box(Size, total=False):
    label: str | None


@explicit
def packed(name: str, **values: Unpack[Box]) -> str:
    """Packs."""
    return f"{name} {values}"


def test_keywords_are_shown_one_by_one():
    shown = "(name: str, *, width: float = ..., height: float, label: str | None = ...) -> str"
    assert str(inspect.signature(packed)) == shown
    assert f"packed{shown}" in pydoc.render_doc(packed, renderer=pydoc.plaintext)


def test_help_says_what_keywords_mean():
    def weigh(name: str, **values: Unpack[Size]) -> str:
        """Weighs.

        Args:
            name: Its name.
            {keys}

        Returns:
            Its weight.
        """

    explained({"height": "Above; null: flat.", "width": "Beside."})(weigh)
    assert inspect.getdoc(weigh).splitlines()[2:8] == [
        "Args:", "    name: Its name.", "    width: Beside.", "    height: Above; None: flat.", "",
        "Returns:",
    ]  # fmt: skip


def test_calls_are_as_before():
    assert packed("a", height=2, label=None) == "a {'height': 2, 'label': None}"


def test_values_without_names_are_told_which_there_are():
    said = r"^packed: 1, 'b' without a name; write packed\(width=..., height=..., label=...\)$"
    with pytest.raises(InstanceError, match=said):
        packed("a", 1, "b")
