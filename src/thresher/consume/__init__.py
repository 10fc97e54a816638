"""Learning from a stream: a broker's, or a growing file. The place in it is in the model file."""
