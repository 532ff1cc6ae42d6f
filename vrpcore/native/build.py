"""The build backend that pip calls: setuptools, after the libraries have been compiled.

If a library cannot be compiled, the installation continues without it.
"""

import compileall
import os
import platform
import shlex
import sys
import sysconfig
import tempfile
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from setuptools import build_meta

from vrpcore.errors import DISTRIBUTION
from vrpcore.native.compiler import MACOS, build_library
from vrpcore.native.editable import PARTS, show_package
from vrpcore.native.levels import PLAIN, WIDER
from vrpcore.native.library import HGS, RICH, WORKING_DAY, Library
from vrpcore.threads import side_by_side

get_requires_for_build_sdist = build_meta.get_requires_for_build_sdist
prepare_metadata_for_build_wheel = build_meta.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable

LIBRARIES = (HGS, RICH, WORKING_DAY, PLAIN, *WIDER.values())
_ROOT = Path(__file__).resolve().parents[2]
_ZIG = "ziglang>=0.16,<0.18"
_Settings = dict[str, Any] | None


def get_requires_for_build_wheel(config_settings: _Settings = None) -> list[str]:
    """List what a wheel needs besides setuptools: zig, if no local compiler works.

    Tries every library without optimization, which takes a quarter of the time.
    """
    required: list[str] = build_meta.get_requires_for_build_wheel(config_settings)
    if os.environ.get("CXX") or find_spec("ziglang"):
        return required
    with tempfile.TemporaryDirectory(prefix="vrp-core-", ignore_cleanup_errors=True) as folder:
        try:
            for library in LIBRARIES:
                unoptimized = library._replace(flags=(*library.flags, "-O0"))
                build_library(Path(folder, library.file.name), unoptimized)
        except OSError:
            return [*required, _ZIG]
    return required


get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(
    wheel_directory: str, config_settings: _Settings = None, metadata_directory: str | None = None
) -> str:
    """Builds a wheel for this platform and any Python; for any platform if nothing compiled."""
    if compile_all():
        config_settings = _for_platform(config_settings)
    name: str = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    return name


def build_editable(
    wheel_directory: str, config_settings: _Settings = None, metadata_directory: str | None = None
) -> str:
    """Builds an editable install, with libraries and bytecode next to their sources.

    pip compiles no bytecode for an editable install, so the first command would have to.
    """
    compile_all()
    for folder in ("vrpcore", *PARTS):
        compileall.compile_dir(folder, quiet=2)
    name: str = build_meta.build_editable(wheel_directory, config_settings, metadata_directory)
    show_package(_ROOT, Path(wheel_directory, name))
    return name


def build_sdist(sdist_directory: str, config_settings: _Settings = None) -> str:
    """Builds the source archive, without this machine's libraries."""
    files = [library.file for library in LIBRARIES if library.file.exists()]
    for file in files:
        file.replace(_aside(file))
    try:
        name: str = build_meta.build_sdist(sdist_directory, config_settings)
    finally:
        for file in files:
            _aside(file).replace(file)
    return name


def compile_all() -> bool:
    """Compiles all libraries again, next to their sources; reports failures on stderr.

    Returns:
        Whether any library was built.
    """
    tasks = [partial(_compile, library) for library in LIBRARIES]
    side_by_side(tasks, os.cpu_count() or 1)
    return any(library.file.exists() for library in LIBRARIES)


def _compile(library: Library) -> None:
    library.file.unlink(missing_ok=True)
    try:
        build_library(library.file, library)
    except OSError as error:
        sys.stderr.write(
            f"vrp: {library.file.name} could not be compiled; the install goes on without "
            f"it.\n{str(error).strip()}\n"
            f"vrp: install a C++20 compiler (g++ or clang++), then install {DISTRIBUTION} again.\n"
        )


def _aside(file: Path) -> Path:
    return file.with_name(f".{file.name}")  # package data does not match this name


def _for_platform(settings: _Settings) -> dict[str, Any]:
    """Tells setuptools the platform, which it cannot see in the package."""
    name = sysconfig.get_platform()
    if sys.platform == "darwin":  # Python itself may be universal and older; the library is not
        name = f"macosx-{MACOS}-{platform.machine()}"
    given = (settings or {}).get("--build-option", [])
    options = shlex.split(given) if isinstance(given, str) else given
    return {**(settings or {}), "--build-option": ["--plat-name", name, *options]}
