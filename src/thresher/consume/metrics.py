"""Figures for Prometheus, over HTTP on this machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TEXTS = {
    "events_total": ("counter", "Events read from the stream, and learned or set aside."),
    "dead_letters_total": ("counter", "Events that could not be learned."),
    "unlabelled_total": ("counter", "Events without a label."),
    "loss_mean": ("gauge", "Mean loss of predictions before learning."),
    "lag_events": ("gauge", "Events in the stream that are not learned yet."),
    "lag_bytes": ("gauge", "Bytes of files that are not learned yet."),
    "lag_seconds": ("gauge", "Age of the last event learned, if any wait."),
    "features": ("gauge", "Features that the model knows."),
    "saves_total": ("counter", "Times that the model was saved."),
    "unsaved_events": ("gauge", "Events learned since then."),
    "up": ("gauge", "Whether the stream answers."),
}


def as_text(figures: Mapping[str, float | None]) -> str:
    """
    >>> print(as_text({"up": 1}))
    # HELP thresher_consume_up Whether the stream answers.
    # TYPE thresher_consume_up gauge
    thresher_consume_up 1
    """
    lines: list[str] = []
    for name, (kind, text) in TEXTS.items():
        value = figures.get(name)
        if value is not None:
            lines.append(f"# HELP thresher_consume_{name} {text}")
            lines.append(f"# TYPE thresher_consume_{name} {kind}")
            lines.append(f"thresher_consume_{name} {value:.17g}")
    return "\n".join([*lines, ""])


class MetricsServer:
    """Answers /metrics with what `figures` gives, from a thread."""

    def __init__(self, port: int, figures: Callable[[], Mapping[str, float | None]]) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                known = self.path.split("?")[0] in ("/", "/metrics")
                body = as_text(figures()).encode() if known else b"try /metrics\n"
                self.send_response(200 if known else 404)
                self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Requests are not logged."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = int(self._server.server_address[1])
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
