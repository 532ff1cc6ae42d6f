"""Solves of many machines (extra `ray`)."""
