"""Solutions checked a second time, by code that shares nothing with what made them."""
