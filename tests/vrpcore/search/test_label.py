import dataclasses
import signal
import threading
import time

import pytest

from tests.build import mixed_instance, random_instance
from tests.vrpcore.search.cases import check, total
from tests.vrpcore.solve.doubles import SOON
from vrpcore.errors import MissingSearchError
from vrpcore.instance.plan import Plan
from vrpcore.search import hgs_library
from vrpcore.search import label as label_module
from vrpcore.search.label import label_instances, label_plans
from vrpcore.search.savings import savings_routes


def found_routes(labelled):
    return [route.stops for route in labelled.plan.routes]


def test_labels_are_good_routes_in_the_order_of_the_instances():
    instances = [random_instance(seed, size) for seed, size in enumerate((30, 3, 25, 8))]
    given = [dataclasses.replace(each, plan=Plan.of([[1]])) for each in instances]  # replaced
    labelled = list(label_instances(given, 0.1, 1, 2))
    for before, after in zip(instances, labelled, strict=True):
        routes = found_routes(after)
        check(before, routes)
        assert total(before, routes) <= total(before, savings_routes(before)) * (1 + 1e-12)
        assert after.demand is before.demand
    pairs = zip(instances, map(found_routes, labelled), strict=True)
    assert sum(total(*pair) for pair in pairs) < 0.999 * sum(
        total(each, savings_routes(each)) for each in instances
    )


def test_each_has_its_seconds_and_the_whole_effort(monkeypatch):
    seen = []

    def search(instance, candidates, effort, seed):
        seen.append((effort.level, effort.end - time.perf_counter(), candidates, seed))
        return [[1]]

    monkeypatch.setattr(label_module, "improve_instance", search)
    (found,) = label_instances([random_instance(0, 1)], 5.0, 7, 1)
    ((level, seconds, candidates, seed),) = seen
    assert (level, candidates, seed, found.plan) == ("deep", [], 7, Plan.of([[1]]))
    assert 4.5 < seconds <= 5.0


@pytest.mark.parametrize(
    ("label", "made"), [(label_instances, random_instance), (label_plans, mixed_instance)]
)
def test_who_is_interrupted_waits_for_no_search(request, label, made):
    # Where tests run in the background, a shell has made them ignore it.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    instances, started = [made(seed, 30) for seed in range(9)], time.monotonic()
    interrupt = (threading.main_thread().ident, signal.SIGINT)
    threading.Timer(0.3, signal.pthread_kill, interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        list(label(instances, 100.0, 0, 2))
    assert time.monotonic() - started < SOON


def test_without_the_search_it_says_so(monkeypatch, tmp_path):
    load = hgs_library.load_library
    monkeypatch.setattr(label_module, "load_library", lambda: load(tmp_path / "none.so"))
    with pytest.raises(MissingSearchError, match="the compiled search is missing"):
        next(label_instances([random_instance(0, 3)], 0.1, 0, 1))
