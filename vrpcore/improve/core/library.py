"""What is compiled at installation, and where the search lies: beside its sources."""

import sys
from pathlib import Path
from typing import NamedTuple

_SUFFIX = {"darwin": "dylib", "win32": "dll"}.get(sys.platform, "so")


class Library(NamedTuple):
    """A shared library.

    Attributes:
        file: Where it lies.
        source: The C++ file that it is made of.
        flags: Of the compiler, beside those of every library.
    """

    file: Path
    source: Path
    flags: tuple[str, ...] = ()


def beside(source: Path, name: str, flags: tuple[str, ...] = ()) -> Library:
    """The library of this name in the folder of its source."""
    return Library(source.with_name(f"{name}.{_SUFFIX}"), source, flags)


SEARCH = beside(Path(__file__).with_name("core.cpp"), "vrp_core")
LIBRARY = SEARCH.file
