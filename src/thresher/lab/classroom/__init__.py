"""A class with its phones: questions of a lesson, votes, a quiz, results."""
