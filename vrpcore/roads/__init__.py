"""Distances and durations on roads, from a routing service."""
