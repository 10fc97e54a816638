"""One example at a time: prediction and lesson in one call; examples as JSON."""

from __future__ import annotations

from typing import Any

from thresher._core import JsonText
from thresher.errors import InvalidInput


def weight_of(sample_weight: float) -> tuple[float, ...]:
    """What is passed on: nothing if it is 1, as not every learner takes one."""
    return () if sample_weight == 1.0 else (sample_weight,)


class PredictThenLearn:
    """For learners with `predict_one` and `learn_one`."""

    def __init_subclass__(cls, **options: Any) -> None:
        """A class with its own `predict_one` or `learn_one` must not inherit a short cut that calls
        neither."""
        super().__init_subclass__(**options)
        own = vars(cls)
        if "predict_learn_one" not in own and ("predict_one" in own or "learn_one" in own):
            cls.predict_learn_one = PredictThenLearn.predict_learn_one  # type: ignore[method-assign]

    def predict_learn_one(self: Any, x: Any, y: Any, sample_weight: float = 1.0) -> Any:
        """The prediction for one example, which is then learned.

        The same as `predict_one` and then `learn_one`, in one call. Where the features of the
        learner have names, it reads the example once.

        Examples
        --------
        >>> from thresher import Perceptron
        >>> model = Perceptron()
        >>> stream = [({"sun": 1}, "go"), ({"rain": 1}, "stay"), ({"rain": 1}, "stay")]
        >>> [model.predict_learn_one(x, y) for x, y in stream]
        [None, 'go', 'stay']
        """
        answer = self.predict_one(x)
        self.learn_one(x, y, *weight_of(sample_weight))
        return answer


def json_text(text: bytes | str) -> JsonText:
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogatepass")  # the core says where a surrogate is
    if not isinstance(text, bytes):
        raise InvalidInput(
            f"found an example of type {type(text).__name__}",
            expected="the text of a JSON object as bytes or str, such as b'{\"age\": 30}'",
        )
    return JsonText(text)


class FromJson(PredictThenLearn):
    """For learners of examples by name."""

    def learn_json(self: Any, text: bytes | str, y: Any, sample_weight: float = 1.0) -> None:
        """Learn from one example that is the text of a JSON object.

        The same as ``learn_one(json.loads(text), y)`` without a dict in between. As in a file of
        JSON Lines, keys of nested objects are joined by dots, arrays have a meaning, a key given
        twice counts twice, and a name whose values are all 0 is not kept.

        Examples
        --------
        >>> from thresher import Perceptron
        >>> model = Perceptron()
        >>> model.learn_json(b'{"rain": 1, "wind": 0.5}', "stay")
        >>> model.learn_json(b'{"sun": 1, "day": "Sunday"}', "go")
        >>> model.predict_json('{"day": "Sunday", "sun": 1}')
        'go'
        >>> model.learn_json(b'{"rain": 1, "wind": "no";}', "stay")
        Traceback (most recent call last):
        ...
        thresher.errors.InvalidInput: line 1, column 25: found ';'; expected ',' or '}'
        """
        self.learn_one(json_text(text), y, *weight_of(sample_weight))

    def predict_json(self: Any, text: bytes | str) -> Any:
        """What `predict_one` says about an example that is the text of a JSON object."""
        return self.predict_one(json_text(text))

    def predict_learn_json(self: Any, text: bytes | str, y: Any, sample_weight: float = 1.0) -> Any:
        """The prediction for an example that is the text of a JSON object, which is then learned.

        Examples
        --------
        >>> from thresher import LMS
        >>> model = LMS()
        >>> [round(model.predict_learn_json('{"length": 2}', 4.0), 2) for _ in range(3)]
        [0.0, 4.0, 4.0]
        """
        return self.predict_learn_one(json_text(text), y, *weight_of(sample_weight))
