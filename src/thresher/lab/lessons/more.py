"""A screen for each learner that the course leaves out: what makes it differ from the others."""

from __future__ import annotations

from typing import Any

from thresher.lab.lessons.screens import Lesson, Question, Screen

PLAIN = {"learner": "perceptron", "options": {"average": False}}


def lesson(
    name: str, title: str, text: str, question: Question, made: dict[str, Any],
    *panels: dict[str, Any], **state: Any,
) -> Lesson:  # fmt: skip
    usual: dict[str, Any] = {"order": "given", "epochs": 1, "seed": 0, "t": 0}
    shown = {**usual, "made": made, "panels": list(panels), **state}
    return Lesson(name, title, (Screen(text, "plane", shown, question),))


def noisy(seed: int) -> dict[str, Any]:
    return {"kind": "noisy", "size": 120, "gamma": 0.05, "noise": 0.12, "seed": seed}


SURE = lesson(
    "arow",
    "AROW: how sure of each weight",
    "Some labels are wrong. AROW keeps for each weight how uncertain it is: the variance Σ, 1 at "
    "the start. It learns whenever y·s < 1, by a step in proportion to Σ, and each time Σ falls.",
    Question(
        "How will its last steps compare with its first?",
        ("larger", "as large", "smaller"), 2,
        "Smaller: it has become sure. It made {mistakes0} mistakes, the perceptron {mistakes1}. On "
        "1,000 new points without noise it is wrong on {fresh0} %, the perceptron, whose steps "
        "never shrink, on {fresh1} %.",
        ("Σ only falls, and its steps go with Σ.",
         "That is the perceptron: its step is always ±x.", ""),
        {"t": None},
    ),
    noisy(5), {"learner": "arow", "options": {"average": False}}, PLAIN,
)  # fmt: skip

PROBABLE = lesson(
    "logistic",
    "Logistic regression: a probability",
    "Logistic regression says how likely + is: 1/(1 + e⁻ˢ). Every example moves w, by 1 minus "
    "the probability that was given to its label, times x and a rate.",
    Question(
        "An example is right by much: y·s = 4. What does w do?",
        ("it stays", "it moves a little", "it moves as for a mistake"), 1,
        "A little: 1/(1 + e⁴) = 0.018 of what it could. It moved at all {updates0} examples, the "
        "perceptron at its {updates1} mistakes. On 1,000 new points without noise it is wrong on "
        "{fresh0} %, the perceptron's last hypothesis on {fresh1} %.",
        ("No probability is ever 1, so there is always something left to learn.", "",
         "It gave the label a probability of 0.982: little is left."),
        {"t": None},
    ),
    noisy(5), {"learner": "logistic", "options": {"average": False}}, PLAIN,
)  # fmt: skip

COUNTED = lesson(
    "counting",
    "Naive Bayes and LDA: counts, no steps",
    "Naive Bayes keeps a sum of each feature for each class, LDA sums for means and a covariance. "
    "Their weights are computed from these sums. In the order given naive Bayes makes {mistakes0} "
    "mistakes.",
    Question(
        "The same examples come in another order. What will the weights be at the end?",
        ("the same", "others"), 0,
        "The same: a sum has no order. Only the way there differs: naive Bayes makes "
        "{after_mistakes0} mistakes in this order.",
        ("", "That is a learner that steps; a sum does not change with the order."),
        {"order": "shuffled", "t": None},
    ),
    {"kind": "shares", "size": 60, "gamma": 0.05, "noise": 0, "seed": 3},
    {"learner": "naive-bayes", "options": {}}, {"learner": "lda", "options": {}},
)  # fmt: skip

NODES = lesson(
    "snow",
    "SNoW: a node for each label",
    "Snow has a node for each label. A feature is linked to a node once it was active in an "
    "example of that label; here there are two labels and two features. The label whose node "
    "scores higher wins.",
    Question(
        "How many links will there be in the end?", ("two", "four"), 1,
        "Four: both features are active with both labels. The line is where both nodes score "
        "alike. In two epochs it made {mistakes0} mistakes, {last0} of them in the second. With "
        "words as features most are linked to few labels, and the network stays small.",
        ("Two features have a link to each label that they were active with.", ""),
        {"t": None},
    ),
    {"kind": "shares", "size": 60, "gamma": 0.05, "noise": 0, "seed": 3},
    {"learner": "snow", "options": {}}, epochs=2,
)  # fmt: skip

ASKED = lesson(
    "few-labels",
    "Asking for few labels",
    "Labels may cost more than examples. The first learner predicts every example and asks for "
    "its label with probability b/(b + |s|), b = 0.1. What it does not ask for it never learns.",
    Question(
        "For which examples will it ask most?",
        ("those with a score near 0", "those it is sure about", "for all alike"), 0,
        "Those near 0, which are near its line: there a label tells most. Of the {mistakes0} "
        "mistakes that it made in two epochs it learned from {updates0}; the perceptron, which is "
        "told every label, from all of its {mistakes1}.",
        ("", "Where |s| is large, b/(b + |s|) is small.", "The probability depends on |s|."),
        {"t": None},
    ),
    {"kind": "separable", "size": 100, "gamma": 0.1, "noise": 0, "seed": 3},
    {"learner": "label-efficient", "options": {"b": 0.1}}, PLAIN, epochs=2,
)  # fmt: skip

MORE = (SURE, PROBABLE, COUNTED, NODES, ASKED)
