"""Classes of the user's own code, which configs name and checkpoints only repeat."""

import importlib
from collections.abc import Collection, Mapping
from typing import TypeVar

from vrpcore.errors import ConfigError, ModelError

Kind = TypeVar("Kind")


def own_class(key: str, name: str, base: type[Kind]) -> type[Kind]:
    """Imports a class, which runs its module.

    Args:
        key: Of the config that names it.
        name: `package.module:Class`.
        base: What it has to inherit from.

    Raises:
        ConfigError: There is no such class, or it is of another kind.
    """
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"{key}: {name} cannot be imported: {error}; set PYTHONPATH to the folder that holds it"
        ) from None
    if not isinstance(found, type) or not issubclass(found, base):
        raise ConfigError(f"{key}: {name} is no class that inherits from {base.__name__}")
    return found


def check_named(
    named: Mapping[str, str], own: Collection[str], place: str, *, resumes: bool = False
) -> None:
    """Refuses classes that only a file names: it could name any code.

    Args:
        named: What the file names, by its keys.
        own: What the call names.
        place: Names the file.
        resumes: A run goes on, whose settings name classes.

    Raises:
        ModelError: The call does not name one of them; nothing has been imported.
    """
    for key, name in named.items():
        if name not in own:
            advice = f"--set {key}={name}" if resumes else f"--own {name}, or in Python own=[...]"
            raise ModelError(
                f"{place}: {key} is {name}, code of your own, which is imported only where the "
                f"call names it, too: {advice}"
            )
