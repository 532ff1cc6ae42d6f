"""Float64 costs, feasibility and routes, computed on the host."""
