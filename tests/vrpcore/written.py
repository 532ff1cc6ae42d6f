"""Random documents of `subset_document` in the formats of others, where these can say the same."""

import csv
import io
import math

from tests.vrpcore.plain_problem import get
from tests.vrpcore.ride_days import add_rides
from tests.vrpcore.subsets import attributes_of, keep, subset_document

# What a sheet has a column for; metrics and matrices apart.
OF_SHEETS = {
    *("amount", "breaks", "capacity", "count", "demand", "distance_cost", "duration_cost", "ends"),
    *("fixed_cost", "max_customers", "max_distance", "max_duration", "max_travel_time"),
    *(
        "latest_start",
        "pickup",
        "priority",
        "prize",
        "release",
        "service",
        "skills",
        "travel_cost",
        "window",
    ),
}
COLUMNS = {"max_customers": "max_stops"}  # what sheets call otherwise
VISIT = ("service", "max_wait")
WANTED = ("release", "prize", "priority")
AMOUNTS = ("demand", "pickup")  # a sheet has columns of both and of capacities, or of none
OF_VANS = (
    *("capacity", "fixed_cost", "distance_cost", "duration_cost", "travel_cost"),
    *("latest_start", "max_customers", "max_distance", "max_duration", "max_travel_time"),
    "max_wait_loaded",
)


def sheet_document(seed, size, *, rides=False):
    """A document that sheets can say, with its stops and its vehicles as CSV.

    Args:
        seed: Equal seeds give equal documents.
        size: Number of stops, at least 1; 2 with rides.
        rides: With shipments, in one row each, and their limits.
    """
    for number in range(seed * 1000, seed * 1000 + 1000):
        document = subset_document(number, size)
        document = keep(document, attributes_of(document) & OF_SHEETS)
        if rides != bool(document.get("shipments")):
            continue
        if rides:  # in one row each, among which a pickup is no amount
            document = add_rides(keep(document, attributes_of(document) - {"pickup"}), number)
        if _is_sheet(document):
            return document, _table(_stops(document)), _table(_vehicles(document))
    raise ValueError(f"no document of seed {seed} is one that sheets can say")


def text_document(document):
    """A plain document with distances as CVRPLIB's text."""
    demands, rows = document["demands"], document["distances"]
    lines = ["NAME : plain", "TYPE : CVRP", f"DIMENSION : {len(rows)}"]
    lines += [f"CAPACITY : {document['capacity']}", "EDGE_WEIGHT_TYPE : EXPLICIT"]
    if "max_vehicles" in document:
        lines.append(f"VEHICLES : {document['max_vehicles']}")
    lines += ["EDGE_WEIGHT_FORMAT : FULL_MATRIX", "EDGE_WEIGHT_SECTION"]
    lines += [" ".join(map(str, row)) for row in rows]
    lines += ["DEMAND_SECTION", *(f"{row} {each}" for row, each in enumerate([0, *demands], 1))]
    return "\n".join([*lines, "DEPOT_SECTION", "1", "-1", "EOF", ""])


def _is_sheet(document):
    fits = document.get("vehicles") and (document.get("customers") or document.get("shipments"))
    fits = fits and get(document, "metric", "euclidean") == "euclidean" and "speed" not in document
    fits = fits and not document.keys() & {"coords", "distances", "durations", "matrices"}
    stops, shipments, vehicles = (
        document.get(key) or [] for key in ("customers", "shipments", "vehicles")
    )
    breaks = [each for row in vehicles for each in get(row, "breaks", [])]
    fits = fits and all(each.get("duration") for each in breaks)  # 0 is no break in sheets
    fits = fits and all(set(each) <= {"window", "duration", "id"} for each in breaks)
    fits = fits and all(_has_room(each, row) for row in vehicles for each in get(row, "breaks", []))
    fits = fits and all(
        len(get(each, "windows", [1])) == 1 for row in shipments for each in _ends(row).values()
    )
    own = [(stops, "demand"), (stops, "pickup")]
    own = [(stops, "demand"), (shipments, "amount")] if shipments else own
    amounts = [any(get(row, key, None) is not None for row in rows) for rows, key in own]
    amounts = [any(amounts)] if shipments else amounts  # in one column
    return fits and set(amounts) == {
        any(get(row, "capacity", None) is not None for row in vehicles)
    }


def _ends(shipment):
    return {end: shipment[end] for end in ("pickup", "delivery")}


def _has_room(rest, vehicle):
    """Whether a break can be over within the shift; sheets ask about one that cannot."""
    shift, window = get(vehicle, "window", None), get(rest, "window", None)
    if shift is None or window is None:
        return True
    opens, closes = (math.inf if time is None else time for time in (shift[0] or 0, shift[1]))
    return max(opens, window[0] or 0) + get(rest, "duration", 0) <= closes


def _stops(document):
    for number, depot in enumerate(document["depots"]):
        yield {
            **{"id": get(depot, "id", str(number)), "type": "depot"},
            **{"x": depot["x"], "y": depot["y"]} | _window(get(depot, "window", None)),
        }
    for number, row in enumerate(document.get("customers") or [], 1):
        yield {
            **{"id": get(row, "id", number), "type": "customer", "x": row["x"], "y": row["y"]},
            **_numbers(row, (*AMOUNTS, *VISIT, *WANTED)),
            **_windows(get(row, "windows", [get(row, "window", None)])),
            "skills": ";".join(get(row, "skills", [])),
        }
    for row in document.get("shipments") or []:
        amounts = {"demand": get(row, "amount", None)}
        found = _numbers({**row, **amounts}, ("demand", "max_ride", *WANTED))
        for name, end in _ends(row).items():
            (window,) = get(end, "windows", [get(end, "window", None)])
            cells = {"x": end["x"], "y": end["y"], **_numbers(end, VISIT), **_window(window)}
            found |= {f"{name}_{key}": cell for key, cell in cells.items()}
        yield {"id": row["id"], **found, "skills": ";".join(get(row, "skills", []))}


def _vehicles(document):
    first = str(get(document["depots"][0], "id", "0"))
    for number, row in enumerate(document["vehicles"]):
        ends = {"start": row.get("start", first)}
        ends["end"] = row.get("end", ends["start"])
        yield {
            "id": get(row, "id", str(number)),
            "count": get(row, "count", "any"),
            **{key: "none" if end is None else end for key, end in ends.items()},
            **_numbers(row, OF_VANS),
            **_window(get(row, "window", None)),
            **_breaks(get(row, "breaks", [])),
            "skills": ";".join(get(row, "skills", [])),
        }


def _numbers(row, keys):
    found = {}
    for key in keys:
        value, name = get(row, key, ""), COLUMNS.get(key, key)
        if isinstance(value, list):
            found |= {f"{name}_{place}": each for place, each in enumerate(value, 1)}
        else:
            found[name] = value
    return found


def _window(window, number=""):
    opens, closes = window or (None, None)
    cells = {f"open{number}": opens, f"close{number}": closes}
    return {key: "" if time is None else time for key, time in cells.items()}


def _windows(windows):
    found = {}
    for number, window in enumerate(windows, 1):
        found |= _window(window, "" if number == 1 else number)
    return found


def _breaks(breaks):
    found = {}
    for place, each in enumerate(breaks, 1):
        name = "break" if place == 1 else f"break{place}"
        opens, closes = get(each, "window", (0, None))
        rest = get(each, "duration", 0)
        # A sheet says by when a break is over, a document when it begins at the latest.
        found |= {f"{name}_start": opens, f"{name}_duration": rest}
        found[f"{name}_end"] = "" if closes is None else closes + rest
    return found


def _table(rows):
    rows = list(rows)
    names = list(dict.fromkeys(name for row in rows for name, cell in row.items() if cell != ""))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
