"""Two hosts for one page, a server on this machine and a notebook; the processes that answer it."""
