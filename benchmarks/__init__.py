"""Comparisons with other solvers: they run from a checkout and are not installed."""
