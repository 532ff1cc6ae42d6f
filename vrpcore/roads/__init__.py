"""Distances and durations on roads, from routing services and from maps."""
