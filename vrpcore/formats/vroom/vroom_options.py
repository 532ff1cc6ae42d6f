"""The `options` of VROOM's documents: what a client of vroom-express asks for with a problem."""

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.json.key_schema import Fields, check_list, check_mapping
from vrpcore.formats.vroom.vroom_fleet import KnownSteps
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
        InstanceError: An option is unknown (code UNKNOWN_KEY), or not what it should be.
    """
    if value is None:
        return NO_OPTIONS
    for key in check_mapping(value, place):
        if key in _LONG:
            message = f"unknown key {describe(key)}; did you mean '{_LONG[key]}'?"
            raise fault(place, message, "UNKNOWN_KEY")
    found = Fields(value, place, OPTIONS)
    return VroomOptions(
        geometry=found.get("g", False),
        explore=found.get("x"),
        threads=found.get("t"),
        limit_s=found.get("l"),
        given=found.get("c", False),
    )


def check_given(vehicles: object, steps: KnownSteps, place: str) -> None:
    """Checks that the steps of a document with the option `c` are routes as they stand.

    Args:
        vehicles: As the document has them, checked.
        steps: What they come with.
        place: Begins each message.

    Raises:
        InstanceError: There are none, they name something unknown, or they say where breaks are.
    """
    asked = f"{place}.options.c: asks for the times of given routes"
    if steps.unknown:
        message = f"but steps name {steps.unknown[0]}, which the problem does not have"
        raise InstanceError(f"{asked}, {message}; leave it out of them", code="UNKNOWN_ID")
    if steps.routes is None:
        message = "but no vehicle has steps; give them, or leave it out"
        raise InstanceError(f"{asked}, {message}", code="MISSING_KEY")
    where = f"{place}.vehicles"
    for row, vehicle in enumerate(check_list(vehicles, where, "vehicles")):
        own = f"{where}[{row}].steps"
        rows = check_mapping(vehicle, where).get("steps")
        for index, step in enumerate(check_list(rows or [], own, "steps")):
            if check_mapping(step, own)["type"] == "break":
                message = "says where a break is, but with 'c' breaks are placed anew"
                message += "; leave this step out, and keep the break"
                raise unsupported(f"{own}[{index}]", message)
