"""What pip calls to install this project: setuptools, after the search has been compiled.

Where it cannot be compiled, the install goes on without the library.
"""

import os
import platform
import shlex
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from setuptools import build_meta

from vrpcore.improve.core.compiler import MACOS, build_library
from vrpcore.improve.core.library import LIBRARY

get_requires_for_build_sdist = build_meta.get_requires_for_build_sdist
prepare_metadata_for_build_wheel = build_meta.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable

_ZIG = "ziglang>=0.16,<0.18"
_Settings = dict[str, Any] | None


def get_requires_for_build_wheel(config_settings: _Settings = None) -> list[str]:
    """What a wheel needs beside setuptools: zig, where no compiler here can do it."""
    required: list[str] = build_meta.get_requires_for_build_wheel(config_settings)
    if os.environ.get("CXX"):
        return required
    with tempfile.TemporaryDirectory(prefix="vrp-core-", ignore_cleanup_errors=True) as folder:
        try:
            build_library(Path(folder, LIBRARY.name))
        except OSError:
            return [*required, _ZIG]
    return required


get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(
    wheel_directory: str, config_settings: _Settings = None, metadata_directory: str | None = None
) -> str:
    """A wheel for this platform and any Python; for any platform, if nothing was compiled."""
    if compile_core():
        config_settings = _for_platform(config_settings)
    name: str = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    return name


def build_editable(
    wheel_directory: str, config_settings: _Settings = None, metadata_directory: str | None = None
) -> str:
    """An editable install; the library lies beside its sources."""
    compile_core()
    name: str = build_meta.build_editable(wheel_directory, config_settings, metadata_directory)
    return name


def build_sdist(sdist_directory: str, config_settings: _Settings = None) -> str:
    """The sources; this machine's library stays out of them."""
    aside = LIBRARY.with_name(f".{LIBRARY.name}")  # package data does not match that
    there = LIBRARY.exists()
    if there:
        LIBRARY.replace(aside)
    try:
        name: str = build_meta.build_sdist(sdist_directory, config_settings)
    finally:
        if there:
            aside.replace(LIBRARY)
    return name


def compile_core() -> bool:
    """Compiles the library anew, beside its sources; says on stderr why where it cannot.

    Returns:
        Whether the library is there.
    """
    try:
        LIBRARY.unlink(missing_ok=True)
        build_library(LIBRARY)
    except OSError as error:
        sys.stderr.write(
            f"vrp: the search could not be compiled; the install goes on without it.\n"
            f"{str(error).strip()}\n"
            "vrp: install a C++20 compiler (g++ or clang++), then install vrp again.\n"
        )
        return False
    return True


def _for_platform(settings: _Settings) -> dict[str, Any]:
    """Names the platform to setuptools, which sees nothing that needs one."""
    name = sysconfig.get_platform()
    if sys.platform == "darwin":  # Python itself may be universal and older; the library is not
        name = f"macosx-{MACOS}-{platform.machine()}"
    given = (settings or {}).get("--build-option", [])
    options = shlex.split(given) if isinstance(given, str) else given
    return {**(settings or {}), "--build-option": ["--plat-name", name, *options]}
