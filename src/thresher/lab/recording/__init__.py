"""A lesson as one page that needs no server: what its pages ask, answered beforehand."""

QUESTIONS = {"page": "lesson:page", "part": "lesson:part"}
