"""Figures for Prometheus, as text. The only labels are names of models, routes and statuses: never
a feature, and never a label of an example, of which there may be any number."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thresher.serve.http import App


def metrics(app: App) -> str:
    """Written here: the format is these few lines, and needs no package."""
    lines: list[str] = []

    def put(name: str, kind: str, text: str, values: list[tuple[str, float | None]]) -> None:
        lines.append(f"# HELP thresher_{name} {text}")
        lines.append(f"# TYPE thresher_{name} {kind}")
        lines.extend(
            f"thresher_{name}{labels} {value:.17g}" for labels, value in values if value is not None
        )

    models = list(app.store.names.values())
    standings = [(f'{{model="{m.name}"}}', m, m.champion.standing()) for m in models]
    put("events_learned_total", "counter", "Events learned.",
        [(label, m.events) for label, m, _ in standings])  # fmt: skip
    put("events_refused_total", "counter", "Events that were written, and could not be learned.",
        [(label, s["refused"]) for label, _, s in standings])  # fmt: skip
    put("loss_mean", "gauge", "Mean loss of predictions before learning, all events.",
        [(label, s["loss"]) for label, _, s in standings])  # fmt: skip
    put("recent_loss_mean", "gauge", "The same of the last 1,000 or so: above it, drift.",
        [(label, s["recent_loss"]) for label, _, s in standings])  # fmt: skip
    put("features", "gauge", "Features that the model knows.",
        [(label, s["features"]) for label, _, s in standings])  # fmt: skip
    put("seq", "gauge", "The last frame of the log that the model has learned.",
        [(label, m.seq) for label, m, _ in standings])  # fmt: skip
    put("kept_predictions", "gauge", "Predictions that wait for a label.",
        [(label, len(m.kept)) for label, m, _ in standings])  # fmt: skip
    put("late_labels_total", "counter", "Labels that came for kept predictions.",
        [(label, m.late[0]) for label, m, _ in standings])  # fmt: skip
    put("label_delay_seconds_total", "counter", "How long these took, together.",
        [(label, m.late[1]) for label, m, _ in standings])  # fmt: skip
    put("late_loss_total", "counter", "Losses of the kept predictions, together.",
        [(label, m.late[2]) for label, m, _ in standings])  # fmt: skip
    put("events_predicted_total", "counter", "Events predicted.", [("", app.figures.predicted)])
    put("answers_total", "counter", "Answers by route and status.",
        [(f'{{route="{route}",status="{status}"}}', n)
         for (route, status), n in sorted(app.figures.answers.items())])  # fmt: skip
    put("ready", "gauge", "Whether it learns.", [("", float(app.why_not_ready() is None))])
    put("store_seq", "gauge", "The last frame that this process has learned.",
        [("", app.store.seq)])  # fmt: skip
    if (writer := app.writer) is not None:
        log = writer.log
        put("durable_seq", "gauge", "The last frame that is on disk.", [("", log.durable)])
        put("sync_seconds_total", "counter", "Time of syncs, together.", [("", log.sync_seconds)])
        put("syncs_total", "counter", "Syncs.", [("", log.syncs)])
        put("groups_total", "counter", "Groups of frames written at once.", [("", writer.groups)])
        put("frames_total", "counter", "Frames written.", [("", writer.jobs_done)])
        put("queue_bytes", "gauge", "Bytes that wait to be learned.", [("", writer.waiting_bytes)])
        put("log_bytes", "gauge", "The log on disk.", [("", log.bytes_on_disk())])
    return "\n".join([*lines, ""])
