"""Options declared once: what a class makes of its declarations."""

import inspect
import math
import pickle

import pytest

from thresher import AROW, Halving, LogisticRegression, PassiveAggressive, Perceptron
from thresher.errors import InvalidInput
from thresher.learners.table import TABLE
from thresher.options import (
    REQUIRED,
    Declared,
    but,
    choice,
    count,
    flag,
    parsed,
    real,
    special,
)


class Shared(Declared):
    seed: int | None = count(kw_only=True, default=None, least=1, most=9, doc="a seed.")
    loud: bool = flag(kw_only=True, default=False, doc="say more.")


class Small(Shared):
    """A thing with options.

    Examples
    --------
    >>> 1 + 1
    2
    """

    size: float = real(default=1.0, above=0.0, most=4.0, words=("auto",), doc="how large.")
    kind: str = choice("a", "b", default="a", doc="which one.")
    loud: bool = but(default=True)


def test_own_options_come_first_and_groups_keep_their_order():
    assert list(Small.options) == ["size", "kind", "seed", "loud"]
    assert str(inspect.signature(Small)) == "(size=1.0, kind='a', *, seed=None, loud=True)"


def test_a_class_may_give_a_shared_option_another_default():
    assert Small().loud is True and Shared().loud is False
    assert Small.options["loud"].doc == Shared.options["loud"].doc


def test_the_documentation_describes_every_option_before_the_examples():
    text = Small.__doc__
    assert text.index("size : how large.") < text.index("seed : a seed.") < text.index("Examples")


def test_a_constructor_stores_and_checks_nothing():
    thing = Small(-3, kind=None)
    assert (thing.size, thing.kind) == (-3, None)
    with pytest.raises(InvalidInput, match=r"size is -3; expected a finite number > 0 and ≤ 4\."):
        thing.checked()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"size": "large"}, "size is 'large'; expected a number or 'auto'"),
        ({"size": math.nan}, "size is nan; expected a finite number"),
        ({"size": True}, "size is True; expected a number"),
        ({"kind": "c"}, "kind is 'c'; expected one of 'a', 'b'"),
        ({"seed": 10}, "seed is 10; expected a whole number from 1 to 9"),
        ({"seed": 1.5}, "seed is 1.5; expected a whole number"),
        ({"loud": 1}, "loud is 1; expected True or False"),
    ],
)
def test_what_an_option_may_not_be(options, message):
    with pytest.raises(InvalidInput) as caught:
        Small(**options).checked()
    assert message in str(caught.value)


def test_calls_that_do_not_fit():
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'knd'.*Did you mean 'kind'"):
        Small(knd="a")
    with pytest.raises(TypeError, match="missing a required argument: 'concepts'"):
        Halving()
    with pytest.raises(TypeError, match="too many positional arguments"):
        Small(1.0, "a", False)


def test_text_is_read_as_the_option_says():
    typed = parsed(Small, ["size=auto", "kind=b", "seed=none", "loud=no"])
    assert typed == {"size": "auto", "kind": "b", "seed": None, "loud": False}
    with pytest.raises(InvalidInput, match="seed is 'x'; expected a whole number or none"):
        parsed(Small, ["seed=x"])


def test_a_subclass_with_a_constructor_of_its_own_has_the_options_of_that():
    class Mine(Perceptron):
        def __init__(self, margin=2.0):
            super().__init__(margin=margin, average=False)

    class Below(Mine):
        pass

    for cls in Mine, Below:
        model = cls()
        assert model.get_params() == {"margin": 2.0}
        assert model.fit([[0.0, 1.0], [1.0, 0.0]], [0, 1]).average is False


def test_parameters_in_the_order_of_a_dataclass_for_type_checkers():
    """Positional options stand where dataclass_transform says: those of groups first."""

    class Leaf(Small):
        extra: int = count(default=0, doc="one more.")

    assert list(inspect.signature(Leaf).parameters)[:3] == ["size", "kind", "extra"]


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.name)
def test_every_option_of_a_learner_is_described_and_has_a_default_that_passes(entry):
    for name, option in entry.cls.options.items():
        assert option.name == name and option.doc
        if option.default is not REQUIRED:
            option.checked(option.default)


def test_options_survive_a_pickle():
    model = pickle.loads(pickle.dumps(AROW(r=2.0, average=True)))
    assert (model.r, model.average) == (2.0, True)


def test_special_options_say_when_they_cannot_be_typed():
    class Odd(Declared):
        thing: object = special(default=None, check=lambda v: v, doc="anything.")

    with pytest.raises(InvalidInput, match="thing cannot be typed"):
        parsed(Odd, ["thing=1"])


def test_positions_that_users_know():
    assert PassiveAggressive(0.5, "PA").get_params()["variant"] == "PA"
    assert LogisticRegression("constant", 0.25).learning_rate == 0.25
