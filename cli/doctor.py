"""`vrp doctor`."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import platform
from pathlib import Path
from typing import Annotated

import typer

from vrpcore.cli.bench_tables import markdown_table, stdout_console, tracked
from vrpcore.cli.console import edge, raise_on_sigterm, refuse
from vrpcore.errors import install_command

HELP = """Show versions, devices, threads, shipped models, and what is missing for which feature.

With --self-test, compute on a device instead: constructions as on the CPU, training steps, rates,
memory; on CUDA also graphs and bfloat16. A minute at most; -o writes what a report should contain.

[bold]Examples[/]

  vrp doctor
  vrp doctor --self-test --device cuda -o report.json
"""

_EXTRAS = {
    "export": (("onnx",), "vrp export --onnx"),
    "frame": (("pandas",), "to_frame() of a model's solution"),
    "plot": (("matplotlib",), "vrp plot"),
    "ray": (("ray", "pyarrow"), "vrp solve --engine ray"),
    "roads": (("httpx2",), "vrp solve --matrix osrm=URL"),
    "serve": (("fastapi", "fastapi_swagger", "uvicorn", "prometheus_client"), "vrp serve"),
    "tensorboard": (("tensorboard",), "TensorBoard files in run folders"),
}
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
    rows += _models(verify)
    rows += [("search", _search()), ("search with constraints", _rich_search())]
    rows += [("training step", _training_step())]
    rows += [(f"extra {name}", _extra(name)) for name in _EXTRAS]
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        typer.echo(f"{name:<{width}}  {value}")


def _self_test(name: str, *, quick: bool, output: Path | None) -> None:
    raise_on_sigterm()
    from vrpcore.bench import self_test as bench
    from vrpcore.device import choose_device
    from vrpcore.errors import VrpError
    from vrpcore.formats.files import write_text

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
    import onnxruntime

    from vrpcore.solve.accelerator import cuda_device_count
    from vrpcore.threads import num_cores

    count = cuda_device_count()
    providers = onnxruntime.get_available_providers()
    return [
        ("cores", f"{num_cores()} ({platform.machine()})"),
        ("cuda devices", str(count) if count else "none: everything runs on the CPU"),
        ("onnxruntime providers", f"{', '.join(providers)} (built in; CUDA also needs a device)"),
    ]


def _search() -> str:
    from vrpcore.errors import MissingSearchError
    from vrpcore.search.hgs_library import load_library

    try:
        load_library()
    except MissingSearchError as error:
        return f"missing; answers come from the policy alone: {error}"
    return "compiled"


def _rich_search() -> str:
    from vrpcore.errors import MissingSearchError
    from vrpcore.search.rich_library import load_libraries

    try:
        load_libraries()
    except MissingSearchError as error:
        return f"missing; depots, vehicle types, times and shipments are refused: {error}"
    return "compiled"


def _training_step() -> str:
    from vrpcore.errors import MissingLibraryError
    from vrpcore.train.training_library import level, library_file, load_library

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
    return f"missing, needed for {purpose}: {install_command(name)}"
