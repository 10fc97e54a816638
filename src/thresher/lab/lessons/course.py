"""The lessons themselves, in the order in which a class would take them."""

from __future__ import annotations

from typing import Any

from thresher.lab.lessons.screens import Lesson, Question, Screen


def learner(short: str, **options: Any) -> dict[str, Any]:
    return {"learner": short, "options": options}


PLAIN = learner("perceptron", average=False)
CORNERS = ((-0.6, -0.6), (0.6, -0.6), (-0.6, 0.6), (0.6, 0.6))


def corners(*labels: int) -> list[list[float]]:
    return [[x, y, label] for (x, y), label in zip(CORNERS, labels, strict=True)]


def plane(text: str, question: Question | None = None, **state: Any) -> Screen:
    return Screen(text, "plane", {"order": "given", "epochs": 1, "seed": 0, **state}, question)


def boolean(text: str, question: Question | None = None, *names: str, **state: Any) -> Screen:
    panels = [learner(name) for name in names]
    common = {"mode": "race", "draw": "half", "density": 0.1, "examples": 400, "seed": 1}
    return Screen(text, "boolean", {**common, "panels": panels, **state}, question)


REPRESENT = Lesson(
    "represent",
    "What a threshold unit can say",
    (
        plane(
            "A threshold unit says + where w·x + b ≥ 0: one side of a line. Here is AND: of the "
            "four corners only one is +.",
            Question(
                "Can one line have the + on one side and all − on the other?",
                ("yes", "no"), 0,
                "Yes. The perceptron finds one after {mistakes0} mistakes; the largest margin that "
                "any line has here is γ = {gamma}.",
                {"t": None},
            ),
            points=corners(-1, -1, -1, 1), panels=[PLAIN], epochs=8, t=0,
        ),
        plane(
            "Two corners change: opposite ones now have the same label. This is XOR.",
            Question(
                "And now?", ("one line will do", "no line will"), 1,
                "No line will, and there is a proof: the two + have the same middle as the two −, "
                "and a line would need that point on both sides. The lab has found those four "
                "points itself; after eight epochs the perceptron has made {mistakes0} mistakes "
                "and goes on.",
                {"t": None},
            ),
            points=corners(1, -1, -1, 1), panels=[PLAIN], epochs=8, t=0,
        ),
        plane(
            "What is no line in x₁ and x₂ may be one in other features. With the product x₁·x₂ "
            "beside them XOR is easy: a polynomial kernel of degree 2 is a perceptron there, and "
            "its boundary, seen from here, is curved. It made {mistakes1} mistakes, and in the "
            "last epoch {last1}.",
            points=corners(1, -1, -1, 1),
            panels=[PLAIN, learner("kernel-perceptron", kernel="polynomial", degree=2)],
            epochs=8,
        ),
    ),
)  # fmt: skip

STEP = Lesson(
    "step",
    "A step of the perceptron",
    (
        plane(
            "The perceptron begins with w = 0 and no bias here. The first example is x = (1, 0) "
            "with the label −. Its score w·x is 0, which counts as a mistake: it has no idea.",
            Question(
                "It adds y·x to w. Where will w point?",
                ("to the right, at x", "to the left, away from x", "nowhere: w stays 0"), 1,
                "To the left: {w1}. Here the step η is 1. The line is at right angles to w, and x "
                "is now on the − side.",
                {"t": 1},
            ),
            points=[[1, 0, -1], [0.8, 0.6, 1]],
            panels=[learner("perceptron", average=False, fit_intercept=False)], t=0,
        ),
        plane(
            "The second example is (0.8, 0.6), a +. Its score is {s2}.",
            Question(
                "What will w be afterwards?", ("(−0.2, 0.6)", "(−1.8, −0.6)", "(0.8, 0.6)"), 0,
                "{w2}: it turns towards the example. On this one the score is now 0.2, so it is "
                "right.",
                {"t": 2},
            ),
            points=[[1, 0, -1], [0.8, 0.6, 1]],
            panels=[learner("perceptron", average=False, fit_intercept=False)], t=1,
        ),
        plane(
            "That is all there is: right, and nothing happens; wrong, and w moves by ±x. Press "
            "Step and watch; then drag a point and see the whole history change.",
            made={"kind": "separable", "size": 14, "gamma": 0.15, "noise": 0, "seed": 4},
            panels=[PLAIN], epochs=2, t=0,
        ),
    ),
)  # fmt: skip

CONVERGES = Lesson(
    "converges",
    "Why it converges",
    (
        plane(
            "Suppose that some line u of length 1 has every example on its side, at least γ away, "
            "and that no example is longer than R. At each mistake w·u grows by at least γ, but "
            "‖w‖² by at most R². After m mistakes: mγ ≤ w·u ≤ ‖w‖ ≤ R√m. So m ≤ R²/γ².",
            Question(
                "Here R = {R} and γ = {gamma}. How many mistakes can it make, however long it "
                "runs, in whatever order?",
                ("there is no limit", "at most {bound}", "exactly {bound}"), 1,
                "At most {bound}. It made {mistakes0} in 20 epochs, and {last0} in the last: the "
                "bound is for the worst order of the worst points.",
                {"t": None},
            ),
            made={"kind": "separable", "size": 40, "gamma": 0.2, "noise": 0, "seed": 11},
            panels=[PLAIN], epochs=20, t=0,
        ),
        plane(
            "The same number of points, nearer to the line.",
            Question(
                "If γ is half as large, the bound is …",
                ("twice as large", "four times as large", "the same"), 1,
                "Four times: γ is squared. Here γ = {gamma}, a little more than half of what it "
                "was, and the bound is {bound}; the run made {mistakes0} mistakes.",
                {"t": None},
            ),
            made={"kind": "separable", "size": 40, "gamma": 0.1, "noise": 0, "seed": 11},
            panels=[PLAIN], epochs=20, t=0,
        ),
        plane(
            "The number of points is not in the bound, nor the number of features. Now 400 points, "
            "γ = {gamma}, R = {R}: at most {bound} mistakes, and it made {mistakes0}.",
            made={"kind": "separable", "size": 400, "gamma": 0.1, "noise": 0, "seed": 11},
            panels=[PLAIN], epochs=20,
        ),
    ),
)  # fmt: skip

CYCLES = Lesson(
    "cycles",
    "When it goes round for ever",
    (
        plane(
            "Four points that no line can separate, shown again and again in the same order.",
            Question(
                "What will the weights do?",
                ("settle down after a while", "grow without end",
                 "come back to where they were, and repeat"), 2,
                "They come back. Since the same weights meet the same examples, all that follows "
                "repeats: {mistakes0} mistakes in 12 epochs, {last0} in each of the last. Weights "
                "that moved and are back where they were prove that the data is not separable.",
                {"t": None},
            ),
            points=corners(1, -1, -1, 1), panels=[PLAIN], epochs=12, t=0,
        ),
        plane(
            "With noise it never stops either, but it need not do badly: the bound then counts how "
            "far the points are on the wrong side. At most {noisy0} mistakes, it made {mistakes0}. "
            "Which bound applies is decided by the data, and the lab says which it shows.",
            made={"kind": "noisy", "size": 60, "gamma": 0.1, "noise": 0.1, "seed": 2},
            panels=[PLAIN], epochs=3,
        ),
    ),
)  # fmt: skip

MARGIN = Lesson(
    "margin",
    "Room on both sides: margin",
    (
        plane(
            "The perceptron stops as soon as every point is on its side, however near to the line.",
            Question(
                "The second panel also learns from points that are right by less than 0.8. Which "
                "line will leave more room?",
                ("the plain perceptron's", "the one with a margin", "they are the same"), 1,
                "The one with a margin: it went on from {updates0} to {updates1} updates and has "
                "the dashed band free of points.",
                {"t": None},
            ),
            made={"kind": "separable", "size": 30, "gamma": 0.15, "noise": 0, "seed": 5},
            panels=[PLAIN, learner("perceptron", average=False, margin=0.8)], epochs=30, t=0,
        ),
        plane(
            "γ, on the right, is the most room that any line can have (with the bias counted in "
            "its length). Drag the points that are nearest to the line and see γ change, and with "
            "it R²/γ² = {bound}, the bound of the perceptron without a margin.",
            made={"kind": "separable", "size": 30, "gamma": 0.15, "noise": 0, "seed": 5},
            panels=[learner("perceptron", average=False, margin=0.8)], epochs=30,
        ),
    ),
)  # fmt: skip

ORDER = Lesson(
    "order",
    "One by one: the order matters",
    (
        plane(
            "An online learner meets its examples one by one, and what it makes of them depends on "
            "their order. These come in the order given: {mistakes0} mistakes in three epochs.",
            Question(
                "The same points, but always that one next which it is most wrong about. "
                "Mistakes?", ("fewer", "more"), 1,
                "More: {mistakes0} in the order given; press on for the worst. But never more than "
                "R²/γ² = {bound}: that holds for every order.",
            ),
            made={"kind": "separable", "size": 40, "gamma": 0.05, "noise": 0, "seed": 9},
            panels=[PLAIN], epochs=3, t=0,
        ),
        plane(
            "The worst first: {mistakes0} mistakes, at most {bound}.",
            made={"kind": "separable", "size": 40, "gamma": 0.05, "noise": 0, "seed": 9},
            panels=[PLAIN], epochs=3, order="worst",
        ),
        plane(
            "Shuffled anew in each epoch: {mistakes0} mistakes, at most {bound}. Some orders are "
            "luckier than others; none goes beyond the bound. A batch learner looks at all "
            "examples before each step, so order means nothing to it, but each step costs a whole "
            "pass.",
            made={"kind": "separable", "size": 40, "gamma": 0.05, "noise": 0, "seed": 9},
            panels=[PLAIN], epochs=3, order="shuffled",
        ),
    ),
)  # fmt: skip

AVERAGE = Lesson(
    "average",
    "The average is wiser than the last",
    (
        plane(
            "With noisy labels the last hypothesis is whatever the last mistake left behind. Step "
            "on, and see the line jump.",
            Question(
                "The dotted line is the average of all hypotheses, each counted by how long it "
                "survived. Over time it will …",
                ("jump as much", "become steady", "stay at the first line"), 1,
                "It becomes steady: example t moves the average by only 1/t of the way to the "
                "hypothesis of that moment.",
                {"t": None},
            ),
            made={"kind": "noisy", "size": 120, "gamma": 0.05, "noise": 0.12, "seed": 16},
            panels=[learner("perceptron")], epochs=2, t=30, mean=True,
        ),
        plane(
            "Voting is the same thought: each hypothesis votes, with as many votes as examples it "
            "survived. Its boundary is made of many lines. On new examples averaged and voted are "
            "about as good, and better than the last; averaging needs only one vector.",
            made={"kind": "noisy", "size": 120, "gamma": 0.05, "noise": 0.12, "seed": 16},
            panels=[learner("perceptron"), learner("voted-perceptron")], epochs=1, mean=True,
        ),
    ),
)  # fmt: skip

AGGRESSIVE = Lesson(
    "passive-aggressive",
    "Passive-Aggressive: just as far as needed",
    (
        plane(
            "The perceptron moves by x, whether it was wrong by much or by little. Passive-"
            "Aggressive rests when y·s ≥ 1, and else moves just so far that y·s is 1 on this "
            "example.",
            Question(
                "After its first step, what is y·s on the example that it has just seen?",
                ("0", "exactly 1", "more than 1"), 1,
                "Exactly 1: the example lies on the dashed line now. Step on: whenever it moves, "
                "the example lands there.",
                {"t": 1},
            ),
            made={"kind": "separable", "size": 16, "gamma": 0.2, "noise": 0, "seed": 8},
            panels=[PLAIN, learner("pa", variant="PA", average=False)], epochs=2, t=0,
        ),
        plane(
            "A few points have the wrong label now.",
            Question(
                "PA does what each example asks. PA-I moves by C = 0.1 at most. Which one does a "
                "wrong label throw further?", ("PA", "PA-I"), 0,
                "PA: it must put the wrong point on its margin too. PA-I takes at most a step of "
                "C, so one example cannot undo many.",
                {"t": None},
            ),
            made={"kind": "noisy", "size": 40, "gamma": 0.2, "noise": 0.08, "seed": 21},
            panels=[
                learner("pa", variant="PA", average=False),
                learner("pa", C=0.1, average=False),
            ],
            epochs=1, t=0,
        ),
    ),
)  # fmt: skip

DRIFT = Lesson(
    "drift",
    "When the truth moves",
    (
        plane(
            "While these points came, the line between them turned by half a circle: no single "
            "line fits all, and the order is part of the truth.",
            Question(
                "Which hypothesis is better at the end: the last, or the average of all?",
                ("the last", "the average"), 0,
                "The last: it has followed. The average still remembers lines that are no longer "
                "true. Averages are for a truth that stays.",
                {"t": None},
            ),
            made={"kind": "drifting", "size": 200, "gamma": 0.05, "noise": 0, "seed": 6},
            panels=[learner("perceptron")], epochs=1, t=60, mean=True,
        ),
    ),
)  # fmt: skip

WINNOW = Lesson(
    "winnow",
    "Many variables, few that matter",
    (
        boolean(
            "The label is x2 ∨ x5 ∨ x9, of {n} variables. Winnow multiplies: on a mistake the "
            "weights of the variables that are 1 are doubled, or halved. The perceptron adds. "
            "Winnow made {mistakes0} mistakes, the perceptron {mistakes1}.",
            Question(
                "There will be four times as many variables, and still three that matter. How "
                "much more will it cost Winnow?",
                ("four times as many mistakes", "a few mistakes more", "nothing"), 1,
                "A few more: Winnow's bound grows with log n. See the next screen.",
            ),
            "winnow", "perceptron", target="x2 ∨ x5 ∨ x9", n=16,
        ),
        boolean(
            "{n} variables: Winnow {mistakes0} mistakes (at most {bound0}), the perceptron "
            "{mistakes1}.",
            Question(
                "And with 256?", ("the gap closes", "the gap grows"), 1,
                "It grew on this stream: Winnow's bound grows with log n, the perceptron's with n.",
            ),
            "winnow", "perceptron", target="x2 ∨ x5 ∨ x9", n=64,
        ),
        boolean(
            "{n} variables: Winnow {mistakes0} (at most {bound0}), the perceptron {mistakes1}. "
            "Where few of many features matter, Winnow's bound is the lower one; where many matter "
            "a little, the perceptron's. Winnow's has L1(u)·L∞(x) and log n, the perceptron's "
            "L2(u)·L2(x).",
            None, "winnow", "perceptron", target="x2 ∨ x5 ∨ x9", n=256,
        ),
    ),
)  # fmt: skip

HALVING = Lesson(
    "halving",
    "Ask all concepts, follow the majority",
    (
        boolean(
            "There are {concepts} disjunctions of {n} variables, and one of them is the truth. "
            "Halving lets all that have never been wrong vote.",
            Question(
                "When the majority is wrong, how many concepts are thrown out at least?",
                ("one", "half of them", "all but one"), 1,
                "Half: all who voted with the majority were wrong. So it makes at most log₂ "
                "{concepts} = {bound0} mistakes; it made {mistakes0}, and {left} is left. "
                "Elimination, which needs no vote, made {mistakes1}, at most {bound1}.",
                {"t": None},
            ),
            "halving", "elimination", target="x2 ∨ x5 ∨ x9", n=12, examples=60, density=0.5, t=0,
        ),
    ),
)  # fmt: skip

ADVERSARY = Lesson(
    "adversary",
    "Playing against Winnow",
    (
        Screen(
            "An adversary may change the target, and pays 1 for each variable added or removed. "
            "Here it shows x1 with twelve others while the label is 0, again and again: each time "
            "Winnow halves the weights of the twelve. Then it makes them the target, one by one.",
            "adversary",
            {"mode": "disjunction", "n": 32, "seed": 0, "bury": {"depth": 14, "buried": 12},
             "t": 40},
            Question(
                "Winnow-R is Winnow whose weights never fall below ½. Which one comes back sooner?",
                ("Winnow", "Winnow-R"), 1,
                "Winnow-R: for a cost of {cost} it made {mistakes1} mistakes, Winnow {mistakes0}. "
                "Winnow's weights were buried deep, and every one has to be doubled back. Winnow-R "
                "can promise at most {bound}, whatever the adversary does with as many additions. "
                "The perceptron and PA make few mistakes here: this game was made against Winnow.",
                {"t": None},
            ),
        ),
    ),
)  # fmt: skip

COURSE = (
    REPRESENT, STEP, CONVERGES, CYCLES, MARGIN, ORDER, AVERAGE, AGGRESSIVE, WINNOW, HALVING,
    DRIFT, ADVERSARY,
)  # fmt: skip
