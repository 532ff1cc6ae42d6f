"""The libraries that are compiled at installation, their paths, and how to open one."""

import ctypes
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

from vrpcore.errors import MissingSearchError

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


def next_to(source: Path, name: str, flags: tuple[str, ...] = ()) -> Library:
    """The library of this name, next to its source."""
    return Library(source.with_name(f"{name}.{_SUFFIX}"), source, flags)


def sources_digest(source: Path) -> str:
    """Names the C++ code of a library: of two states of the code, each has its own name.

    Args:
        source: The C++ file, which includes headers of its folder and of the folder `shared`
            next to it.
    """
    digest = blake2b(digest_size=8)
    for folder in (source.parent, source.parent.parent / "shared"):
        for file in sorted(folder.glob("*.[ch]pp")):
            code = file.read_bytes()
            digest.update(f"{file.name} {len(code)} ".encode() + code)
    return digest.hexdigest()


def open_library(file: Path, source: Path, functions: Functions) -> ctypes.CDLL:
    """Opens a shared library and declares its functions.

    Args:
        file: Where it is.
        source: The C++ file that it must have been compiled from. Its structures in memory are
            Python's, too: one from other code would read and write elsewhere.
        functions: What it must have.

    Raises:
        OSError: It was not built, not for this machine, or from other sources.
    """
    library = ctypes.CDLL(str(file))
    built_from = getattr(library, "vrp_sources", None)
    if built_from is not None:
        built_from.restype = ctypes.c_char_p
    if built_from is None or built_from().decode() != sources_digest(source):
        raise OSError(f"{file} was built from other sources than these")
    for name, (result, arguments) in functions.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def open_search(path: Path, source: Path, functions: Functions) -> ctypes.CDLL:
    """Opens a library of the search.

    Args:
        path: Where it is.
        source: What it must have been built from.
        functions: What it must have.

    Raises:
        MissingSearchError: It was not built, or not for this machine.
    """
    try:
        return open_library(path, source, functions)
    except OSError as error:
        raise MissingSearchError(str(error)) from error


HGS = next_to(Path(__file__).parent / "hgs" / "hgs.cpp", "vrp_hgs")
RICH = next_to(Path(__file__).parent / "rich" / "rich.cpp", "vrp_rich")
# The same search with what makes a working day: see working_day.hpp.
WORKING_DAY = next_to(RICH.source, "vrp_working_day", ("-DVRP_WORKING_DAY",))
