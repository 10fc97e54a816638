"""The lessons: every screen can be shown, and what an answer says is true by computation."""

import re

import numpy as np
import pytest

from thresher import PassiveAggressive, Perceptron, Snow, VotedPerceptron
from thresher.errors import InvalidInput
from thresher.lab.adversary import game as adversary
from thresher.lab.boolean import trace as boolean
from thresher.lab.classes import points as classes_points
from thresher.lab.classes import trace as classes
from thresher.lab.growth.measure import FIELDS as GROWTH
from thresher.lab.growth.measure import run as growth_run
from thresher.lab.landscape.paths import run as landscape_run
from thresher.lab.landscape.setup import FIELDS as LANDSCAPE
from thresher.lab.landscape.setup import generate as landscape_points
from thresher.lab.landscape.surface import surface
from thresher.lab.lessons.screens import lessons, listed, screen
from thresher.lab.plane.points import generate
from thresher.lab.plane.trace import FIELDS, run

SCREENS = [(lesson.name, i) for lesson in lessons() for i in range(1, len(lesson.screens) + 1)]
VIEW = {(lesson.name, i): s.view for lesson in lessons() for i, s in enumerate(lesson.screens, 1)}


def shown(name, number):
    """A screen as a page gets it, and the run that it shows."""
    answer = screen({"lesson": name, "screen": number})
    state = answer["state"]
    points = state.get("points") or generate(state["made"])["points"]
    asked = {key: state[key] for key in FIELDS if key in state}
    return answer, points, run({**asked, "points": points})


def seen(answer):
    """The panels of a screen, and how many steps its run has."""
    state = answer["state"]
    if answer["view"] == "plane":
        _, _, trace = shown(answer["lesson"], answer["screen"])
        return trace["panels"], len(trace["sequence"])
    if answer["view"] == "boolean":
        trace = boolean.run({key: state[key] for key in boolean.FIELDS if key in state})
        return trace["panels"], len(trace["labels"])
    if answer["view"] == "classes":
        points = classes_points.generate(state["made"])["points"]
        asked = {key: state[key] for key in classes.FIELDS if key in state}
        trace = classes.run({**asked, "points": points})
        return trace["panels"], len(trace["sequence"])
    if answer["view"] == "growth":
        return [], len(grown(answer)["sizes"])
    if answer["view"] == "landscape":
        return [], state["steps"]
    moves = adversary.bury({"n": state["n"], **state["bury"]})["moves"]
    trace = adversary.run({"n": state["n"], "seed": state["seed"], "moves": moves})
    return trace["panels"], len(trace["labels"])


def facts(trace):
    """Of the points, as the first panel takes them."""
    return trace["panels"][0]["data"]


def mistakes(trace, i=0):
    return sum(trace["panels"][i]["mistake"])


def chosen(answer):
    question = answer["question"]
    return question["choices"][question["right"]]


@pytest.mark.parametrize(("name", "number"), SCREENS)
def test_every_screen_can_be_shown(name, number):
    answer = screen({"lesson": name, "screen": number})
    panels, steps = seen(answer)
    assert (answer["lesson"], answer["screen"]) == (name, number)
    assert all("error" not in panel for panel in panels)
    texts, question = [answer["text"]], answer["question"]
    assert question, "a screen asks something"
    texts += [question["ask"], question["reveal"], *question["choices"], *question["replies"]]
    replies = [bool(reply) for reply in question["replies"]]
    assert replies == [i != question["right"] for i in range(len(question["choices"]))]
    assert 0 <= question["right"] < len(question["choices"])
    assert len(set(question["choices"])) == len(question["choices"])
    t = question["then"].get("t")
    assert t is None or 0 <= t <= steps
    for text in texts:
        assert not re.search(r"[{}]|\bnan\b|\binf\b", text)
    assert answer["state"].get("t") is None or answer["state"]["t"] <= steps


def test_the_list_names_every_lesson_once():
    names = [lesson["name"] for lesson in listed()["lessons"]]
    assert names == [lesson.name for lesson in lessons()]
    assert len(set(names)) == len(names)


def test_a_bound_in_a_text_does_not_apply_where_there_is_none():
    for name, number in (one for one in SCREENS if VIEW[one] == "plane"):
        answer, _, trace = shown(name, number)
        text = answer["text"] + str(answer["question"])
        if not facts(trace)["separable"]:
            assert not re.search(r"(?:=|most|exactly) none", text), (name, number)


@pytest.mark.parametrize(
    "wrong", [{"lesson": "magic"}, {"lesson": "step", "screen": 0}, {"lesson": "step", "screen": 9},
              {"lesson": 3}, {"lesson": "step", "screen": "1"}],
)  # fmt: skip
def test_a_screen_that_is_not_there_is_said(wrong):
    with pytest.raises(InvalidInput):
        screen(wrong)


# -- what is right, by computation


def test_one_line_does_for_and_none_for_xor():
    answer, _, trace = shown("represent", 1)
    assert (chosen(answer), facts(trace)["separable"]) == ("yes", True)
    assert sum(trace["panels"][0]["mistake"][-4:]) == 0  # it has found one
    answer, _, trace = shown("represent", 2)
    assert (chosen(answer), facts(trace)["separable"]) == ("no line will", False)
    assert len(facts(trace)["conflict"]) == 4
    _, _, trace = shown("represent", 3)
    assert sum(trace["panels"][1]["mistake"][-4:]) == 0  # the kernel has
    assert sum(trace["panels"][0]["mistake"][-4:]) > 0


def test_the_steps_of_the_perceptron():
    answer, _, trace = shown("step", 1)
    moves = trace["panels"][0]["moves"]["w"]
    assert moves[1] == [-1.0, 0.0, 0.0]
    assert chosen(answer) == "to the left, away from x"
    assert trace["panels"][0]["score"] == [0.0, -0.8]
    assert trace["panels"][0]["mistake"] == [1, 1]
    answer, _, trace = shown("step", 2)
    assert moves[2] == pytest.approx([-0.2, 0.6, 0.0])
    assert chosen(answer) == "(−0.2, 0.6)"
    assert np.dot(moves[2][:2], [0.8, 0.6]) == pytest.approx(0.2)


def test_the_bound_holds_and_grows_with_the_square():
    first, _, near = shown("converges", 1)
    bound = int(facts(near)["bound"])
    assert chosen(first) == f"at most {bound}"
    assert mistakes(near) <= bound
    assert f"made {mistakes(near)}, all in the first epoch" in first["question"]["reveal"]
    assert mistakes(near) == sum(near["panels"][0]["mistake"][: len(near["sequence"]) // 3])
    assert 0.6 * bound < mistakes(near) < bound  # near to it, but "exactly" is wrong
    for number in (2, 3):
        _, _, trace = shown("converges", number)
        assert mistakes(trace) <= facts(trace)["bound"]
    assert chosen(shown("converges", 2)[0]) == "four times as large"


def test_the_points_of_the_second_screen_lie_nearer_to_the_line():
    assert facts(shown("converges", 2)[2])["gamma"] < facts(shown("converges", 1)[2])["gamma"]


def test_weights_come_back_and_all_repeats():
    answer, _, trace = shown("cycles", 1)
    panel = trace["panels"][0]
    at, w = panel["moves"]["at"], panel["moves"]["w"]
    ends = [tuple(w[np.searchsorted(at, t, side="right") - 1]) for t in range(0, 49, 4)]
    assert len(set(ends)) < len(ends)
    assert "come back" in chosen(answer)
    each = np.array(panel["mistake"]).reshape(12, 4).sum(1)
    assert f"{each[-1]} in each of the last" in answer["question"]["reveal"]
    assert len(set(each[-4:])) == 1


def test_with_noise_the_other_bound_holds():
    answer, _, trace = shown("cycles", 2)
    told = answer["question"]["reveal"]
    bound = int(re.search(r"at most ([\d,]+) in three", told)[1].replace(",", ""))
    assert not facts(trace)["separable"]
    assert mistakes(trace) <= bound


def test_a_margin_leaves_more_room():
    answer, points, trace = shown("margin", 1)
    X, y = np.array(points)[:, :2], np.array(points)[:, 2]

    def room(panel):
        w = np.array(panel["moves"]["w"][-1])
        return (y * (X @ w[:2] + w[2])).min() / np.linalg.norm(w[:2])

    plain, wide = trace["panels"]
    assert 0 < room(plain) < room(wide)
    assert chosen(answer) == "the one with a margin"
    w = np.array(wide["moves"]["w"][-1])
    assert (y * (X @ w[:2] + w[2])).min() >= 0.8  # "the dashed band free of points"
    assert f"{sum(plain['update'])} to {sum(wide['update'])}" in answer["question"]["reveal"]


def test_the_worst_order_makes_more_mistakes_and_none_breaks_the_bound():
    given, worst, shuffled = (shown("order", number)[2] for number in (1, 2, 3))
    assert chosen(shown("order", 1)[0]) == "more"
    assert mistakes(worst) > mistakes(given)
    for trace in (given, worst, shuffled):
        assert mistakes(trace) <= facts(trace)["bound"] == facts(given)["bound"]


def test_the_average_becomes_steady():
    answer, _, trace = shown("average", 1)
    assert chosen(answer) == "become steady"
    panel = trace["panels"][0]

    def jumps(w):
        unit = np.array(w) / np.linalg.norm(w, axis=1, keepdims=True)
        return np.linalg.norm(np.diff(unit[-60:], axis=0), axis=1).max()

    last = [panel["moves"]["w"][np.searchsorted(panel["moves"]["at"], t, side="right") - 1]
            for t in range(1, len(trace["sequence"]) + 1)]  # fmt: skip
    assert jumps(panel["means"]) < jumps(last) / 5


def test_averaged_and_voted_are_better_than_the_last_on_new_points():
    answer, points, _ = shown("average", 2)
    assert chosen(answer) == "the last"  # is wrong on most
    X, y = np.array(points)[:, :2], np.array(points)[:, 2].astype(int)
    made = answer["state"]["made"]
    # New points of the same line, their labels right: more of the same set, drawn further.
    new = np.array(generate({**made, "kind": "separable", "size": 1120})["points"])[120:]
    models = [Perceptron(average=False), Perceptron(), VotedPerceptron()]
    wrong = [
        100 - 100 * m.partial_fit(X, y, classes=[-1, 1]).score(new[:, :2], new[:, 2].astype(int))
        for m in models
    ]
    told = re.findall(r"([\d.]+) %", answer["question"]["reveal"])
    assert [float(v) for v in told] == pytest.approx(wrong, abs=0.051)
    assert wrong[0] > 3 * max(wrong[1:])


def test_passive_aggressive_lands_on_the_margin():
    answer, points, trace = shown("passive-aggressive", 1)
    assert chosen(answer) == "exactly 1"
    panel = trace["panels"][1]
    for t, w in zip(panel["moves"]["at"][1:], panel["moves"]["w"][1:], strict=True):
        x1, x2, y = points[trace["sequence"][t - 1]]
        assert y * (w[0] * x1 + w[1] * x2 + w[2]) == pytest.approx(1.0, abs=1e-6)


def test_a_wrong_label_throws_pa_further_than_pa_1():
    answer, points, _ = shown("passive-aggressive", 2)
    assert chosen(answer) == "PA"
    X, y = np.array(points)[:, :2], np.array(points)[:, 2].astype(int)
    right = np.array(generate({**answer["state"]["made"], "noise": 0})["points"])[:, 2]
    wrong = np.flatnonzero(y != right)
    assert len(wrong) >= 1

    def throws(model):
        out = []
        model.partial_fit(X[:1], y[:1], classes=[-1, 1], sample_weight=[0.0])
        for i in range(len(y)):
            before = np.append(model.coef_, model.intercept_)
            model.partial_fit(X[[i]], y[[i]])
            out.append(np.linalg.norm(np.append(model.coef_, model.intercept_) - before))
        return np.array(out)[wrong]

    pa = throws(PassiveAggressive(variant="PA", average=False))
    pa1 = throws(PassiveAggressive(C=0.1, average=False))
    assert (pa > pa1).all()


def test_after_drifting_the_last_hypothesis_beats_the_average_on_the_last_points():
    answer, points, trace = shown("drift", 1)
    assert chosen(answer) == "the last"
    panel = trace["panels"][0]
    rows = np.array(points[-40:])

    def right(w):
        return np.mean(rows[:, 2] * (rows[:, :2] @ np.array(w[:2]) + w[2]) > 0)

    assert right(panel["moves"]["w"][-1]) > right(panel["means"][-1])
    told = re.search(r"wrong on (\d+), the average on (\d+)", answer["question"]["reveal"])
    assert int(told[1]) == sum(panel["mistake"][-50:]) < int(told[2]) / 3
    assert not facts(trace)["separable"]


def test_winnow_grows_slowly_with_n_and_the_perceptron_does_not():
    counts = []
    for number in (1, 2, 3):
        panels, _ = seen(screen({"lesson": "winnow", "screen": number}))
        counts.append([sum(panel["mistake"]) for panel in panels])
    winnow, perceptron = np.array(counts).T
    assert (np.diff(winnow) > 0).all() and winnow[2] < 2 * winnow[0]
    assert (np.diff(perceptron - winnow) > 0).all() and perceptron[2] > 3 * perceptron[0]


def test_a_mistake_of_halving_halves_what_is_left():
    (halving, elimination), _ = seen(screen({"lesson": "halving", "screen": 1}))
    assert sum(halving["mistake"]) < sum(elimination["mistake"])
    size = np.array(halving["size"])
    wrong = np.array(halving["mistake"], bool)
    assert wrong.any() and (2 * size[1:][wrong] <= size[:-1][wrong]).all()
    assert size[-1] == 1


def test_winnow_with_a_floor_comes_back_sooner():
    panels, _ = seen(screen({"lesson": "adversary", "screen": 1}))
    winnow, winnow_r = (panel["mistakes"] for panel in panels[:2])
    assert 2 * winnow_r < winnow


def test_mira_moves_every_violator_and_a_row_of_classes_can_be_told_apart():
    answer = screen({"lesson": "classes", "screen": 1})
    panels, _ = seen(answer)
    moves = [dict(zip(p["moves"]["at"], p["moves"]["tau"], strict=True))[7] for p in panels]
    assert [len(tau) for tau in moves] == [3, 2]
    assert chosen(answer) == "all three"
    assert sum(moves[0].values()) == pytest.approx(0.0, abs=1e-8)  # "adds up to as much"
    panels, _ = seen(screen({"lesson": "classes", "screen": 2}))
    assert [p["moves"]["wrong"][-1] for p in panels] == [0, 0]
    lengths = [np.hypot(*w[:2]) for w in panels[0]["moves"]["W"][-1].values()]
    assert np.argmin(lengths) == 1  # "the class in the middle has a short prototype"


def test_the_landscape_is_as_the_lesson_says():
    first, second, third = (screen({"lesson": "landscape", "screen": i}) for i in (1, 2, 3))
    way = {path["name"]: path for path in ways(first)}
    least = surface(landscape(first))["least"]
    assert way["rls"]["J"][3] < 1.2 * least < way["online"]["J"][-1]
    then = {**landscape(second), "eta": second["question"]["then"]["eta"]}
    assert then["eta"] > surface(then)["eta_max"] > landscape(second)["eta"]
    away = {path["name"]: path["diverges"] for path in ways_of(then)}
    assert away["batch"] and not away["line search"] and not away["rls"]
    assert not any(path["diverges"] for path in ways(second))
    assert [path["name"] for path in ways(third)] == ["online"]
    then = {
        path["name"]: path["J"][-1] for path in ways_of({**landscape(third), "loss": "perceptron"})
    }
    assert then["batch"] == then["online"] == 0.0
    fourth = screen({"lesson": "landscape", "screen": 4})
    (x, y, _), epsilon = landscape(fourth)["points"][3], fourth["state"]["epsilon"]
    was, now = (way["w"][t] for way in ways(fourth) if way["name"] == "pa" for t in (3, 4))
    off = [abs(y - w[0] * x - w[1]) for w in (was, now)]
    assert off[0] > epsilon == pytest.approx(off[1])  # the question is about a step that moves


def landscape(answer):
    state = answer["state"]
    points = landscape_points({"task": state["task"], **state["made"]})["points"]
    return {key: state[key] for key in LANDSCAPE if key in state} | {"points": points}


def ways(answer):
    return ways_of(landscape(answer))


def ways_of(state):
    return landscape_run(state)["paths"]


def grown(answer):
    return growth_run({key: v for key, v in answer["state"].items() if key in GROWTH})


def test_growth_is_as_the_lesson_says():
    few, dense = (grown(screen({"lesson": "growth", "screen": i}))["learners"] for i in (1, 2))
    winnow, between, perceptron = few
    assert perceptron["power"][-1] > 0.8 and winnow["power"][-1] < 0.35
    assert winnow["mean"][-1] < between["mean"][-1] < perceptron["mean"][-1]
    assert dense[2]["mean"][-1] < dense[0]["mean"][-1]  # the perceptron is ahead
    assert dense[2]["mean"][1] > dense[0]["mean"][1]  # and was not, when the class was asked


def test_what_sets_the_other_learners_apart():
    sure, points, trace = shown("arow", 1)
    path = np.array(trace["panels"][0]["moves"]["w"])
    sizes = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert sizes[-20:].max() < sizes[:5].min() and "smaller" in chosen(sure)
    assert mistakes(trace) < mistakes(trace, 1)
    probable, points, trace = shown("logistic", 1)
    assert sum(trace["panels"][0]["update"]) == len(points) and "a little" in chosen(probable)
    assert round(1 / (1 + np.exp(4)), 3) == 0.018
    counted, points, trace = shown("counting", 1)
    state = {**counted["state"], **counted["question"]["then"], "points": points}
    other = run({key: state[key] for key in FIELDS if key in state})
    for was, now in zip(trace["panels"], other["panels"], strict=True):
        assert np.allclose(was["moves"]["w"][-1], now["moves"]["w"][-1], rtol=1e-9)
    assert chosen(counted) == "the same"
    assert f"makes {mistakes(other)} mistakes" in counted["question"]["reveal"]
    nodes, points, _ = shown("snow", 1)
    model = Snow().partial_fit([p[:2] for p in points], [p[2] for p in points], classes=[-1, 1])
    assert model.links_ == 4 and chosen(nodes) == "four"
    _, _, trace = shown("few-labels", 1)
    asked, told = trace["panels"]
    assert sum(asked["update"]) < sum(asked["mistake"]) and told["update"] == told["mistake"]
