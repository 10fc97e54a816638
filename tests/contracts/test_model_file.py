"""Model files: what is saved comes back bit by bit; what is damaged is refused, whatever it is."""

import contextlib
import copy
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save as to_bytes

import thresher
from cases import looped
from thresher import (
    AROW,
    LDA,
    LMS,
    MIRA,
    BalancedWinnow,
    LogisticRegression,
    PassiveAggressive,
    Perceptron,
    RecursiveLeastSquares,
    Snow,
    TruncatedPerceptron,
    Winnow,
)
from thresher.errors import InvalidInput, ModelFileError, ThresherError
from thresher.learners.table import LINEAR
from thresher.model_file import CHECKSUM, FORMAT, KEY, _checksum, _digest, describe

BAD_FILES = Path(__file__).parents[1] / "data" / "bad"


@thresher.rule(jit=False)
def half_way(margin, sqnorm, *, C=1.0):
    """A rule of the user's, to be found again by its name."""
    return min(C, 0.5 * max(0.0, 1.0 - margin) / sqnorm) if sqnorm else 0.0


@thresher.rule(geometry="balanced", jit=False)
def nudge(margin, *, size=0.1):
    """Multiplicative, with a bias."""
    return size if margin <= 0 else 0.0


VARIANTS = [(entry.cls, options) for entry in LINEAR for options in entry.variants] + [
    (half_way, {}),
    (half_way, {"C": 0.25, "average": True}),
    (nudge, {"calibrate": True}),
]


ONLINE = [(cls, options) for cls, options in VARIANTS if hasattr(cls, "learn_one")]


def named(variant):
    cls, options = variant
    return "-".join([cls.__name__, *(f"{k}={v}" for k, v in options.items())])


def examples(model, labels, rows=30, seed=0):
    generator = np.random.default_rng(seed)
    X = generator.random((rows, 5)) * (generator.random((rows, 5)) < 0.7)
    if hasattr(model, "decision_function"):
        return X, np.array([labels[i] for i in generator.integers(0, len(labels), rows)])
    return X, X @ [1.0, -1.0, 2.0, 0.5, 0.0] + 0.1 * generator.normal(size=rows)


def bits(model):
    """All that a model knows, so that equal means equal bit for bit."""
    tensors, about = describe(model)
    return {name: tensor["data"] for name, tensor in tensors.items()}, about


def saved(model, folder):
    path = Path(folder) / "model.thresher"
    model.save(path)
    return thresher.load(path)


LABELS = {"one": [3], "two": ["ham", "spam"], "many": [-1, 0, 2, 5]}


@looped("labels", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("variant", VARIANTS, ids=named)
@pytest.mark.filterwarnings("ignore::thresher.errors.SaturationWarning")
def test_round_trip(variant, labels, tmp_path):
    """Saved and loaded, pickled, copied: the same bits, and the same from there on."""
    cls, options = variant
    model = cls(**options)
    X, y = examples(model, labels)
    model.fit(X, y)
    copies = [
        saved(model, tmp_path),
        pickle.loads(pickle.dumps(model)),
        copy.copy(model),
        copy.deepcopy(model),
    ]
    for other in copies:
        assert type(other) is cls
        assert other.get_params() == model.get_params()
        assert bits(other) == bits(model)
        assert other.predict(X).tobytes() == model.predict(X).tobytes()
        assert other.coef_.tobytes() == model.coef_.tobytes()
        assert (other.epochs_, other.converged_) == (model.epochs_, model.converged_)
        assert type(other.converged_) is bool
    if hasattr(model, "partial_fit"):
        X, y = examples(model, [*labels, labels[0]], seed=1)
        for other in (model, *copies):
            other.partial_fit(X, y)
        for other in copies:
            assert bits(other) == bits(model)


@pytest.mark.parametrize("variant", ONLINE, ids=named)
@pytest.mark.filterwarnings("ignore::thresher.errors.SaturationWarning")
def test_resume_after_any_example(variant, tmp_path):
    cls, options = variant
    uninterrupted, resumed = cls(**options), cls(**options)
    X, y = examples(uninterrupted, ["a", "b", "c"], rows=12)
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        x = {f"größe {i}": v for i, v in enumerate(row) if v}
        uninterrupted.learn_one(x, label)
        resumed.learn_one(x, label)
        resumed = saved(resumed, tmp_path)
        assert bits(resumed) == bits(uninterrupted)
        assert resumed.score_one(x) == uninterrupted.score_one(x)


@pytest.mark.parametrize(
    "labels",
    [[True, False], [0, 1], [1.0, 2.0], [-(2**40), 2**60], ["", "é", "\ud800", "☃"], ["0", "1"]],
    ids=repr,
)
def test_labels_keep_their_type(labels, tmp_path):
    model = Perceptron()
    for i, label in enumerate(labels):
        model.learn_one({f"f{i}"}, label)
    loaded = saved(model, tmp_path)
    assert loaded.classes_.tolist() == sorted(labels)
    assert [type(v) for v in loaded._labels.values] == [type(v) for v in labels]
    assert loaded.predict_one({"f1"}) == model.predict_one({"f1"})


def test_announced_classes_come_back(tmp_path):
    model = PassiveAggressive().partial_fit([[1.0, 0.0]], ["b"], classes=["a", "b", "c"])
    loaded = saved(model, tmp_path)
    assert loaded.classes_.tolist() == ["a", "b", "c"]
    X = [[1.0, 1.0], [0.0, 1.0]]
    np.testing.assert_array_equal(loaded.decision_function(X), model.decision_function(X))
    for m in (model, loaded):
        m.partial_fit([[0.0, 1.0]], ["a"])
    assert bits(loaded) == bits(model)


def test_names_and_columns_come_back(tmp_path):
    pandas = pytest.importorskip("pandas")  # packages are also tested where it is not

    frame = pandas.DataFrame({"a": [0.0, 1.0], "b c": [1.0, 0.5], "": [1.0, 1.0]})
    model = Perceptron().fit(frame, [0, 1])
    loaded = saved(model, tmp_path)
    assert loaded.feature_names_in_.tolist() == ["a", "b c", ""]
    assert loaded.n_features_in_ == 3
    model.learn_one({"new": 1.0, "a": 1.0}, 0)
    loaded.learn_one({"new": 1.0, "a": 1.0}, 0)
    loaded = saved(loaded, tmp_path)
    assert bits(loaded) == bits(model)
    assert loaded.predict(frame).tolist() == model.predict(frame).tolist()


def test_before_learning(tmp_path):
    loaded = saved(MIRA(C=math.inf, margin=2.0, random_state=np.random.default_rng(0)), tmp_path)
    assert (loaded.C, loaded.margin, loaded.random_state) == (math.inf, 2.0, None)
    with pytest.raises(ThresherError, match="not fitted yet"):
        loaded.predict([[1.0]])


def test_no_length_of_the_description_is_mistaken(tmp_path):
    """The first byte is the low one of a length, and 0x80 also starts a pickle."""
    for length in range(256):
        model = Perceptron()
        model.learn_one({"a"}, "x" * length)
        assert saved(model, tmp_path).predict_one({"a"}) == "x" * length


def test_code_is_not_saved(tmp_path):
    path = tmp_path / "model"
    with pytest.raises(InvalidInput, match=r"learning_rate=.*cannot be written.*holds no code"):
        Perceptron(learning_rate=lambda t: 1 / t).fit([[1.0], [0.0]], [1, 0]).save(path)
    assert list(tmp_path.iterdir()) == []


# -- damaged files


@pytest.fixture(scope="module")
def model():
    model = Perceptron(calibrate=True)
    for x, y in (({"a", "b"}, "yes"), ({"b", "c"}, "no"), ({"c"}, "maybe")):
        model.learn_one(x, y)
    return model


@pytest.fixture
def whole(model, tmp_path):
    path = tmp_path / "whole"
    model.save(path)
    return path.read_bytes()


def load_bytes(content, folder):
    path = Path(folder) / "damaged"
    path.write_bytes(content)
    return thresher.load(path)


def test_cut_short_anywhere(whole, tmp_path):
    for size in range(len(whole)):
        with pytest.raises(ModelFileError, match="damaged"):
            load_bytes(whole[:size], tmp_path)
    with pytest.raises(ModelFileError):
        load_bytes(whole + b"\0", tmp_path)


def test_any_byte_of_the_header_flipped(whole, tmp_path):
    header = 8 + int.from_bytes(whole[:8], "little")
    generator = np.random.default_rng(0)
    for place in range(header):
        for flip in (0xFF, 1 << generator.integers(8)):
            content = bytearray(whole)
            content[place] ^= flip
            with pytest.raises(ModelFileError):
                load_bytes(content, tmp_path)


def test_bits_of_the_body_flipped(whole, tmp_path):
    header = 8 + int.from_bytes(whole[:8], "little")
    generator = np.random.default_rng(0)
    for _ in range(1000):
        content = bytearray(whole)
        content[generator.integers(header, len(whole))] ^= 1 << generator.integers(8)
        with pytest.raises(ModelFileError, match="checksum does not fit"):
            load_bytes(content, tmp_path)


def test_random_bytes_put_in(whole, tmp_path):
    generator = np.random.default_rng(1)
    for _ in range(1000):
        start, length = generator.integers(len(whole)), generator.integers(1, 40)
        noise = generator.bytes(generator.integers(0, 40))
        content = whole[:start] + noise + whole[start + length :]
        if content != whole:
            with pytest.raises(ModelFileError):
                load_bytes(content, tmp_path)


# -- files that are well formed and wrong: what a bug or an enemy would write, checksum and all


def arrays_of(model):
    tensors, about = describe(model)
    arrays = {
        name: np.frombuffer(t["data"], t["dtype"]).reshape(t["shape"])
        for name, t in tensors.items()
    }
    return arrays, about


def forge(arrays, about, checksum=_checksum):
    text = json.dumps(about)
    tensors = {
        name: {"dtype": a.dtype.name, "shape": list(a.shape), "data": a.tobytes()}
        for name, a in arrays.items()
    }
    return to_bytes(arrays, {KEY: text, CHECKSUM: checksum(text, tensors)})


def forged(model, change=lambda tensors, about: None):
    tensors, about = arrays_of(model)
    about = json.loads(json.dumps(about))
    change(tensors, about)
    return forge(tensors, about)


def test_forged_without_a_change_is_good(model, tmp_path):
    assert bits(load_bytes(forged(model), tmp_path)) == bits(model)


def test_files_of_format_1_load(model, tmp_path):
    arrays, about = arrays_of(model)
    old = forge(arrays, about | {"format": 1}, _digest)
    assert bits(load_bytes(old, tmp_path)) == bits(model)
    damaged = old[:-1] + bytes([old[-1] ^ 1])
    with pytest.raises(ModelFileError, match="checksum does not fit"):
        load_bytes(damaged, tmp_path)


def leaves(value, path=()):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from leaves(inner, (*path, i))
    yield path


ODD = (
    None, True, -1, 0, 1, 3, 2**24, 2**53, 2**62, 2**64, 10**30, 0.5, 1e308, math.inf, math.nan, "",
    "x", "nan", "-0x1p+10", "0x1p+1000", [], [1], [[]], {}, {"float": "nan"}, {"float": 1},
)  # fmt: skip


def use(model):
    """What a user would do next. It may be refused, it must not crash."""
    for ask in (
        lambda: model.predict([[0.5] * 3]),
        lambda: model.predict_one({"a": 1.0, "new": 0.5}),
        lambda: model.predict_one({0: 1.0}),
        lambda: model.top_features(3),
        lambda: model.learn_one({"a": 1.0, "d": 0.5}, 1),
        lambda: model.learn_one({0: 1.0}, "yes"),
        lambda: model.partial_fit([[0.5] * 3], [1]),
        lambda: (model.examples_, model.updates_, model.coef_, model.intercept_, repr(model)),
        lambda: describe(model),
    ):
        refused = contextlib.suppress(ThresherError, TypeError, ValueError, AttributeError)
        with refused, warnings.catch_warnings(action="ignore"):
            ask()


def subjects():
    array = [[0.5, 0.0, 1.0], [0.0, 1.0, 0.25], [1.0, 1.0, 0.0]]
    named = PassiveAggressive()
    named.learn_one({"a", "b"}, 1)
    named.learn_one({"b", "c"}, 0)
    return [
        named,
        Perceptron(calibrate=True).fit(array, ["yes", "no", "maybe"]),
        TruncatedPerceptron(keep=2, l2=0.1).fit(array, ["yes", "no", "maybe"]),
        Winnow(negations=True, average=True).fit(array, [1, 0, 1]),
        BalancedWinnow().fit(array[:1], [1]),
        Snow(rules={"no": "naive-bayes"}, calibrate=True).fit(array, ["yes", "no", "maybe"]),
        LMS().fit(array, [1.0, 2.0, 3.0]),
    ]


@pytest.mark.parametrize("subject", subjects(), ids=lambda m: type(m).__name__)
def test_any_entry_replaced(subject, tmp_path):
    """Each entry of the description in turn taken out, or replaced by something odd."""
    _, about = describe(subject)
    for path in leaves(json.loads(json.dumps(about))):
        for odd in ("take out", *ODD):

            def change(tensors, about, path=path, odd=odd):
                at = about
                for step in path[:-1]:
                    at = at[step]
                if odd == "take out":
                    del at[path[-1]]
                else:
                    at[path[-1]] = odd

            try:
                content = forged(subject, change) if path else forge({}, json.dumps(odd))
                loaded = load_bytes(content, tmp_path)
            except ModelFileError:
                continue
            use(loaded)


@pytest.mark.parametrize("subject", subjects(), ids=lambda m: type(m).__name__)
def test_any_array_replaced(subject, tmp_path):
    tensors, _ = arrays_of(subject)
    for name, array in tensors.items():
        for other in (
            None,
            array[:-1] if len(array) else np.ones(1, array.dtype),
            np.concatenate([array, array, np.ones(1, array.dtype)]),
            np.ones((2, 2), array.dtype),
            np.array(1, array.dtype),
            array.astype(np.float32),
            array.astype(np.int8),
            np.full_like(array, 255),
            np.full_like(array, np.nan if array.dtype == np.float64 else 7),
            np.full_like(array, np.inf if array.dtype == np.float64 else 0),
        ):

            def change(tensors, about, name=name, other=other):
                if other is None:
                    del tensors[name]
                else:
                    tensors[name] = other

            try:
                loaded = load_bytes(forged(subject, change), tmp_path)
            except ModelFileError:
                continue
            use(loaded)


@pytest.mark.parametrize(
    ("subject", "beside"),
    [
        (Perceptron(), "average.past"),
        (Perceptron(average="tail"), "average.next"),
        (LogisticRegression(), "geometry.past"),
        (LogisticRegression(l1=0.1), "geometry.z"),
        (LogisticRegression(step="scale-free"), "geometry.past"),
        (AROW(), "geometry.variance"),
        (BalancedWinnow(), "geometry.minus"),
        (Winnow(negations=True), "geometry.u"),
    ],
    ids=lambda of: of if isinstance(of, str) else type(of).__name__,
)
def test_as_many_numbers_in_other_rows(subject, beside, tmp_path):
    """They would not grow with the weights that they belong to."""
    subject.fit(np.eye(3), [0, 1, 2])

    def change(tensors, about):
        name = f"reading0.{beside}"
        counts = about["counts"]
        assert (counts[f"{name}.rows"], counts[f"{name}.stride"]) == (4, 4)
        counts |= {f"{name}.rows": 2, f"{name}.stride": 8}

    with pytest.raises(ModelFileError, match="do not fit together"):
        load_bytes(forged(subject, change), tmp_path)


@pytest.mark.parametrize("reading", [0, 1])
def test_two_readings_of_different_length(reading, tmp_path):
    model = PassiveAggressive(average=False).partial_fit(np.eye(3), [1, 1, 1])

    def change(tensors, about):
        name = f"reading{reading}.geometry.w"
        about["counts"][f"{name}.rows"] = 1
        tensors[f"state.{name}.cells"] = np.zeros(1)

    with pytest.raises(ModelFileError):
        load_bytes(forged(model, change), tmp_path)


def test_a_curvature_of_other_columns(tmp_path):
    model = LMS().fit(np.eye(3), [1.0, 2.0, 3.0])

    def change(tensors, about):
        about["counts"]["reading0.spectrum.z.rows"] = 1
        tensors["state.reading0.spectrum.z.cells"] = np.zeros(1)

    with pytest.raises(ModelFileError, match="do not fit together"):
        load_bytes(forged(model, change), tmp_path)


@pytest.mark.parametrize("learner", [RecursiveLeastSquares(), LDA()], ids=repr)
def test_moments_too_large_to_go_on(learner, tmp_path):
    """The next example would make them infinite, and the model could not be saved again."""
    learner.fit(np.eye(3), [0, 1, 1])
    names = [n for n in arrays_of(learner)[0] if n.startswith(("state.triangle.", "state.means"))]
    assert len(names) > 2
    for name in names:

        def change(tensors, about, name=name):
            tensors[name] = np.full_like(tensors[name], 1e300)

        with pytest.raises(ModelFileError, match="do not fit together"):
            load_bytes(forged(learner, change), tmp_path)


def test_weights_that_are_not_numbers(model, tmp_path):
    for value in (math.nan, math.inf, -math.inf):

        def change(tensors, about, value=value):
            name = next(n for n in tensors if n.endswith("w.cells"))
            tensors[name] = np.full_like(tensors[name], value)

        with pytest.raises(ModelFileError, match="holds a NaN or an infinity"):
            load_bytes(forged(model, change), tmp_path)


def test_newer_format_says_so(model, tmp_path):
    def change(tensors, about):
        about.update(format=FORMAT + 1, library="9.0")

    with pytest.raises(
        ModelFileError, match=rf"format {FORMAT + 1} by Thresher 9\.0.*Upgrade Thresher"
    ):
        load_bytes(forged(model, change), tmp_path)


def test_unknown_learner_is_named(model, tmp_path):
    def change(tensors, about):
        about["learner"] = "Perceptron.v7"

    with pytest.raises(ModelFileError, match=r"'Perceptron\.v7' is not known.*Perceptron\.v1"):
        load_bytes(forged(model, change), tmp_path)


def test_missing_rule_is_named(tmp_path, monkeypatch):
    path = tmp_path / "model"
    half_way().fit([[1.0], [0.0]], [1, 0]).save(path)
    monkeypatch.delitem(thresher.rules._registry, "half_way")
    with pytest.raises(ModelFileError, match=r"'half_way', which is not registered.*Import the"):
        thresher.load(path)


def test_huge_declared_sizes(whole, tmp_path):
    for size in (2**31, 2**62, 2**64 - 1):
        with pytest.raises(ModelFileError, match=f"declares a header of {size} bytes"):
            load_bytes(size.to_bytes(8, "little") + whole[8:], tmp_path)
    for shape in ([2**40], [2**32, 2**32], [2**63, 2]):
        header = {"state.w": {"dtype": "F64", "shape": shape, "data_offsets": [0, 8]}}
        text = json.dumps(header).encode()
        with pytest.raises(ModelFileError):
            load_bytes(len(text).to_bytes(8, "little") + text + b"\0" * 8, tmp_path)


class Trap:
    """Unpickled, it runs code that leaves a trace."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (str(self.path), "w"))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_not_opened(protocol, tmp_path):
    trace = tmp_path / "trace"
    with pytest.raises(ModelFileError, match="pickle" if protocol >= 2 else "not a model file"):
        load_bytes(pickle.dumps(Trap(trace), protocol), tmp_path)
    assert not trace.exists()


def test_loading_uses_no_pickle(model, tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("pickle was used")

    path = tmp_path / "model"
    model.save(path)
    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    assert thresher.load(path).examples_ == 3


def test_things_that_are_no_model(tmp_path):
    for content, words in (
        (b"", "0 bytes long, too short"),
        (b"{}", "2 bytes long, too short"),
        (b'{"learner": "Perceptron.v1", "learned": false}', "not a model file"),
        (b"\n" * 1000, "not a model file"),
        (to_bytes({"a": np.ones(3)}), "but not of a Thresher model"),
        (to_bytes({"a": np.ones(3)}, {KEY: "{"}), "description is not JSON"),
        (to_bytes({"a": np.ones(3)}, {KEY: "[" * 100_000}), "description is not JSON"),
        (to_bytes({"a": np.ones(3)}, {KEY: "[1, 2]"}), "description is not an object"),
        (to_bytes({"a": np.ones(3)}, {KEY: "{}"}), "no format version"),
        (to_bytes({"a": np.ones(3)}, {KEY: '{"format": 1}'}), "checksum"),
    ):
        with pytest.raises(ModelFileError, match=words):
            load_bytes(content, tmp_path)
    with pytest.raises(ModelFileError, match="not a file"):
        thresher.load(tmp_path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        thresher.load(tmp_path / "nowhere")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_a_pipe_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="not a file"):
        thresher.load(tmp_path / "pipe")


KEPT = sorted(path for path in BAD_FILES.iterdir() if path.suffix == ".thresher")


@pytest.mark.parametrize("path", KEPT, ids=lambda p: p.stem)
def test_kept_files(path):
    with pytest.raises(ModelFileError):
        thresher.load(path)


def test_kept_files_are_explained():
    text = (BAD_FILES / "README.md").read_text(encoding="utf-8")
    assert KEPT
    for path in KEPT:
        assert f"`{path.name}`" in text


@pytest.mark.nosanitize  # its shadow memory is beyond any limit
@pytest.mark.skipif(sys.platform != "linux", reason="a limit on memory that works is Linux's")
def test_kept_files_in_little_memory():
    """None of them makes the loader ask for much, however much it declares."""
    program = """if True:
        import numpy, resource, safetensors, sys, thresher, thresher.learners.table_of_others
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + 2**27, used + 2**27))
        for path in sys.argv[1:]:
            try:
                thresher.load(path)
            except thresher.errors.ModelFileError:
                print("refused")
    """
    done = run(program, *KEPT)
    assert done.stdout.split() == ["refused"] * len(KEPT), done.stderr


# -- saving


def run(program, *arguments):
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.fixture
def old(tmp_path):
    """A folder with a model of two examples."""
    model = Perceptron()
    model.learn_one({"a"}, 1)
    model.learn_one({"b"}, 0)
    model.save(tmp_path / "model")
    return tmp_path / "model"


def files(folder):
    return sorted(p.name for p in folder.iterdir())


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="no limit on file sizes here")
def test_a_full_disk_leaves_the_old_file(old):
    program = """if True:
        import resource, signal, sys, thresher
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        model = thresher.Perceptron().fit([[1.0] * 10_000, [0.0] * 10_000], [1, 0])
        try:
            model.save(sys.argv[1])
        except OSError as error:
            print(type(error).__name__, error)
    """
    before = old.read_bytes()
    done = run(program, old)
    assert done.stdout.startswith("OSError"), done.stdout + done.stderr
    assert old.read_bytes() == before
    assert thresher.load(old).examples_ == 2
    assert files(old.parent) == ["model"]


@contextlib.contextmanager
def nobody():
    """Permissions are not checked for root: be another user temporarily."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="no rights to folders on this system")
def test_a_folder_without_rights_leaves_the_old_file(model):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        before = path.read_bytes()
        os.chmod(path, 0o644)
        os.chmod(folder, 0o555)
        with nobody(), pytest.raises(PermissionError):
            Perceptron().save(path)
        assert files(Path(folder)) == ["model"]
        assert path.read_bytes() == before
        os.chmod(folder, 0o755)


def test_folders_that_are_not_there(tmp_path, model):
    with pytest.raises(FileNotFoundError):
        model.save(tmp_path / "nowhere" / "model")
    with pytest.raises(OSError):
        model.save(tmp_path)
    assert files(tmp_path) == []


def test_killed_while_saving(old):
    """At every moment the file is a whole model, the old one or a new one."""
    program = """if True:
        import sys, thresher
        models = [thresher.Perceptron().fit([[1.0] * n, [0.0] * n], [1, 0]) for n in (10, 20_000)]
        print("ready", flush=True)
        while True:
            for model in models:
                model.save(sys.argv[1])
    """
    for round in range(6):
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(old)], stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(0.03 + 0.011 * round)
        finally:
            process.kill()
            process.communicate()
        assert thresher.load(old).examples_ == 2
        litter = [name for name in files(old.parent) if name != "model"]
        assert all(name.startswith(".model.") and name.endswith(".part") for name in litter)
        assert len(litter) <= round + 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes on this system")
def test_what_is_no_plain_file_stays(tmp_path, model):
    """A pipe or a device such as /dev/null is written to, never replaced."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    model.save(tmp_path / "model")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        model.save(pipe)
        assert pipe.is_fifo()
        assert os.read(reader, 1 << 20) == (tmp_path / "model").read_bytes()
    finally:
        os.close(reader)
    assert files(tmp_path) == ["model", "pipe"]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
def test_permissions_and_links_are_kept(old):
    os.chmod(old, 0o640)
    link = old.parent / "latest"
    link.symlink_to("model")
    LMS().save(link)
    assert link.is_symlink()
    assert old.stat().st_mode & 0o7777 == 0o640
    assert isinstance(thresher.load(old), LMS)
    mask = os.umask(0o027)
    try:
        LMS().save(old.parent / "new")
    finally:
        os.umask(mask)
    assert (old.parent / "new").stat().st_mode & 0o7777 == 0o640
