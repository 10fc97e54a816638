"""Figures for Prometheus. The only labels are names of models, routes and statuses: never a
feature, and never a label of an example, of which there may be any number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from thresher.serve.http import App
    from thresher.serve.writer import Writer

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Values = Iterable[tuple[tuple[str, ...], float | None]]


def metrics(app: App) -> bytes:
    """In Prometheus' text format. They are counted elsewhere, and only shown when asked for."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Shown(app))
    return generate_latest(registry)


class Shown(Collector):
    """All figures of a server, as they are now."""

    def __init__(self, app: App) -> None:
        self.app = app

    def collect(self) -> Iterator[Metric]:
        yield from self._models()
        yield from self._server()
        if self.app.writer is not None:
            yield from self._log(self.app.writer)

    def _models(self) -> Iterator[Metric]:
        models = list(self.app.store.names.values())
        rows = [(m, m.champion.standing()) for m in models]

        def each(what: Any) -> Values:
            return [((m.name,), what(m, standing)) for m, standing in rows]

        yield counter("events_learned", "Events learned.", each(lambda m, s: m.events), "model")
        yield counter("events_refused", "Events that were written, and could not be learned.",
                      each(lambda m, s: s["refused"]), "model")  # fmt: skip
        yield counter("events_unknown", "Events predicted of which no feature was known.",
                      each(lambda m, s: m.champion.unknown), "model")  # fmt: skip
        yield gauge("loss_mean", "Mean loss of predictions before learning, all events.",
                    each(lambda m, s: s["loss"]), "model")  # fmt: skip
        yield gauge("recent_loss_mean", "The same of the last 1,000 or so: above it, drift.",
                    each(lambda m, s: s["recent_loss"]), "model")  # fmt: skip
        yield gauge("features", "Features that the model knows.",
                    each(lambda m, s: s["features"]), "model")  # fmt: skip
        yield gauge("seq", "The last frame of the log that the model has learned.",
                    each(lambda m, s: m.seq), "model")  # fmt: skip
        yield gauge("kept_predictions", "Predictions that wait for a label.",
                    each(lambda m, s: len(m.kept)), "model")  # fmt: skip
        yield counter("late_labels", "Labels that came for kept predictions.",
                      each(lambda m, s: m.late[0]), "model")  # fmt: skip
        yield counter("label_delay_seconds", "How long these took, together.",
                      each(lambda m, s: m.late[1]), "model")  # fmt: skip
        yield counter("late_loss", "Losses of the kept predictions, together.",
                      each(lambda m, s: m.late[2]), "model")  # fmt: skip

    def _server(self) -> Iterator[Metric]:
        app = self.app
        answers = sorted(app.figures.answers.items())
        yield counter("events_predicted", "Events predicted.", [((), app.figures.predicted)])
        yield counter("answers", "Answers by route and status.",
                      [((route, str(status)), n) for (route, status), n in answers],
                      "route", "status")  # fmt: skip
        yield gauge("ready", "Whether it learns.", [((), float(app.why_not_ready() is None))])
        yield gauge("store_seq", "The last frame that this process has learned.",
                    [((), app.store.seq)])  # fmt: skip

    def _log(self, writer: Writer) -> Iterator[Metric]:
        log = writer.log
        yield gauge("durable_seq", "The last frame that is on disk.", [((), log.durable)])
        yield counter("sync_seconds", "Time of syncs, together.", [((), log.sync_seconds)])
        yield counter("syncs", "Syncs.", [((), log.syncs)])
        yield counter("groups", "Groups of frames written at once.", [((), writer.groups)])
        yield counter("frames", "Frames written.", [((), writer.jobs_done)])
        yield gauge("queue_bytes", "Bytes that wait to be learned.", [((), writer.waiting_bytes)])
        yield counter("checkpoints_failed", "Checkpoints that could not be written.",
                      [((), writer.checkpoints_failed)])  # fmt: skip
        yield gauge("log_bytes", "The log on disk.", [((), log.bytes_on_disk())])


def counter(name: str, text: str, values: Values, *labels: str) -> Metric:
    return filled(CounterMetricFamily(f"thresher_{name}", text, labels=labels), values)


def gauge(name: str, text: str, values: Values, *labels: str) -> Metric:
    return filled(GaugeMetricFamily(f"thresher_{name}", text, labels=labels), values)


def filled(family: Any, values: Values) -> Metric:
    """What has no value yet is left out."""
    for labels, value in values:
        if value is not None:
            family.add_metric(labels, value)
    assert isinstance(family, Metric)
    return family
