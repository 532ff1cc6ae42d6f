import os
import subprocess
import sys
import time

import pytest

from tests.vrpcore.improve.cases import random_instance
from vrpcore.errors import MissingExtraError
from vrpcore.improve import compiled, search
from vrpcore.improve.savings import savings_routes


@pytest.fixture
def cold(monkeypatch):
    """A machine on which nothing was compiled yet; what is started aside is counted."""
    started = []
    monkeypatch.setattr(compiled, "is_compiled", lambda: bool(started) and started[0] == "done")
    monkeypatch.setattr(compiled, "compile_aside", lambda: started.append("going"))
    compiled._ready.clear()
    yield started
    compiled._ready.clear()


def test_a_short_limit_does_not_wait_for_the_compiler(cold):
    assert not compiled.wait_for_kernel(time.perf_counter() + 0.01)
    assert cold == ["going"]
    instance = random_instance(0, 20)
    found = search.improve_instance(instance, [], end=time.perf_counter() + 0.01)
    assert found == savings_routes(instance)


def test_a_long_limit_waits(cold, monkeypatch):
    loaded = []
    monkeypatch.setattr(compiled.time, "sleep", lambda _seconds: cold.__setitem__(0, "done"))
    monkeypatch.setattr(compiled, "load_kernel", lambda: loaded.append(True))
    assert compiled.wait_for_kernel(time.perf_counter() + 1000.0)
    assert loaded


def test_without_the_extra(monkeypatch):
    monkeypatch.setattr(compiled, "INSTALLED", False)
    for call in (compiled.load_kernel, lambda: compiled.wait_for_kernel(0.0)):
        with pytest.raises(MissingExtraError, match="extra 'improve'"):
            call()


def test_after_loading_it_is_compiled():
    compiled.load_kernel()
    assert compiled.is_compiled()
    assert compiled.wait_for_kernel(0.0)


@pytest.mark.slow
def test_where_nothing_may_be_written_it_is_compiled_for_this_process():
    env = {**os.environ, "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator"}
    program = (
        "from vrpcore.improve import compiled\n"
        "kernel = compiled.load_kernel()\n"
        "print(kernel.breed.signatures != [], compiled.numba.config.CACHE_DIR)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=env)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("True ")
    assert "vrp-numba-" in run.stdout
