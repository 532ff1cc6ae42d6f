"""Measurements that users repeat on their own machine."""
