"""What is compiled at installation, where the search lies, and how a library is opened."""

import ctypes
import sys
from pathlib import Path
from typing import Any, NamedTuple

_SUFFIX = {"darwin": "dylib", "win32": "dll"}.get(sys.platform, "so")
# By name: what a function returns and what it takes.
Functions = dict[str, tuple[Any, tuple[Any, ...]]]


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


def open_library(file: Path, functions: Functions) -> ctypes.CDLL:
    """A shared library with its functions declared.

    Raises:
        OSError: It was not built, or not for this machine.
    """
    library = ctypes.CDLL(str(file))
    for name, (result, arguments) in functions.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


SEARCH = beside(Path(__file__).with_name("core.cpp"), "vrp_core")
LIBRARY = SEARCH.file
