"""What all learners share: options, labels, rows of arrays, passes, files."""
