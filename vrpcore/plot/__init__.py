"""Pictures of answers: routes on a map, and when vehicles drive."""
