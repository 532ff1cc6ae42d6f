"""Collects the milk of fourteen farms with a large and a small tanker."""

import json
from pathlib import Path

from vrpcore.api import Model

DAIRY = (7.8110, 48.0260)  # longitude, latitude
FARMS = {  # longitude, latitude, litres, minute of the day from which the milk is cool
    "Amselhof": (7.7402, 48.0583, 1800, 360),
    "Birkenhof": (7.7189, 48.0321, 1200, 345),
    "Dobelhof": (7.9034, 48.0712, 900, 390),
    "Eichhof": (7.9467, 48.0438, 1500, 375),
    "Fohrenhof": (7.9381, 47.9926, 700, 420),
    "Glaserhof": (7.9705, 47.9718, 600, 405),
    "Haldenhof": (7.8923, 47.9511, 1100, 360),
    "Jockelhof": (7.8237, 47.9203, 1600, 345),
    "Klausenhof": (7.7741, 47.9345, 2100, 375),
    "Lindenhof": (7.7256, 47.9570, 1300, 390),
    "Mattenhof": (7.6984, 47.9862, 900, 360),
    "Neuhof": (7.7520, 48.0017, 1400, 420),
    "Obermatthof": (7.8815, 48.1104, 1000, 375),
    "Pfisterhof": (7.8302, 48.0995, 1700, 360),
}
STEEP = {"Glaserhof", "Fohrenhof"}  # the large tanker cannot turn there


def main() -> None:
    """Plans the morning, prints it, and writes the problem, the plan and a picture."""
    model = Model(name="milk", metric="haversine", speed=700)  # metres, minutes
    dairy = model.add_depot(id="dairy", x=DAIRY[0], y=DAIRY[1], window=(300, 660))
    model.add_vehicle(id="large", count=1, capacity=12000, start=dairy, fixed_cost=40000)
    model.add_vehicle(
        id="small", count=2, capacity=6000, start=dairy, fixed_cost=25000, skills=["short"]
    )
    for name, (x, y, litres, cool) in FARMS.items():
        skills = ["short"] if name in STEEP else []
        model.add_customer(
            id=name, x=x, y=y, pickup=litres, window=(cool, 600), service=15, skills=skills
        )
    plan = model.solve()
    for row in plan.to_rows():
        if row["begin"] is not None:
            hour, minute = divmod(round(row["begin"]), 60)
            print(f"{row['vehicle']:5}  {row['stop']:2}  {hour:02}:{minute:02}  {row['customer']}")
    Path("problem.json").write_text(json.dumps(model.document()))
    Path("plan.json").write_text(json.dumps([plan.document()]))
    plan.plot("milk.svg", clock="min")


main()
