"""Instances and solutions in files: read, checked, written."""
