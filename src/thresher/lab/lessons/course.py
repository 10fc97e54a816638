"""The lessons themselves, in the order in which a class would take them."""

from __future__ import annotations

from typing import Any

from thresher.lab.lessons.more import MORE
from thresher.lab.lessons.screens import Lesson, Question, Screen
from thresher.lab.lessons.wider import WIDER


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
                ("", "A line that cuts off one corner does it."),
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
                ("However a line lies, at least one corner is on its wrong side.", ""),
                {"t": None},
            ),
            points=corners(1, -1, -1, 1), panels=[PLAIN], epochs=8, t=0,
        ),
        plane(
            "No line in x₁ and x₂ does it, but one in more features may. The kernel perceptron in "
            "the second panel also has x₁², x₂² and x₁·x₂: a polynomial kernel of degree 2.",
            Question(
                "How many mistakes will it make in the last of eight epochs?",
                ("none", "as many as the perceptron"), 0,
                "It makes {last1}, after {mistakes1} in all; the perceptron makes {last0} in every "
                "epoch. "
                "Seen from the plane, the boundary of the kernel is curved.",
                ("", "The product is + on two opposite corners and − on the others, as XOR is."),
                {"t": None},
            ),
            points=corners(1, -1, -1, 1),
            panels=[PLAIN, learner("kernel-perceptron", kernel="polynomial", degree=2)],
            epochs=8, t=0,
        ),
    ),
)  # fmt: skip

STEP = Lesson(
    "step",
    "A step of the perceptron",
    (
        plane(
            "The perceptron begins with w = 0 and no bias here. The first example is x = (1, 0) "
            "with the label −. Its score w·x is 0, which counts as a mistake.",
            Question(
                "It adds y·x to w. Where will w point?",
                ("to the right, at x", "to the left, away from x", "nowhere: w stays 0"), 1,
                "To the left: {w1}. Here the step η is 1. The line is at right angles to w, and x "
                "is now on the − side.",
                ("It would for a +; here y = −1.", "", "A score of 0 is a mistake, so w moves."),
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
                ("", "That is w − x; the label is +.", "That is x alone; w keeps what it had."),
                {"t": 2},
            ),
            points=[[1, 0, -1], [0.8, 0.6, 1]],
            panels=[learner("perceptron", average=False, fit_intercept=False)], t=1,
        ),
        plane(
            "That is all: right, and nothing happens; wrong, and w moves by ±x.",
            Question(
                "Fourteen points, two epochs: how many mistakes?",
                ("{mistakes0}", "14", "28"), 0,
                "It makes {mistakes0}: a step for one point often makes others right as well. Drag "
                "a point and see the whole history change.",
                ("", "It would be wrong on each point once.", "It would be wrong at every step."),
                {"t": None},
            ),
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
            "Suppose that some vector u of length 1 has every example on its side, at least γ "
            "away, and that no example is longer than R. At each mistake w·u grows by at least γ, "
            "but ‖w‖² by at most R². After k mistakes: kγ ≤ w·u ≤ ‖w‖ ≤ R√k. So k ≤ R²/γ².",
            Question(
                "Here R = {R} and γ = {gamma}. How many mistakes can it make, however long it "
                "runs, in whatever order?",
                ("there is no limit", "at most {bound}", "exactly {bound}"), 1,
                "At most {bound}. It made {mistakes0}, all in the first epoch: these points come "
                "in an order that was chosen against it. The tab “proof” shows both sides of the "
                "inequality as they close.",
                ("kγ grows faster than R√k: they meet at k = R²/γ².", "",
                 "It is a bound: no order makes more, most make fewer."),
                {"t": None, "tab": "proof"},
            ),
            made={"kind": "tight", "size": 400, "gamma": 0.2, "noise": 0, "seed": 11},
            panels=[PLAIN], epochs=3, t=0,
        ),
        plane(
            "The same construction, with the points nearer to the line.",
            Question(
                "If γ is half as large, the bound is …",
                ("twice as large", "four times as large", "the same"), 1,
                "Four times: γ is squared. Here γ = {gamma}, and the bound is {bound}; the run "
                "made {mistakes0} mistakes.",
                ("γ is squared in R²/γ².", "", "The bound is R²/γ²: it changes with γ."),
                {"t": None, "tab": "proof"},
            ),
            made={"kind": "tight", "size": 400, "gamma": 0.1, "noise": 0, "seed": 11},
            panels=[PLAIN], epochs=3, t=0,
        ),
        plane(
            "Now 400 points drawn at random, with γ = {gamma} and R = {R}. Neither the number of "
            "points nor that of features is in the bound.",
            Question(
                "The bound is {bound}. In 20 epochs, 8,000 steps, it will make …",
                ("about {bound} mistakes", "far fewer", "more: there are more points"), 1,
                "It makes {mistakes0}, and {last0} in the last epoch. The bound is for the worst "
                "order of the worst points; by chance, points are seldom so bad.",
                ("Only an order chosen against it comes near.", "", "No number of points can."),
                {"t": None},
            ),
            made={"kind": "separable", "size": 400, "gamma": 0.1, "noise": 0, "seed": 11},
            panels=[PLAIN], epochs=20, t=0,
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
                ("Settled weights would separate the points.",
                 "On a finite set of points ‖w‖ stays bounded.", ""),
                {"t": None},
            ),
            points=corners(1, -1, -1, 1), panels=[PLAIN], epochs=12, t=0,
        ),
        plane(
            "Sixty points, some with a wrong label: no line separates them.",
            Question(
                "Is there still a bound on the mistakes?", ("no, none", "yes, another one"), 1,
                "Another one, that counts how far the points are on the wrong side: at most "
                "{noisy0} in three epochs, it made {mistakes0}. Which bound applies is decided by "
                "the data, and the lab says which it shows.",
                ("R²/γ² has no meaning here, but each wrong point can be charged for.", ""),
                {"t": None},
            ),
            made={"kind": "noisy", "size": 60, "gamma": 0.1, "noise": 0.1, "seed": 2},
            panels=[PLAIN], epochs=3, t=0,
        ),
    ),
)  # fmt: skip

MARGIN = Lesson(
    "margin",
    "Room on both sides: margin",
    (
        plane(
            "The perceptron stops as soon as every point is on its side, however near to the line. "
            "The second panel also learns from points that are right by less than 0.8.",
            Question(
                "Which line will leave more room?",
                ("the plain perceptron's", "the one with a margin", "they are the same"), 1,
                "The one with a margin: it went on from {updates0} to {updates1} updates and has "
                "the dashed band free of points.",
                ("It stops too early for that.", "", "The second goes on where the first stops."),
                {"t": None},
            ),
            made={"kind": "separable", "size": 30, "gamma": 0.15, "noise": 0, "seed": 5},
            panels=[PLAIN, learner("perceptron", average=False, margin=0.8)], epochs=30, t=0,
        ),
        plane(
            "γ is the most room that any line can leave on both sides. The bias counts as one more "
            "weight in it.",
            Question(
                "How many of the 30 points decide γ?",
                ("all 30", "a few, nearest to the line"), 1,
                "A few: {support} here. Drag one of them and see γ change, and with it R²/γ² = "
                "{bound}, the bound of the perceptron without a margin. Drag another a little, and "
                "γ stays.",
                ("Points that are far from the line can move without touching γ.", ""),
                {"t": None},
            ),
            made={"kind": "separable", "size": 30, "gamma": 0.15, "noise": 0, "seed": 5},
            panels=[learner("perceptron", average=False, margin=0.8)], epochs=30, t=0,
        ),
    ),
)  # fmt: skip

ORDER = Lesson(
    "order",
    "One by one: the order matters",
    (
        plane(
            "An online learner meets its examples one by one, and what it makes of them depends on "
            "their order. In the order given it makes {mistakes0} mistakes in three epochs.",
            Question(
                "The same points, but next is always the one it is most wrong about. Mistakes?",
                ("fewer", "more"), 1,
                "More: {after_mistakes0}. But never more than R²/γ² = {bound}: that holds for "
                "every order.",
                ("The example that it is most wrong about is a mistake as long as there is one.",
                 ""),
                {"order": "worst", "t": None},
            ),
            made={"kind": "separable", "size": 40, "gamma": 0.05, "noise": 0, "seed": 9},
            panels=[PLAIN], epochs=3,
        ),
        plane(
            "The worst first: {mistakes0} mistakes, at most {bound}.",
            Question(
                "And if the points are shuffled anew in each epoch?",
                ("it depends on the shuffle", "always fewer than worst first"), 0,
                "It depends: some orders are luckier than others. This one makes "
                "{after_mistakes0} mistakes; another seed, another count.",
                ("", "“Worst” looks one step ahead only; another order can turn out worse."),
                {"order": "shuffled", "t": None},
            ),
            made={"kind": "separable", "size": 40, "gamma": 0.05, "noise": 0, "seed": 9},
            panels=[PLAIN], epochs=3, order="worst",
        ),
        plane(
            "Shuffled anew in each epoch: {mistakes0} mistakes, at most {bound}. A batch learner "
            "looks at all examples before each step.",
            Question(
                "What does the order mean to a batch learner?",
                ("as much as to an online one", "nothing"), 1,
                "Nothing: it sees all examples at once. But each of its steps costs a whole pass.",
                ("It adds up all examples before it moves; a sum has no order.", ""),
            ),
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
            "With noisy labels the last hypothesis is whatever the last mistake left behind. The "
            "dotted line is the average of all hypotheses so far, each counted by how long it "
            "survived.",
            Question(
                "Over time the dotted line will …",
                ("jump as much", "become steady", "stay at the first line"), 1,
                "It becomes steady: example t moves the average by only 1/t of the way to the "
                "hypothesis of that moment.",
                ("One hypothesis of many cannot move an average far.", "",
                 "It counts every hypothesis, the first no more than others."),
                {"t": None},
            ),
            made={"kind": "noisy", "size": 120, "gamma": 0.05, "noise": 0.12, "seed": 16},
            panels=[learner("perceptron")], epochs=2, t=30, mean=True,
        ),
        plane(
            "Voting is the same thought: each hypothesis votes, with as many votes as examples it "
            "survived. Its boundary is made of many lines. Now 1,000 new points come, with no "
            "noise.",
            Question(
                "Which one makes the most mistakes on them?",
                ("the last", "the average", "the vote"), 0,
                "The last: {fresh_last0} % wrong, the average {fresh0} %, the vote {fresh1} %. "
                "Averaging needs one vector more, voting all hypotheses.",
                ("", "It forgets no hypothesis that was good for long.",
                 "It forgets no hypothesis that was good for long."),
                {"t": None},
            ),
            made={"kind": "noisy", "size": 120, "gamma": 0.05, "noise": 0.12, "seed": 16},
            panels=[learner("perceptron"), learner("voted-perceptron")], epochs=1, mean=True, t=0,
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
                ("0 was the score before the step.", "",
                 "Further than 1 would be more than needed."),
                {"t": 1},
            ),
            made={"kind": "separable", "size": 16, "gamma": 0.2, "noise": 0, "seed": 8},
            panels=[PLAIN, learner("pa", variant="PA", average=False)], epochs=2, t=0,
        ),
        plane(
            "A few points have the wrong label now.",
            Question(
                "PA does what each example asks. PA-I takes a step τ of at most C = 0.1. Which one "
                "does a wrong label throw further?", ("PA", "PA-I"), 0,
                "PA: it must put the wrong point on its margin too. PA-I takes at most a step of "
                "C, so one example cannot undo many.",
                ("", "C is a limit on its step; PA has none."),
                {"t": None},
            ),
            made={"kind": "noisy", "size": 40, "gamma": 0.2, "noise": 0.08, "seed": 21},
            panels=[
                learner("pa", variant="PA", C=0.1, average=False),
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
            "While these points come, the line between them turns by half a circle. Old points "
            "fade: what was + may be − now.",
            Question(
                "Which hypothesis is better at the end: the last, or the average of all?",
                ("the last", "the average"), 0,
                "The last. Of the newest 50 points, each predicted before it was learned, the last "
                "hypothesis was wrong on {late0}, the average on {late_mean0}: it still remembers "
                "lines that are no longer true. Averages are for a truth that stays.",
                ("", "It averages lines of which most are no longer true."),
                {"t": None},
            ),
            made={"kind": "drifting", "size": 200, "gamma": 0.05, "noise": 0, "seed": 6},
            panels=[learner("perceptron")], epochs=1, t=60, mean=True, fade=True,
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
                "A few more. With {after_n} variables Winnow makes {after_mistakes0} mistakes, "
                "the perceptron {after_mistakes1}: Winnow's bound, here {after_bound0}, grows with "
                "log n.",
                ("A weight that matters is doubled until it reaches θ = n: for four times as many "
                 "variables two doublings more.", "", "More variables are more to rule out."),
                {"n": 64, "t": None},
            ),
            "winnow", "perceptron", target="x2 ∨ x5 ∨ x9", n=16,
        ),
        boolean(
            "{n} variables: Winnow {mistakes0} mistakes (at most {bound0}), the perceptron "
            "{mistakes1}.",
            Question(
                "And with 256?", ("the gap closes", "the gap grows"), 1,
                "It grows: Winnow {after_mistakes0}, the perceptron {after_mistakes1}. Winnow's "
                "bound grows with log n, the perceptron's with the number of variables that are 1 "
                "at a time.",
                ("The perceptron has to learn of each variable that it does not matter.", ""),
                {"n": 256, "t": None},
            ),
            "winnow", "perceptron", target="x2 ∨ x5 ∨ x9", n=64,
        ),
        boolean(
            "{n} variables: Winnow {mistakes0} (at most {bound0}), the perceptron {mistakes1}.",
            Question(
                "When would you take the perceptron?",
                ("never", "where many features matter a little", "where few features matter"), 1,
                "Where many matter a little, the perceptron's bound is the lower one; where few of "
                "many do, Winnow's. The perceptron's grows with the lengths of u and x, Winnow's "
                "with the sum of all |uᵢ|, the largest |xᵢ| and log n.",
                ("Each has data on which its bound is the lower one.", "",
                 "That is Winnow's home."),
            ),
            "winnow", "perceptron", target="x2 ∨ x5 ∨ x9", n=256,
        ),
    ),
)  # fmt: skip

HALVING = Lesson(
    "halving",
    "Ask all concepts, follow the majority",
    (
        boolean(
            "There are {concepts} disjunctions of {n} variables that negate none, and one of them "
            "is the truth. "
            "Halving lets all that have never been wrong vote.",
            Question(
                "When the majority is wrong, how many concepts are thrown out at least?",
                ("one", "half of them", "all but one"), 1,
                "Half: all who voted with the majority were wrong. So it makes at most log₂ "
                "{concepts} = {bound0} mistakes; it made {mistakes0}, and {left} is left. "
                "Elimination, which needs no vote, made {mistakes1}, at most {bound1}.",
                ("All who voted for the wrong label were wrong, not just one.", "",
                 "The minority may hold many concepts."),
                {"t": None},
            ),
            "halving", "elimination", target="x2 ∨ x5 ∨ x9", n=12, examples=60, density=0.1, t=0,
        ),
    ),
)  # fmt: skip

ADVERSARY = Lesson(
    "adversary",
    "Playing against Winnow",
    (
        Screen(
            "An adversary changes the target, and pays 1 for each variable added or removed. Here "
            "it shows x1 and twelve others with the label 0, again and again: each time Winnow "
            "halves their weights. Then it adds the twelve to the target.",
            "adversary",
            {"mode": "disjunction", "n": 32, "seed": 0, "bury": {"depth": 14, "buried": 12},
             "t": 40},
            Question(
                "Winnow-R is Winnow whose weights never fall below ½. Which one comes back sooner?",
                ("Winnow", "Winnow-R"), 1,
                "Winnow-R: it made {mistakes1} mistakes, Winnow {mistakes0}: each buried weight "
                "has to be doubled back. Winnow-R makes at most {bound}, whatever an adversary "
                "does with as many additions. The perceptron and PA made few: this game was made "
                "against Winnow.",
                ("Each halving of a weight has to be undone by a mistake.", ""),
                {"t": None},
            ),
        ),
    ),
)  # fmt: skip

COURSE = (
    REPRESENT, STEP, CONVERGES, CYCLES, MARGIN, ORDER, AVERAGE, AGGRESSIVE, WINNOW, HALVING,
    DRIFT, ADVERSARY, *WIDER, *MORE,
)  # fmt: skip
