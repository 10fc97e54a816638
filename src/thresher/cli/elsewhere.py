"""What to type instead of options of Vowpal Wabbit."""

from __future__ import annotations

FILES = "only the names: thresher train FILE -m MODEL"
NOTHING = "nothing; it is always so"
L1 = "--learner logistic --set l1=… --set l2=…"
INSTEAD = {
    "-b": "--hash-bits N; without it names are kept",
    "--bit_precision": "--hash-bits N; without it names are kept",
    "--binary": "nothing: labels are read as they are",
    "-c": "nothing: later passes do not parse again",
    "--cache": "nothing: later passes do not parse again",
    "--cubic": "--cross a,b,c",
    "-d": FILES,
    "--daemon": "thresher serve DIR --vw-port PORT",
    "--data": FILES,
    "-f": "-m MODEL",
    "--final_regressor": "-m MODEL",
    "--holdout_period": "--holdout N",
    "-i": "--resume MODEL to learn on, -m MODEL to predict",
    "--initial_regressor": "--resume MODEL to learn on, -m MODEL to predict",
    "--interactions": "--cross a,b",
    "--invert_hash": "thresher inspect MODEL --all",
    "-k": "nothing: there is no cache file",
    "-l": "--learner NAME --set learning_rate=…",
    "--l1": L1,
    "--l2": L1,
    "--learning_rate": "--learner NAME --set learning_rate=…",
    "--link": "thresher predict --proba",
    "--loss_function": "--learner logistic, pa (hinge) or lms (squared)",
    "--ngram": "--ngrams N",
    "--noconstant": "--set fit_intercept=false",
    "--oaa": "nothing: classes are found in the data",
    "-p": "thresher predict DATA -m MODEL -o FILE",
    "--predictions": "thresher predict DATA -m MODEL -o FILE",
    "--probabilities": "thresher predict --proba",
    "--quadratic": "--cross a,b",
    "-r": "thresher predict --scores",
    "--raw_predictions": "thresher predict --scores",
    "--readable_model": "thresher inspect MODEL --all",
    "--save_resume": NOTHING,
    "-t": "thresher predict, or thresher evaluate",
    "--testonly": "thresher predict, or thresher evaluate",
}


def two_letters(name: str, words: list[str]) -> str:
    """A sentence about ``-q ab``, which crosses namespaces in Vowpal Wabbit, and is quiet here.

    >>> two_letters("ab", ["train", "a.vw", "-q", "ab"])
    "-q is --quiet here; instead of Vowpal Wabbit's -q ab: --cross user,ad, with whole names."
    >>> two_letters("ab", ["train", "-q", "a.vw", "ab"])
    ''
    """
    if len(name) != 2 or name not in words[1:] or words[words.index(name) - 1] != "-q":
        return ""
    return (
        f"-q is --quiet here; instead of Vowpal Wabbit's -q {name}: --cross user,ad, with whole "
        "names."
    )


def instead_of(option: str) -> str:
    """A sentence about an option that Vowpal Wabbit has, if it is one.

    >>> instead_of("--ngram")
    " Instead of Vowpal Wabbit's --ngram: --ngrams N."
    >>> instead_of("--nothing")
    ''
    """
    found = INSTEAD.get(option)
    return f" Instead of Vowpal Wabbit's {option}: {found}." if found else ""
