"""The public learners, one file for each family."""
