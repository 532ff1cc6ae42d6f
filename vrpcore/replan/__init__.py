"""A plan that is kept, or goes on in the middle of its day: an ordinary instance, and back."""
