"""`vrp doctor`."""

from __future__ import annotations

import importlib.metadata
import platform
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.bench_tables import markdown_table, stdout_console, tracked
from vrpcore.cli.console import edge, raise_on_sigterm, refuse
from vrpcore.errors import DISTRIBUTION, MissingLibraryError, ModelError, install_command
from vrpcore.roads.road_options import MAPS_NEED

if TYPE_CHECKING:
    from collections.abc import Callable

    from vrpcore.solve.models import ShippedModel

HELP = """Show versions, devices, threads, shipped models, and what is missing for which feature.

With --self-test, compute on a device instead: constructions compared with the CPU's, training
steps, rates, memory; on CUDA also graphs and bfloat16. It takes a minute at most; -o writes what
a bug report should contain.

[bold]Examples[/]

  vrp doctor
  vrp doctor --self-test --device cuda -o report.json
"""

# What pip installs for each extra, and what needs it.
EXTRAS = {
    "export": (("onnx",), "vrp export --onnx"),
    "frame": (("pandas",), "to_frame() of a model's solution"),
    "nvml": (("nvidia-ml-py",), "gpu_utilisation in metrics of vrp train"),
    "plot": (("matplotlib",), "vrp plot"),
    "ray": (("pyarrow", "ray"), "vrp solve --engine ray"),
    "roads": (
        ("filelock", "httpx2", "pyvalhalla"),
        f"vrp solve --matrix (pyvalhalla: osm=FILE, {MAPS_NEED})",
    ),
    "serve": (("fastapi", "fastapi-swagger", "prometheus-client", "uvicorn"), "vrp serve"),
    "sheets": (("python-calamine", "xlsxwriter"), ".xlsx and .ods"),
    "tensorboard": (("pillow", "tensorboard"), "TensorBoard files in run folders"),
    "wandb": (("pillow", "wandb"), "train.trackers=[wandb]"),
    "mlflow": (("mlflow-skinny", "pillow"), "train.trackers=[mlflow]"),
}
_COMPILED = "compiled"
_CORE = ("torch", "numpy", "onnxruntime-gpu", "onnxruntime", "typer", "rich", "pyyaml")


@edge()
def doctor(
    verify: Annotated[
        bool, typer.Option(help="Hash the shipped weights and compare them with their cards.")
    ] = True,
    self_test: Annotated[
        bool, typer.Option("--self-test", help="Compute on a device and compare with the CPU.")
    ] = False,
    device: Annotated[
        str | None, typer.Option(help="Of the self-test: auto (the default), cpu, cuda or cuda:N.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A self-test of seconds: 20 customers, small batches.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Also write the self-test as JSON.")
    ] = None,
) -> None:
    """Prints what this machine has, or what it computes."""
    if self_test:
        _self_test(device or "auto", quick=quick, output=output)
        return
    if device is not None or quick or output is not None:
        refuse("--device, --quick and -o belong to --self-test")
    from vrpcore.config.reader import config_names
    from vrpcore.version import VERSION

    rows = [("vrp", VERSION), ("python", platform.python_version())]
    rows += [(name, version) for name in _CORE if (version := _version(name))]
    rows += _devices()
    rows += [("configs", ", ".join(config_names()))]
    models, wrong = _models(verify)
    rows += models
    rows += _libraries()
    rows += [(f"extra {name}", _extra(name)) for name in EXTRAS]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        typer.echo(f"{name:<{width}}  {value}")
    if wrong:
        words = f"damaged, or not what the card says; install {DISTRIBUTION} again"
        raise ModelError(f"{', '.join(wrong)}: {words}")


def _self_test(name: str, *, quick: bool, output: Path | None) -> None:
    raise_on_sigterm()
    from vrpcore.errors import VrpError
    from vrpcore.formats.files import write_text
    from vrpcore.learn.bench import self_test as bench
    from vrpcore.learn.device import choose_device

    scope = bench.self_test_scope(choose_device(name), quick=quick)
    checks = list(tracked(bench.run_self_tests(scope), "self-test", len(bench.self_tests(scope))))
    rows = [
        (
            check.name,
            "passed" if check.passed else "FAILED",
            f"{check.seconds:.1f} s",
            check.error or ", ".join(f"{key} {value:g}" for key, value in check.figures.items()),
        )
        for check in checks
    ]
    console = stdout_console()
    console.print(f"Device: {scope.device}")
    console.print(markdown_table(("check", "result", "took", "found"), rows, words=4))
    if output is not None:
        write_text(output, bench.self_test_to_json(checks, scope))
    failed = [check.name for check in checks if not check.passed]
    if failed:
        raise VrpError(f"self-test on {scope.device}: failed: {', '.join(failed)}")


def _version(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _devices() -> list[tuple[str, str]]:
    from vrpcore.solve.accelerator import cuda_device_count, why_not_torch
    from vrpcore.solve.onnx_backend import built_in_providers
    from vrpcore.threads import num_cores

    count = cuda_device_count()
    devices = str(count) if count else "none: everything runs on the CPU"
    if count and (reason := why_not_torch()) is not None:
        devices += f", not used by shipped models: {reason}"
    providers = ", ".join(built_in_providers())
    return [
        ("cores", f"{num_cores()} ({platform.machine()})"),
        ("cuda devices", devices),
        ("onnxruntime providers", f"{providers} (built in; CUDA also needs a device)"),
    ]


def _libraries() -> list[tuple[str, str]]:
    """A line for each compiled library, with what is done without it."""
    from vrpcore.learn.train import training_library
    from vrpcore.search import hgs_library, rich_library
    from vrpcore.solve.construct import MAX_POLICY_CUSTOMERS

    def load_training() -> None:
        training_library.load_library(training_library.library_file())

    only = f"plain instances are solved only up to {MAX_POLICY_CUSTOMERS} customers, by the policy"
    refused = "depots, vehicle types, times and shipments are refused"
    search = _compiled(hgs_library.load_library, only)
    rich = _compiled(rich_library.load_libraries, refused)
    step = _compiled(load_training, "training on a CPU is several times slower")
    if step == _COMPILED:
        step += f", {training_library.level()}"
    return [("search", search), ("search with constraints", rich), ("training step", step)]


def _compiled(load: Callable[[], object], without: str) -> str:
    try:
        load()
    except MissingLibraryError as error:
        return f"missing; {without}: {error}"
    return _COMPILED


def _models(verify: bool) -> tuple[list[tuple[str, str]], list[str]]:
    """A line for each shipped model, and the names of those that are not what they should be."""
    from vrpcore.solve.models import DEFAULT_MODEL, shipped_models

    rows, wrong = [], []
    for name, model in shipped_models().items():
        text = f"sha256 {model.sha256[:16]}..."
        if verify:
            fault = _fault(model)
            text += f" {fault or 'verified'}"
            wrong += [name] if fault else []
        default = ", the default" if name == DEFAULT_MODEL else ""
        rows.append((f"model {name}", f"{text}{default}; card: {model.onnx.with_suffix('.md')}"))
    return rows or [("model", "none shipped: this installation is damaged")], wrong


def _fault(model: ShippedModel) -> str | None:
    """Describe the fault of a model's file."""
    from vrpcore.errors import VrpError
    from vrpcore.learn.policy.checkpoint import (
        load_checkpoint,
        policy_from_checkpoint,
        weights_sha256,
    )
    from vrpcore.solve.onnx_backend import OnnxBackend

    try:
        policy = policy_from_checkpoint(load_checkpoint(model.checkpoint), model.name)
        found = weights_sha256(policy.state_dict()), OnnxBackend(model.onnx, "cpu").info.sha256
    except VrpError as error:
        return f"DAMAGED: {error}"
    return None if set(found) == {model.sha256} else "DIFFERS FROM ITS CARD"


def _extra(name: str) -> str:
    distributions, purpose = EXTRAS[name]
    missing = [each for each in distributions if _version(each) is None]
    if not missing:
        return "installed"
    return f"{', '.join(missing)} missing, needed for {purpose}: {install_command(name)}"
