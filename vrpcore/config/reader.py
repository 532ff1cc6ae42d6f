"""YAML into frozen dataclasses: strict types, and errors that name the key."""

import dataclasses
import importlib.resources
import re
import types
import typing
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import yaml

from vrpcore.config.sections import Config, PolicyConfig, SizeRange
from vrpcore.errors import ConfigError, OutputError, nearest

Section = TypeVar("Section")
# Beside its own errors, how PyYAML fails at a value that is not what its form or tag says, such as
# 2001-13-45.
_NO_YAML = (
    yaml.YAMLError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


def load_config(name_or_file: str, overrides: Sequence[str] = ()) -> Config:
    """Reads a packaged config by name, or a YAML file, and applies `a.b=value` settings.

    Args:
        name_or_file: A name such as `train`, or a path (with a slash or `.yaml`).
        overrides: Settings like `train.steps=100`; values are YAML.

    Raises:
        ConfigError: Unknown key, wrong type or range; names the file and the key.
        OutputError: The file cannot be read.
    """
    place, text = _read(name_or_file)
    tree = yaml_tree(text, place)
    tree = {} if tree is None else tree
    config = _build(Config, tree, place, "")
    for override in overrides:
        _apply(tree, override)
    return _build(Config, tree, f"{place} with --set", "") if overrides else config


class _Loader(yaml.SafeLoader):
    """Refuses a key that is there twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> Any:
        """See `yaml.SafeLoader`."""
        keys = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        if twice := [key for key in keys if keys.count(key) > 1]:
            raise yaml.constructor.ConstructorError(None, None, f"{twice[0]!r} is there twice")
        return super().construct_mapping(node, deep)


def yaml_tree(text: str, place: str) -> Any:
    """The values of a YAML text.

    Raises:
        ConfigError: It is not YAML, or has a key twice.
    """
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - a safe one
    except _NO_YAML as error:
        raise ConfigError(f"{place}: not YAML: {' '.join(str(error).split())[:200]}") from None


def changed_config(config: Config, overrides: Sequence[str]) -> Config:
    """The config with `a.b=value` settings; errors as from `load_config`."""
    tree = config_tree(config)
    for override in overrides:
        _apply(tree, override)
    return _build(Config, tree, "--set", "")


def config_names() -> list[str]:
    """Names of the packaged configs."""
    folder = importlib.resources.files("vrpcore.configs")
    return sorted(
        item.name.removesuffix(".yaml") for item in folder.iterdir() if item.name.endswith(".yaml")
    )


def config_tree(config: Config) -> dict[str, Any]:
    """The config as plain values, for YAML and for checkpoints."""
    return dataclasses.asdict(config)


def config_yaml(config: Config) -> str:
    """The config with all its keys as YAML."""
    return yaml.safe_dump(config_tree(config), sort_keys=False)


def config_from_tree(tree: Mapping[str, Any], place: str) -> Config:
    """The inverse of `config_tree`; `place` names the source in errors."""
    return _build(Config, tree, place, "")


def policy_from_tree(tree: Mapping[str, Any], place: str) -> PolicyConfig:
    """A policy section as saved in a model file."""
    return _build(PolicyConfig, tree, place, "policy")


def _read(name_or_file: str) -> tuple[str, str]:
    if "/" in name_or_file or name_or_file.endswith((".yaml", ".yml")):
        try:
            return name_or_file, Path(name_or_file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise OutputError(f"{name_or_file}: cannot be read: {error}") from None
    names = config_names()
    if name_or_file not in names:
        raise ConfigError(
            f"config {name_or_file!r} is not one of the packaged ones ({', '.join(names)}); "
            "to use a file, give its path, e.g. ./my.yaml"
        )
    resource = importlib.resources.files("vrpcore.configs") / f"{name_or_file}.yaml"
    return f"{name_or_file}.yaml", resource.read_text(encoding="utf-8")


def _apply(tree: dict[str, Any], override: str) -> None:
    key, separator, text = override.partition("=")
    parts = key.strip().split(".")
    if not separator or not all(parts):
        raise ConfigError(f"--set {override!r}: expected a.b=value, e.g. train.steps=100")
    try:
        value = yaml.safe_load(text)
    except _NO_YAML:
        raise ConfigError(f"--set {override!r}: the value is not YAML") from None
    for part in parts[:-1]:
        if not isinstance(tree.get(part), dict):
            tree[part] = {}
        tree = tree[part]
    tree[parts[-1]] = value


def _build(kind: type[Section], tree: Any, place: str, prefix: str) -> Section:
    """Builds a dataclass from a mapping, checking every key and type."""
    if not isinstance(tree, Mapping):
        where = f"{place}: {prefix}" if prefix else place
        raise ConfigError(f"{where}: expected a mapping, found {_show(tree)}")
    hints = typing.get_type_hints(kind)
    values = {}
    for key, value in tree.items():
        path = f"{prefix}.{key}" if prefix else str(key)
        if key not in hints:
            close = nearest(str(key), hints)
            hint = f"; did you mean {close!r}?" if close else f" (known: {', '.join(hints)})"
            raise ConfigError(f"{place}: {path}: unknown key{hint}")
        values[key] = _convert(hints[key], value, place, path)
    try:
        return kind(**values)
    except ConfigError as error:
        where = f"{place}: {prefix}." if prefix else f"{place}: "
        raise ConfigError(f"{where}{error}") from None
    except TypeError:
        missing = sorted(set(hints) - set(values))
        raise ConfigError(f"{place}: {prefix}: needs {', '.join(missing)}") from None


def _convert(hint: Any, value: Any, place: str, path: str) -> Any:
    """The value as the type it should have; never a guess between types."""
    options = _options(hint)
    for option in options:
        if typing.get_origin(option) is Literal:
            choices = typing.get_args(option)
            if any(value == choice and type(value) is type(choice) for choice in choices):
                return value
        elif typing.get_origin(option) is list and isinstance(value, list):
            (item,) = typing.get_args(option)
            return [_convert(item, entry, place, f"{path}[{i}]") for i, entry in enumerate(value)]
        elif dataclasses.is_dataclass(option) and isinstance(value, Mapping):
            return _build(typing.cast(type[Any], option), value, place, path)
        elif option is float and (type(value) in (int, float) or _is_exponential(value)):
            return float(value)
        elif option is types.NoneType and value is None:
            return None
        elif isinstance(option, type) and type(value) is option:
            return value
    raise ConfigError(f"{place}: {path}: expected {_describe(hint)}, found {_show(value)}")


def _is_exponential(value: object) -> bool:
    """Return whether it is a number like 1e-4, which YAML 1.1 reads as text."""
    return isinstance(value, str) and re.fullmatch(r"[-+]?\d+[eE][-+]?\d+", value) is not None


def _options(hint: Any) -> tuple[Any, ...]:
    """The members of a union, or the type itself."""
    is_union = typing.get_origin(hint) in (typing.Union, types.UnionType)
    return typing.get_args(hint) if is_union else (hint,)


def _describe(option: Any) -> str:
    if len(_options(option)) > 1:
        return " | ".join(map(_describe, _options(option)))
    if typing.get_origin(option) is Literal:
        return " | ".join(str(choice) for choice in typing.get_args(option))
    if typing.get_origin(option) is list:
        return f"list of {_describe(typing.get_args(option)[0])}"
    if option is types.NoneType:
        return "null"
    if option is SizeRange:
        return "{min: A, max: B}"
    if dataclasses.is_dataclass(option):
        return "a mapping"
    return str(getattr(option, "__name__", option))


def _show(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
