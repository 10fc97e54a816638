"""The command ``thresher``, and ``python -m thresher``."""

import atexit
import gc
import os
import signal
import sys


def main() -> None:
    """While packages are imported there is nothing to clean up: Ctrl-C just ends the process, and
    garbage is looked for less often than after every 700 objects."""
    gc.set_threshold(50_000)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    ending = Ending()
    atexit.register(ending)
    from thresher.cli import main

    try:
        main()
    except SystemExit as error:
        ending.code = error.code
        raise


class Ending:
    """Ends the process when its threads are done and so are the exit functions registered since it
    began: to take the interpreter apart, object by object, would be a seventh of the time of a
    small run."""

    code: object = None  # until the command has ended

    def __call__(self) -> None:
        if not isinstance(self.code, int):
            return
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            return  # the interpreter reports it
        os._exit(self.code)


if __name__ == "__main__":
    main()
