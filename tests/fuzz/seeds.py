"""Well-formed input for each target to begin with."""

import gzip
import io
import struct
import time

import numpy as np

from tests.fuzz.targets import Pickle, saved, small_policy
from vrpcore.formats.sheets.sheet_routes import PLAN
from vrpcore.formats.spreadsheets import TEMPLATE

_PROBLEM = (
    b'{"vehicles": [{"id": 1, "start_index": 0, "end_index": 0, "capacity": [4], "skills": [1], '
    b'"costs": {"fixed": 1}, "time_window": [0, 99], "steps": [{"type": "job", "id": 7}]}], '
    b'"jobs": [{"id": 7, "location_index": 1, "service": 3, "delivery": [1], "skills": [1], '
    b'"time_windows": [[3, 72]], "priority": 2, "description": "a"}], '
    b'"shipments": [{"amount": [1], '
    b'"pickup": {"id": 4, "location_index": 1, "location": [2, 48]}, '
    b'"delivery": {"id": 5, "location_index": 0}}], '
    b'"matrices": {"car": {"durations": [[0, 9], [8, 0]], "distances": [[0, 5], [5, 0]]}}}'
)
_ANSWER = (
    b'{"code": 0, "summary": {"cost": 18, "routes": 1, "unassigned": 2, "setup": 0, "service": 3, '
    b'"duration": 17, "waiting_time": 0, "priority": 2, "delivery": [1], "pickup": [0], '
    b'"distance": 10}, "unassigned": [{"id": 4, "type": "pickup"}, {"id": 5, "type": "delivery", '
    b'"reason": "FLEET"}], "routes": [{"vehicle": 1, "cost": 18, "setup": 0, "service": 3, '
    b'"duration": 17, "waiting_time": 0, "priority": 2, "delivery": [1], "pickup": [0], '
    b'"distance": 10, "steps": [{"type": "start", "arrival": 0, "duration": 0, "setup": 0, '
    b'"service": 0, "waiting_time": 0, "load": [1], "distance": 0}, {"type": "job", "id": 7, '
    b'"arrival": 9, "duration": 9, "setup": 0, "service": 3, "waiting_time": 0, "load": [0], '
    b'"distance": 5}, {"type": "end", "arrival": 20, "duration": 17, "setup": 0, "service": 0, '
    b'"waiting_time": 0, "load": [0], "distance": 10}]}]}'
)
_RESTED = _PROBLEM.replace(
    b'"costs": {"fixed": 1}',
    b'"costs": {"per_task_hour": 1}, "type": "a", '
    b'"breaks": [{"id": 2, "time_windows": [[0, 50]], "service": 1, "max_load": [4]}]',
).replace(b'"service": 3', b'"service": 3, "setup": 2, "service_per_type": {"a": 4}')
_RESTED = _RESTED.replace(b'"distances"', b'"costs": [[0, 1], [2, 0]], "distances"')
_REST = b'{"type": "break", "id": 2, "arrival": 0, "duration": 0, "setup": 0, "service": 1, '
_REST += b'"waiting_time": 0, "load": [1]}, '
_VROOM = (
    (_PROBLEM, _ANSWER),
    (_RESTED, _ANSWER.replace(b'{"type": "job"', _REST + b'{"type": "job"')),
    (_PROBLEM, b'{"code": 2, "error": "a"}'),
    (b'{"vehicles": [], "jobs": []}', b"{}"),
)


def seeds(target: str) -> list[bytes]:
    """What a target begins with; nothing for some."""
    one = b'{"name": "a", "capacity": 9, "depot": [0, 0], "coords": [[1, 0]], "demands": [3]}'
    if target == "instances":
        matrix = b"EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : LOWER_ROW\n"
        matrix += b"EDGE_WEIGHT_SECTION\n7\n"
        points = b"EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 4\n"
        texts = [
            b"NAME : a\nTYPE : CVRP\nDIMENSION : 2\nCAPACITY : 9\n" + lengths
            + b"DEMAND_SECTION\n1 0\n2 3\nDEPOT_SECTION\n1\n-1\nEOF\n"
            for lengths in (matrix, points)
        ]  # fmt: skip
        texts.append(
            b"1 1 480 3 30\n0 0 0 0 0 0 480\n1 1 1 3 1 0 99\n2 2 2 3 -1 0 480\n3 0 0 0 0 0 480\n"
        )
        whole = b'{"format": "vrp-instances/1", "instances": [' + one + b"]}"
        more = b'{"depots": [{"id": "a", "x": 0, "y": 0, "window": [0, 9]}], "speed": 2, '
        more += b'"vehicles": [{"capacity": [3], "end": null, "skills": ["s"]}], "customers": ['
        more += b'{"x": 1, "y": 1, "demand": [1], "prize": 2, "windows": [[0, 1], [2, 3]]}], '
        more += b'"shipments": [{"id": "t", "amount": [2], "pickup": {"x": 1, "y": 2}, '
        more += b'"delivery": {"x": 2, "y": 2, "service": 1, "max_wait": 9}, "max_ride": 20}]}'
        csv = b'{"name": "a", "stops": "id,x,y,demand,open\\n1,1,2,3,9:00\\n", '
        csv += b'"fleet": "id,capacity,x,y,speed\\nv,9,0,0,30\\n"}'
        texts.append(b"3 10\n4 15 2\n0 0\n1 2\n3 4\n5 6\n")
        return [one, one + b"\n" + one, whole, more, csv, gzip.compress(whole), _PROBLEM, *texts]
    if target == "sheets":
        stops, fleet = (text.encode() for text in TEMPLATE.values())
        plane = b"id;type;shipment;x;y;demand_a;pickup_a;open;close;open2;close2;skills\n"
        plane += b"h;depot;;0;0;;;1;9;;;\n1;;;1,5;2;1;;1;2;3;4;a|b\n2;pickup;s;1;1;2;;;;;;\n"
        plane += b"3;delivery;s;2;2;;;;;;;\n"
        vans = b"id\tcapacity_a\tstart\tend\tcount\nv\t9\th\tnone\tany\n"
        units = b"stop,lat,lon,service (s),window,slot 2 (h)\n1,52,13,90,8:00-9:00,9:30 to 10:30\n"
        units += b"\0\nvan,mph,max_km,cost (EUR/mi),shift\nv,9,8,2,7:00-12:00\n"
        rides = b"id,pickup_lat,pickup_lon,dropoff_lat,dropoff_lon,seats,pickup_open,max_ride\n"
        rides += b"1,52,13,52.1,13,2,8:00,0:30\n2,52,13,52.2,13,1,8:30,0:40\n"
        return [units, stops + b"\0\n" + fleet, stops, plane + b"\0\n" + vans, rides]
    if target == "solutions":
        answer = b'{"name": "a", "status": "solved", "cost": 2.0, "routes": '
        answer += b'[{"customers": [1], "load": 3, "cost": 2.0}]}'
        whole = b'{"format": "vrp-solutions/1", "solutions": [' + answer + b"]}"
        table = b",".join(name.encode() for name in PLAN) + b",id\n"
        table += b"a,1,1,customer,v,1,08:00,8.5,07:00,9:00:30,h,,1,2,3,4,partial,,,5,,,C,e,1\n"
        table += b"a,1,,break,v,break,,10:00,07:00,,h,,1,2,3,4,partial,,,5,,,C,e,\n"
        table += b"a,,,customer,,s:pickup,,,,,,,,,,,partial,FLEET,d,5,,,C,e,2\n"
        return [answer, whole, _ANSWER, table, b"Route #1: 1 2\nRoute #2: 3\nCost 27\n"]
    if target == "vroom":
        return [problem + b"\n" + answer for problem, answer in _VROOM]
    if target == "http":
        routes = (
            b"POST v1/solve",
            b"POST v1/instances",
            b"POST v1/jobs",
            b"GET v1/jobs/x",
            b"DELETE v1/jobs/x",
        )
        bodies = [route + b"?time_limit=1\n" + body for route in routes for body in (one, _PROBLEM)]
        return [*bodies, b"GET metrics\n"]
    if target == "replies":
        cells = b'[[{"from_index": 0, "to_index": 0, "time": 1, "distance": 2}, '
        cells += b'{"from_index": 0, "to_index": 1, "time": 1, "distance": null}]]'
        return [
            b'{"code": "Ok", "durations": [[1, 2.5]], "distances": [[null, 2]]}',
            b'{"code": "NoTable", "message": "no", "error": {"code": 1, "message": "no"}}',
            b'{"units": "kilometers", "error_code": 1, "sources_to_targets": ' + cells + b"}",
        ]
    if target == "blocks":
        return [struct.pack("<dII4d", time.time(), 1, 2, 1.0, 2.0, 3.0, 4.0)]
    if target == "labels":
        file = io.BytesIO()
        np.savez(
            file, coords=np.zeros((2, 3, 2), np.float32), demand=np.ones((2, 3), np.int64),
            capacity=5, tour=np.array([[1, 2, 0], [2, 1, 0]]), cost=np.ones(2),
        )  # fmt: skip
        return [file.getvalue()]
    if target == "checkpoint":
        return [saved(**small_policy())]
    if target == "pickle":
        return [Pickle().whole()]
    if target == "manifest":
        return [b'{"format": "vrp-policy/1", "name": "a", "sha256": "b", "train_sizes": "[1, 2]"}']
    return []
