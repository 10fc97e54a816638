"""The page around the views, what they draw and ask with, and the files that it is made of."""
