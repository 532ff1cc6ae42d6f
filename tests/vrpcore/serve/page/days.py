"""Days of work that the tests of the timeline show."""

# 09:00 is 540: one type with a break, another with an open end; "c" is never in time.
DAY = {
    "name": "day", "speed": 1,
    "depots": [
        {"id": "north", "x": 0, "y": 0, "window": [0, 900]},
        {"id": "<i>south</i>", "x": 40, "y": 0},
    ],
    "vehicles": [
        {"id": "van", "count": 1, "capacity": 9, "window": [0, 600],
         "breaks": [{"id": "tea", "window": [200, 220], "duration": 15}]},
        {"id": "bike", "count": 1, "capacity": 2, "start": "<i>south</i>", "end": None,
         "fixed_cost": 1},
    ],
    "customers": [
        {"id": "a", "x": 0, "y": 10, "demand": 3, "window": [30, 60], "service": 5, "setup": 2},
        {"id": "b", "x": 0, "y": 20, "demand": 3, "windows": [[100, 110], [230, 300]],
         "service": 4},
        {"id": "c", "x": 400, "y": 400, "demand": 1, "window": [0, 1]},
        {"id": "d", "x": 45, "y": 0, "demand": 2},
        {"id": "e", "x": 90, "y": 0, "demand": 9, "prize": 0.5},
    ],
}  # fmt: skip
# One van with two trips, which is late at "c" and at its end; "b" is one of two alternatives, of
# the last group nobody is served, and a parcel is on board.
TRIPS = {
    "name": "trips", "speed": 1,
    "depots": [{"id": "hub", "x": 0, "y": 0, "service": 6}, {"id": "yard", "x": 60, "y": 0}],
    "vehicles": [
        {"id": "van", "count": 1, "capacity": 4, "reloads": ["hub", "yard"], "window": [0, 190],
         "max_duration": 180, "max_overtime": 200, "overtime_cost": 0.5, "late_cost": 0.25,
         "breaks": [{"id": "tea", "duration": 5, "window": [0, 150]}]},
    ],
    "customers": [
        {"id": "a", "x": 0, "y": 30, "demand": 3, "service": 4},
        {"id": "b", "x": 30, "y": 40, "demand": 2, "service": 4},
        {"id": "b2", "x": 30, "y": 60, "demand": 2, "service": 4},
        {"id": "c", "x": 60, "y": 30, "demand": 3, "window": [0, 20], "late_cost": 0.1},
        {"id": "far", "x": 100, "y": 0}, {"id": "farther", "x": 110, "y": 10},
    ],
    "shipments": [{"id": "p", "amount": 1, "on_board": "van", "delivery": {"x": 10, "y": 10}}],
    "groups": [{"id": "b-or-b2", "members": ["b", "b2"]},
               {"members": ["far", "farther"], "prize": 5}],
    "balance": {"duration": 0.1},
}  # fmt: skip
# In seconds since 1970, from 2020-09-13 12:00 UTC.
NOON = 1_599_998_400
VROOM = {
    "vehicles": [
        {"id": 1, "start": [2.35, 48.85], "end": [2.35, 48.85], "start_index": 0, "end_index": 0,
         "capacity": [4], "time_window": [NOON, NOON + 7200]},
    ],
    "jobs": [
        {"id": 7, "location": [2.39, 48.86], "location_index": 1, "service": 300, "delivery": [1],
         "time_windows": [[NOON + 1800, NOON + 3600]]},
        {"id": 9, "location": [2.31, 48.84], "location_index": 2, "delivery": [9]},
    ],
    "shipments": [
        {"amount": [1], "pickup": {"id": 4, "location": [2.36, 48.9], "location_index": 3},
         "delivery": {"id": 5, "location": [2.3, 48.88], "location_index": 4, "service": 60}},
    ],
    "matrices": {"car": {"durations": [
        [0, 600, 700, 800, 900], [600, 0, 500, 600, 700], [700, 500, 0, 400, 500],
        [800, 600, 400, 0, 300], [900, 700, 500, 300, 0],
    ]}},
}  # fmt: skip
STOPS = """id,lat,lon,demand,open,close,service,phone
Adler,52.539,13.424,4,09:00,10:00,0:08,030 1
Birne,52.502,13.419,2,08:00,11:30,0:05,030 2
Dorn,52.557,13.349,1,,,0:04,030 3
"""
FLEET = """id,count,capacity,lat,lon,open,close,speed
van,2,6,52.52,13.405,07:00,16:00,28
"""
