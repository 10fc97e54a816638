"""Every learner of Thresher in plain Python, as the papers write it.

This package is for reading, and for checking: it needs only the standard library, and the fast
engine must agree with it. An example `x` is a dict from names to numbers; the bias, if there is
one, is a feature named BIAS with the value 1.

    >>> from thresher.reference import Perceptron
    >>> learner = Perceptron()
    >>> learner.learn({"sunny": 1.0, "wind": 0.2}, "walk")
    >>> learner.learn({"rain": 1.0, "wind": 0.9}, "stay")
    >>> learner.predict({"rain": 1.0, "wind": 1.0})
    'stay'

All learners have learn(x, y, weight=1.0), fit(stream, max_epochs=1), score(x), predict(x) and
weights(), which are averaged if the learner averages; hypothesis() returns the current weights.
They count examples, updates and (classifiers) mistakes. fit takes the stream in the order given: to
shuffle, give it shuffled.

Read the files in this order:

    vectors             dictionaries as vectors
    rules               how much: the size of a step, from a few scalars
    geometry            how: the additive step; Winnow's two geometries are in winnow
    average             the mean of the hypotheses
    multiclass          one label, two, many: the loop that all online classifiers share
    fit                 epochs, convergence, cycles
    perceptron, passive_aggressive, mira, arow, winnow, logistic, truncated, pnorm: the classifiers
    few_labels          perceptrons that ask for few labels, or follow a target that moves
    banditron           many classes, where the answer is only right or wrong
    kernel              kernel and voted perceptron, which keep mistakes instead of weights
    snow                the sparse network, which shares nothing with the others but epochs
    regression, lms     the regressors
    sequence            the structured perceptron
    batch               the batch perceptron
    naive_bayes         counts
    triangle, least_squares, lda      second moments, and what they are solved for
    calibration         probabilities
    alpha_investing     features one by one
    experts             many learners, and one answer by weights that follow their losses
    class_weights       classes that count more or less than others
    threshold           where the scores of two classes are cut
    mixing              weights of learners of parts of the data, as those of one
    prepare             rows prepared before they are learned: scales, products, Fourier features
    rational            any of the learners on fractions, and a run step by step
    boolean             learners of boolean concepts, which take tuples of 0 and 1 and a truth value
"""

# ruff: noqa: F403  (each file lists its names in __all__)

from .alpha_investing import *
from .arow import *
from .banditron import *
from .batch import *
from .boolean import *
from .class_weights import *
from .experts import *
from .few_labels import *
from .kernel import *
from .lda import *
from .least_squares import *
from .lms import *
from .logistic import *
from .mira import *
from .mixing import *
from .naive_bayes import *
from .passive_aggressive import *
from .perceptron import *
from .pnorm import *
from .prepare import *
from .rational import *
from .regression import *
from .sequence import *
from .snow import *
from .threshold import *
from .truncated import *
from .vectors import *
from .winnow import *
