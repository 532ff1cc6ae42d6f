"""Instances as JSON: read, checked, written."""
