"""A signal while a reader waits: code that catches what its handler raises continues seamlessly."""

import os
import signal
import threading

import thresher


class Rung(Exception):
    pass


def ring(*_):
    raise Rung


def test_no_batch_is_lost(tmp_path):
    pipe, main, wanted = tmp_path / "lines.svm", threading.get_ident(), threading.Event()
    os.mkfifo(pipe)

    def write():
        with open(pipe, "w") as out:
            for i in range(20):
                wanted.wait(5)
                wanted.clear()
                signal.pthread_kill(main, signal.SIGUSR1)  # it is there before the line comes
                print(f"{i} 1:1", file=out, flush=True)

    def labels_of_next(reader):
        asked = False
        while True:
            try:
                if not asked:
                    asked = True
                    wanted.set()
                return next(reader).labels
            except Rung:
                pass

    before = signal.signal(signal.SIGUSR1, ring)
    try:
        threading.Thread(target=write, daemon=True).start()
        with thresher.read(pipe, labels="optional", threads=1) as reader:
            assert [labels_of_next(reader) for _ in range(20)] == [[i] for i in range(20)]
    finally:
        signal.signal(signal.SIGUSR1, before)
