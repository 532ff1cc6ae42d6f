"""Configuration: its sections, and YAML into them."""
