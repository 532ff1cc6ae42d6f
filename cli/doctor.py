"""`vrp doctor`."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
from typing import Annotated

import typer

from vrpcore.cli.console import edge

HELP = """Show versions, devices, threads, shipped models, and what is missing for which feature.

[bold]Example[/]

  vrp doctor
"""

_EXTRAS = {
    "export": (("onnx",), "vrp export --onnx"),
    "frame": (("pandas",), "to_frame() of a model's solution"),
    "plot": (("matplotlib",), "vrp plot"),
    "ray": (("ray", "pyarrow"), "vrp solve --engine ray"),
    "roads": (("httpx2",), "vrp solve --matrix osrm=URL"),
    "serve": (("fastapi", "uvicorn", "prometheus_client"), "vrp serve"),
    "tensorboard": (("tensorboard",), "TensorBoard files in run folders"),
}
_CORE = ("torch", "numpy", "onnxruntime-gpu", "onnxruntime", "typer", "rich", "pyyaml")


@edge()
def doctor(
    verify: Annotated[
        bool, typer.Option(help="Hash the shipped weights and compare them with their cards.")
    ] = True,
) -> None:
    """Prints what this machine has."""
    from vrpcore.config.reader import config_names
    from vrpcore.version import VERSION

    rows = [("vrp", VERSION), ("python", platform.python_version())]
    rows += [(name, version) for name in _CORE if (version := _version(name))]
    rows += _devices()
    rows += [("configs", ", ".join(config_names()))]
    rows += _models(verify)
    rows += [("search", _search()), ("search with constraints", _rule_search())]
    rows += [("training step", _training_step())]
    rows += [(f"extra {name}", _extra(name)) for name in _EXTRAS]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        typer.echo(f"{name:<{width}}  {value}")


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _devices() -> list[tuple[str, str]]:
    import onnxruntime

    from vrpcore.solve.accelerator import cuda_device_count

    count = cuda_device_count()
    providers = onnxruntime.get_available_providers()
    return [
        ("cores", f"{os.cpu_count()} ({platform.machine()})"),
        ("cuda devices", str(count) if count else "none: everything runs on the CPU"),
        ("onnxruntime providers", f"{', '.join(providers)} (built in; CUDA also needs a device)"),
    ]


def _search() -> str:
    from vrpcore.errors import MissingSearchError
    from vrpcore.improve.native import load_library

    try:
        load_library()
    except MissingSearchError as error:
        return f"missing; answers come from the policy alone: {error}"
    return "compiled"


def _rule_search() -> str:
    from vrpcore.errors import MissingSearchError
    from vrpcore.improve.native_rules import load_library

    try:
        load_library()
    except MissingSearchError as error:
        return f"missing; depots, vehicle types, times and shipments are refused: {error}"
    return "compiled"


def _training_step() -> str:
    from vrpcore.errors import MissingLibraryError
    from vrpcore.train.native import level, library_file, load_library

    try:
        load_library(library_file())
    except MissingLibraryError as error:
        return f"missing; training on a CPU is several times slower: {error}"
    return f"compiled, {level()}"


def _models(verify: bool) -> list[tuple[str, str]]:
    from vrpcore.solve.models import DEFAULT_MODEL, shipped_models

    rows = []
    for name, model in shipped_models().items():
        text = f"sha256 {model.sha256[:16]}..."
        if verify:
            from vrpcore.policy.checkpoint import (
                load_checkpoint,
                policy_from_checkpoint,
                weights_sha256,
            )

            content = load_checkpoint(model.checkpoint)
            policy = policy_from_checkpoint(content, name)
            same = weights_sha256(policy.state_dict()) == model.sha256
            text += " verified" if same else " DIFFERS FROM ITS CARD"
        default = ", the default" if name == DEFAULT_MODEL else ""
        rows.append((f"model {name}", f"{text}{default}; card: {model.onnx.with_suffix('.md')}"))
    return rows or [("model", "none shipped: this installation is damaged")]


def _extra(name: str) -> str:
    modules, purpose = _EXTRAS[name]
    if all(importlib.util.find_spec(module) for module in modules):
        return "installed"
    return f"missing, needed for {purpose}: pip install 'vrp[{name}]'"
