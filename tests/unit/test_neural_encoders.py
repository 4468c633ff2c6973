"""Folders of encoders that cannot be used, and tokenizers that belong to others."""

from __future__ import annotations

import numpy as np
import pytest
from safetensors.numpy import save_file
from small_neural import OPTIONS, SHAPE, stored_tensors, write_folder
from small_training import treebank

from arbora.errors import ArboraError, FileError
from arbora.neural import NeuralOptions, train_neural
from arbora.neural.pretrained import read_encoder

TREEBANK = treebank()


def test_encoders_that_do_not_fit_are_refused(tmp_path):
    with pytest.raises(FileError, match="there is no such folder"):
        train_neural(TREEBANK, None, OPTIONS, encoder=tmp_path / "nowhere")
    write_folder(tmp_path)
    with pytest.raises(FileError, match="this encoder has 2 layers, and 3 are asked for"):
        train_neural(TREEBANK, None, NeuralOptions(layers=3), encoder=tmp_path)
    write_folder(tmp_path, vocab_size=SHAPE.vocabulary - 1)
    with pytest.raises(FileError, match="is of shape"):
        train_neural(TREEBANK, None, OPTIONS, encoder=tmp_path)


@pytest.mark.parametrize(
    ("rows", "fits"), [(-1, False), (0, True), (60, True), (1023, True), (1024, False), (30_000, False)]
)
def test_tokenizers_of_another_size_are_refused(tmp_path, rows, fits):
    """Some rows of the table of embeddings may be to spare, as real ones have."""
    write_folder(tmp_path, vocab_size=SHAPE.vocabulary + rows)
    tensors = stored_tensors()
    name = "embeddings.word_embeddings.weight"
    tensors[name] = np.resize(tensors[name], (SHAPE.vocabulary + rows, SHAPE.hidden))
    save_file(tensors, tmp_path / "model.safetensors")
    if fits:
        shape, _, subwords = read_encoder(tmp_path, 1)
        assert shape.vocabulary - subwords.vocabulary == rows
    else:
        own = SHAPE.vocabulary
        expected = f"the tokenizer has {own} sub-words, and the encoder {own + rows}: they do not belong"
        with pytest.raises(ArboraError, match=expected):
            read_encoder(tmp_path, 1)


MARKS = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
"""Those of the small tokenizer."""


@pytest.mark.parametrize("kind", ["roberta", "xlm-roberta"])
@pytest.mark.parametrize("name", MARKS)
def test_marks_of_another_tokenizer_are_refused(tmp_path, kind, name):
    write_folder(tmp_path, model_type=kind, **MARKS)
    assert read_encoder(tmp_path, None)[0].first_position == 1
    write_folder(tmp_path, model_type=kind, **{**MARKS, name: 1})
    with pytest.raises(ArboraError, match=f"{name} is 1 in config.json, and {MARKS[name]} by tokenizer.json"):
        read_encoder(tmp_path, None)


def test_marks_of_bert_are_those_of_the_tokenizer(tmp_path):
    """Whatever the configuration says: files that people use have wrong ones."""
    write_folder(tmp_path, pad_token_id=1, bos_token_id=0, eos_token_id=2)
    subwords = read_encoder(tmp_path, None)[2]
    assert (subwords.pad, subwords.cls, subwords.sep) == (0, 2, 3)
