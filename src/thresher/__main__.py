"""The command ``thresher``, and ``python -m thresher``."""

import gc
import signal


def main() -> None:
    """While packages are imported there is nothing to clean up: Ctrl-C just ends the process, and
    garbage is looked for less often than after every 700 objects."""
    gc.set_threshold(50_000)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from thresher.cli import main

    main()


if __name__ == "__main__":
    main()
