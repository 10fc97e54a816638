"""Model files: safetensors for the arrays, JSON for the rest. Loading reads numbers, never code."""

from __future__ import annotations

import json
import math
import os
import stat
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from thresher.data.reading import from_kept
from thresher.errors import InvalidInput, ModelFileError
from thresher.lazy import np
from thresher.learners.base.classifier import Classifier
from thresher.learners.base.from_files import ReadsFiles
from thresher.learners.base.labels import Labels, plain_label
from thresher.learners.base.learner import Learner, Occurrence
from thresher.learners.base.online import Online
from thresher.learners.base.protocol import Packed
from thresher.replacing import replacing

if TYPE_CHECKING:
    from thresher.learners.experts import Committee, Member

FORMAT = 2  # 1: with another checksum
WIDTH = {"float64": 8, "uint64": 8, "uint8": 1}
NAMES = {"F64": "float64", "U64": "uint64", "U8": "uint8"}
NUMBERED = ("class_weight", "threshold", "metric")  # options that may be labels and numbers
KEY = "thresher"
CHECKSUM = "checksum"
# What is saved besides the state of the core: its name in the file, the attribute, what it is.
REMEMBERED: dict[str, tuple[str, type]] = {
    "epochs_": ("epochs_", int),
    "converged_": ("converged_", bool),
    "n_features_in_": ("_width", int),
    "_cycled": ("_cycled", bool),
    "_given_start": ("_given_start", bool),
}


def save(learner: Learner | Packed, path: str | os.PathLike[str]) -> None:
    """Write the model next to `path`, make sure it is on disk, then rename it."""
    write(describe(learner), path)


def write(
    described: tuple[dict[str, Tensor], dict[str, Any]], path: str | os.PathLike[str]
) -> None:
    """The second half of `save`: the learner may change meanwhile."""
    pieces = _pieces(described)
    with replacing(path, "the model was not saved") as file:
        for piece in pieces:
            file.write(piece)


def as_bytes(learner: Learner | Packed) -> bytes:
    """What `save` writes."""
    return b"".join(_pieces(describe(learner)))


def _pieces(described: tuple[dict[str, Tensor], dict[str, Any]]) -> list[bytes | memoryview]:
    """The content of a file, one after the other."""
    tensors, about = described
    text = json.dumps(about, allow_nan=False)
    head = _head(tensors, {KEY: text, CHECKSUM: _checksum(text, tensors)})
    return [head, *(tensors[name]["data"] for name in sorted(tensors))]


def _head(tensors: Mapping[str, Tensor], metadata: dict[str, str]) -> bytes:
    """The header of a safetensors file. The format is these few lines; written here, the same model
    gives the same bytes, and the file is written tensor by tensor."""
    entries: dict[str, Any] = {"__metadata__": metadata}
    end = 0
    for name in sorted(tensors):
        begin, end = end, end + len(tensors[name]["data"])
        entries[name] = {
            "dtype": next(short for short, long in NAMES.items() if long == tensors[name]["dtype"]),
            "shape": tensors[name]["shape"],
            "data_offsets": [begin, end],
        }
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text


def _checked(text: str, tensors: Mapping[str, Tensor]) -> Iterator[bytes | memoryview]:
    """What the checksum is over: one wrong bit in a weight makes a wrong model."""
    yield text.encode("utf-8", "surrogatepass")
    for name in sorted(tensors):
        tensor = tensors[name]
        yield f"{name} {tensor['dtype']} {tuple(tensor['shape'])}".encode()
        yield tensor["data"]


def _checksum(text: str, tensors: Mapping[str, Tensor]) -> str:
    """CRC-32, as in gzip and PNG. It is against accidents, not against forgery: it finds any one or
    two wrong bits and any damage within 32 bits, and misses other damage once in 2^32 times. It is
    in Python's own library, and five times as fast as a cryptographic digest."""
    found = 0
    for part in _checked(text, tensors):
        found = zlib.crc32(part, found)
    return f"{found:08x}"


def _digest(text: str, tensors: Mapping[str, Tensor]) -> str:
    """The checksum of files of format 1."""
    from hashlib import blake2b

    digest = blake2b(digest_size=16)
    for part in _checked(text, tensors):
        digest.update(part)
    return digest.hexdigest()


class Tensor(TypedDict):
    """An array as safetensors stores it: little-endian bytes."""

    dtype: str
    shape: list[int]
    data: bytes | memoryview


def _tensor(dtype: str, data: bytes | memoryview) -> Tensor:
    return {"dtype": dtype, "shape": [len(data) // WIDTH[dtype]], "data": data}


def describe(learner: Learner | Packed) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """A learner as arrays and JSON values."""
    from thresher.version import __version__

    about: dict[str, Any] = {
        "format": FORMAT,
        "library": __version__,
        "learner": learner_name(learner),
        "options": {k: _json_option(k, v) for k, v in learner.get_params(deep=False).items()},
    }
    if isinstance(learner, Packed):
        return _describe_packed(learner, about)
    about["learned"] = learner._model is not None
    if not about["learned"]:
        return {}, about
    state, labels = learner._learned().snapshot(views=True)
    about["reals"] = {k: v.hex() for k, v in state["reals"].items()}
    about["counts"] = state["counts"]
    found: dict[str, Any] = {
        k: getattr(learner, attribute, None) for k, (attribute, _) in REMEMBERED.items()
    }
    usual = {k: getattr(type(learner), attribute, None) for k, (attribute, _) in REMEMBERED.items()}
    about["remembered"] = {k: int(v) for k, v in found.items() if v != usual[k]}
    if learner._column_names is not None:
        about["columns_named"] = True
    if labels is not None:
        about["labels"] = list(labels.values)
        about["announced"] = list(labels.announced)
    about["recipe"] = learner.reading_.as_kept() if learner.reading_ else {}
    about["provenance"] = dict(learner.provenance_)
    if committee := _committee(learner):
        about["members"] = [_json_member(member) for member in committee._members()]
    tensors = {
        f"state.{name}": _tensor("float64", memoryview(cells).cast("B"))
        for name, cells in state["arrays"].items()
    }
    if learner._occurrence is not None:
        about["mixed_parts"] = learner._occurrence.parts
        tensors["occurrence"] = _tensor("uint64", learner._occurrence.counts.tobytes())
    tensors["names"] = _tensor("uint8", state["names"])
    tensors["name_ends"] = _tensor("uint64", state["name_ends"])
    tensors["name_counts"] = _tensor("uint8", state["name_counts"])
    return tensors, about


def _describe_packed(
    learner: Packed, about: dict[str, Any]
) -> tuple[dict[str, Tensor], dict[str, Any]]:
    about["learned"] = learner._has_learned()
    arrays: dict[str, Any] = {}
    if about["learned"]:
        arrays, about["packed"] = learner._pack()
    if isinstance(learner, ReadsFiles) and learner.reading_ is not None:
        about["recipe"] = learner.reading_.as_kept()
        about["provenance"] = dict(learner.provenance_)
    tables = getattr(getattr(learner, "concepts", None), "_words", None)
    if tables is not None:
        arrays["tables"] = tables.ravel()
    tensors = {
        name: _tensor(values.dtype.name, values.astype(values.dtype.newbyteorder("<")).tobytes())
        for name, values in arrays.items()
    }
    return tensors, about


def _restore_packed(learner: Packed, tensors: dict[str, Tensor], about: dict[str, Any]) -> Packed:
    arrays = {
        name: np.frombuffer(tensor["data"], np.dtype(tensor["dtype"]).newbyteorder("<")).astype(
            tensor["dtype"]
        )
        for name, tensor in tensors.items()
        if len(tensor["shape"]) == 1 and tensor["dtype"] in WIDTH
    }
    if about["learned"]:
        learner._unpack(arrays, about["packed"])
    if isinstance(learner, ReadsFiles) and "recipe" in about:
        learner.reading_ = from_kept(about["recipe"])
        learner.provenance_ = dict(about["provenance"])
    return learner


def learner_name(learner: Learner | Packed) -> str:
    name = getattr(learner, "rule_name", None)
    return f"rule:{name}.v1" if name else f"{type(learner).__name__}.v{learner.version}"


def _json_option(name: str, value: Any) -> Any:
    if hasattr(value, "dtype"):  # a NumPy scalar
        value = value.item()
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return {"float": value.hex()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if name == "kernel":
        from thresher.learners.kernel.functions import name_in_files

        return name_in_files(value)
    if name == "concepts":
        return _json_concepts(value)
    if name == "learners":
        from thresher.learners.experts import members_of

        return {name: [_json_member(member) for member in members_of(value)]}
    if name in ("rules", *NUMBERED) and isinstance(value, Mapping):
        return {name: [[plain_label(label), what] for label, what in value.items()]}
    if name == "classes":
        return {name: [plain_label(label) for label in value]}
    if name == "prepare" and not isinstance(value, str):
        return ", ".join(value)
    if name == "random_state":
        return None  # only used by fit, which starts over
    raise InvalidInput(
        f"option {name}={value!r} cannot be written to a model file, which holds no code; "
        "use a named schedule, or write the rule with @thresher.rule."
    )


def _json_member(member: Member) -> list[Any]:
    name, learner, *conditions = member
    options = {k: _json_option(k, v) for k, v in learner.get_params(deep=False).items()}
    return [name, learner_name(learner), options, *conditions]


def _committee(learner: Learner) -> Committee | None:
    """The learner, if it is made of several: what these are is imported only then."""
    if learner.engine.geometry != "committee":
        return None
    from thresher.learners.experts import Committee

    return learner if isinstance(learner, Committee) else None


def _member(stored: list[Any], tensors: dict[str, Tensor]) -> Member:
    from thresher.learners.experts import Member

    name, learner, options, dense, most_features, *sparse = stored  # an older file has no `sparse`
    settings = {k: _option(v, tensors) for k, v in options.items()}
    made = _class_named(learner)(**settings)
    if not isinstance(made, Online):
        raise ModelFileError(f"{learner} cannot be a member of a committee.")
    return Member(str(name), made, bool(dense), int(most_features), any(sparse))


def _json_concepts(concepts: Any) -> dict[str, Any]:
    from thresher.concepts.listed import Predicates

    if isinstance(concepts, Predicates):
        raise InvalidInput(
            "a class of predicates cannot be written to a model file, which holds no code; write "
            "them as truth tables: concepts.truth_tables([f.truth_table() for f in concepts])."
        )
    settings = concepts.settings()
    settings.pop("words", None)  # a table is stored as a separate array
    return {"concepts": concepts.kind, "settings": settings}


def load(path: str | os.PathLike[str]) -> Any:
    """The learner that `save` wrote, ready to predict and to continue learning.

    Every size in the file is checked against its content, and nothing in it is executed.
    """
    try:
        tensors, about = _read(os.fspath(path))
    except OSError as error:
        error.filename = error.filename or os.fspath(path)
        raise
    try:
        return _restore(tensors, about)
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from error.__cause__
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise ModelFileError(
            f"{path}: not a complete model ({type(error).__name__}: {error}). "
            "The file is damaged or was written by something else."
        ) from error


def labels_in(path: str | os.PathLike[str]) -> list[Any]:
    """The labels that a model has learned, in order of appearance: only the header is read."""
    _look_at_start(os.fspath(path))
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        head = file.read(size)
    try:
        about = json.loads(json.loads(head)["__metadata__"][KEY])
        counts = about["counts"]
        codes = [counts[f"class{i}"] for i in range(counts["classes"])]
        return [about["labels"][code] for code in codes] if codes else []
    except (LookupError, TypeError, ValueError) as error:
        raise ModelFileError(
            f"{path}: not a model with labels ({type(error).__name__}: {error}). The file is "
            "damaged, or the model has learned nothing."
        ) from error


def load_for_files(path: str | os.PathLike[str]) -> Any:
    """A learner whose examples may come from files, as the commands need it."""
    learner = load(path)
    if not isinstance(learner, ReadsFiles):
        raise InvalidInput(
            f"{path}: {type(learner).__name__} {learner.without_files}; use it in Python: "
            "thresher.load."
        )
    return learner


def _read(path: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    from safetensors import deserialize

    _look_at_start(path)
    with open(path, "rb") as file:
        content = file.read()
    try:
        tensors = {
            name: Tensor(dtype=NAMES.get(t["dtype"], t["dtype"]), shape=t["shape"],
                         data=bytes(t["data"]))
            for name, t in deserialize(content)  # type: ignore[no-untyped-call]
        }  # fmt: skip
        metadata = _metadata(content)
    except Exception as error:  # of several kinds, depending on what safetensors rejects
        raise ModelFileError(
            f"{path}: not a readable model file ({error}). It may be cut short or damaged: "
            "copy it again, or use the last good model."
        ) from error
    if KEY not in metadata:
        raise ModelFileError(f"{path}: a safetensors file, but not of a Thresher model.")
    try:
        about = json.loads(metadata[KEY])
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{path}: the model's description is not JSON ({error}).") from error
    if not isinstance(about, dict):
        raise ModelFileError(f"{path}: the model's description is not an object.")
    _check_format(path, about)
    checksum = _digest if about["format"] == 1 else _checksum
    if metadata.get(CHECKSUM) != checksum(metadata[KEY], tensors):
        raise ModelFileError(
            f"{path}: the checksum does not fit the content; the file is damaged. Copy it again, "
            "or use the last good model."
        )
    return tensors, about


def _metadata(content: bytes) -> dict[str, str]:
    """The free part of the header, which safetensors has parsed but does not return."""
    (size,) = struct.unpack_from("<Q", content)
    metadata: dict[str, str] = json.loads(content[8 : 8 + size]).get("__metadata__", {})
    return metadata


def _check_format(path: str, about: dict[str, Any]) -> None:
    version = about.get("format")
    if type(version) is not int or version < 1:
        raise ModelFileError(f"{path}: the model's description names no format version.")
    if version > FORMAT:
        raise ModelFileError(
            f"{path}: written in format {version} by Thresher {about.get('library')}; this version "
            f"reads up to format {FORMAT}. Upgrade Thresher to load it."
        )


def _look_at_start(path: str) -> None:
    """Report common mistakes before safetensors sees the file."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ModelFileError(f"{path}: not a file; a model is one file, as save wrote it.")
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(8)
    if size < 8:
        raise ModelFileError(
            f"{path}: {size} bytes long, too short for a model file; it was cut short."
        )
    (header,) = struct.unpack("<Q", start)
    if header > size - 8 and start[:1] == b"\x80":
        raise ModelFileError(
            f"{path}: this is a pickle, which Thresher does not load, since loading one can run "
            "any code. Save models with model.save(path)."
        )
    if header > size - 8:
        raise ModelFileError(
            f"{path}: not a model file, or one that was cut short (it declares a header of "
            f"{header} bytes, but {size} bytes is all there is)."
        )


def _option(value: Any, tensors: dict[str, Tensor]) -> Any:
    if not isinstance(value, dict):
        return value
    if "float" in value:
        return float.fromhex(value["float"])
    for name in NUMBERED:
        if name in value:
            return {label: float(number) for label, number in value[name]}
    if "classes" in value:
        return list(value["classes"])
    if "learners" in value:
        members = [_member(stored, tensors) for stored in value["learners"]]
        return {member.name: member.learner for member in members}
    if "rules" in value:
        return {label: str(rule) for label, rule in value["rules"]}
    from thresher.concepts.classes import STRUCTURED
    from thresher.concepts.listed import TruthTables

    if value["concepts"] == TruthTables.kind:
        words = np.frombuffer(_numbers("tables", tensors["tables"], "uint64"), "<u8")
        return TruthTables.from_words(words, **value["settings"])
    return STRUCTURED[value["concepts"]](**value["settings"])


def _restore(tensors: dict[str, Tensor], about: dict[str, Any]) -> Learner | Packed:
    options = {k: _option(v, tensors) for k, v in about["options"].items()}
    if "kernel" in options:
        from thresher.learners.kernel.functions import check_known

        check_known(options["kernel"])
    learner = _class_named(about["learner"])(**options)
    if isinstance(learner, Packed):
        return _restore_packed(learner, tensors, about)
    if not about["learned"]:
        return learner
    _check_numbers(about)
    for name, value in about["remembered"].items():
        if name not in REMEMBERED or type(value) is not int or value < 0:
            raise ModelFileError(f"unexpected entry {name!r} in the model's description.")
        attribute, kind = REMEMBERED[name]
        setattr(learner, attribute, kind(value))
    if isinstance(learner, Classifier):
        learner._labels = Labels(about["labels"], about["announced"])
        counts = about["counts"]
        codes = [counts[f"class{i}"] for i in range(counts["classes"])]
        known = len(learner._labels.values)
        if known != len(about["labels"]) or any(code >= known for code in codes):
            raise ModelFileError("the labels do not fit the classes.")
    elif about["counts"]["classes"]:
        raise ModelFileError("a regressor has no classes.")
    state = {
        "arrays": {
            name.removeprefix("state."): _numbers(name, cells, "float64")
            for name, cells in tensors.items()
            if name.startswith("state.")
        },
        "reals": {k: float.fromhex(v) for k, v in about["reals"].items()},
        "counts": about["counts"],
        "names": _numbers("names", tensors["names"], "uint8"),
        "name_ends": _numbers("name_ends", tensors["name_ends"], "uint64"),
        "name_counts": _numbers("name_counts", tensors["name_counts"], "uint8"),
    }
    learner.reading_ = from_kept(about["recipe"])
    learner.provenance_ = dict(about["provenance"])
    if committee := _committee(learner):
        committee.members_ = [_member(stored, tensors) for stored in about["members"]]
    if "mixed_parts" in about:
        counts = np.frombuffer(_numbers("occurrence", tensors["occurrence"], "uint64"), np.uint64)
        if not ((counts >= 1) & (counts <= int(about["mixed_parts"]))).all():
            raise ModelFileError("the occurrence of features does not fit the number of parts.")
        learner._occurrence = Occurrence(int(about["mixed_parts"]), counts)
    model = learner._begin_from(state)
    if len(state["name_ends"]) // WIDTH["uint64"] not in (0, model.features):
        raise ModelFileError("there are more weights than feature names.")
    if (learner._width or 0) > model.features:
        raise ModelFileError("there are fewer weights than columns.")
    if about.get("columns_named"):
        learner._settle_columns(learner.n_features_in_, model.names()[: learner.n_features_in_])
    return learner


def _check_numbers(about: dict[str, Any]) -> None:
    """Check numbers that the core would trust."""
    for name, count in about["counts"].items():
        if type(count) is not int or not 0 <= count < 2**63:
            raise ModelFileError(f"{name} is {count!r}; expected a count.")
    for name, text in about["reals"].items():
        real = float.fromhex(text)
        if not math.isfinite(real):
            raise ModelFileError(f"{name} is {real}; expected a finite number.")
        if name.endswith(".examples") and not 0.0 <= real <= 2.0**53:
            raise ModelFileError(f"{name} is {real}; expected a count.")


def _numbers(name: str, tensor: Tensor, dtype: str) -> bytes | memoryview:
    if len(tensor["shape"]) != 1 or tensor["dtype"] != dtype:
        raise ModelFileError(
            f"{name} is an array of {tensor['dtype']} of shape {tensor['shape']}; expected a row "
            f"of {dtype}."
        )
    return tensor["data"]


def _class_named(name: str) -> type[Learner] | type[Packed]:
    from thresher.learners import table

    for entry in table.LINEAR + table.COMMITTEES:
        if name.startswith(f"{entry.name}.v") and entry.versioned_name == name:
            return entry.cls
    if name in table.BY_NAME:
        return table.BY_NAME[name]
    if name.startswith("rule:"):
        from thresher.rules import registered

        rule, _, _ = name.removeprefix("rule:").rpartition(".v")
        return registered(rule)
    raise ModelFileError(
        f"learner {name!r} is not known to this version of Thresher; "
        f"it knows {', '.join(sorted(table.BY_NAME))}."
    )
