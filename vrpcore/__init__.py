"""Learned vehicle routing: instances in, checked routes out."""
