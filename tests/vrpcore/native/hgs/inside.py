"""The search with windows: its state as Python values."""

import ctypes
from pathlib import Path

import numpy as np

from vrpcore.native.compiler import SOURCE, compile_library
from vrpcore.search import hgs_library

WINDOWS = Path(__file__).with_name("inside.cpp")
FLAGS = ("-include", str(WINDOWS), "-I", str(SOURCE.parent))
_numbers, _int64s = ctypes.POINTER(ctypes.c_int32), ctypes.POINTER(ctypes.c_int64)


class _Problem(ctypes.Structure):
    _fields_ = [("num_near", ctypes.c_int32)] + [
        (name, _numbers) for name in ("from_", "into", "near")
    ]


class _Annealer(ctypes.Structure):
    _fields_ = (
        [(name, ctypes.c_int32) for name in ("width", "num_unserved", "num_routes")]
        + [(name, ctypes.c_int64) for name in ("cost", "best_rank")]
        + [
            (name, _numbers)
            for name in ("route", "edge", "length", "where", "place", "unserved", "best_tour")
        ]
        + [("load", _int64s)]
    )


def tour_of(routes, problem, vehicles):
    """[M + R] int32."""
    tour = np.zeros(problem.num_nodes + vehicles, np.int32)
    nodes = [node for route in routes for node in (*route, 0)]
    tour[: len(nodes) + 1] = [*nodes, hgs_library.END]
    return tour


def build_inside(compiler, folder):
    """The search compiled together with the windows."""
    library = folder / "inside.so"
    compile_library(compiler, library, (*FLAGS, "-O1"))
    return Inside(hgs_library.load_library(library))


class Inside:
    """Looks into the objects of `native` whose library it is."""

    def __init__(self, library):
        self.library = library
        for name in ("log", "exp", "rounded"):
            function = getattr(library, f"inside_{name}")
            function.argtypes, function.restype = (ctypes.c_double,), ctypes.c_double
        library.inside_draws.argtypes = (
            ctypes.c_uint64,
            ctypes.c_int,
            ctypes.c_int,
            ctypes.c_void_p,
        )
        for name in ("inside_problem", "inside_annealer"):
            getattr(library, name).argtypes = (ctypes.c_void_p, ctypes.c_void_p)

        library.inside_places.argtypes = (ctypes.c_void_p,) * 3
        library.inside_regions.argtypes = (ctypes.c_void_p,)
        library.inside_regions.restype = ctypes.c_char_p

        pointer, double, uint64 = ctypes.c_void_p, ctypes.c_double, ctypes.c_uint64
        search = (pointer, ctypes.c_int, double)
        library.inside_step.argtypes = (*search, *[ctypes.c_int] * 3, pointer)
        library.inside_split.argtypes = (*search, pointer, pointer)
        library.inside_cross_orders.argtypes = (pointer, uint64, *[pointer] * 3)
        library.inside_cross_regions.argtypes = (*search, uint64, pointer, pointer)

    def step(self, problem, vehicles, rate, kind, places, routes):
        """The routes after one step of an education; empty ones are left out."""
        tour = tour_of(routes, problem, vehicles)
        self.library.inside_step(problem.address, vehicles, rate, kind, *places, tour.ctypes.data)
        return hgs_library.read_tour(tour)

    def split(self, problem, vehicles, rate, order):
        """The routes of customers in an order."""
        order = np.array(order, np.int32)
        tour = np.empty(problem.num_nodes + vehicles, np.int32)
        data = (order.ctypes.data, tour.ctypes.data)
        self.library.inside_split(problem.address, vehicles, rate, *data)
        return hgs_library.read_tour(tour)

    def cross_orders(self, problem, seed, *parents):
        """All customers; without parents in any order."""
        parents = [tour_of(routes, problem, len(routes)) for routes in parents]
        order = np.empty(problem.num_nodes - 1, np.int32)
        tours = [tour.ctypes.data for tour in parents] or [None, None]
        self.library.inside_cross_orders(problem.address, seed, *tours, order.ctypes.data)
        return order.tolist()

    def cross_regions(self, problem, vehicles, rate, seed, mother, father):
        """The child's routes before its education."""
        tour, other = (tour_of(routes, problem, vehicles) for routes in (mother, father))
        data = (other.ctypes.data, tour.ctypes.data)
        self.library.inside_cross_regions(problem.address, vehicles, rate, seed, *data)
        return hgs_library.read_tour(tour)

    def draws(self, seed, count, below):
        """[count, 4]: a unit, a number, a chance of a half, an exponential, and so on."""
        draws = np.empty((count, 4))
        self.library.inside_draws(seed, count, below, draws.ctypes.data)
        return draws

    def problem(self, problem):
        """Lengths by row, lengths by column, nearest customers."""
        seen, nodes = _Problem(), problem.num_nodes
        self.library.inside_problem(problem.address, ctypes.byref(seen))
        shapes = ((nodes, nodes), (nodes, nodes), (nodes, seen.num_near))
        return tuple(
            np.ctypeslib.as_array(pointer, shape).tolist() if 0 not in shape else [[]] * nodes
            for pointer, shape in zip((seen.from_, seen.into, seen.near), shapes, strict=True)
        )

    def places(self, problem):
        """Lengths and nearest customers of a problem without a matrix; node 0 has none."""
        nodes = problem.num_nodes
        length = np.empty((nodes, nodes), np.int64)
        near = np.zeros((nodes, min(nodes - 2, 100)), np.int32)
        data = (length.ctypes.data, near.ctypes.data)
        self.library.inside_places(problem.address, *data)
        return length, near

    def check(self, search):
        """Checks that the plan of a `RegionSearch` agrees with itself."""
        wrong = self.library.inside_regions(search.address)
        assert wrong is None, wrong.decode()

    def annealer(self, annealer):
        """The structure, its pointers made lists."""
        seen, state = _Annealer(), {}
        self.library.inside_annealer(annealer.address, ctypes.byref(seen))
        vehicles, nodes = annealer.vehicles, annealer.problem.num_nodes
        shapes = {
            "route": (vehicles, seen.width),
            "edge": (vehicles, seen.width),
            "length": (vehicles,),
            "load": (vehicles,),
            "where": (nodes,),
            "place": (nodes,),
            "unserved": (seen.num_unserved,),
            "best_tour": (nodes + vehicles,),
        }
        for name, _ in _Annealer._fields_:
            value = getattr(seen, name)
            if shape := shapes.get(name):
                value = np.ctypeslib.as_array(value, shape).copy() if all(shape) else np.array([])
            state[name] = value
        return state
