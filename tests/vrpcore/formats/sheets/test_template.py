from vrpcore.api import Solver
from vrpcore.formats.options import SheetOptions
from vrpcore.formats.read import read_instances
from vrpcore.formats.sheets.template import TEMPLATE
from vrpcore.referee.referee import check_solution


def test_the_template_is_solved_as_it_is(tmp_path):
    for name, text in TEMPLATE.items():
        (tmp_path / name).write_text(text)
    options = SheetOptions(fleet=str(tmp_path / "vans.csv"))
    (instance,) = read_instances(tmp_path / "stops.csv", sheet=options)
    first, second = (line.removeprefix(f"{tmp_path}/") for line in instance.origin.read_as)
    assert first.startswith("stops.csv: id, name, lat, lon, demand, open, close, service, skills")
    assert first.endswith(", prize; not used: phone")
    assert second.startswith("vans.csv: id, count, capacity, lat, lon, open, close, speed, fixed")
    (answer,) = Solver(device="cpu").solve([instance])
    assert answer.status == "solved"
    assert check_solution(instance, answer).ok
    assert len(answer.routes) > 1
