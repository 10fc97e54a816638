"""Kernels: inner products in a feature space that is never computed explicitly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thresher._core import kernel_values
from thresher.errors import InvalidInput, ModelFileError
from thresher.lazy import np, npt
from thresher.learners.kernel.sparse_rows import Sparse
from thresher.options import finite, whole

if TYPE_CHECKING:
    Function = Callable[[npt.NDArray[np.float64], npt.NDArray[np.float64]], npt.ArrayLike]

# Which options each kernel has, and their defaults.
OPTIONS: dict[str, dict[str, Any]] = {
    "linear": {},
    "polynomial": {"gamma": 1.0, "coef0": 1.0, "degree": 3},
    "rbf": {"gamma": 1.0},
    "sigmoid": {"gamma": 1.0, "coef0": 0.0},
    "precomputed": {},
}
NAMED = tuple(OPTIONS)
ASYMMETRY = 1e-6  # relative; more than rounding can cause

_registered: dict[str, Any] = {}


def register_kernel(name: str, function: Function) -> None:
    """Give a kernel function a name, so that models that use it can be saved.

    `function(A, B)` takes two arrays of rows and returns K, one row for each of A, one column for
    each of B. A model file holds the name, never the code: register the function before loading
    the model.

    Parameters
    ----------
    name : as in ``KernelPerceptron(kernel=name)``.
    function : must be symmetric: K(x, z) = K(z, x).

    Examples
    --------
    >>> import numpy as np
    >>> import thresher
    >>> def histogram(A, B):
    ...     return np.minimum(A[:, None], B[None]).sum(axis=2)
    >>> thresher.register_kernel("histogram", histogram)
    >>> model = thresher.KernelPerceptron(kernel="histogram").fit([[1, 0], [0, 1]], ["a", "b"])
    >>> model.predict([[2, 1]]).tolist()
    ['a']
    """
    if not isinstance(name, str) or not name:
        raise InvalidInput(f"the name of a kernel is {name!r}; expected a string.")
    if name in OPTIONS:
        raise InvalidInput(f"{name!r} is a built-in kernel; choose another name.")
    if not callable(function):
        raise InvalidInput(f"kernel {name!r} is {function!r}; expected a function of two arrays.")
    _registered[name] = function


def name_in_files(kernel: Any) -> str:
    """How a model file stores a kernel."""
    if isinstance(kernel, str):
        return kernel
    for name, function in _registered.items():
        if function is kernel:
            return name
    raise InvalidInput(
        f"kernel={kernel!r} cannot be written to a model file, which holds no code: give it a name "
        "with thresher.register_kernel(name, function), here and where the model is loaded."
    )


def check_known(name: str) -> None:
    """For a kernel that a file names."""
    if name not in OPTIONS and name not in _registered:
        raise ModelFileError(
            f"the model uses the custom kernel {name!r}; register it before loading: "
            f"thresher.register_kernel({name!r}, function)."
        )


@dataclass(frozen=True)
class Kernel:
    """A kernel with its options settled; `constant` is added to every value: the bias."""

    kind: str
    gamma: float
    coef0: float
    degree: int
    constant: float
    function: Function | None

    def __call__(self, a: Sparse, b: Sparse) -> npt.NDArray[np.float64]:
        """K of each row of a against each row of b."""
        if self.function is not None:
            out = self._called(a, b)
        else:
            kind = "linear" if self.kind == "precomputed" else self.kind
            out = kernel_values(kind, self.gamma, self.coef0, self.degree, a.core, b.core)
        if self.constant:
            out += self.constant
        return out

    def _called(self, a: Sparse, b: Sparse) -> npt.NDArray[np.float64]:
        assert self.function is not None
        width = max(a.columns, b.columns)
        try:
            found = np.asarray(self.function(a.dense(width), b.dense(width)))
        except InvalidInput:
            raise
        except Exception as error:
            error.add_note(f"raised by kernel={self.function!r}")
            raise
        if found.shape != (a.size, b.size):
            raise InvalidInput(
                f"the kernel returned an array of shape {found.shape} for {a.size} and {b.size} "
                f"rows; expected {(a.size, b.size)}: K of each row against each row."
            )
        if found.dtype.kind not in "biuf":
            raise InvalidInput(f"the kernel returned {found.dtype} values; expected real numbers.")
        return np.array(found, dtype=np.float64, order="C")

    def check_symmetric(self, x: Sparse, some: Sparse) -> None:
        """A user's function, tried both ways."""
        if self.function is None or some.size == 0:
            return
        there, back = self(x, some)[0], self(some, x)[:, 0]
        wrong = ~(np.abs(there - back) <= ASYMMETRY * (1.0 + np.abs(there)))
        if wrong.any():
            j = int(np.argmax(wrong))
            raise InvalidInput(
                f"the kernel is not symmetric: K(x, z) is {there[j]:g} and K(z, x) is {back[j]:g} "
                "for two examples; expected the same, an inner product."
            )


def settled(kernel: Any, given: dict[str, Any], fit_intercept: bool) -> Kernel:
    """Check a kernel and its options; those that it does not use must not be set."""
    function = None
    if isinstance(kernel, str):
        if kernel in _registered:
            function = _registered[kernel]
        elif kernel not in OPTIONS:
            known = ", ".join(map(repr, [*OPTIONS, *_registered]))
            raise InvalidInput(
                f"kernel is {kernel!r}; expected one of {known}, or a function of two arrays."
            )
    elif callable(kernel):
        function = kernel
    else:
        raise InvalidInput(f"kernel is {kernel!r}; expected a name, or a function of two arrays.")
    options = OPTIONS.get(kernel, {}) if isinstance(kernel, str) else {}
    values = {"gamma": 1.0, "coef0": 0.0, "degree": 1} | options
    for name, value in given.items():
        if value is None:
            continue
        if name not in options:
            has = f"its options are {', '.join(options)}" if options else "it has no options"
            raise InvalidInput(f"{name}={value!r} has no part in kernel={kernel!r}: {has}.")
        values[name] = value
    gamma = finite("gamma", values["gamma"], above=0.0)
    coef0 = finite("coef0", values["coef0"])
    degree = whole("degree", values["degree"], 1)
    kind = kernel if isinstance(kernel, str) and function is None else "callable"
    return Kernel(kind, gamma, coef0, degree, 1.0 if fit_intercept else 0.0, function)


def check_gram(K: npt.NDArray[np.float64]) -> None:
    """A Gram matrix to learn from: square, finite, symmetric."""
    if K.shape[0] != K.shape[1]:
        raise InvalidInput(
            f"kernel='precomputed' learns from a Gram matrix; X has shape {K.shape}. "
            "Expected a square matrix: K of each example against each example."
        )
    wrong = np.argwhere(~(np.abs(K - K.T) <= ASYMMETRY * (1.0 + np.abs(K))))
    if len(wrong):
        i, j = (int(v) for v in wrong[0])
        raise InvalidInput(
            f"the Gram matrix is not symmetric: X[{i}, {j}] is {K[i, j]:g} and X[{j}, {i}] is "
            f"{K[j, i]:g}; expected the same, an inner product."
        )
