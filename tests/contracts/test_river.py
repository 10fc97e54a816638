"""River takes our learners for its own: its checks, on its data, through `learn_one`."""

import random
import types

import numpy as np
import pytest
from river import base, datasets, evaluate, metrics, preprocessing
from river.checks import clf, common

from thresher import (
    LMS,
    MIRA,
    BalancedWinnow,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    Snow,
    VotedPerceptron,
    Winnow,
)
from thresher import PassiveAggressiveRegressor as Regressor

# River's checks ask by base class what a model is, and want to clone it River's way. That is all
# these add: what is learned and predicted is ours, untouched. They stand here by name for pickle.


class RiverPerceptron(Perceptron, base.Classifier):
    """Perceptron."""


class RiverCalibrated(PassiveAggressive, base.Classifier):
    """PassiveAggressive, asked for probabilities."""

    def __init__(self, C: float = 1.0, calibrate: bool = True) -> None:
        super().__init__(C=C, calibrate=calibrate)


class RiverMIRA(MIRA, base.Classifier):
    """MIRA."""


class RiverWinnow(Winnow, base.Classifier):
    """Winnow, on data that need not lie in [0, 1]."""

    def __init__(self, alpha: float = 2.0, clip: bool = True) -> None:
        super().__init__(alpha=alpha, clip=clip)


class RiverBalancedWinnow(BalancedWinnow, base.Classifier):
    """BalancedWinnow."""


class RiverKernelPerceptron(KernelPerceptron, base.Classifier):
    """KernelPerceptron."""


class RiverVotedPerceptron(VotedPerceptron, base.Classifier):
    """VotedPerceptron."""


class RiverSnow(Snow, base.Classifier):
    """Snow, with nodes that take any value."""

    def __init__(self, rule: str = "perceptron", calibrate: bool = True) -> None:
        super().__init__(rule=rule, calibrate=calibrate)


class RiverLMS(LMS, base.Regressor):
    """LMS, with steps that do not depend on the scale of the data."""

    def __init__(self, learning_rate: float = 0.5, normalized: bool = True) -> None:
        super().__init__(learning_rate=learning_rate, normalized=normalized)


class RiverRegressor(Regressor, base.Regressor):
    """PassiveAggressiveRegressor."""


CLASSIFIERS = (
    RiverPerceptron, RiverCalibrated, RiverMIRA, RiverWinnow, RiverBalancedWinnow,
    RiverKernelPerceptron, RiverVotedPerceptron, RiverSnow,
)  # fmt: skip
REGRESSORS = (RiverLMS, RiverRegressor)
MODELS = CLASSIFIERS + REGRESSORS


class Fixed(list):
    """A stream that can be read more than once."""


def streams(model):
    """River's choice for each kind of model; all come with the package."""
    if issubclass(model, base.Regressor):
        return {"trump": Fixed(datasets.TrumpApproval().take(200))}
    phishing = Fixed(datasets.Phishing().take(200))
    return {
        "phishing": phishing,
        "numpy labels": Fixed((x, np.bool_(y)) for x, y in phishing),
        "many classes": Fixed(datasets.ImageSegments().take(200)),
    }


GENERAL = (
    common.check_repr,
    common.check_str,
    common.check_tags,
    common.check_clone_same_class,
    common.check_clone_is_idempotent,
    common.check_clone_changes_memory_addresses,
    common.check_clone_with_new_params_applies,
    common.check_repr_roundtrips_clone,
    common.check_mutate_can_be_idempotent,
    common.check_init_has_default_params_for_tests,
    common.check_init_default_params_are_not_mutable,
    common.check_get_params_matches_signature,
    common.check_doc,
    common.check_pickling_supports_roundtrip,
)
ON_DATA = (
    common.check_learn_one,
    common.check_pickling,
    common.check_shuffle_features_no_impact,
    common.check_emerging_features,
    common.check_disappearing_features,
    common.check_radically_disappearing_features,
    common.check_predict_one_pure,
    common.check_predict_one_before_any_learn,
    common.check_no_state_aliasing_with_input,
    common.check_clone_is_independent,
    common.check_bounded_memory_growth,
    common.check_seeding_is_idempotent,
)
ON_LABELS = (clf.check_predict_proba_one, clf.check_classifier_tracks_seen_labels)
# Not for us:
#   check_wrapper_accepts_kwargs, check_transform_one: ours are neither wrappers nor transformers.
#   check_debug_one: runs only where there is a `debug_one`; ours is called `explain_one`.
#   check_mutable_attributes_exist: options change by `set_params`, none is declared mutable.
#   check_predict_many_…, check_learn_many_…, check_predict_proba_many_…: River's mini-batches of
#       pandas frames; ours are `partial_fit` and `predict`, which test_sklearn.py covers.
#   check_predict_proba_one_binary: for models that know two labels before the first example; ours
#       learns the labels from the stream, and River's own rule exempts such a model.
#   check_multiclass_is_bool: an attribute of River's base class, not of the model.
#   anomaly, model_selection, reco, time_series: other kinds of models.


@pytest.fixture(autouse=True)
def same_dice():
    random.seed(7)  # the checks drop and shuffle features at random


def test_no_check_was_overlooked():
    """A new release of River may bring new checks: each must be called here or named above."""
    exempt = {
        "check_wrapper_accepts_kwargs", "check_transform_one", "check_debug_one",
        "check_mutable_attributes_exist", "check_predict_many_matches_predict_one",
        "check_learn_many_matches_learn_one", "check_predict_proba_many_matches_predict_proba_one",
        "check_transform_many_matches_transform_one", "check_predict_proba_one_binary",
        "check_multiclass_is_bool", "check_has_tag",
    }  # fmt: skip
    called = {check.__name__ for check in GENERAL + ON_DATA + ON_LABELS}
    there = {
        name
        for module in (common, clf)
        for name, value in vars(module).items()
        if name.startswith("check_") and isinstance(value, types.FunctionType)
    }
    assert there == called | exempt


@pytest.mark.parametrize("check", GENERAL, ids=lambda c: c.__name__)
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
def test_general(model, check):
    check(model())


@pytest.mark.parametrize("check", ON_DATA, ids=lambda c: c.__name__)
@pytest.mark.parametrize("model", MODELS, ids=lambda m: m.__name__)
@pytest.mark.filterwarnings("ignore::thresher.errors.SaturationWarning")
def test_on_data(model, check):
    for stream in streams(model).values():
        check(model(), stream)


@pytest.mark.parametrize("check", ON_LABELS, ids=lambda c: c.__name__)
def test_probabilities(check):
    for model in (RiverCalibrated, RiverSnow):
        for stream in streams(model).values():
            check(model(), stream)


def test_in_a_pipeline_with_progressive_evaluation():
    model = preprocessing.StandardScaler() | RiverPerceptron()
    accuracy = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    assert accuracy.get() > 0.85
    model = preprocessing.StandardScaler() | RiverMIRA()
    accuracy = evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.Accuracy())
    assert accuracy.get() > 0.75


def test_a_regressor_follows_a_target():
    model = preprocessing.StandardScaler() | RiverRegressor()
    error = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    assert error.get() < 5.0  # of approval ratings around 40
