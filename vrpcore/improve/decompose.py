"""Cuts large solutions into groups of neighbouring routes, which are searched one by one."""

from dataclasses import replace

import numpy as np

from vrpcore.cost.distance import instance_points
from vrpcore.improve.savings import Routes
from vrpcore.instance.instance import Instance


def neighbouring_groups(instance: Instance, routes: Routes, size: int, turn: float) -> list[Routes]:
    """Groups routes by their direction from the depot, about `size` customers to a group.

    Args:
        instance: With coordinates, routes are ordered by the angle of their centre as seen
            from the depot; without, they keep the given order.
        routes: Customers 1..N.
        size: Customers per group; a single route may exceed it.
        turn: Where the sweep starts, in turns 0..1, so that another sweep cuts elsewhere.

    Returns:
        The groups; every route is in exactly one.
    """
    if instance.coords is not None:
        points = instance_points(instance)
        centres = np.array([points[route].mean() for route in routes]) - points[0]
        angles = (np.angle(centres) / (2 * np.pi) + turn) % 1.0
        routes = [routes[index] for index in np.argsort(angles, kind="stable")]
    groups: list[Routes] = []
    room = 0
    for route in routes:
        if not groups or room < len(route):
            groups.append([])
            room = size
        groups[-1].append(route)
        room -= len(route)
    return groups


def part_of(instance: Instance, routes: Routes) -> tuple[Instance, Routes, list[int]]:
    """The instance that a group of routes serves.

    Args:
        instance: The whole.
        routes: A group, customers 1..N of the whole.

    Returns:
        The part, its routes in its own numbers, and the whole's node for each of its nodes.
        If the whole limits vehicles, the part may use as many as the group does.
    """
    nodes = [0, *(customer for route in routes for customer in route)]
    number = {node: index for index, node in enumerate(nodes)}
    part = instance.take(nodes[1:])
    if instance.max_vehicles is not None:
        part = replace(part, max_vehicles=len(routes))
    return part, [[number[customer] for customer in route] for route in routes], nodes
