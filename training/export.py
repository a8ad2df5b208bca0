"""Write the ONNX graph of a GPT-2 folder, which reads its weights from the safetensors file.

    python training/export.py src/mauve/embed/model

The graph turns ``ids`` (batch, length) and ``before`` (n,) into

- ``hidden`` (batch, length, width): the hidden states of the last layer, normalised;
- ``log_probability`` (n,): of the tokens that stand behind the places ``before``, counted
  through the batch row by row. The logits are most of the work, so only those of these
  places are computed.

Texts are padded on the right: a causal model never looks there. The graph holds no weights.
Each of its initialisers is an ONNX external tensor that points into ``model.safetensors``,
so the weights exist once for ONNX Runtime and for Transformers.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from onnx import TensorProto, checker, helper, load, numpy_helper, save
from safetensors.numpy import load_file

OPSET = 20
OVERFLOW = 75.0  # exp(75) times ten thousand words still fits 32 bits
ORT_IR_VERSION = 9  # the newest that every ONNX Runtime with opset 20 reads
_TYPES = {"F16": TensorProto.FLOAT16, "F32": TensorProto.FLOAT}


class Graph:
    """Nodes that are added one after another; every method returns the output's name."""

    def __init__(self, weights: Path) -> None:
        self.nodes: list = []
        self.initializers: list = []
        self._weights = weights
        with weights.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            self._header = json.loads(file.read(size))
        self._start = 8 + size

    def add(self, op: str, *inputs: str, **attributes: object) -> str:
        """Add a node."""
        name = f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def constant(self, value: object, dtype: type = np.int64) -> str:
        """Add a constant."""
        name = f"constant_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.array(value, dtype=dtype), name))
        return name

    def weight(self, name: str) -> str:
        """Add a weight, which stays in the safetensors file."""
        entry = self._header[f"transformer.{name}"]
        tensor = TensorProto(
            name=name, dims=entry["shape"], data_type=_TYPES[entry["dtype"]],
            data_location=TensorProto.EXTERNAL,
        )  # fmt: skip
        begin, end = entry["data_offsets"]
        place = {
            "location": self._weights.name,
            "offset": self._start + begin,
            "length": end - begin,
        }
        for key, value in place.items():
            tensor.external_data.add(key=key, value=str(value))
        self.initializers.append(tensor)
        # Sixteen bits on disk, thirty-two in memory: folded when the session is made.
        return self.add("Cast", name, to=TensorProto.FLOAT)

    def linear(self, x: str, name: str) -> str:
        """Add a product with a matrix, and a bias."""
        product = self.add("MatMul", x, self.weight(f"{name}.weight"))
        return self.add("Add", product, self.weight(f"{name}.bias"))

    def norm(self, x: str, name: str, epsilon: float) -> str:
        """Add a layer normalisation."""
        scale, shift = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.add("LayerNormalization", x, scale, shift, axis=-1, epsilon=epsilon)


def attention(graph: Graph, x: str, name: str, n_heads: int, width: int, mask: str) -> str:
    """Add causal self-attention."""
    parts = graph.add("Reshape", graph.linear(x, f"{name}.c_attn"),
                      graph.constant([0, 0, 3, n_heads, width // n_heads]))  # fmt: skip
    query, key, value = (
        graph.add("Gather", parts, graph.constant(i), axis=2) for i in range(3)
    )  # each (batch, length, heads, width of a head)
    query = graph.add("Transpose", query, perm=[0, 2, 1, 3])
    key = graph.add("Transpose", key, perm=[0, 2, 3, 1])
    value = graph.add("Transpose", value, perm=[0, 2, 1, 3])
    scale = graph.constant((width // n_heads) ** -0.5, np.float32)
    scores = graph.add("MatMul", graph.add("Mul", query, scale), key)
    shares = graph.add("Softmax", graph.add("Add", scores, mask), axis=-1)
    mixed = graph.add("Transpose", graph.add("MatMul", shares, value), perm=[0, 2, 1, 3])
    joined = graph.add("Reshape", mixed, graph.constant([0, 0, width]))
    return graph.linear(joined, f"{name}.c_proj")


def largest_logit(folder: Path) -> float:
    """Return a bound on the logits: normalised states have at most the length sqrt(width)."""
    weights = {
        name: x.astype(np.float64) for name, x in load_file(folder / "model.safetensors").items()
    }
    words = weights["transformer.wte.weight"]
    scale, shift = weights["transformer.ln_f.weight"], weights["transformer.ln_f.bias"]
    lengths = np.linalg.norm(words * scale, axis=1) * np.sqrt(len(scale))
    return float((lengths + words @ shift).max())


def build(folder: Path) -> Graph:
    """Add the whole model."""
    if largest_logit(folder) > OVERFLOW:
        raise SystemExit(
            f"{folder}: logits may reach {largest_logit(folder):.0f}, too large to add up"
        )
    config = json.loads((folder / "config.json").read_text())
    width, epsilon = config["n_embd"], config["layer_norm_epsilon"]
    graph = Graph(folder / "model.safetensors")
    zero, one = graph.constant(0), graph.constant(1)

    length = graph.add("Gather", graph.add("Shape", "ids"), one)
    positions = graph.add("Range", zero, length, one)
    words = graph.weight("wte.weight")
    x = graph.add("Add", graph.add("Gather", words, "ids"),
                  graph.add("Gather", graph.weight("wpe.weight"), positions))  # fmt: skip
    later = graph.add(
        "Less", graph.add("Unsqueeze", positions, one), graph.add("Unsqueeze", positions, zero)
    )
    mask = graph.add(
        "Where", later, graph.constant(-1e9, np.float32), graph.constant(0, np.float32)
    )
    for layer in range(config["n_layer"]):
        name = f"h.{layer}"
        attended = attention(
            graph, graph.norm(x, f"{name}.ln_1", epsilon), f"{name}.attn",
            config["n_head"], width, mask,
        )  # fmt: skip
        x = graph.add("Add", x, attended)
        inner = graph.linear(graph.norm(x, f"{name}.ln_2", epsilon), f"{name}.mlp.c_fc")
        inner = graph.add("Gelu", inner, approximate="tanh")
        x = graph.add("Add", x, graph.linear(inner, f"{name}.mlp.c_proj"))
    hidden = graph.norm(x, "ln_f", epsilon)
    graph.nodes.append(helper.make_node("Identity", [hidden], ["hidden"]))

    # log p(next) = its logit less the logarithm of the sum over all: no gather of logits.
    flat = graph.constant([-1])
    before = graph.add(
        "Gather", graph.add("Reshape", hidden, graph.constant([-1, width])), "before"
    )
    tokens = graph.add("Gather", graph.add("Reshape", "ids", flat), graph.add("Add", "before", one))
    logit = graph.add("ReduceSum", graph.add("Mul", before, graph.add("Gather", words, tokens)),
                      flat, keepdims=0)  # fmt: skip
    logits = graph.add("MatMul", before, graph.add("Transpose", words, perm=[1, 0]))
    # The largest logit that these weights can give is far from overflow (`largest_logit`), so
    # the exponentials are added up as they are: a third of the time of ReduceLogSumExp.
    total = graph.add("Log", graph.add("ReduceSum", graph.add("Exp", logits), flat, keepdims=0))
    log_probability = graph.add("Sub", logit, total)
    graph.nodes.append(helper.make_node("Identity", [log_probability], ["log_probability"]))
    return graph


def export(folder: Path) -> Path:
    """Write ``model.onnx`` beside the weights."""
    graph = build(folder)
    config = json.loads((folder / "config.json").read_text())
    shape = ["batch", "length"]
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "mauve-bundled",
            [
                helper.make_tensor_value_info("ids", TensorProto.INT64, shape),
                helper.make_tensor_value_info("before", TensorProto.INT64, ["n"]),
            ],
            [
                helper.make_tensor_value_info(
                    "hidden", TensorProto.FLOAT, [*shape, config["n_embd"]]
                ),
                helper.make_tensor_value_info("log_probability", TensorProto.FLOAT, ["n"]),
            ],
            graph.initializers,
        ),
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=ORT_IR_VERSION,
    )
    path = folder / "model.onnx"
    save(model, str(path))
    checker.check_model(str(path))
    load(str(path))  # the external tensors can be found
    return path


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    path = export(parser.parse_args().folder)
    print(f"{path}: {path.stat().st_size} bytes")
