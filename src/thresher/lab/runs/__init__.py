"""What `thresher train --log` and `thresher race --log` write, while they write it."""

from thresher.lab.view import View

VIEW = View(
    questions={"list": "logs:listed", "read": "logs:read"},
    smaller="Start the lab with --logs for a folder with fewer logs",
    reads_logs=True,
)
