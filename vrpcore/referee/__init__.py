"""Solutions checked a second time: routes, times and costs by code that did not make them."""
