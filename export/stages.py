"""The stages of an export: what tells a user which one runs, and how long it takes."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

# Called with what a stage does, in words; the context is left when the stage ends.
Stage = Callable[[str], AbstractContextManager[None]]


def untold(_: str) -> AbstractContextManager[None]:
    """Return a stage that reports to nobody."""
    return nullcontext()
