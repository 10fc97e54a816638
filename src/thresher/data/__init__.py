"""From files to examples: sources, formats, the reader; and streams that are made on the spot."""
