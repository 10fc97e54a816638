"""The table of learners as the command line uses it: short names, and options from text."""

import inspect

import pytest

from thresher import MIRA, BalancedWinnow, PassiveAggressive, Perceptron, Winnow
from thresher.errors import InvalidInput
from thresher.learners.table import LINEAR, TABLE, by_short, parse_settings


def test_each_online_learner_has_one_short_name():
    shorts = [entry.short for entry in TABLE]
    assert len(set(shorts)) == len(shorts)
    for entry in TABLE:
        if entry.online and entry.linear:
            assert by_short(entry.short) is entry


@pytest.mark.parametrize(
    "short, message",
    [
        ("perceptorn", "Did you mean 'perceptron'?"),
        ("balanced_winnow", "Did you mean 'balanced-winnow'?"),
        (
            "batch-perceptron",
            "expected one of perceptron, truncated, p-norm, label-efficient, banditron, shifting, ",
        ),
        ("zebra", "no learner 'zebra'"),
        ("elimination", "elimination has no weights and cannot race"),
        ("voted-perceptron", "Train it alone: thresher train --learner voted-perceptron"),
    ],
)
def test_unknown_names(short, message):
    with pytest.raises(InvalidInput) as caught:
        by_short(short)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "cls, text, value",
    [
        (PassiveAggressive, "C=0.1", 0.1),
        (PassiveAggressive, "C = 2", 2.0),
        (PassiveAggressive, "variant=PA-II", "PA-II"),
        (PassiveAggressive, "average=no", False),
        (PassiveAggressive, "average=True", True),
        (PassiveAggressive, "burn_in=10", 10),
        (PassiveAggressive, "random_state=7", 7),
        (Perceptron, "learning_rate=1/sqrt(t)", "1/sqrt(t)"),
        (Perceptron, "learning_rate=0.5", 0.5),
        (Perceptron, "max_epochs=none", None),
        (Winnow, "theta=none", None),
        (Winnow, "theta=2.5", 2.5),
        (MIRA, "C=inf", float("inf")),
    ],
)
def test_text_becomes_the_type_of_the_option(cls, text, value):
    (found,) = parse_settings(cls, [text]).values()
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize(
    "cls, settings, message",
    [
        (PassiveAggressive, ["C"], "expected NAME=VALUE"),
        (PassiveAggressive, ["C="], "expected NAME=VALUE"),
        (PassiveAggressive, ["C=1", "C=2"], "C is set twice"),
        (PassiveAggressive, ["varient=PA"], "Did you mean 'variant'?"),
        (PassiveAggressive, ["C=x"], "C is 'x'; expected a number"),
        (PassiveAggressive, ["C=-1"], "expected a finite number > 0"),
        (PassiveAggressive, ["variant=PA-9"], "expected one of 'PA', 'PA-I', 'PA-II'"),
        (
            PassiveAggressive,
            ["average=maybe"],
            'expected true, false, "tail" or a number between 0 and 1',
        ),
        (BalancedWinnow, ["burn_in=1.5"], "expected a whole number"),
        (Winnow, ["floor=low"], "expected a number or none"),
    ],
)
def test_settings_that_cannot_be(cls, settings, message):
    with pytest.raises(InvalidInput) as caught:
        parse_settings(cls, settings)
    assert message in str(caught.value)


@pytest.mark.parametrize("entry", LINEAR, ids=lambda entry: entry.short)
def test_every_default_can_be_typed(entry):
    """What an option is when nothing is said can also be said."""
    if not entry.online:
        return
    for name, parameter in inspect.signature(entry.cls).parameters.items():
        if name != "random_state":
            typed = parse_settings(entry.cls, [f"{name}={parameter.default}"])
            assert typed == {name: parameter.default}
