"""Which frames a model has learned, where it was rolled back: half-open spans of seqs, (a, b]."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Spans = list[tuple[int, int]]
ENDLESS = 2**63


def spans_at(rollbacks: Iterable[tuple[int, int]], seq: int) -> Spans:
    """The frames that count at this seq. A rollback (at, to) leaves out those between.

    >>> spans_at([(50, 20)], 60)
    [(0, 20), (50, 60)]
    >>> spans_at([(50, 20)], 40)
    [(0, 40)]
    """
    spans: Spans = [(0, ENDLESS)]
    for at, to in rollbacks:
        if at > seq:
            break
        spans = [*upto(spans, to), (at, ENDLESS)]
    return upto(spans, seq)


def upto(spans: Spans, seq: int) -> Spans:
    return [(a, min(b, seq)) for a, b in spans if a < seq]


def counts(spans: Spans, seq: int) -> bool:
    return any(a < seq <= b for a, b in spans)


def is_on_the_way(rollbacks: Sequence[tuple[int, int]], early: int, late: int) -> bool:
    """Whether what was learned at an early seq is the beginning of what was learned at a late one.

    >>> is_on_the_way([(50, 20)], 15, 60), is_on_the_way([(50, 20)], 30, 60)
    (True, False)
    """
    return spans_at(rollbacks, early) == upto(spans_at(rollbacks, late), early)
