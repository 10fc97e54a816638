"""A linear model as an estimator of scikit-learn, and back."""

from __future__ import annotations

from typing import Any

from thresher.errors import InvalidInput
from thresher.export.portable import portable
from thresher.export.recipes import refuse_recipe
from thresher.extras import missing
from thresher.lazy import np


def to_sklearn(learner: Any) -> Any:
    """An estimator of scikit-learn that predicts the same.

    `LinearSVC` for labels (of `LogisticRegression` the one of the same name, with its
    probabilities) and `LinearRegression` for numbers; a pipeline where the model takes dicts, or
    scales to unit length.

    >>> import thresher
    >>> model = thresher.Perceptron().fit([[0.0, 1.0], [1.0, 0.0]], ["ham", "spam"])
    >>> model.to_sklearn().predict([[2.0, 0.0]]).tolist()
    ['spam']
    """
    try:
        from sklearn.linear_model import LinearRegression, LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import MaxAbsScaler, Normalizer
        from sklearn.svm import LinearSVC
    except ImportError:
        raise missing("to_sklearn", "sklearn") from None

    found = portable(learner)
    refuse_recipe(found.recipe, "scikit-learn", "its estimators take features that are made")
    n = len(found.names)
    if found.classes is None:
        linear = LinearRegression()
        linear.coef_, linear.intercept_ = found.weights[0].copy(), float(found.intercepts[0])
    else:
        if len(found.classes) < 2:
            raise InvalidInput("this model has learned one label; scikit-learn needs two.")
        probable = learner.gives_probabilities and len(found.classes) == 2
        linear = LogisticRegression() if probable else LinearSVC()
        linear.classes_ = np.array(found.classes)
        linear.coef_ = found.weights.copy()
        linear.intercept_ = found.intercepts - (found.threshold if len(found.classes) == 2 else 0.0)
        # scikit-learn predicts the second of two classes above 0, Thresher from 0 on.
        if len(found.classes) == 2:
            linear.intercept_ = np.nextafter(linear.intercept_, np.inf)
    linear.n_features_in_ = n
    columns = learner._column_names  # of a table that it was fitted on
    if columns is not None and not found.unit:
        linear.feature_names_in_ = columns.copy()
    if found.bounds is not None:
        linear = _clipping(linear, *found.bounds)
        if columns is not None and not found.unit:
            linear.feature_names_in_ = columns.copy()
    steps: list[Any] = [linear]
    if found.unit:
        scaler = MaxAbsScaler()
        scale = np.ones(n) if found.scale is None else found.scale
        scaler.scale_ = scaler.max_abs_ = np.divide(
            1.0, scale, out=np.full(n, np.inf), where=scale > 0
        )
        scaler.n_features_in_, scaler.n_samples_seen_ = n, 1
        if columns is not None:
            scaler.feature_names_in_ = columns.copy()
        steps[:0] = [scaler, Normalizer()]
    if learner.reads_names:
        steps.insert(0, _vectorizer(found.names))
    return make_pipeline(*steps) if len(steps) > 1 else linear


def _clipping(linear: Any, low: float, high: float) -> Any:
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import FunctionTransformer

    clip = FunctionTransformer(
        inverse_func=np.clip, inv_kw_args={"a_min": low, "a_max": high}, check_inverse=False,
        validate=True,
    )  # fmt: skip
    made = TransformedTargetRegressor(linear, transformer=clip)
    made.regressor_, made.transformer_, made._training_dim = linear, clip.fit([[low]]), 1
    return made


def _vectorizer(names: list[str]) -> Any:
    """From dicts to rows: scikit-learn calls features as Thresher does, `color=red`."""
    from sklearn.feature_extraction import DictVectorizer

    made = DictVectorizer()
    made.feature_names_ = list(names)
    made.vocabulary_ = {name: i for i, name in enumerate(names)}
    return made
