"""A working day as JSON has it: trips, prices of lateness and overtime, what ties stops."""

# Written as it is read. Rows of matrices: hub, yard, a, b, 3, d, box, crate's ends.
DAY = {
    "name": "day",
    "depots": [
        {"id": "hub", "x": 0, "y": 0, "window": [0, 600], "service": 12},
        {"id": "yard", "x": 6, "y": 1},
    ],
    "vehicles": [
        {
            "id": "van", "count": 1, "capacity": 9, "window": [0, 480], "max_duration": 420,
            "max_reloads": 2, "overtime_cost": 2, "max_late": 30, "late_cost": 3,
            "reloads": ["yard", "hub"], "initial_load": 1.5,
        },
        {
            "id": "bike", "count": 2, "capacity": 4, "window": [0, 480], "max_duration": 60,
            "max_overtime": 30, "late_cost": 0, "reloads": [],
        },
        {"id": "car"},
    ],
    "customers": [
        {"id": "a", "x": 1, "y": 9, "demand": 3, "window": [60, 120], "late_cost": 4},
        {
            "id": "b", "x": 3, "y": 8, "demand": 2, "windows": [[0, 60], [200, 260]],
            "max_late": 5, "vehicles": ["van", "car"],
        },
        {
            "id": 3, "x": 4, "y": 8, "demand": 1, "window": [0, 9], "max_late": 0, "late_cost": 4,
            "vehicle_cost": {"bike": 7.5, "car": 1},
        },
        {"id": "d", "x": 4, "y": 9, "demand": 0},
    ],
    "shipments": [
        {
            "id": "box", "amount": 2, "delivery": {"x": 9, "y": 4, "service": 5},
            "on_board": "van", "prize": 20, "vehicle_cost": {"van": 2},
        },
        {
            "id": "crate", "amount": 1, "pickup": {"x": 9, "y": 9, "window": [0, 9]},
            "delivery": {"x": 8, "y": 9, "window": [5, 9], "max_late": 3}, "vehicles": ["van"],
        },
    ],
    "distances": [[abs(7 * a - 5 * b) * (a != b) for b in range(9)] for a in range(9)],
    "groups": [{"members": [3, "crate"], "prize": 5, "priority": 2}, {"members": ["d"]}],
    "relations": [
        {"kind": "chain", "stops": ["a", "box:delivery"], "vehicle": "van", "at": "start"},
        {"kind": "order", "stops": ["a", "crate:delivery", "b"]},
        {"kind": "together", "stops": ["d"], "vehicle": "car"},
        {"kind": "apart", "stops": ["b", "d", 3]},
    ],
    "balance": {"duration": 2, "load": 0.5},
    "routes": [
        {
            "customers": ["a", "box:delivery", "b"], "vehicle": "van",
            "reloads": [{"depot": "yard", "after": 2}], "departure": 30,
        },
        ["d"],
    ],
}  # fmt: skip
V, D, C, A = ("vehicles", 0), ("depots", 0), ("customers", 3), ("customers", 0)
BOX, CRATE, G = ("shipments", 0), ("shipments", 1), ("groups", 0)
R0, R1, R3 = (("relations", row) for row in (0, 1, 3))
COMPACT = {"capacity": 9, "depot": [0, 0], "coords": [[1, 1], [2, 2]], "demands": [2, 3]}
SHORT = {"capacity": 9, "depot": [0, 0], "customers": [{"id": "a", "x": 1, "y": 1, "demand": 2}]}
TWO = [{"kind": "together", "stops": ["a", "b", "d"]}, {"kind": "apart", "stops": [3, "d", "a"]}]
CIRCLE = [
    {"kind": "order", "stops": ["d", "a"]},
    {"kind": "together", "stops": ["a", "d"]},
    {"kind": "chain", "stops": ["a", "b", "d"]},
]
BACK = [{"kind": "order", "stops": ["crate:delivery", "a", "crate:pickup"]}]
ENDS = [
    {"kind": "chain", "stops": ["a"], "vehicle": "van", "at": "end"},
    {"kind": "chain", "stops": ["b"], "vehicle": "van", "at": "start"},
    {"kind": "chain", "stops": ["d"], "vehicle": "van", "at": "end"},
]
APART = [{"kind": "apart", "stops": ["crate:pickup", "b", "crate:delivery"]}]
_TRAM = "no vehicle type has the id 'tram'"
# An instance, the path to an object in it, keys of that object that change (`...` goes), the code
# of the error, and how its message begins when the instance's place is `i`.
WRONG = [
    (DAY, V, {"reloads": ["n"]}, "UNKNOWN", "i.vehicles[0].reloads[0]: no depot has the id 'n'"),
    (DAY, V, {"reloads": "hub"}, "WRONG_TYPE", "i.vehicles[0].reloads: 'hub', expected a list of"),
    (DAY, V, {"reloads": ...}, "MISSING", "i.vehicles[0].max_reloads: the vehicle has no 're"),
    (DAY, V, {"max_reloads": -1}, "OUT_OF_RANGE", "i.vehicles[0].max_reloads: -1, expected at lea"),
    (DAY, V, {"max_reloads": 1.5}, "WRONG_TYPE", "i.vehicles[0].max_reloads: 1.5, expected an"),
    (
        DAY,
        V,
        {"initial_load": 9.5},
        "DEMAND_EXCEEDS_CAPACITY",
        "i.vehicles[0].initial_load: 9.5 exceeds capacity 9",
    ),
    (DAY, V, {"initial_load": [1]}, "SHAPE", "i.vehicles[0].initial_load: a list of 1, b"),
    (DAY, V, {"max_duration": ...}, "MISSING", "i.vehicles[0].overtime_cost: the vehicle has"),
    (
        DAY,
        V,
        {"max_duration": ..., "overtime_cost": ..., "max_overtime": 3},
        "MISSING",
        "i.vehicles[0].max_overtime: the vehicle has no 'max_duration' that it may exceed",
    ),
    (DAY, V, {"window": ...}, "MISSING", "i.vehicles[0].max_late: the vehicle has no end of "),
    (
        DAY,
        V,
        {"window": [4, None], "max_late": ...},
        "MISSING",
        "i.vehicles[0].late_cost: the vehicle has no end of its 'window'",
    ),
    (DAY, V, {"late_cost": -1}, "OUT_OF_RANGE", "i.vehicles[0].late_cost: -1 is negative"),
    (DAY, V, {"overtime": 1}, "UNKNOWN", "i.vehicles[0]: unknown key 'overtime'; max_overtime"),
    (DAY, D, {"service": -1}, "OUT_OF_RANGE", "i.depots[0].service: -1 is negative"),
    (DAY, C, {"max_late": 5}, "MISSING", "i.customers[3].max_late: no window closes, so that"),
    (
        DAY,
        A,
        {"window": [3, None]},
        "MISSING",
        "i.customers[0].late_cost: no window closes, so that it would be late",
    ),
    (
        DAY,
        (*CRATE, "delivery"),
        {"window": ...},
        "MISSING",
        "i.shipments[1].delivery.max_late: no window closes",
    ),
    (DAY, C, {"vehicles": []}, "SHAPE", "i.customers[3].vehicles: 0 ids of vehicle types, expect"),
    (DAY, C, {"vehicles": ["van", "tram"]}, "UNKNOWN", f"i.customers[3].vehicles[1]: {_TRAM}"),
    (DAY, C, {"vehicles": [1.5]}, "WRONG_TYPE", "i.customers[3].vehicles[0]: 1.5, expected an id"),
    (
        DAY,
        C,
        {"vehicle_cost": {"tram": 1}},
        "UNKNOWN",
        "i.customers[3].vehicle_cost.tram: no vehicle type has the id 'tram'",
    ),
    (DAY, C, {"vehicle_cost": {"van": -1}}, "OUT_OF_RANGE", "i.customers[3].vehicle_cost.van: -1"),
    (DAY, CRATE, {"vehicles": ["tram"]}, "UNKNOWN", f"i.shipments[1].vehicles[0]: {_TRAM}"),
    (DAY, BOX, {"on_board": "tram"}, "UNKNOWN", f"i.shipments[0].on_board: {_TRAM}"),
    (DAY, BOX, {"on_board": "bike"}, "CONFLICT", "i.shipments[0].on_board: vehicle type 'bike' n"),
    (DAY, BOX, {"on_board": "car"}, "CONFLICT", "i.shipments[0].on_board: vehicle type 'car' nee"),
    (
        DAY,
        BOX,
        {"pickup": {"x": 1, "y": 1}},
        "CONFLICT",
        "i.shipments[0].pickup: given with 'on_board'",
    ),
    (DAY, BOX, {"release": 3}, "CONFLICT", "i.shipments[0].release: given with 'on_board"),
    (DAY, BOX, {"on_board": ...}, "MISSING", "i.shipments[0].pickup: missing"),
    (DAY, BOX, {"ridden": 3}, "MISSING", "i.shipments[0].max_ride: missing; only with it"),
    (
        *(DAY, BOX, {"on_board": ..., "pickup": {"x": 1, "y": 1}, "ridden": 3}, "CONFLICT"),
        "i.shipments[0].ridden: given without 'on_board'",
    ),
    (DAY, BOX, {"delivery": ...}, "MISSING", "i.shipments[0].delivery: missing"),
    (DAY, BOX, {"id": "a"}, "DUPLICATE", "i.shipments[0].id: duplicate id 'a', also at i.custo"),
    (DAY, (), {"backhauls": "last"}, "CONFLICT", "i.backhauls: 'last' with shipments"),
    (DAY, (), {"groups": [3]}, "WRONG_TYPE", "i.groups[0]: 3, expected an object"),
    (DAY, (), {"groups": [{}]}, "MISSING", "i.groups[0].members: missing"),
    (DAY, (), {"groups": [{"members": ["d"]}] * 10_001}, "SHAPE", "i.groups: 10001 groups, the l"),
    (DAY, G, {"members": []}, "SHAPE", "i.groups[0].members: 0 ids of customers and shipments"),
    (DAY, G, {"members": ["x"]}, "UNKNOWN", "i.groups[0].members[0]: no customer or shipment h"),
    (DAY, G, {"members": ["crate:pickup"]}, "UNKNOWN", "i.groups[0].members[0]: no customer or"),
    (DAY, G, {"members": [3, "3"]}, "DUPLICATE", "i.groups[0].members[1]: '3' is there twice"),
    (DAY, G, {"members": ["d"]}, "DUPLICATE", "i.groups[1].members[0]: 'd' is at i.groups[0].m"),
    (DAY, G, {"members": ["box"]}, "CONFLICT", "i.shipments[0].prize: given for a member "),
    (DAY, C, {"priority": 0}, "CONFLICT", "i.customers[3].priority: given for a member of"),
    (DAY, G, {"id": "a"}, "DUPLICATE", "i.groups[0].id: duplicate id 'a', also at i.custo"),
    (DAY, G, {"id": "box"}, "DUPLICATE", "i.groups[0].id: duplicate id 'box', also at i.shipme"),
    (DAY, G, {"id": "group-1"}, "DUPLICATE", "i.groups[1].id: duplicate id 'group-1', also at "),
    (DAY, G, {"priority": 101}, "OUT_OF_RANGE", "i.groups[0].priority: 101, expected 0 to 100"),
    (DAY, G, {"required": True}, "UNKNOWN", "i.groups[0]: unknown key 'required'; a custome"),
    (DAY, (), {"relations": {}}, "WRONG_TYPE", "i.relations: an object, expected a list of relat"),
    (DAY, (), {"relations": [TWO[0]] * 10_001}, "SHAPE", "i.relations: 10001 relations, the limit"),
    (DAY, R0, {"kind": "near"}, "UNKNOWN", "i.relations[0].kind: 'near', expected one of"),
    (DAY, R0, {"kind": ...}, "MISSING", "i.relations[0].kind: missing"),
    (DAY, R0, {"stops": ...}, "MISSING", "i.relations[0].stops: missing"),
    (DAY, R0, {"stops": ["a"] * 1001}, "SHAPE", "i.relations[0].stops: 1001 ids of stops, the li"),
    (DAY, R0, {"stops": ["a", "x"]}, "UNKNOWN", "i.relations[0].stops[1]: no stop has the id '"),
    (
        DAY,
        R0,
        {"stops": ["crate"]},
        "UNKNOWN",
        "i.relations[0].stops[0]: no stop has the id 'crate'; stops of a shipment are called 'crate"
        ":pickup' and 'crate:delivery'",
    ),
    (
        DAY,
        R0,
        {"stops": ["box:pickup"]},
        "UNKNOWN",
        "i.relations[0].stops[0]: no stop has the id 'box:pickup'; the shipment is on board, its on"
        "ly stop is 'box:delivery'",
    ),
    (DAY, R0, {"stops": [3, "3"]}, "DUPLICATE", "i.relations[0].stops[1]: '3' is there twice"),
    (DAY, R0, {"vehicle": "tram"}, "UNKNOWN", f"i.relations[0].vehicle: {_TRAM}"),
    (DAY, R0, {"at": "middle"}, "UNKNOWN", "i.relations[0].at: 'middle', expected one of end,"),
    (DAY, R1, {"at": "end"}, "CONFLICT", "i.relations[1].at: given with the kind 'order'"),
    (DAY, R3, {"vehicle": "van"}, "CONFLICT", "i.relations[3].vehicle: given with the kin"),
    (
        DAY,
        (),
        {"relations": CIRCLE},
        "CONFLICT",
        "i.relations[2]: a circle: 'a' before 'b' before 'd' before 'a', with i.relations[0]",
    ),
    (
        DAY,
        (),
        {"relations": BACK},
        "CONFLICT",
        "i.relations[0]: a circle: 'a' before 'crate:pickup' before 'crate:delivery' before 'a'",
    ),
    (DAY, (), {"relations": TWO}, "CONFLICT", "i.relations[1]: 'd' and 'a' apart, but i.relations"),
    (
        DAY,
        (),
        {"relations": APART},
        "CONFLICT",
        "i.relations[0]: 'crate:pickup' and 'crate:delivery' apart, but i.shipments[1] puts them",
    ),
    (DAY, (), {"relations": ENDS}, "CONFLICT", "i.relations[2]: a second chain at the end of 'va"),
    (DAY, (), {"balance": {}}, "MISSING", "i.balance: empty, expected one or several of durat"),
    (DAY, (), {"balance": 3}, "WRONG_TYPE", "i.balance: 3, expected an object"),
    (DAY, (), {"balance": {"load": -1}}, "OUT_OF_RANGE", "i.balance.load: -1 is negative"),
    (DAY, (), {"balance": {"stops": 1}}, "UNKNOWN", "i.balance: unknown key 'stops'"),
    (SHORT, (), {"reloads": ["0"]}, "UNKNOWN", "i: unknown key 'reloads'; a vehicle type says"),
    (SHORT, (), {"max_overtime": 3}, "UNKNOWN", "i: unknown key 'max_overtime'; max_overtime"),
    (
        SHORT,
        ("customers", 0),
        {"vehicles": ["0"]},
        "UNKNOWN",
        "i.customers[0].vehicles[0]: no vehicle type has the id '0'",
    ),
    (
        SHORT,
        (),
        {"relations": [{"kind": "together", "stops": ["a"], "vehicle": "0"}]},
        "UNKNOWN",
        "i.relations[0].vehicle: no vehicle type has the id '0'",
    ),
    (COMPACT, (), {"groups": []}, "CONFLICT", "i.groups: given with 'coords'; write custo"),
    (COMPACT, (), {"relations": []}, "CONFLICT", "i.relations: given with 'coords'; write"),
    (
        COMPACT,
        (),
        {"balance": {"load": 1}},
        "CONFLICT",
        "i.balance: given with 'coords'; write customers as objects",
    ),
    (COMPACT, (), {"late_costs": [1, 2]}, "UNKNOWN", "i: unknown key 'late_costs'"),
]  # fmt: skip
