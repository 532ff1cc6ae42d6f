"""Documents and files of other programs or roles, named by their keys or first bytes.

They are looked up only after reading has failed, so that nothing that can be read is refused.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from vrpcore.errors import InstanceError, fault

_ADVICE = {
    "answers": "answers are read as JSON of vrp solve, of VROOM's, or as a CVRPLIB .sol",
    "convert": "write an instance (docs/interface/json.md), a problem of VROOM's, or a spreadsheet "
    "of stops",
    "matrices": "write its matrices as durations and distances of an instance, or use --matrix",
    "model": "a model is given as --model NAME or FILE; vrp eval takes it first",
    "roles": "give both as vrp check INSTANCES SOLUTIONS, vrp plot INSTANCES SOLUTIONS, or vrp "
    "solve INSTANCES --warm-start SOLUTIONS",
    "stops": 'list stops in one instance: {"customers": [{"id": 1, "x": 13.4, "y": 52.5}], ...}',
}


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


# `keys -> what: advice`; the first row that fits counts. Indented lines go on with the one before.
_TABLE = """
solutions | vrp-solutions/1 | status routes cost -> solutions: {roles}
code summary unassigned -> an answer of VROOM's: {roles}
sha256 train_sizes | vrp-policy/1 | vrp-policy/2 -> the card of a model: {model}
plan.jobs fleet.types
    -> a problem of HERE Tour Planning: {convert}; plan.jobs become customers (with pickups and
    deliveries: shipments), fleet.types vehicles
plan.jobs fleet
    -> a problem of vrp-cli, in its pragmatic format: {convert}; plan.jobs become customers (with
    pickups and deliveries: shipments), fleet.vehicles vehicles
modelInput | visits.location vehicles.homeLocation
    -> a problem of Timefold: {convert}; visits become customers, a location is y and x, shifts are
    vehicles, their begin a depot
customers.location depots.location -> a problem of OptaPlanner: {convert}; a location is y and x
visits.* fleet
    -> a problem of Routific: {convert}; visits become customers, their location is y and x
model.shipments | model.vehicles | shipments.deliveries | shipments.pickups | vehicles.startWaypoint
    | vehicles.startLocation shipments
    -> a problem of Google's Route Optimization: {convert}; a shipment with only pickups or only
    deliveries is a customer; times are numbers
vehicles.start_address | services.address
    -> a problem of GraphHopper's Route Optimization: {convert}; services become customers,
    vehicle_types vehicles; an address is x and y
tasks.destination | container tasks | destination recipients
    -> a problem of Onfleet: {convert}; a task with its destination becomes a customer
orders.orderNo | orders.operation -> a problem of OptimoRoute: {convert}; orders become customers
stops.location
    -> a problem of Nextmv: {convert}; stops become customers, their quantity demand; start_location
    is a depot
locations.coordinates vehicles
    -> a problem of Mapbox Optimization: {convert}; services become customers, coordinates x and y;
    start_location is a depot
agents itineraryItems
    -> a problem of Bing Maps: {convert}; itineraryItems become customers, agents vehicles
agents jobs | agents shipments
    -> a problem of Geoapify: {convert}; jobs become customers, agents vehicles
jobs resources -> a problem of Solvice: {convert}; jobs become customers, resources vehicles
task_data fleet_data | cost_matrix_data
    -> a problem of NVIDIA cuOpt: {convert}; task_data becomes customers, fleet_data vehicles; a
    matrix is durations or distances
transports locations
    -> a problem of PTV Route Optimization: {convert}; transports become shipments, or customers
    where one end is a depot
addresses parameters -> a problem of Route4Me: {convert}; addresses become customers
jobs locations vehicles
    -> a problem of NextBillion.ai: {convert}; of VROOM's, a location is [longitude, latitude], and
    no index
distance_matrix num_vehicles | time_matrix num_vehicles | num_vehicles depot
    -> a problem of OR-Tools' examples: {convert}; a matrix is distances or durations, demands are
    customers', without the depot's
locs demand -> a problem of RL4CO: {convert}; or save it as .npz (docs/interface/arrays.md)
edge_weight_type dimension | node_coord demand
    -> an instance as the package vrplib returns it: give the .vrp file itself
tours statistic -> an answer of vrp-cli or HERE: {answers}
modelOutput -> an answer of Timefold: {answers}
solution.routes -> an answer of GraphHopper: {answers}
solution num_unserved -> an answer of Routific: {answers}
routes.vehicleLabel | routes.visits -> an answer of Google's: {answers}
type features -> GeoJSON: write its points as a table with lat and lon
origin_addresses rows -> a reply of Google's Distance Matrix: {matrices}
code durations | code waypoints -> a reply of OSRM: {matrices}
durations metadata -> a reply of openrouteservice: {matrices}
sources_to_targets -> a reply of Valhalla: {matrices}
locations metrics -> a request to openrouteservice: {matrices}
locations costing | sources targets -> a request to Valhalla: {matrices}
lat lon -customers | lat lng -customers | latitude longitude -customers | x y -customers -coords |
    address -customers -vehicles
    -> a stop: {stops}
instances | vrp-instances/1 | customers | depot | depots | vehicles | jobs -> instances: {roles}
"""


def table_rows(table: str) -> Iterator[tuple[str, str, str]]:
    """The rows of a text, `a -> b: c`, with `c` empty where it is missing; `#` is a comment."""
    for line in re.sub(r"\n +", " ", table).splitlines():
        if line and not line.startswith("#"):
            first, _, rest = line.partition(" -> ")
            second, _, third = rest.partition(": ")
            yield first, second, third


@cache
def documents() -> tuple[Other, ...]:
    """The rows."""
    rows = table_rows(_TABLE)
    return tuple(Other(keys, what, advice.format(**_ADVICE)) for keys, what, advice in rows)


# How files begin that are neither JSON nor the text of an instance.
FILES = (
    (rb"\x08[\x01-\x7f][\x12\x1a\x3a]", "a model (ONNX)", _ADVICE["model"]),
    (rb"(?i)\s*Route\s*#?\s*\d+\s*:", "solutions", _ADVICE["roles"]),
    (
        rb"(?i)\s*(?:<!doctype html|<html)",
        "a web page",
        "open it in a browser: does it say why the download failed?",
    ),
    (rb"\s*<", "XML, e.g. of jsprit or VRP-REP", _ADVICE["convert"]),
    (
        rb"(?:\s|#[^\n]*\n)*(?:problem|policy|train|data):\s",
        "a configuration of vrp train",
        "give it as vrp train --config FILE",
    ),
    (rb"PK", "an archive, e.g. of arrays or a model", _ADVICE["model"]),
    (rb"\s*NAME\s*:", "an instance (.vrp)", _ADVICE["roles"]),
    (rb"\s*[{\[]", "JSON", _ADVICE["model"]),
)


def other_document(value: object, place: str, expected: str) -> InstanceError | None:
    """The error that names a document which could not be read; None: nothing is known of it.

    Args:
        value: As a JSON parser returns it.
        place: Begins the message.
        expected: What should be there, `instances` or `solutions`.
    """
    for other in documents():
        for keys in other.keys.split(" | ") if other.what != expected else ():
            if all(_has(value, path) for path in keys.split()):
                return _error(other, place, expected)
    return None


def other_file(head: bytes, place: str, expected: str) -> InstanceError | None:
    """Name the format of a file that is no JSON, by its first bytes."""
    for start, what, advice in FILES:
        if what != expected and re.match(start, head):
            return _error(Other("", what, advice), place, expected)
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
