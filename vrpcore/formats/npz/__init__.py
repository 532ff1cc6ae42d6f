"""Instances as arrays of numpy's: `.npz` of our own, of RL4CO's and of RouteFinder's sets."""
