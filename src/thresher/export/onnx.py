"""A linear model as ONNX, of plain operators and in float64: a matrix of features in, labels out.

Column i of the input `features` is the feature `feature_names[i]` of the metadata. Outputs are
`label` (of a regressor `prediction`) and `scores`.
"""

from __future__ import annotations

import json
from typing import Any

from thresher.export.portable import Portable, portable
from thresher.export.recipes import refuse_recipe
from thresher.extras import missing
from thresher.lazy import np

OPSET = 17


def onnx_model(learner: Any, name: str = "model") -> bytes:
    """The bytes of the file."""
    try:
        import onnx
    except ImportError:
        raise missing("an export to ONNX", "onnx") from None
    found = portable(learner)
    refuse_recipe(found.recipe, "ONNX", "it takes a matrix of features")
    graph = _Graph(onnx)
    scores = graph.scores(found)
    outputs = graph.answer(found, scores)
    model = onnx.helper.make_model(
        onnx.helper.make_graph(
            graph.nodes, name,
            [graph.value("features", onnx.TensorProto.DOUBLE, [None, len(found.names)])],
            outputs, graph.constants,
        ),
        opset_imports=[onnx.helper.make_opsetid("", OPSET)], producer_name="thresher",
        ir_version=8,
    )  # fmt: skip
    onnx.helper.set_model_props(
        model,
        {
            "feature_names": json.dumps(found.names),
            "classes": json.dumps(found.classes),
            "learner": found.learner,
        },
    )
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content


class _Graph:
    """Nodes and constants, each constant by its name."""

    def __init__(self, onnx: Any) -> None:
        self.onnx = onnx
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def value(self, name: str, kind: int, shape: list[int | None]) -> Any:
        return self.onnx.helper.make_tensor_value_info(name, kind, shape)

    def constant(self, name: str, values: Any) -> str:
        self.constants.append(self.onnx.numpy_helper.from_array(values, name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(self.onnx.helper.make_node(kind, inputs, [output], **attributes))
        return output

    def scores(self, found: Portable) -> str:
        x = "features"
        if found.scale is not None:
            x = self.node("Mul", [x, self.constant("scale", found.scale)], "scaled")
        if found.unit:
            length = self.node("ReduceL2", [x], "length", axes=[1], keepdims=1)
            least = self.constant("least", np.array(np.finfo(np.float64).tiny))
            x = self.node("Div", [x, self.node("Max", [length, least], "divisor")], "unit")
        weights = self.constant("weights", np.ascontiguousarray(found.weights.T))
        product = self.node("MatMul", [x, weights], "product")
        return self.node("Add", [product, self.constant("intercepts", found.intercepts)], "scores")

    def answer(self, found: Portable, scores: str) -> list[Any]:
        kinds = self.onnx.TensorProto
        columns = len(found.intercepts)
        outputs = [self.value(scores, kinds.DOUBLE, [None, columns])]
        if found.classes is None:
            axes = self.constant("axes", np.array([1], np.int64))
            clipped = scores
            if found.bounds is not None:
                ends = [
                    self.constant(end, np.array(value))
                    for end, value in zip(("low", "high"), found.bounds, strict=True)
                ]
                clipped = self.node("Clip", [scores, *ends], "clipped")
            self.node("Squeeze", [clipped, axes], "prediction")
            return [self.value("prediction", kinds.DOUBLE, [None]), *outputs]
        if len(found.classes) > 2:
            place = self.node("ArgMax", [scores], "place", axis=1, keepdims=0)
        else:
            cut = self.constant("threshold", np.array(found.threshold))
            at_least = self.node("GreaterOrEqual", [scores, cut], "at_least")
            axes = self.constant("axes", np.array([1], np.int64))
            flat = self.node("Squeeze", [at_least, axes], "flat")
            place = self.node("Cast", [flat], "place", to=kinds.INT64)
            if len(found.classes) == 1:
                place = self.node("Sub", [place, place], "first")
        labels, kind = _labels(found.classes, kinds)
        self.node("Gather", [self.constant("classes", labels), place], "label")
        return [self.value("label", kind, [None]), *outputs]


def _labels(classes: list[Any], kinds: Any) -> tuple[Any, int]:
    if all(isinstance(label, int) for label in classes):
        return np.array(classes, np.int64), kinds.INT64
    if all(isinstance(label, (int, float)) for label in classes):
        return np.array(classes, np.float64), kinds.DOUBLE
    return np.array([str(label) for label in classes], object), kinds.STRING
