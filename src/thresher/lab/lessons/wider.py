"""Lessons beyond two classes in the plane: several classes, the loss landscape, growth with n."""

from __future__ import annotations

from thresher.lab.lessons.screens import Lesson, Question, Screen

CLASSES = Lesson(
    "classes",
    "Three classes and more",
    (
        Screen(
            "Each class has a prototype, and x gets the class whose score w·x is highest. The next "
            "example is of class {pulled0}, and both other classes score too high on it. MIRA "
            "makes the smallest change after which class {pulled0} leads each of them by 1.",
            "classes",
            {"made": {"kind": "blobs", "size": 45, "classes": 3, "noise": 0.02, "seed": 9},
             "panels": [{"learner": "mira", "options": {}}, {"learner": "perceptron",
                                                             "options": {}}],
             "order": "given", "epochs": 1, "seed": 0, "t": 6},
            Question(
                "How many prototypes will it move?", ("one", "two", "all three"), 2,
                "All three: that of class {pulled0} is pulled towards x by {pull0}, the others are "
                "pushed away, {pushed0}, which adds up to as much. The perceptron moves two: the "
                "right one and its strongest rival.",
                ("Pulling only the right one would be a larger change than sharing it.",
                 "That is the perceptron: the right one and its strongest rival.", ""),
                {"t": 7},
            ),
        ),
        Screen(
            "Three classes in a row. No line has the middle one on one side and both others on "
            "the other.",
            "classes",
            {"made": {"kind": "row", "size": 45, "classes": 3, "noise": 0.0, "seed": 2},
             "panels": [{"learner": "mira", "options": {}}, {"learner": "perceptron",
                                                             "options": {}}],
             "order": "given", "epochs": 10, "seed": 0, "t": 0},
            Question(
                "Can three prototypes tell them apart?", ("yes", "no"), 0,
                "Yes. After ten epochs MIRA is wrong on {wrong0} of {points} points, after "
                "{mistakes0} mistakes, the perceptron on {wrong1} after {mistakes1}. The class "
                "in the middle has a short prototype: where the others cancel, its bias wins.",
                ("", "Each class only has to score highest where its own points are."),
                {"t": None},
            ),
        ),
    ),
)  # fmt: skip

LINE = {"task": "regress", "made": {"size": 16, "noise": 0.12, "seed": 1}, "loss": "squared",
        "epsilon": 0.1, "steps": 40}  # fmt: skip

LANDSCAPE = Lesson(
    "landscape",
    "The loss landscape",
    (
        Screen(
            "A line y = w₁·x + w₀ is a point (w₁, w₀), and J(w) its mean squared error: the "
            "height of a landscape. All begin at w = 0. LMS, "
            "PassiveAggressiveRegressor and RecursiveLeastSquares see one of the {points} points a "
            "step.",
            "landscape",
            {**LINE, "eta": 0.6, "subject": "rls", "t": 0},
            Question(
                "When will RecursiveLeastSquares be near the lowest point?",
                ("after a few steps", "after all {points} points", "after 40 steps"), 0,
                "After three steps its J is {third_rls}; the lowest is {least}. Two examples "
                "determine a line, and each one more corrects it. LMS has {J_online} after 40 "
                "steps, and never comes to rest: each example pulls it elsewhere.",
                ("", "Two examples already determine a line.",
                 "It needs no rate: it solves for w."),
                {"t": None},
            ),
        ),
        Screen(
            "J is a bowl. Along its steepest axis it rises by λ max times the square of the "
            "distance, and a batch step multiplies that distance by 1 − η·λ max. Here η = {eta}.",
            "landscape",
            {**LINE, "eta": 0.6, "subject": "batch", "t": 5},
            Question(
                "For which η will batch descent run away?",
                ("η > 1/λ max", "η > 2/λ max", "for none: J is a bowl"), 1,
                "For η > 2/λ max = {eta_max}: then |1 − η·λ max| > 1, and every step ends further "
                "out than it began. This is η = 2.1. Drag the slider: it is red where this "
                "happens. The line search finds its own η each time.",
                ("Beyond 1/λ max it overshoots, but comes nearer.", "",
                 "A step can go past the lowest point, and land higher on the other side."),
                {"eta": 2.1, "t": None},
            ),
        ),
        Screen(
            "Two classes, and lines through 0. The height is now the share of points that are "
            "wrong.",
            "landscape",
            {"task": "classify", "made": {"size": 16, "noise": 0.0, "seed": 1}, "loss": "0/1",
             "eta": 1.0, "epsilon": 0.1, "steps": 40, "subject": "online", "t": 0},
            Question(
                "Why does nothing descend on it?",
                ("it has no lowest point", "it is flat: its slope is 0", "it is not a bowl"), 1,
                "It is made of flat pieces, so no slope says where to go. The perceptron's "
                "J, the mean of max(0, −y·w·x), has one wherever a point is wrong: the "
                "batch perceptron goes down all of it, the perceptron down that of one point.",
                ("It has one: no point is wrong.", "",
                 "True, but a slope would still lead down somewhere."),
                {"loss": "perceptron", "t": None},
            ),
        ),
        Screen(
            "Which lines are within ε = {epsilon} of one point? A strip of the landscape. "
            "PassiveAggressiveRegressor has no rate: if w is outside the strip of the example, it "
            "moves into it.",
            "landscape",
            {**LINE, "eta": 0.6, "subject": "pa", "t": 3},
            Question(
                "Where will its next step end?",
                ("at the lowest point of J", "in the middle of the strip",
                 "at the nearest point of the strip"), 2,
                "At the nearest point: the smallest change of w after which this example is within "
                "ε of its line. So it keeps as much as it can of what the others taught. After "
                "{steps_pa} steps its J is {J_pa}, that of LMS {J_online}, the lowest {least}.",
                ("It sees one point alone, and J is of all.",
                 "There the error would be 0, but ε costs nothing, and the way is longer.", ""),
                {"t": 4},
            ),
        ),
    ),
)  # fmt: skip

GROWTH = Lesson(
    "growth",
    "More and more variables",
    (
        Screen(
            "A disjunction of {k} variables, among n; the others are 1 in half of the examples. "
            "With n = {n} Winnow makes {now0} mistakes, the perceptron {now2}. Guess the rest: "
            "press in the chart.",
            "growth",
            {"target": "few", "k": 3, "density": "half", "p": 6, "bounds": False, "t": 3},
            Question(
                "How many will the perceptron make with n = {largest}?",
                ("as many", "about {scaled2}: it grows like n", "about 30 more"), 1,
                "It makes {last2}: its mistakes grow like n to the power {power2}. Winnow's go up "
                "by about {doubling0} at each doubling, to {last0}: that is log n. The p-norm "
                "perceptron with p = 6 is between them, with {last1}.",
                ("More variables are more that could matter.", "",
                 "That is Winnow: a few more at each doubling."),
                {"t": None, "bounds": True},
            ),
        ),
        Screen(
            "Now half of all variables matter, and two of the others are 1 at a time: the target "
            "is dense, the examples are sparse. With n = {n} Winnow makes {now0} mistakes, the "
            "perceptron {now2}.",
            "growth",
            {"target": "half", "k": 3, "density": "two", "p": 6, "bounds": False, "t": 2},
            Question(
                "Who will be ahead with n = {largest}?", ("Winnow", "the perceptron"), 1,
                "The perceptron, with {last2} mistakes to {last0}. It learns each variable that "
                "matters in a step or two, while Winnow doubles each weight up to its threshold, "
                "log n times.",
                ("Winnow is for few that matter. Here it needs log n promotions for each.", ""),
                {"t": None, "bounds": True},
            ),
        ),
    ),
)  # fmt: skip

WIDER = (CLASSES, LANDSCAPE, GROWTH)
