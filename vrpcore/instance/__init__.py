"""Problems and answers: read, validated, batched, generated."""
