"""The core's faults in words. The core knows the kind of a fault, the value, and where it is."""

from __future__ import annotations

from typing import NamedTuple

from thresher.errors import DivergenceError, InvalidInput, ThresherError, Where


class FaultWords(NamedTuple):
    found: str
    expected: str = ""
    advice: str = ""


FINITE = "a finite number (no NaN, no inf)"

# `{value}` is the offending number, `{limit}` how many there may be.
WORDS = {
    "not_finite": FaultWords("found {value}", FINITE, "Drop or impute such values first."),
    "outside_unit": FaultWords(
        "found {value}",
        "a value in [0, 1] for Winnow",
        "Scale or binarise the data, pass clip=True, or use BalancedWinnow, which takes any real "
        "value.",
    ),
    "negative": FaultWords(
        "found {value} (Negative values in data passed to NaiveBayes)",
        "counts, 0 or more",
        "Use kind='bernoulli', which looks at whether a value is above 0.",
    ),
    "below_zero": FaultWords(
        "found {value} (Negative values in data)",
        "values of 0 or more: Winnow takes [0, 1], and maxabs or unit bring no others there",
        "Use prepare='minmax', or BalancedWinnow.",
    ),
    "bad_index": FaultWords("column number {count} does not exist in this matrix."),
    "bad_row_bounds": FaultWords("the row pointers of the sparse matrix do not fit its arrays."),
    "overflow": FaultWords(
        "the score or the norm overflows a double (inf): values this large need scaling."
    ),
    "unkept": FaultWords(
        "{found}; learning from it would make {grows} too large to be kept (beyond 1e300).",
        advice="Scale the values or the weights down. Nothing of this example was learned.",
    ),
    "bad_step": FaultWords("the update rule returned {value}", "a finite step"),
    "diverged": FaultWords(
        "the weights diverge: the residual grew to {value}. The weights before this example are "
        "kept.",
        advice="Use a smaller learning rate (for inputs near to Gaussian one below "
        "lms_stability(X).eta_mean_square; below eta_max only the mean over many runs converges), "
        "learning_rate='auto', or normalized=True.",
    ),
    "bad_target": FaultWords("target y is {value}", FINITE),
    "bad_weight": FaultWords("sample_weight is {value}", "a finite number ≥ 0"),
    "many_products": FaultWords(
        "{count} features have more than 10,000,000 products of this degree.",
        advice="Use a smaller degree, fewer features, or fourier(1000), whose size you choose.",
    ),
    "cap_too_small": FaultWords(
        "max_links={count} is too small: there is a class more than that, and each needs one link "
        "at least.",
        advice="Use a larger max_links, or None.",
    ),
    "too_wide": FaultWords(
        "{count} features",
        "at most {limit} (max_columns), for this learner keeps a number for each pair of them",
        "Use LMS for numbers or LogisticRegression for labels, which keep one for each, or read "
        "files with max_features.",
    ),
}


def error_of(
    kind: str, value: float, limit: float, weight: float, grows: str, where: dict[str, object]
) -> ThresherError:
    """The error for a fault of the core."""
    words, shown = WORDS[kind], "NaN" if value != value else repr(value)
    found = f"found {shown}" if "feature" in where else "found an example"
    if weight != 1.0:
        found += f" with sample_weight {weight!r}"
    if kind == "outside_unit" and value < 0:
        shown += " (Negative values in data)"
    whole = round(value) if abs(value) < 2.0**63 else value
    error = DivergenceError if kind == "diverged" else InvalidInput
    return error(
        words.found.format(value=shown, count=whole, found=found, grows=grows),
        expected=words.expected.format(limit=f"{limit:,.0f}"),
        advice=words.advice,
        where=Where(**where),  # type: ignore[arg-type]
        kind=kind,
        value=value,
    )
