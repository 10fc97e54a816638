"""The command ``thresher``, and ``python -m thresher``."""

import signal


def main() -> None:
    """While packages are imported there is nothing to clean up: Ctrl-C just ends the process."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from thresher.cli import main

    main()


if __name__ == "__main__":
    main()
