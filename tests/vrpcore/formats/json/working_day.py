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
