"""Which libraries are compiled at installation, where they are, and how to open one."""

import ctypes
import sys
from pathlib import Path
from typing import Any, NamedTuple

_SUFFIX = {"darwin": "dylib", "win32": "dll"}.get(sys.platform, "so")
# By name: the types that a function returns and takes.
Functions = dict[str, tuple[Any, tuple[Any, ...]]]


class Library(NamedTuple):
    """A shared library.

    Attributes:
        file: Where the library is.
        source: The C++ file that it is compiled from.
        flags: Compiler flags, in addition to those of every library.
    """

    file: Path
    source: Path
    flags: tuple[str, ...] = ()


def beside(source: Path, name: str, flags: tuple[str, ...] = ()) -> Library:
    """The library of this name, beside its source."""
    return Library(source.with_name(f"{name}.{_SUFFIX}"), source, flags)


def open_library(file: Path, functions: Functions) -> ctypes.CDLL:
    """Opens a shared library and declares its functions.

    Raises:
        OSError: It was not built, not for this machine, or from other sources.
    """
    library = ctypes.CDLL(str(file))
    for name, (result, arguments) in functions.items():
        function = getattr(library, name, None)
        if function is None:
            raise OSError(f"{file} was built from other sources (it lacks {name})")
        function.restype, function.argtypes = result, arguments
    return library


SEARCH = beside(Path(__file__).with_name("core.cpp"), "vrp_core")
LIBRARY = SEARCH.file
RULES = beside(Path(__file__).with_name("rules.cpp"), "vrp_rules")
