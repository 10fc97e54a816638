"""Models that learn while they answer: `thresher serve`.

`log.py` keeps every accepted event; `pupil.py` is a learner that learns from bytes; `store.py`
holds the models, as the log says they are; `writer.py` is the one thread that changes them;
`http.py` speaks to clients.
"""
