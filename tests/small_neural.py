"""A small encoder's folder in the Hugging Face layout, with random weights, and a run on top."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from arbora import _core
from arbora.neural import EncoderShape, NeuralOptions, NeuralParser
from arbora.neural.layers import random_tensors
from arbora.treebank import Sentence

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,!?'-\"();:éσ"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
VOCABULARY = [*SPECIAL, *LETTERS, *(f"##{letter}" for letter in LETTERS), "the", "##ing", "##ed", "is"]
SHAPE = EncoderShape("bert", layers=2, hidden=16, heads=2, inner=24, positions=48, vocabulary=len(VOCABULARY))
OPTIONS = NeuralOptions(
    epochs=3, rate=2e-3, head_rate=1e-2, batch=200, arc_size=8, label_size=6, dropout=0.1, projective=False
)
"""A few steps, on the treebanks among the examples."""
_PARTS = {
    "mixing": "attention.output.dense",
    "mixing.norm": "attention.output.LayerNorm",
    "inner": "intermediate.dense",
    "outer": "output.dense",
    "outer.norm": "output.LayerNorm",
}
_ENDS = {"weights": "weight", "bias": "bias", "scale": "weight", "shift": "bias"}


@cache
def encoder_folder() -> str:
    """The folder, made once for each process; its files are the same bytes in all of them."""
    folder = Path(tempfile.mkdtemp(prefix="small-encoder."), "small")  # whose name models tell
    folder.mkdir()
    write_folder(folder)
    return str(folder)


def write_folder(folder: Path, **changes: Any) -> None:
    """Write the files; changes are those of the configuration."""
    config = {
        "model_type": "bert",
        "num_hidden_layers": SHAPE.layers,
        "hidden_size": SHAPE.hidden,
        "num_attention_heads": SHAPE.heads,
        "intermediate_size": SHAPE.inner,
        "max_position_embeddings": SHAPE.positions,
        "vocab_size": SHAPE.vocabulary,
        "type_vocab_size": 2,
        "hidden_act": "gelu",
        "layer_norm_eps": 1e-12,
    }
    (folder / "config.json").write_text(json.dumps(config | changes))
    (folder / "README.md").write_text("---\nlicense: cc0-1.0\n---\n")
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer()))
    save_file(stored_tensors(), folder / "model.safetensors")


def states_of(parser: NeuralParser, sentence: Sentence) -> np.ndarray:
    """Of the root and the words of a sentence that the encoder takes at once."""
    own = parser.subwords
    ids, shapes, _, firsts = _core.neural_sequences(own.core, own.cls, own.sep, [list(sentence.forms)], 1)
    return parser.encoder.encode(ids, np.array([len(ids)], np.int64), shapes=shapes)[firsts]


def tokenizer() -> dict[str, Any]:
    """Word pieces in lower case: letters, and a few longer ones."""
    added = [
        {"id": number, "content": name, "single_word": False, "lstrip": False, "rstrip": False,
         "normalized": False, "special": True}
        for number, name in enumerate(SPECIAL)
    ]  # fmt: skip
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "decoder": None,
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {piece: number for number, piece in enumerate(VOCABULARY)},
        },
    }


def stored_tensors() -> dict[str, np.ndarray]:
    """Random weights by the names that BERT's files have for them."""
    own = random_tensors(SHAPE, seed=3)
    found = {
        "embeddings.word_embeddings.weight": own["embeddings.words"],
        "embeddings.position_embeddings.weight": own["embeddings.positions"],
        "embeddings.token_type_embeddings.weight": np.zeros((2, SHAPE.hidden), np.float32),
        "embeddings.LayerNorm.weight": own["embeddings.norm.scale"],
        "embeddings.LayerNorm.bias": own["embeddings.norm.shift"],
    }
    for layer in range(SHAPE.layers):
        before, after = f"layers.{layer}.", f"encoder.layer.{layer}."
        for end in ("weights", "bias"):
            three = np.split(own[f"{before}attention.{end}"], 3)
            for name, part in zip(("query", "key", "value"), three, strict=True):
                found[f"{after}attention.self.{name}.{_ENDS[end]}"] = part.copy()
        for part, name in _PARTS.items():
            for end in ("scale", "shift") if part.endswith("norm") else ("weights", "bias"):
                found[f"{after}{name}.{_ENDS[end]}"] = own[f"{before}{part}.{end}"]
    return found
