"""Problems built call by call in Python, and views of their answers."""
