# pyright: basic
"""A file of ONNX, written node by node: the same bytes for the same net, whatever the machine."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

OPSET, IR = 17, 8
"""Old enough for every ONNX Runtime that the product allows."""
ORT = "com.microsoft"
"""Operations of ONNX Runtime's own."""
Shape = Sequence[str | int]


class Graph:
    """A graph that grows: each method adds a node and returns the name of what comes out."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []

    def input(self, name: str, dtype: type, shape: Shape) -> str:
        """An input of the graph."""
        self.inputs.append(_value(name, dtype, shape))
        return name

    def output(self, name: str, value: str, shape: Shape, dtype: type = np.float32) -> None:
        """Name a value as an output of the graph."""
        self.nodes.append(helper.make_node("Identity", [value], [name]))  # gives it the name
        self.outputs.append(_value(name, dtype, shape))

    def constant(self, value: Any, dtype: type | None = None) -> str:
        """A number or an array of the file."""
        name = f"constant-{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def half(self, value: Any) -> str:
        """An array of floats, kept in half precision."""
        return self.cast(self.constant(value, np.float16), np.float32)

    def cast(self, value: str, dtype: type) -> str:
        """A value in another type."""
        return self("Cast", value, to=_type(dtype))

    def __call__(
        self, operation: str, *inputs: str, domain: str = "", outputs: int = 1, **attributes: Any
    ) -> Any:
        """Add a node; the name of its output, or a list of them if it has several."""
        name = f"{operation.lower()}-{len(self.nodes)}"
        names = [name] if outputs == 1 else [f"{name}-{part}" for part in range(outputs)]
        self.nodes.append(helper.make_node(operation, inputs, names, domain=domain, **attributes))
        return name if outputs == 1 else names

    def save(self, path: Path, about: Mapping[str, Any]) -> Path:
        """Write the file; ``about`` is what it says about itself."""
        graph = helper.make_graph(
            self.nodes, str(about["net"]), self.inputs, self.outputs, self.constants
        )
        domains = dict.fromkeys(["", *(node.domain for node in self.nodes)])
        opsets = [helper.make_opsetid(domain, 1 if domain else OPSET) for domain in domains]
        model = helper.make_model(graph, ir_version=IR, opset_imports=opsets, producer_name="")
        helper.set_model_props(model, {"homunculus": json.dumps({**about})})
        partial = path.with_name(path.name + ".partial")
        partial.write_bytes(model.SerializeToString(deterministic=True))
        partial.replace(path)
        return path


def _value(name: str, dtype: type, shape: Shape) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, _type(dtype), shape)


def _type(dtype: type) -> int:
    return helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
