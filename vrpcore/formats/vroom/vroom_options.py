"""The `options` of VROOM's documents: what a client of vroom-express asks for with a problem."""

from vrpcore.errors import describe, fault
from vrpcore.formats.json.key_schema import Fields, check_mapping
from vrpcore.formats.vroom.vroom_instance import NO_OPTIONS, VroomOptions
from vrpcore.formats.vroom.vroom_keys import OPTIONS, unsupported

# What VROOM's command line calls the same.
_LONG = {
    "geometry": "g",
    "explore": "x",
    "exploration": "x",
    "exploration_level": "x",
    "threads": "t",
    "limit": "l",
    "choose_eta": "c",
}


def read_options(value: object, place: str) -> VroomOptions:
    """Reads the `options` of a document.

    Args:
        value: What stands there; None where nothing does.
        place: Begins each message.

    Raises:
        InstanceError: An option is unknown (code UNKNOWN_KEY), not what it should be, or `c`, which
            asks for the times of given routes (UNSUPPORTED).
    """
    if value is None:
        return NO_OPTIONS
    for key in check_mapping(value, place):
        if key in _LONG:
            message = f"unknown key {describe(key)}; did you mean '{_LONG[key]}'?"
            raise fault(place, message, "UNKNOWN_KEY")
    found = Fields(value, place, OPTIONS)
    if found.get("c"):
        message = "asks for the times of given routes, which are not carried; leave it out"
        raise unsupported(f"{place}.c", message)
    return VroomOptions(
        geometry=found.get("g", False),
        explore=found.get("x"),
        threads=found.get("t"),
        limit_s=found.get("l"),
    )
