"""The one family of errors that users may see without a traceback."""


class VrpError(Exception):
    """Base of every error that is the input's or the machine's doing, not a bug.

    The message says where, what was found, what was expected and what to do.

    Args:
        message: One line for the user.
        code: Stable upper-case identifier such as `CAPACITY_NOT_POSITIVE`.
    """

    default_code = "ERROR"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code or self.default_code


class ConfigError(VrpError):
    """A configuration key or value is not what it should be."""

    default_code = "CONFIG"


class InstanceError(VrpError):
    """An instance, or a file of instances or solutions, is not what it should be."""

    default_code = "INSTANCE"


class ShapeError(VrpError):
    """Two arrays do not fit together."""

    default_code = "SHAPE"


class ModelError(VrpError):
    """A model file is missing, foreign, damaged or of another version."""

    default_code = "MODEL"


class ExportError(VrpError):
    """An exported model does not reproduce the policy that it came from."""

    default_code = "EXPORT"


class InfeasibleError(VrpError):
    """Proof that an instance has no solution, e.g. demands beyond `max_vehicles`."""

    default_code = "INFEASIBLE"


class DeviceError(VrpError):
    """The device asked for is not there or failed."""

    default_code = "DEVICE"


class MissingExtraError(VrpError):
    """An optional dependency is not installed.

    Args:
        extra: The extra that brings it, e.g. `improve`.
        purpose: What it is needed for, to finish "... needs".
    """

    default_code = "EXTRA_MISSING"

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the extra '{extra}', which is not installed: "
            f"run  pip install 'vrp[{extra}]'  (in a checkout: pip install -e '.[{extra}]')"
        )
        self.extra = extra


class MissingLibraryError(VrpError):
    """What is compiled at installation is not part of this one.

    Args:
        what: Its name, e.g. `training step`.
        reason: What the loader said.
    """

    default_code = "LIBRARY_MISSING"

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(
            f"the compiled {what} is missing ({reason}): install a C++ compiler, then run  "
            "pip install --force-reinstall --no-deps vrp  (in a checkout: pip install -e .)"
        )


class MissingSearchError(MissingLibraryError):
    """The compiled search is not part of this installation.

    Args:
        reason: What the loader said.
    """

    default_code = "SEARCH_MISSING"

    def __init__(self, reason: str) -> None:
        super().__init__("search", reason)


class OutputError(VrpError):
    """A file cannot be read or written."""

    default_code = "FILE"


_MEMORY_WORDS = ("out of memory", "failed to allocate", "bad_alloc", "alloc_failed")


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
