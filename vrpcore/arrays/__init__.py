"""Instances as the arrays that a policy reads."""
