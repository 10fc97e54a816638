"""Learners that move weights: each cell moves by the mean of what the models moved it.

A cell is mixed in a coordinate in which its steps add up: itself, its logarithm (Winnow), its
inverse (a variance, as precision). Every other number of a state has its rule in `_Mix._numbers`; a
state with a number that has none is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from thresher._core import elementary
from thresher.errors import InvalidInput
from thresher.lazy import np
from thresher.learners.base.learner import Floats, Learner, Occurrence
from thresher.learners.base.starting import matrix_of, meet_labels, put
from thresher.mixing.parts import Aligned, Parts
from thresher.mixing.scales import Scales
from thresher.prepare import steps_of

LEAST_VARIANCE = 1e-100  # of the diagonal geometry
LEAST_LOG = -1e9  # of a weight that was eliminated: nothing brings it back
CLAMPED = (1e-150, 1e150)  # Winnow's weights


class Coordinate(NamedTuple):
    """In which steps add up."""

    of: Callable[[Floats], Floats]
    back: Callable[[Floats], Floats]
    start: float


def _log(w: Floats) -> Floats:
    logs = elementary("log", np.ascontiguousarray(w).ravel()).reshape(w.shape)
    return np.maximum(logs, LEAST_LOG)


def _exp(v: Floats) -> Floats:
    w = elementary("exp", np.ascontiguousarray(v).ravel()).reshape(v.shape)
    # n_j parts, of which one has eliminated the weight: v is about LEAST_LOG/n_j.
    return np.where(v < -1e3, 0.0, np.clip(w, *CLAMPED))


ITSELF = Coordinate(lambda w: w, lambda v: v, 0.0)
LOGARITHM = Coordinate(_log, _exp, 0.0)
PRECISION = Coordinate(
    lambda variance: 1.0 / variance, lambda v: np.maximum(1.0 / v, LEAST_VARIANCE), 1.0
)

# The matrices of each geometry. What is not listed here is rebuilt from them.
MATRICES: dict[str, dict[str, Coordinate]] = {
    "additive": {"w": ITSELF},
    "diagonal": {"w": ITSELF, "variance": PRECISION},
    "adagrad": {"w": ITSELF, "past": ITSELF},
    "ftrl": {"w": ITSELF, "past": ITSELF, "z": ITSELF},
    "truncated": {"w": ITSELF},
    "multiplicative": {"w": LOGARITHM},
    "balanced": {"plus": LOGARITHM, "minus": LOGARITHM},
}
SUMMED = ("mistakes", "updates", "asked", "geometry.clamped")
CALIBRATION = ("t", "mean_square", "a", "b", "haa", "hab", "hbb")


def mix_machines(parts: Parts, shares: list[float] | None, by_occurrence: bool) -> Learner:
    """The mix of learners with a rule and a geometry."""
    if parts.geometry not in MATRICES:
        raise InvalidInput(
            f"{type(parts.first).__name__} cannot be mixed: there is no rule for the state of its "
            f"geometry {parts.geometry!r}."
        )
    mixing = _Mix(parts, shares, by_occurrence)
    base = parts.checked_base()
    if base is not None:
        mixing.start_from(base)
    for i, learner in enumerate(parts):
        mixing.add(i, parts.aligned(learner))
    return mixing.learner()


class _Mix:
    """Sums over the models so far: what is in memory does not grow with their number."""

    def __init__(self, parts: Parts, shares: list[float] | None, by_occurrence: bool) -> None:
        self.parts, self.shares = parts, shares
        self.by_occurrence = by_occurrence and not parts.made_by_steps
        self.scales = Scales(steps_of(parts.first.prepare))
        self.matrices = MATRICES[parts.geometry]
        labels = len(parts.labels)
        self.columns = labels if labels > 2 else 1
        self.readings = range(2 if labels == 1 else 1)
        self.base: Aligned | None = None
        self.known = 0  # features of the base
        self.counted: Floats | None = None  # how many parts have each of these, if the base knows
        self.grown = 0
        self.averaged = getattr(parts.first, "average", False) is True
        kinds = [*self.matrices, *(["mean"] if self.averaged else [])]
        names = [f"reading{r}.{kind}" for r in self.readings for kind in kinds]
        self.starts = {name: self._start(name, 1) for name in names}
        self.moves = {name: np.zeros((1, self.columns)) for name in names}
        self.occurs = np.zeros(0)
        self.clocks: dict[str, float] = {}
        self.sums: dict[str, float] = {}
        self.most: dict[str, float] = {}
        self.ranges: list[tuple[float, float]] = []
        self.calibrations: dict[str, list[dict[str, float]]] = {}
        self.class_weights = np.zeros(labels)
        self.has_class_weights = False
        self.name_counts: Any = None

    # -- the base

    def start_from(self, base: Learner) -> None:
        aligned = self.parts.aligned(base)
        self.base, self.known = aligned, len(aligned.rows)
        self._grow(self.known)
        self.scales.start_from(aligned)
        rows = np.r_[0, aligned.rows + 1]
        for r in self.readings:
            for name, coordinate in self.matrices.items():
                cells = self._cells(aligned, f"reading{r}.geometry.{name}")
                self.starts[f"reading{r}.{name}"][rows] = coordinate.of(cells)
            if self.averaged:
                self.starts[f"reading{r}.mean"][rows] = self._shown(aligned, r)
        kept = base._occurrence
        if kept is not None and kept.parts == len(self.parts):
            self.counted = np.asarray(kept.counts, np.float64)

    def _start(self, name: str, rows: int) -> Floats:
        kind = name.partition(".")[2]
        if kind != "mean":
            return np.full((rows, self.columns), self.matrices[kind].start)
        return np.full(
            (rows, self.columns), 1.0 if self.parts.geometry == "multiplicative" else 0.0
        )

    def _grow(self, features: int) -> None:
        more = features - self.grown
        if more <= 0:
            return
        for name, cells in self.starts.items():
            self.starts[name] = np.vstack([cells, self._start(name, more)])
            self.moves[name] = np.vstack([self.moves[name], np.zeros((more, self.columns))])
        self.occurs = np.r_[self.occurs, np.zeros(more)]
        self.grown = features

    # -- a model

    def add(self, i: int, part: Aligned) -> None:
        share = 1.0 if self.shares is None else self.shares[i]
        self._grow(int(part.rows.max(initial=-1)) + 1)
        rows = np.r_[0, part.rows + 1]
        for r in self.readings:
            for name, coordinate in self.matrices.items():
                key = f"reading{r}.{name}"
                cells = coordinate.of(self._cells(part, f"reading{r}.geometry.{name}"))
                self.moves[key][rows] += share * (cells - self.starts[key][rows])
            if self.averaged:
                key = f"reading{r}.mean"
                self.moves[key][rows] += share * (self._mean(part, r) - self.starts[key][rows])
        self.occurs[part.rows] += 1.0
        self.scales.add(part)
        self._numbers(part)

    def _cells(self, of: Aligned, name: str) -> Floats:
        cells: Floats = matrix_of(of.state, name)[:, of.columns]
        return cells

    def _shown(self, of: Aligned, r: int) -> Floats:
        """The weights themselves."""
        if self.parts.geometry == "balanced":
            halves = [self._cells(of, f"reading{r}.geometry.{half}") for half in ("plus", "minus")]
            return halves[0] - halves[1]
        return self._cells(of, f"reading{r}.geometry.w")

    def _sum_over_time(self, of: Aligned, r: int) -> Floats:
        """Σ of the hypotheses that an average is made of."""
        clock = of.state["reals"][f"reading{r}.average.clock"]
        past = self._cells(of, f"reading{r}.average.past")
        return np.asarray(clock * self._shown(of, r) - past)

    def _mean(self, part: Aligned, r: int) -> Floats:
        """The mean of the hypotheses since the base."""
        now = self._shown(part, r)
        key = f"reading{r}.average.clock"
        clock = part.state["reals"][key]
        before = 0.0 if self.base is None else self.base.state["reals"][key]
        self.clocks[key] = self.clocks.get(key, 0.0) + (clock - before)
        if clock == before:
            return now
        if before == 0.0:
            return np.asarray(now - self._cells(part, f"reading{r}.average.past") / clock)
        own = self._sum_over_time(part, r)
        assert self.base is not None
        at = np.full(self.grown, -1)
        at[self.base.rows] = np.arange(self.known)
        at = at[part.rows]
        old = self._sum_over_time(self.base, r)
        own[0] -= old[0]
        own[1:][at >= 0] -= old[1:][at[at >= 0]]
        # A name that the base does not know had its starting weight until then.
        own[1:][at < 0] -= before * self._start(f"reading{r}.mean", int((at < 0).sum()))
        return np.asarray(own / (clock - before))

    def _numbers(self, part: Aligned) -> None:
        """Everything in a state that is not a matrix."""
        state, base = part.state, self.base.state if self.base else None
        reals, counts = dict(state["reals"]), dict(state["counts"])
        for r in self.readings:
            for kind, numbers in (("reals", reals), ("counts", counts)):
                for name in ("examples",) if kind == "reals" else SUMMED:
                    if (key := f"reading{r}.{name}") in numbers:
                        before = base[kind].get(key, 0) if base else 0
                        self.sums[key] = self.sums.get(key, 0) + (numbers.pop(key) - before)
            key = f"reading{r}.largest_target"
            self.most[key] = max(self.most.get(key, 0.0), reals.pop(key))
            reals.pop(f"reading{r}.average.clock", None)
            found = {n: reals.pop(f"reading{r}.calibration.{n}", None) for n in CALIBRATION}
            if found["t"] is not None:
                self.calibrations.setdefault(f"reading{r}", []).append(found)
            counts.pop(f"reading{r}.ledger.on", None)
        if "targets.low" in reals:
            self.ranges.append((reals.pop("targets.low"), reals.pop("targets.high")))
        if "class_weights.seen" in state["arrays"]:
            self._add_class_weights(part)
            reals.pop("class_weights.all"), counts.pop("class_weights.codes")
        seen = np.frombuffer(state["name_counts"], np.uint8).astype(np.int64)
        if len(seen):
            old = np.frombuffer(base["name_counts"], np.uint8) if base else 0
            self.name_counts = (0 if self.name_counts is None else self.name_counts) + (seen - old)
        self._refuse_the_rest(state["arrays"], reals, counts)

    def _add_class_weights(self, part: Aligned) -> None:
        self.has_class_weights = True
        for of, sign in ((part, 1.0), (self.base, -1.0)):
            if of is not None:
                seen = np.frombuffer(of.state["arrays"]["class_weights.seen"])
                for code, weight in zip(of.codes, seen, strict=False):
                    self.class_weights[code] += sign * weight

    def _refuse_the_rest(
        self, arrays: dict[str, Any], reals: dict[str, Any], counts: dict[str, Any]
    ) -> None:
        ruled = ("geometry.", "average.past.")
        left = [
            name
            for name in (*arrays, *reals, *counts)
            if not name.startswith(("class", "positive", "readings", "prepare."))
            and not name.partition(".")[2].startswith(ruled)
        ]
        if left:
            raise InvalidInput(
                f"{type(self.parts.first).__name__} cannot be mixed: there is no rule for its "
                f"state {left[0]!r}."
            )

    # -- the result

    def learner(self) -> Learner:
        parts = self.parts
        made = parts.made()
        state = made._learned().state()
        ranks = made._labels.ranks if made._labels is not None else []
        meet_labels(state, ranks)
        divisor = self._divisor()
        for r in self.readings:
            self._put_reading(state, r, divisor)
        reals, counts = state["reals"], state["counts"]
        for key, total in self.sums.items():
            kind = reals if key.endswith(".examples") else counts
            before = 0 if self.base is None else self.base.state[
                "reals" if kind is reals else "counts"].get(key, 0)  # fmt: skip
            kind[key] = before + total
        reals |= self.most
        self.scales.put(state)
        self._put_ranges(reals)
        for prefix, found in self.calibrations.items():
            mixed = _mixed_calibration(found)
            reals |= {f"{prefix}.calibration.{name}": value for name, value in mixed.items()}
        if self.has_class_weights:
            self._put_class_weights(state)
        if self.name_counts is not None and self.base is not None:
            self.name_counts += np.frombuffer(self.base.state["name_counts"], np.uint8)
        parts.put_names(state, self.name_counts)
        made._given_start = True
        made._begin_from(state)
        made.epochs_, made.converged_ = 0, False
        if self.by_occurrence:
            made._occurrence = Occurrence(len(parts), divisor[1:].astype(np.uint64))
        return made

    def _divisor(self) -> Floats:
        """n_j of each row, the constant feature first."""
        everywhere = float(len(self.parts)) if self.shares is None else 1.0
        divisor = np.full(self.grown + 1, everywhere)
        if self.by_occurrence and len(self.parts.union):
            n = np.maximum(self.occurs, 1.0)
            n[: self.known] = everywhere
            if self.counted is not None:
                n[: len(self.counted)] = self.counted
            divisor[1:] = n
        return divisor

    def _put_reading(self, state: dict[str, Any], r: int, divisor: Floats) -> None:
        mixed: dict[str, Floats] = {}
        for name, coordinate in self.matrices.items():
            key = f"reading{r}.{name}"
            mixed[name] = coordinate.back(self.starts[key] + self.moves[key] / divisor[:, None])
        _rebuild(self.parts, mixed)
        for name, cells in mixed.items():
            self._check_finite(cells)
            put(state, f"reading{r}.geometry.{name}", cells)
        if self.parts.geometry == "truncated":
            _cut_again(self.parts, state, r, mixed["w"])
        if not self.averaged:
            return
        clock_key = f"reading{r}.average.clock"
        now = mixed["plus"] - mixed["minus"] if "plus" in mixed else mixed["w"]
        key, passed = f"reading{r}.mean", self.clocks[clock_key]
        mean = self.starts[key] + self.moves[key] / divisor[:, None]
        past = passed * (now - mean)
        clock = passed
        if self.base is not None and (before := self.base.state["reals"][clock_key]) > 0.0:
            # clock·w − past is what the base has summed up, and the mean of the pass so often.
            rows = np.r_[0, self.base.rows + 1]
            old = before * self.starts[key]
            old[rows] = self._sum_over_time(self.base, r)
            past += before * now - old
            clock += before
        self._check_finite(past)
        put(state, f"reading{r}.average.past", past)
        state["reals"][clock_key] = clock

    def _put_ranges(self, reals: dict[str, Any]) -> None:
        """What predictions are clipped to: of a sum, the sums."""
        if not self.ranges:
            return
        low, high = (np.array(ends) for ends in zip(*self.ranges, strict=True))
        is_sum = self.shares is not None and sum(self.shares) > 1.5
        reals["targets.low"] = float(low.sum() if is_sum else low.min())
        reals["targets.high"] = float(high.sum() if is_sum else high.max())

    def _put_class_weights(self, state: dict[str, Any]) -> None:
        seen = self.class_weights
        if self.base is not None:
            old = np.frombuffer(self.base.state["arrays"]["class_weights.seen"])
            for code, weight in zip(self.base.codes, old, strict=False):
                seen[code] += weight
        state["arrays"]["class_weights.seen"] = seen.tobytes()
        state["counts"]["class_weights.codes"] = len(seen)
        state["reals"]["class_weights.all"] = float(sum(seen.tolist()))

    @staticmethod
    def _check_finite(cells: Floats) -> None:
        if not np.isfinite(cells).all():
            raise InvalidInput("the weights are too large to be added up.")


def _rebuild(parts: Parts, mixed: dict[str, Floats]) -> None:
    """What other matrices determine. FTRL's z is that of which the weights are the leader; where l1
    holds a weight at 0, its own mix, which may not be beyond."""
    if "z" not in mixed:
        return
    options = parts.first._settled()
    w, past, z = mixed["w"], mixed["past"], mixed["z"]
    stiff = past
    if options["step"] == "adagrad":
        stiff = (options["beta"] + np.sqrt(past)) / options["learning_rate"]
    l1, l2 = np.full_like(w, options["l1"]), np.full_like(w, options["l2"])
    l1[0] = l2[0] = 0.0
    led = -w * (stiff + l2) - np.copysign(l1, w)
    mixed["z"] = np.where(w == 0.0, np.clip(z, -l1, l1), led)


def _cut_again(parts: Parts, state: dict[str, Any], r: int, w: Floats) -> None:
    """The largest weights of each class; on a tie the earlier feature."""
    keep = parts.first._settled()["keep"]
    w = w.copy()
    for k in range(w.shape[1]):
        column = w[1:, k]
        order = np.lexsort((np.arange(len(column)), -np.abs(column)))
        column[order[keep:]] = 0.0
        kept = np.flatnonzero(column)
        state["counts"][f"reading{r}.geometry.kept{k}.count"] = len(kept)
        state["arrays"][f"reading{r}.geometry.kept{k}"] = kept.astype(np.float64).tobytes()
    put(state, f"reading{r}.geometry.w", w)


def _mixed_calibration(found: list[dict[str, float]]) -> dict[str, float]:
    """Slope and offset weighted by the information about them, for scores of the common size."""
    t = sum(one["t"] for one in found)
    square = sum(one["t"] * one["mean_square"] for one in found) / t if t else 0.0
    haa = hab = hbb = ga = gb = 0.0
    for one in found:
        own = one["mean_square"]
        scale = (own / square) ** 0.5 if own > 0.0 and square > 0.0 else 1.0
        a, aa, ab = one["a"] / scale, one["haa"] * scale * scale, one["hab"] * scale
        haa, hab, hbb = haa + aa, hab + ab, hbb + one["hbb"]
        ga, gb = ga + aa * a + ab * one["b"], gb + ab * a + one["hbb"] * one["b"]
    det = haa * hbb - hab * hab
    return {
        "t": t, "mean_square": square,
        "a": max(0.0, (hbb * ga - hab * gb) / det), "b": (haa * gb - hab * ga) / det,
        "haa": haa / len(found), "hab": hab / len(found), "hbb": hbb / len(found),
    }  # fmt: skip
