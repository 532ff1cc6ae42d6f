"""Instances in the text formats of the literature's public sets."""
