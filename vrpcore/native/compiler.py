"""Compilation of C++ to a library: the choice of compiler and flags.

A library has a plain C interface: `ctypes` loads it, and one file serves every version of
Python. It uses only what C++ headers provide, so it needs no C++ library to run. It is built
for the most basic processor of its architecture, so a wheel runs on other machines.
"""

import ctypes
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from vrpcore.native.library import HGS, Library, sources_digest

MACOS = "11.0"  # the oldest macOS that the library supports
SOURCE = HGS.source
_FLAGS = ["-std=c++20", "-O3", "-ffp-contract=off", "-fno-exceptions", "-fno-rtti"]
_FLAGS += ["-fvisibility=hidden", *([] if sys.platform == "win32" else ["-fPIC"])]
_LINK_FLAGS = {
    "linux": ["-static-libgcc", "-Wl,--as-needed,-z,defs"],
    "win32": ["-static-libgcc"],
}.get(sys.platform, [])


class Compiler(NamedTuple):
    """The start of two commands: source to object, and object to library."""

    compile: tuple[str, ...]
    link: tuple[str, ...]


def find_compilers() -> Iterator[Compiler]:
    """The compilers here, best first: c++, g++, clang++, zig (the package ziglang).

    If the environment variable CXX is set, only its command is used.
    """
    if chosen := shlex.split(os.environ.get("CXX", ""), posix=os.name == "posix"):
        yield Compiler(tuple(chosen), tuple(chosen))
        return
    seen = set()
    for name in ("c++", "g++", "clang++"):
        file = shutil.which(name)
        if file and Path(file).resolve() not in seen:
            seen.add(Path(file).resolve())
            yield Compiler((name,), (name,))
    if find_spec("ziglang"):
        zig = (sys.executable, "-m", "ziglang")
        aim = ("-target", _zig_target(), "-mcpu=baseline")
        # `zig cc` links: `zig c++` would compile the whole C++ library for it first.
        yield Compiler((*zig, "c++", *aim), (*zig, "cc", "-O3", *aim))


def compile_library(
    compiler: Compiler, output: Path, extra: Sequence[str] = (), source: Path = SOURCE
) -> None:
    """Compiles the search, or another source, into a shared library.

    Args:
        compiler: The commands to run.
        output: The library. It is written only if everything succeeds.
        extra: Additional flags for both steps, such as `-fsanitize=address`.
        source: The C++ file.

    Raises:
        subprocess.CalledProcessError: The compiler failed; its `output` says why.
        OSError: The compiler cannot be started, or the file cannot be written.
    """
    flags = [*_FLAGS, f'-DVRP_SOURCES="{sources_digest(source)}"', *extra]
    with tempfile.TemporaryDirectory(prefix="vrp-core-") as folder:
        compiled, linked = str(Path(folder, "core.o")), str(Path(folder, output.name))
        for command in (
            [*compiler.compile, *flags, "-c", str(source), "-o", compiled],
            [*compiler.link, "-shared", compiled, *_LINK_FLAGS, *extra, "-o", linked],
        ):
            subprocess.run(  # noqa: S603 - the commands are written above
                command,
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                env=os.environ
                | {"MACOSX_DEPLOYMENT_TARGET": MACOS}
                | dict.fromkeys(("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"), folder),
            )
        shutil.copyfile(linked, output)


def build_library(output: Path, library: Library = HGS) -> Compiler:
    """Compiles a library with the first compiler whose result this Python can load.

    Args:
        output: The file. It does not exist if nothing worked.
        library: The library to compile; default: the search.

    Returns:
        The compiler that built it.

    Raises:
        OSError: No compiler worked; the message has the output of each.
    """
    failures = []
    for compiler in find_compilers():
        try:
            compile_library(compiler, output, library.flags, library.source)
            ctypes.CDLL(str(output))
            return compiler
        except subprocess.CalledProcessError as error:
            failures.append(
                f"{shlex.join(error.cmd)}: exit code {error.returncode}\n{error.output}"
            )
        except OSError as error:
            failures.append(f"{shlex.join(compiler.compile)}: {error}\n")
            output.unlink(missing_ok=True)
    raise OSError("".join(failures) or "There is no C++ compiler (c++, g++, clang++ or ziglang).\n")


def _zig_target() -> str:
    """The target platform in zig's notation; glibc 2.28, as for PyTorch's wheels."""
    machine = platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    systems = {"linux": "linux-gnu.2.28", "darwin": f"macos.{MACOS}", "win32": "windows-gnu"}
    return f"{machine}-{systems.get(sys.platform, sys.platform)}"
