"""Instances with constraints as JSON has them, and whatever may be wrong with them."""

import math
import random

from hypothesis import strategies as st

from tests.vrpcore.added_days import working_document
from tests.vrpcore.formats.json.working_day import DAY
from tests.vrpcore.ride_days import add_rides
from vrpcore.formats.json.documents import CustomerRow, InstanceDocument, VehicleRow

FULL = {
    "depots": [{"id": "n", "x": 0, "y": 0, "window": [0, 600]}, {"id": "s", "x": 6, "y": 1}],
    "vehicles": [
        {"id": "van", "count": 4, "capacity": [40, 12], "start": "n", "max_duration": 420},
        {"id": "bike", "capacity": [8, 2], "start": "s", "end": None, "speed": 2},
    ],
    "customers": [
        {"id": 7, "x": 1, "y": 9, "demand": [3, 0], "pickup": [1, 0], "window": [60, 120]},
        {"id": 8, "x": 3, "y": 8, "windows": [[0, 60], [200, 260]], "prize": 12.5},
    ],
    "shipments": [
        {
            "id": "s1",
            "amount": [2, 0],
            "pickup": {"x": 2, "y": 2, "window": [0, 200], "service": 5},
            "delivery": {"x": 9, "y": 4},
        }
    ],
}
SHORT = {
    "capacity": 9,
    "depot": [0, 0],
    "customers": [{"x": 1, "y": 1, "demand": 2, "service": 1}, {"x": 2, "y": 2, "demand": 3}],
}
COMPACT = {
    "capacity": 9,
    "depot": [0, 0],
    "coords": [[1, 1], [2, 2]],
    "demands": [2, 3],
    "services": [1, 0],
}
COUNTED = {**COMPACT, "windows": [None, [0, 9]], "pickups": [0, 1], "prizes": [None, 5]}


def with_(base, *path, **changes):
    """A copy with keys of the object at a path changed; `...` takes one away."""
    if path:
        copy = dict(base) if isinstance(base, dict) else list(base)
        copy[path[0]] = with_(base[path[0]], *path[1:], **changes)
        return copy
    copy = {**base, **changes}
    return {key: value for key, value in copy.items() if value is not ...}


TEXTS = st.text(max_size=3) | st.sampled_from([": null", '":null,"', "\\u003a", "\ud800", "7:00"])
NUMBERS = st.integers() | st.floats() | st.sampled_from([0.1, 1e100, 1e-101, 2**63, 10**400])
JUNK = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=5,
)
_ROWS = (InstanceDocument, CustomerRow, VehicleRow)
_KEYS = sorted({key for row in _ROWS for key in row.__struct_fields__})
_BASES = st.sampled_from([FULL, SHORT, COMPACT, COUNTED, DAY])


def drawn(seed):
    """A random day, with what only plans that go on ask for as well."""
    draw, found = random.Random(seed), add_rides(working_document(seed, 1 + seed % 7), seed)
    vehicles, customers = found.get("vehicles", []), found.get("customers", [])
    found |= {"goods": draw.choice(["own", "any"])}
    found |= {"routes": [[row.get("id") or number] for number, row in enumerate(customers, 1)]}
    for number, row in enumerate(found.get("groups", [])):
        row |= {"id": f"g{number}"} if seed % 2 else {}
    for row in vehicles:
        row |= {"latest_start": draw.choice([None, -7.5, 1e-9]), "lost": draw.random() < 0.3}
        row |= {"loading": draw.choice([None, "any", "lifo"])}
    owners = [row["id"] for row in vehicles if row.get("count") == 1 and row.get("id")]
    if owners and "x" in [*customers, {}][0] and found.get("backhauls") != "last":
        goods = {"id": "ä\n", "delivery": {"x": 1, "y": 1e-9}, "on_board": owners[0]}
        if not {"distances", "durations", "costs", "matrices"} & found.keys():
            found["shipments"] = [*found.get("shipments", []), goods]
    if not any(found.get(key) for key in ("shipments", "groups", "relations")):
        found["split_step"] = draw.choice([None, 0.5])
        for row in customers:
            row["split"] = not (some(row, "demand") and some(row, "pickup"))
    return found


def some(row, key):
    """Whether a customer has an amount."""
    amount = row.get(key) or 0
    return any(amount) if isinstance(amount, list) else amount > 0


WHOLE = _BASES | st.integers(0, 10**6).map(drawn)


@st.composite
def spoiled(draw, values):
    """An instance with junk in the place of any value of it, or at a key that it lacks."""

    def changed(value):
        inner = dict(enumerate(value)) if isinstance(value, list) else value
        if not inner or not isinstance(inner, dict) or draw(st.integers(0, 4)) == 0:
            return draw(JUNK)
        more = [] if isinstance(value, list) else _KEYS
        key = draw(st.sampled_from([*inner]) | st.sampled_from(more or [*inner]))
        found = {**inner, key: changed(inner.get(key))}
        return [*found.values()] if isinstance(value, list) else found

    return changed(draw(values))


V, C, S, D = ("vehicles", 0), ("customers", 0), ("shipments", 0), ("depots", 0)
# Of customers: one with several windows; one end of a shipment.
C1, P = ("customers", 1), (*S, "pickup")
BOTH = with_(SHORT, *C, pickup=1)
LOST = {**with_(FULL, *C, x=..., y=...), "distances": [[0] * 6] * 6}
NAN, INF, LONG = math.nan, math.inf, 10**400
# An instance, the path to an object in it, keys of that object that change (`...` goes), and
# how the message begins when the instance's place is `i`.
WRONG = [
    (FULL, D, {"window": [9, 8]}, "i.depots[0].window: opens at 9, after it closes at 8"),
    (FULL, D, {"id": "s"}, "i.depots[1].id: duplicate id 's', also at i.depots[0].id"),
    (FULL, D, {"x": ...}, "i.depots[0].x: missing"),
    (FULL, D, {"x": "1"}, "i.depots[0].x: '1', expected a number"),
    (FULL, D, {"name": "n"}, "i.depots[0]: unknown key 'name'"),
    (FULL, D, {"id": 1.5}, "i.depots[0].id: 1.5, expected an id"),
    (FULL, (), {"depots": []}, "i.depots: 0 depots, expected 1 to 1000"),
    (FULL, (), {"depots": [[0, 0]] * 1001}, "i.depots: 1001 depots, expected 1 to 1000"),
    (FULL, (), {"depots": {}}, "i.depots: an object, expected a list of depots"),
    (FULL, (), {"depots": [7, 8]}, "i.depots[0]: 7, expected an object"),
    (FULL, (), {"depot": [0, 0]}, "i.depots: given with 'depot'; give one or the other"),
    (FULL, (), {"capacity": 3}, "i.capacity: given with 'vehicles'"),
    (FULL, (), {"max_vehicles": 3}, "i.max_vehicles: given with 'vehicles'"),
    (FULL, (), {"return_to_depot": True}, "i.return_to_depot: given with 'vehicles'"),
    (FULL, (), {"vehicles": []}, "i.vehicles: 0 vehicle types, expected 1 to 1000"),
    (FULL, (), {"vehicles": [{}] * 1001}, "i.vehicles: 1001 vehicle types, expected 1 to 1000"),
    (FULL, (), {"vehicles": [3]}, "i.vehicles[0]: 3, expected an object"),
    (FULL, (), {"vehicles": "van"}, "i.vehicles: 'van', expected a list of vehicle types"),
    (FULL, V, {"count": -1}, "i.vehicles[0].count: -1, expected at least 0"),
    (FULL, V, {"count": 1.0}, "i.vehicles[0].count: 1.0, expected an integer"),
    (FULL, V, {"count": 2**63}, "i.vehicles[0].count: 9223372036854775808, expected below 2^63"),
    (FULL, V, {"capacity": [40]}, "i.vehicles[1].capacity: a list of 2, but i.vehicles[0].cap"),
    (FULL, V, {"capacity": [40, -1]}, "i.vehicles[0].capacity[1]: -1 is negative"),
    (FULL, V, {"start": "x"}, "i.vehicles[0].start: no depot has the id 'x'; known are 'n', 's'"),
    (FULL, V, {"end": 3}, "i.vehicles[0].end: no depot has the id '3'; known are 'n', 's'"),
    (FULL, V, {"start": ["n"]}, "i.vehicles[0].start: a list of 1, expected an id"),
    (FULL, V, {"id": "bike"}, "i.vehicles[1].id: duplicate id 'bike', also at i.vehicles[0].id"),
    (FULL, V, {"window": [480, 0]}, "i.vehicles[0].window: opens at 480, after it closes at 0"),
    (FULL, V, {"speed": 0}, "i.vehicles[0].speed: 0 is not a positive number"),
    (FULL, V, {"max_duration": -1}, "i.vehicles[0].max_duration: -1 is negative"),
    (FULL, V, {"max_customers": 2.5}, "i.vehicles[0].max_customers: 2.5, expected an integer"),
    (FULL, V, {"skills": "cold"}, "i.vehicles[0].skills: 'cold', expected a list of skills"),
    (FULL, V, {"skills": [3]}, "i.vehicles[0].skills[0]: 3, expected text"),
    (FULL, V, {"matrix": "truck"}, "i.vehicles[0].matrix: 'truck' is none of the instance's"),
    (FULL, V, {"breaks": {}}, "i.vehicles[0].breaks: an object, expected a list of breaks"),
    (FULL, V, {"breaks": [{}] * 101}, "i.vehicles[0].breaks: 101 breaks, the limit is 100"),
    (FULL, V, {"breaks": [5]}, "i.vehicles[0].breaks[0]: 5, expected an object"),
    (FULL, V, {"breaks": [{"start": 5}]}, "i.vehicles[0].breaks[0]: unknown key 'start'"),
    (FULL, V, {"breaks": [{"duration": -1}]}, "i.vehicles[0].breaks[0].duration: -1 is negative"),
    (
        FULL,
        V,
        {"breaks": [{"window": [0, 1], "windows": [[0, 1]]}]},
        "i.vehicles[0].breaks[0].windows: given with 'window'",
    ),
    (
        FULL,
        V,
        {"breaks": [{"windows": [[k, k] for k in range(101)]}]},
        "i.vehicles[0].breaks[0].windows: 101 windows, expected 1 to 100",
    ),
    (
        FULL,
        V,
        {"breaks": [{}, {"id": 0}]},
        "i.vehicles[0].breaks[1].id: duplicate id '0', also at i.vehicles[0].breaks[0].id",
    ),
    (FULL, V, {"breaks": [{"max_load": 3}]}, "i.vehicles[0].breaks[0].max_load: a number, but i.v"),
    (FULL, V, {"service_cost": -1}, "i.vehicles[0].service_cost: -1 is negative"),
    (FULL, C, {"setup": -1}, "i.customers[0].setup: -1 is negative"),
    (FULL, C, {"place": 1.5}, "i.customers[0].place: 1.5, expected an integer"),
    (FULL, D, {"place": -1}, "i.depots[0].place: -1, expected at least 0"),
    (FULL, C, {"setup_by_vehicle": 3}, "i.customers[0].setup_by_vehicle: 3, expected an object"),
    (
        FULL,
        C,
        {"service_by_vehicle": {"van": "x"}},
        "i.customers[0].service_by_vehicle.van: 'x', expected a number",
    ),
    (
        FULL,
        P,
        {"service_by_vehicle": {"tram": 3}},
        "i.shipments[0].pickup.service_by_vehicle.tram: no vehicle type has the id 'tram'",
    ),
    (
        SHORT,
        C,
        {"service_by_vehicle": {"0": 3}},
        "i.customers[0].service_by_vehicle.0: no vehicle type has the id '0'",
    ),
    (FULL, (), {"costs": [[1]]}, "i.costs: 1 rows, expected a square matrix, 6 x 6"),
    (
        FULL,
        V,
        {"max_distnace": 1},
        "i.vehicles[0]: unknown key 'max_distnace'; did you mean 'max_d",
    ),
    (FULL, C, {"demand": 3}, "i.customers[0].demand: a number, but i.vehicles[0].capacity is a l"),
    (FULL, C, {"demand": [3]}, "i.customers[0].demand: a list of 1, but i.vehicles[0].capacity"),
    (FULL, C, {"pickup": [0, -2]}, "i.customers[0].pickup[1]: -2 is negative"),
    (FULL, C, {"windows": [[0, 1]]}, "i.customers[0].windows: given with 'window'"),
    (FULL, C, {"window": [1]}, "i.customers[0].window: a list of 1, expected two times"),
    (FULL, C, {"window": [0, 1e101]}, "i.customers[0].window[1]: 1e+101 is not a finite number"),
    (FULL, C, {"service": -1}, "i.customers[0].service: -1 is negative"),
    (FULL, C, {"priority": 101}, "i.customers[0].priority: 101, expected 0 to 100"),
    (FULL, C, {"id": "8"}, "i.customers[1].id: duplicate id '8', also at i.customers[0].id"),
    (FULL, C, {"id": "a:pickup"}, "i.customers[0].id: 'a:pickup' ends like a stop of a shipment"),
    (FULL, C, {"id": "s1"}, "i.shipments[0].id: duplicate id 's1', also at i.customers[0].id"),
    (FULL, C, {"x": ..., "y": ...}, "i.customers[0]: has no coordinates; give x and y"),
    (FULL, C, {"y": ...}, "i.customers[0].y: missing"),
    (FULL, C, {"amount": 3}, "i.customers[0]: unknown key 'amount'"),
    (FULL, (), {"customers": {}}, "i.customers: an object, expected a list of customer objects"),
    (FULL, (), {"demands": [1]}, "i.customers: given with 'demands'; give one form or the"),
    (FULL, S, {"id": ...}, "i.shipments[0].id: missing"),
    (FULL, S, {"pickup": ...}, "i.shipments[0].pickup: missing"),
    (FULL, S, {"delivery": None}, "i.shipments[0].delivery: missing"),
    (FULL, S, {"delivery": [1, 2]}, "i.shipments[0].delivery: a list of 2, expected an object"),
    (FULL, S, {"amount": [1]}, "i.shipments[0].amount: a list of 1, but i.vehicles[0].capacity"),
    (FULL, S, {"amount": [-1, 0]}, "i.shipments[0].amount[0]: -1 is negative"),
    (FULL, S, {"demand": [1, 1]}, "i.shipments[0]: unknown key 'demand'"),
    (FULL, (), {"shipments": "s"}, "i.shipments: 's', expected a list of shipment objects"),
    (FULL, (), {"backhauls": "last"}, "i.backhauls: 'last' with shipments, which need 'mixed'"),
    (FULL, (), {"backhauls": "first"}, "i.backhauls: 'first', expected one of last, mixed"),
    (FULL, (), {"routes": [[7], [8, 9.5]]}, "i.routes[1][1]: 9.5, expected an id"),
    (FULL, (), {"routes": [[7], []]}, "i.routes[1]: an empty route, expected at least one"),
    (FULL, (), {"speed": 1e-51}, "i.speed: 1e-51 is not a positive number of at least 1e-50"),
    (FULL, (), {"speed": 0}, "i.speed: 0 is not a positive number"),
    (FULL, (), {"durations": [[0]]}, "i.durations: 1 rows, expected a square matrix, 6 x 6"),
    (FULL, (), {"distances": [[0] * 6] * 5}, "i.distances: 5 rows, expected a square matrix, 6"),
    (FULL, (), {"distances": [[-1] * 6] * 6}, "i.distances[0][0]: -1 is negative"),
    (FULL, (), {"matrices": []}, "i.matrices: a list of 0, expected an object"),
    (FULL, (), {"matrices": {"a": {}}}, "i.matrices.a: empty, expected distances or durations"),
    (FULL, (), {"matrices": {"a": {"cost": 1}}}, "i.matrices.a: unknown key 'cost'"),
    (FULL, (), {"groups": {}}, "i.groups: an object, expected a list of groups"),
    (FULL, (), {"pickup_only_routes": "no"}, "i.pickup_only_routes: 'no', expected true or fals"),
    (SHORT, (), {"customers": ...}, "i.customers: missing; expected 'customers', or 'coords'"),
    (SHORT, C, {"demand": 10}, "i.customers[0].demand: 10 exceeds capacity 9"),
    (SHORT, C, {"pickup": 10}, "i.customers[0].pickup: 10 exceeds capacity 9"),
    (SHORT, C, {"demand": -1}, "i.customers[0].demand: -1 is negative, expected at least 0"),
    (SHORT, (), {"capacity": ..., "speed": 1}, "i.capacity: missing"),
    (SHORT, (), {"capacity": 0, "speed": 1}, "i.capacity: 0 is not a positive number"),
    (SHORT, (), {"depot": ..., "speed": 1}, "i.depot: has no coordinates; give x and y"),
    (SHORT, (), {"depot": {"x": 1}}, "i.depot.y: missing"),
    (SHORT, (), {"max_vehicles": 0}, "i.max_vehicles: 0, expected at least 1"),
    (SHORT, (), {"metric": "haversine", "depot": [0, 91]}, "i.depot: latitude 91, expected -90"),
    (SHORT, (), {"metric": "taxi"}, "i.metric: 'taxi', expected one of ceil_2d"),
    (COMPACT, (), {"services": [1]}, "i.services: 1 values, but 2 of 'coords'"),
    (COMPACT, (), {"services": [1, -1]}, "i.services[1]: -1 is negative"),
    (COMPACT, (), {"windows": [None, [2, 1]]}, "i.windows[1]: opens at 2, after it closes at 1"),
    (COMPACT, (), {"prizes": ["x", 1]}, "i.prizes[0]: 'x', expected a number"),
    (COMPACT, (), {"demands": [2, [3]]}, "i.demands[1]: a list of 1, but i.capacity is a number"),
    (COMPACT, (), {"demands": [2, 10]}, "i.demands[1]: 10 exceeds capacity 9"),
    (COMPACT, (), {"pickups": [10, 1]}, "i.pickups[0]: 10 exceeds capacity 9"),
    (COMPACT, (), {"coords": [[1], [2, 2]]}, "i.coords[0]: a list of 1, expected [x, y]"),
    (COMPACT, (), {"coords": 7}, "i.coords: 7, expected a list"),
    # Numbers that are none, or too large.
    (FULL, D, {"y": NAN}, "i.depots[0].y: nan is not a finite number"),
    (FULL, V, {"window": [0, INF]}, "i.vehicles[0].window[1]: inf is not a finite number"),
    (FULL, V, {"count": LONG}, "i.vehicles[0].count: an integer of about 400 digits, expected bel"),
    (FULL, V, {"count": True}, "i.vehicles[0].count: true, expected an integer"),
    (FULL, V, {"capacity": [40, INF]}, "i.vehicles[0].capacity[1]: inf is not a finite number"),
    (FULL, C, {"demand": [True, 0]}, "i.customers[0].demand[0]: true, expected a number"),
    (FULL, C, {"demand": [[3], 0]}, "i.customers[0].demand[0]: a list of 1, expected a number"),
    (FULL, C, {"window": ["0", 9]}, "i.customers[0].window[0]: '0', expected a number"),
    (FULL, (), {"durations": [[True] * 6] * 6}, "i.durations[0][0]: true, expected a number"),
    (SHORT, (), {"capacity": [-1]}, "i.capacity[0]: -1 is negative, expected at least 0"),
    # Lists that are none, or too short or long.
    (FULL, (), {"depots": [[0, 0, 0]]}, "i.depots[0]: a list of 3, expected [x, y], two numbers"),
    (FULL, (), {"depots": [[0, None]]}, "i.depots[0][1]: null, expected a number"),
    (FULL, V, {"capacity": []}, "i.vehicles[0].capacity: 0 load dimensions, expected 1 to 8"),
    (FULL, V, {"capacity": {"kg": 3}}, "i.vehicles[0].capacity: an object, expected a number"),
    (FULL, V, {"window": 480}, "i.vehicles[0].window: 480, expected two times, [opens, closes]"),
    (FULL, C, {"demand": [1] * 9}, "i.customers[0].demand: 9 load dimensions, expected 1 to 8"),
    (FULL, C1, {"windows": []}, "i.customers[1].windows: 0 windows, expected 1 to 100"),
    (
        FULL,
        C1,
        {"windows": [[0, 1]] * 101},
        "i.customers[1].windows: 101 windows, expected 1 to 100",
    ),
    (FULL, C1, {"windows": [60, 120]}, "i.customers[1].windows[0]: 60, expected two times, [ope"),
    (FULL, C1, {"windows": [[5, 4]]}, "i.customers[1].windows[0]: opens at 5, after it closes at"),
    (FULL, C1, {"windows": [[0, 2], [1, 3]]}, "i.customers[1].windows[1]: opens at 1, the window"),
    (FULL, C1, {"windows": [[4, 5], [0, 1]]}, "i.customers[1].windows[1]: opens at 0, the window"),
    (FULL, C, {"skills": ["cold", 3]}, "i.customers[0].skills[1]: 3, expected text"),
    (FULL, C, {"skills": ["\ud800"]}, "i.customers[0].skills[0]: '\\ud800' contains a lone surro"),
    (FULL, (), {"durations": [[0] * 5] * 6}, "i.durations[0]: 5 numbers, expected a square matrix"),
    (FULL, (), {"durations": {}}, "i.durations: an object, expected a list of lists of numbers"),
    (FULL, (), {"matrices": {"a": None}}, "i.matrices.a: null, expected an object"),
    (
        FULL,
        (),
        {"matrices": {"a": {"durations": [[0]]}}},
        "i.matrices.a.durations: 1 rows, expected a square matrix, 6 x 6",
    ),
    (
        SHORT,
        (),
        {"matrices": {"a": {"distances": [[0, -1, 1], [1, 0, 1], [1, 1, 0]]}}},
        "i.matrices.a.distances[0][1]: -1 is negative, expected at least 0",
    ),
    (SHORT, (), {"capacity": [9, 9]}, "i.customers[0].demand: a number, but i.capacity is a list"),
    (SHORT, (), {"durations": [[-1] * 3] * 3}, "i.durations[0][0]: -1 is negative, expected at"),
    (COUNTED, (), {"windows": [[0, 1]]}, "i.windows: 1 values, but 2 of 'coords'"),
    (COUNTED, (), {"windows": [None, [[0, 1]]]}, "i.windows[1]: a list of 1, expected two times"),
    (COUNTED, (), {"windows": "always"}, "i.windows: 'always', expected a list of values"),
    (COUNTED, (), {"pickups": [0, 1, 2]}, "i.pickups: 3 values, but 2 of 'coords'"),
    (COUNTED, (), {"pickups": [[1], 0]}, "i.pickups[0]: a list of 1, but i.capacity is a number"),
    # Names and words.
    (FULL, V, {"start": True}, "i.vehicles[0].start: true, expected an id"),
    (FULL, V, {"matrix": 3}, "i.vehicles[0].matrix: 3, expected text"),
    (FULL, V, {"loading": "fifo"}, "i.vehicles[0].loading: 'fifo', expected one of any, lifo"),
    (FULL, V, {"latest_start": "8:00"}, "i.vehicles[0].latest_start: '8:00', expected a number"),
    (FULL, V, {"latestDeparture": 8}, "i.vehicles[0]: unknown key 'latestDeparture'; here it is"),
    (FULL, V, {"overtime": 60}, "i.vehicles[0]: unknown key 'overtime'"),
    (FULL, V, {"max_reloads": 2}, "i.vehicles[0].max_reloads: the vehicle has no 'reloads'"),
    (FULL, C, {"id": "a:delivery"}, "i.customers[0].id: 'a:delivery' ends like a stop of a shipme"),
    (FULL, C, {"id": True}, "i.customers[0].id: true, expected an id"),
    (FULL, C, {"group": 1}, "i.customers[0]: unknown key 'group'"),
    (FULL, S, {"id": 7}, "i.shipments[0].id: duplicate id '7', also at i.customers[0].id"),
    (FULL, S, {"window": [0, 1]}, "i.shipments[0]: unknown key 'window'"),
    (FULL, P, {"demand": [1, 0]}, "i.shipments[0].pickup: unknown key 'demand'"),
    (FULL, P, {"x": ..., "y": ...}, "i.shipments[0].pickup: has no coordinates; give x and y"),
    (FULL, (), {"depots": None}, "i.vehicles[0].start: no depot has the id 'n'; known are '0'"),
    (FULL, (), {"breaks": []}, "i: unknown key 'breaks'"),
    (FULL, (), {"overtime": 60}, "i: unknown key 'overtime'"),
    (SHORT, (), {"return_to_depot": 0}, "i.return_to_depot: 0, expected true or false"),
    (BOTH, (), {"backhauls": "last"}, "i.backhauls: 'last', but i.customers[0] has a demand and a"),
    (LOST, (), {}, "i.customers[0]: has no coordinates; give coordinates to all or to none"),
    (COUNTED, (), {"skills": [["a"], []]}, "i: unknown key 'skills'"),
    # Too many of what there may be many.
    (
        SHORT,
        (),
        {"customers": [{"x": 0, "y": 0, "demand": 0, "skills": [str(i)]} for i in range(257)]},
        "i: 257 different skills, the limit is 256",
    ),
    (
        SHORT,
        (),
        {"customers": [{"x": 0, "y": 0, "demand": 0, "service": 1}] * 10_001},
        "i: 10001 customers and stops, the limit is 10000; split the instance",
    ),
]
