"""The family of errors that users see without a traceback, and values in their messages."""

import importlib.util
import logging
import math
import re
import traceback
from collections.abc import Collection, Mapping
from typing import Any

DISTRIBUTION = "vrpcore"  # what pip installs; the command is `vrp`
SHOWN_CHARACTERS = 60
_SHOWN_BITS = 100
_LETTERS = 4  # of a word, for each that may be wrong
_SHOWN_INTEGER = 1e15


class VrpError(Exception):
    """Base of every error caused by the input or the machine, not by a bug.

    The message says where the problem is, what was found, what was expected and what to do.

    Args:
        message: One line for the user.
        code: Stable upper-case identifier such as `OUT_OF_RANGE`.
    """

    default_code = "ERROR"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code or self.default_code

    def __reduce__(self) -> tuple[Any, ...]:
        """Lets another process raise it: subclasses are not made from their message alone."""
        return _restored, (type(self), str(self), self.__dict__)


def _restored(kind: type[VrpError], message: str, attributes: Mapping[str, object]) -> VrpError:
    error = kind.__new__(kind, message)
    error.__dict__.update(attributes)
    return error


class ConfigError(VrpError):
    """A configuration key or value is wrong."""

    default_code = "CONFIG"


class InstanceError(VrpError):
    """An instance, or a file of instances or solutions, is invalid."""

    default_code = "INSTANCE"


class ShapeError(VrpError):
    """Two arrays do not fit together."""

    default_code = "SHAPE"


class ModelError(VrpError):
    """A model file is missing, damaged, of another version or of another project."""

    default_code = "MODEL"


class ExportError(VrpError):
    """An exported model does not reproduce its policy."""

    default_code = "MODEL"


class InfeasibleError(VrpError):
    """Proof that an instance has no solution, e.g. demands beyond `max_vehicles`."""

    default_code = "INFEASIBLE"


class DeviceError(VrpError):
    """The requested device is not available or failed."""

    default_code = "DEVICE"


class MissingExtraError(VrpError):
    """An optional dependency is not installed.

    Args:
        extra: The extra that installs it, e.g. `plot`.
        purpose: What needs it, the subject of the message, e.g. `vrp plot`.
    """

    default_code = "NOT_INSTALLED"

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the extra '{extra}', which is not installed: "
            f"run  {install_command(extra)}  (in a checkout: pip install -e '.[{extra}]')"
        )
        self.extra = extra


def install_command(extra: str) -> str:
    """Returns the command that installs an extra, for a shell."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


def require_extra(extra: str, purpose: str, *modules: str) -> None:
    """Says what to install if one of an extra's modules is missing.

    Raises:
        MissingExtraError: One is missing.
    """
    if any(importlib.util.find_spec(name) is None for name in modules):
        raise MissingExtraError(extra, purpose)


class MissingLibraryError(VrpError):
    """A library that is compiled at installation is missing.

    Args:
        what: Its name, e.g. `training step`.
        reason: The loader's message.
    """

    default_code = "NOT_INSTALLED"

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(
            f"the compiled {what} is missing ({reason}): install a C++ compiler, then run  "
            f"pip install --force-reinstall --no-deps {DISTRIBUTION}  "
            "(in a checkout: pip install -e .)"
        )


class MissingSearchError(MissingLibraryError):
    """The compiled search is missing from this installation.

    Args:
        reason: The loader's message.
    """

    default_code = "NOT_INSTALLED"

    def __init__(self, reason: str) -> None:
        super().__init__("search", reason)


class OutputError(VrpError):
    """A file cannot be read or written."""

    default_code = "FILE"


class RoadsError(VrpError):
    """A routing service fails, or a map cannot be used.

    The service cannot be reached, denies access, or answers what it should not.
    """

    default_code = "ROADS"


BUG = "a bug in vrp, please report it"


class InternalError(VrpError):
    """A bug of this project: neither the input nor the machine is at fault."""

    default_code = "INTERNAL"


_MEMORY_WORDS = (
    "out of memory",
    "failed to allocate",
    "bad_alloc",
    "defaultcpuallocator",  # PyTorch, on a host
    "alloc_failed",
    "cublas_status_not_initialized",  # no room for a thread's handle
)


def is_out_of_memory(error: BaseException | None) -> bool:
    """True where memory ran out, on the host or a device, whatever raised it."""
    while error is not None:
        text = str(error).lower()
        if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
            return True
        if isinstance(error, RuntimeError | VrpError) and any(
            word in text for word in _MEMORY_WORDS
        ):
            return True
        error = error.__cause__
    return False


# Errors that concern a whole run: its options, model, device, files and connections.
_OF_THE_RUN = (
    ConfigError,
    ModelError,
    ExportError,
    DeviceError,
    MissingExtraError,
    MissingLibraryError,
    OutputError,
    RoadsError,
    BrokenPipeError,
)
_MESSAGE_CHARACTERS = 300  # of the message of an internal error


def is_internal(error: BaseException) -> bool:
    """Return whether an instance's error is a bug that need not cost the others.

    Errors of the whole run are not, nor is a lack of memory or an interruption.
    """
    if not isinstance(error, Exception) or isinstance(error, _OF_THE_RUN):
        return False
    return not is_out_of_memory(error)


def log_internal(error: Exception) -> None:
    """Logs where an error was raised, without its message: that may tell what an instance holds."""
    places = "".join(traceback.format_tb(error.__traceback__)).rstrip()
    log = logging.getLogger("vrp.internal")
    log.error("internal error: %s\n%s", type(error).__name__, places)


def internal_words(error: BaseException, name: str) -> str:
    """Describe an internal error in one line.

    Args:
        error: The bug.
        name: Of the instance for which it was raised.
    """
    kind = "" if isinstance(error, InternalError) else f"{type(error).__name__}: "
    found = visible(f"{kind}{error}".removesuffix(": "))
    if len(found) > _MESSAGE_CHARACTERS:
        found = f"{found[:_MESSAGE_CHARACTERS]}..."
    return f"{BUG} with the instance {describe(name)}: {found}"


def fault(place: str, message: str, code: str) -> InstanceError:
    """The error of one place."""
    return InstanceError(f"{place}: {message}", code=code)


def advice(name: str, known: Collection[str]) -> str:
    """Suggest a known name for an unknown one: the likely spelling, or all of them."""
    near = nearest(name, known)
    return f"did you mean '{near}'?" if near else f"known are {', '.join(known)}"


def nearest(name: str, known: Collection[str]) -> str | None:
    """The name that another one misspells; None: it is another word.

    Case, blanks, punctuation and a plural make no difference. Else one of each four letters of a
    word may be wrong, missing, added or exchanged with the next, and two in all: so
    `min_distance` is not taken for `max_distance`.
    """
    found = _words(name[:SHOWN_CHARACTERS])
    whole = _singular("".join(found))
    wrong: dict[str, int] = {}
    for each in known:
        words = _words(each)
        if whole == _singular("".join(words)):
            return each
        apart = len(words) == len(found)
        pairs = zip(found, words, strict=True) if apart else [("".join(found), "".join(words))]
        counts = [(_edits(one, other), len(other)) for one, other in pairs]
        count, most = sum(edits for edits, _ in counts), 2 if apart else 1
        if count <= most and all(edits <= size // _LETTERS for edits, size in counts):
            wrong[each] = count
    return min(wrong, key=lambda each: wrong[each], default=None)


def _words(name: str) -> list[str]:
    return re.findall(r"[^\W_]+", name.casefold())


def _singular(word: str) -> str:
    return word.removesuffix("s")


def _edits(one: str, other: str) -> int:
    """Letters to be replaced, left out, added or exchanged with the next: Damerau's distance."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        own = [row]
        for column, wanted in enumerate(other, start=1):
            count = min(last[column] + 1, own[-1] + 1, last[column - 1] + (letter != wanted))
            if row > 1 and column > 1 and (one[row - 2], letter) == (wanted, other[column - 2]):
                count = min(count, before[column - 2] + 1)
            own.append(count)
        before, last = last, own
    return last[-1]


def describe(value: object) -> str:
    """Show a value briefly and without control characters."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        cut = value[:SHOWN_CHARACTERS]
        return repr(cut) + ("..." if len(value) > len(cut) else "")
    if isinstance(value, int) and value.bit_length() > _SHOWN_BITS:
        return f"an integer of about {round(value.bit_length() * math.log10(2))} digits"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return f"a value of type {type(value).__name__}"


def visible(text: str) -> str:
    """Untrusted text on one line: control characters shown."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def show(number: float) -> str:
    """A number as a person would write it: 61, not 61.0."""
    return str(int(number)) if number.is_integer() and abs(number) < _SHOWN_INTEGER else str(number)
