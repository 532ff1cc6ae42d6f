"""Documents and files of other programs or roles, named by their keys or first bytes.

They are looked up only after reading has failed, so that nothing that can be read is refused.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from vrpcore.errors import InstanceError, fault

_CONVERT = (
    "write an instance (docs/interface/json.md), a problem of VROOM's, or a spreadsheet of stops"
)
_ROLES = (
    "give both as vrp check INSTANCES SOLUTIONS, vrp plot INSTANCES SOLUTIONS, or vrp solve "
    "INSTANCES --warm-start SOLUTIONS"
)
_ANSWERS = "answers are read as JSON of vrp solve, of VROOM's, or as a CVRPLIB .sol"
_MATRICES = "write its matrices as durations and distances of an instance, or use --matrix"
_STOPS = 'list stops in one instance: {"customers": [{"id": 1, "x": 13.4, "y": 52.5}], ...}'
_MODEL = "a model is given as --model NAME or FILE; vrp eval takes it first"


class Other(NamedTuple):
    """A document that is not read here.

    Attributes:
        keys: How to tell. All paths of an alternative lead somewhere; ` | ` separates those. A
            list and `*` stand for their first element; a key with `-` must be missing.
        what: What it is.
        advice: What to do.
    """

    keys: str
    what: str
    advice: str


def _problem(keys: str, program: str, words: str) -> Other:
    return Other(keys, f"a problem of {program}", f"{_CONVERT}; {words}")


# The first row that fits counts.
DOCUMENTS = (
    Other("solutions | vrp-solutions/1 | status routes cost", "solutions", _ROLES),
    Other("code summary unassigned", "an answer of VROOM's", _ROLES),
    Other("sha256 train_sizes | vrp-policy/1 | vrp-policy/2", "the card of a model", _MODEL),
    _problem(
        "plan.jobs fleet.types",
        "HERE Tour Planning",
        "plan.jobs become customers (with pickups and deliveries: shipments), fleet.types vehicles",
    ),
    _problem(
        "plan.jobs fleet",
        "vrp-cli, in its pragmatic format",
        "plan.jobs become customers (with pickups and deliveries: shipments), fleet.vehicles "
        "vehicles",
    ),
    _problem(
        "modelInput | visits.location vehicles.homeLocation",
        "Timefold",
        "visits become customers, a location is y and x, shifts are vehicles, their begin a depot",
    ),
    _problem("customers.location depots.location", "OptaPlanner", "a location is y and x"),
    _problem("visits.* fleet", "Routific", "visits become customers, their location is y and x"),
    _problem(
        "model.shipments | model.vehicles | shipments.deliveries | shipments.pickups "
        "| vehicles.startWaypoint | vehicles.startLocation shipments",
        "Google's Route Optimization",
        "a shipment with only pickups or only deliveries is a customer; times are numbers",
    ),
    _problem(
        "vehicles.start_address | services.address",
        "GraphHopper's Route Optimization",
        "services become customers, vehicle_types vehicles; an address is x and y",
    ),
    _problem(
        "tasks.destination | container tasks | destination recipients",
        "Onfleet",
        "a task with its destination becomes a customer",
    ),
    _problem("orders.orderNo | orders.operation", "OptimoRoute", "orders become customers"),
    _problem(
        "stops.location",
        "Nextmv",
        "stops become customers, their quantity demand; start_location is a depot",
    ),
    _problem(
        "locations.coordinates vehicles",
        "Mapbox Optimization",
        "services become customers, coordinates x and y; start_location is a depot",
    ),
    _problem(
        "agents itineraryItems", "Bing Maps", "itineraryItems become customers, agents vehicles"
    ),
    _problem(
        "agents jobs | agents shipments", "Geoapify", "jobs become customers, agents vehicles"
    ),
    _problem("jobs resources", "Solvice", "jobs become customers, resources vehicles"),
    _problem(
        "task_data fleet_data | cost_matrix_data",
        "NVIDIA cuOpt",
        "task_data becomes customers, fleet_data vehicles; a matrix is durations or distances",
    ),
    _problem(
        "transports locations",
        "PTV Route Optimization",
        "transports become shipments, or customers where one end is a depot",
    ),
    _problem("addresses parameters", "Route4Me", "addresses become customers"),
    _problem(
        "jobs locations vehicles",
        "NextBillion.ai",
        "of VROOM's, a location is [longitude, latitude], and no index",
    ),
    _problem(
        "distance_matrix num_vehicles | time_matrix num_vehicles | num_vehicles depot",
        "OR-Tools' examples",
        "a matrix is distances or durations, demands are customers', without the depot's",
    ),
    _problem("locs demand", "RL4CO", "or save it as .npz (docs/interface/arrays.md)"),
    Other(
        "edge_weight_type dimension | node_coord demand",
        "an instance as the package vrplib returns it",
        "give the .vrp file itself",
    ),
    Other("tours statistic", "an answer of vrp-cli or HERE", _ANSWERS),
    Other("modelOutput", "an answer of Timefold", _ANSWERS),
    Other("solution.routes", "an answer of GraphHopper", _ANSWERS),
    Other("solution num_unserved", "an answer of Routific", _ANSWERS),
    Other("routes.vehicleLabel | routes.visits", "an answer of Google's", _ANSWERS),
    Other("type features", "GeoJSON", "write its points as a table with lat and lon"),
    Other("origin_addresses rows", "a reply of Google's Distance Matrix", _MATRICES),
    Other("code durations | code waypoints", "a reply of OSRM", _MATRICES),
    Other("durations metadata", "a reply of openrouteservice", _MATRICES),
    Other("sources_to_targets", "a reply of Valhalla", _MATRICES),
    Other("locations metrics", "a request to openrouteservice", _MATRICES),
    Other("locations costing | sources targets", "a request to Valhalla", _MATRICES),
    Other(
        "lat lon -customers | lat lng -customers | latitude longitude -customers "
        "| x y -customers -coords | address -customers -vehicles",
        "a stop",
        _STOPS,
    ),
    Other(
        "instances | vrp-instances/1 | customers | depot | depots | vehicles | jobs",
        "instances",
        _ROLES,
    ),
)
# How files begin that are neither JSON nor the text of an instance.
FILES: Sequence[tuple[re.Pattern[bytes], Other]] = (
    (re.compile(rb"\x08[\x01-\x7f][\x12\x1a\x3a]"), Other("", "a model (ONNX)", _MODEL)),
    (re.compile(rb"\s*Route\s*#?\s*\d+\s*:", re.IGNORECASE), Other("", "solutions", _ROLES)),
    (
        re.compile(rb"\s*(?:<!doctype html|<html)", re.IGNORECASE),
        Other("", "a web page", "open it in a browser: does it say why the download failed?"),
    ),
    (re.compile(rb"\s*<"), Other("", "XML, e.g. of jsprit or VRP-REP", _CONVERT)),
    (
        re.compile(rb"(?:\s|#[^\n]*\n)*(?:problem|policy|train|data):\s"),
        Other("", "a configuration of vrp train", "give it as vrp train --config FILE"),
    ),
    (re.compile(rb"PK"), Other("", "an archive, e.g. of arrays or a model", _MODEL)),
    (re.compile(rb"\s*NAME\s*:"), Other("", "an instance (.vrp)", _ROLES)),
    (re.compile(rb"\s*[{\[]"), Other("", "JSON", _MODEL)),
)


def other_document(value: object, place: str, expected: str) -> InstanceError | None:
    """The error that names a document which could not be read; None: nothing is known of it.

    Args:
        value: As a JSON parser returns it.
        place: Begins the message.
        expected: What should be there, `instances` or `solutions`.
    """
    for other in DOCUMENTS:
        for keys in other.keys.split(" | ") if other.what != expected else ():
            if all(_has(value, path) for path in keys.split()):
                return _error(other, place, expected)
    return None


def other_file(head: bytes, place: str, expected: str) -> InstanceError | None:
    """Name the format of a file that is no JSON, by its first bytes."""
    for start, other in FILES:
        if other.what != expected and start.match(head):
            return _error(other, place, expected)
    return None


def _error(other: Other, place: str, expected: str) -> InstanceError:
    return fault(place, f"{other.what}, expected {expected}; {other.advice}", "FORMAT")


def _has(value: object, path: str) -> bool:
    """Return whether a path of keys leads somewhere; with `-` before it, whether it does not."""
    if path.startswith("-"):
        return not _has(value, path[1:])
    for key in path.split("."):
        while isinstance(value, list | tuple) and value:
            value = value[0]
        if not isinstance(value, Mapping) or not value:
            return False
        if key == "*":
            value = next(iter(value.values()))
        elif key not in value:
            return False
        else:
            value = value[key]
    return "*" not in path or isinstance(value, Mapping)
