"""The page around the views, what they share, and the files that it consists of."""
