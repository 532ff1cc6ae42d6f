"""Learned vehicle routing: instances in, checked routes out."""

from vrpcore.version import VERSION

__version__ = VERSION
