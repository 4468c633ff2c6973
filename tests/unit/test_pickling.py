"""Models, sentences and documents in pickles and copies."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from full_sentence import full
from small_pipeline import small_pipeline
from small_runs import train_small

import arbora
from arbora.errors import FileError
from arbora.models import Component, load_component
from arbora.models.registry import PLACES
from arbora.pipeline import Document, Pipeline
from arbora.treebank import Sentence

TEXT = "The door is open. Where is the key?"


@pytest.fixture(scope="module", params=PLACES)
def model(request, tmp_path_factory) -> tuple[Component, Path]:
    """A model of each architecture as training gave it, and its file."""
    path = tmp_path_factory.mktemp("models") / "m"
    return train_small(request.param, path).component, path


def saved_bytes(component: Component, folder: Path) -> bytes:
    component.save(folder / "saved")
    return (folder / "saved").read_bytes()


def again(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


def test_a_model_that_was_trained_is_pickled_by_its_bytes(model, tmp_path):
    made, _ = model
    assert made.origin is None
    found = again(made)
    assert type(found) is type(made)
    assert saved_bytes(found, tmp_path) == saved_bytes(made, tmp_path)
    assert saved_bytes(again(found), tmp_path) == saved_bytes(made, tmp_path)


def test_a_model_of_a_file_is_pickled_by_path_and_hash(model, tmp_path, monkeypatch):
    _, path = model
    monkeypatch.chdir(path.parent)
    loaded = load_component(path.name)
    data = pickle.dumps(loaded)
    assert len(data) < 400
    monkeypatch.chdir(tmp_path)  # the path is an absolute one
    found = pickle.loads(data)
    assert type(found) is type(loaded)
    assert saved_bytes(found, tmp_path) == saved_bytes(loaded, tmp_path)
    assert pickle.loads(data) is found  # the file is opened once


def test_a_file_that_is_gone_or_another_is_refused(model, tmp_path):
    _, path = model
    own = tmp_path / "own"
    own.write_bytes(path.read_bytes())
    data = pickle.dumps(load_component(own))
    own.unlink()
    with pytest.raises(FileError, match=r"own: a model that was pickled by its file is no longer there"):
        pickle.loads(data)
    other = train_small("tokenizer", own, seed=7).component
    assert other is not None
    with pytest.raises(FileError, match=r"own: this is not the model that was pickled, its hash differs"):
        pickle.loads(data)
    own.write_bytes(b"nothing of the kind")
    with pytest.raises(FileError, match="own: this is not an Arbora model"):
        pickle.loads(data)
    own.write_bytes(path.read_bytes())
    os.utime(own, ns=(1, 1))
    assert type(pickle.loads(data)) is type(load_component(path))


def test_copies_share_the_model(model):
    made, path = model
    for component in (made, load_component(path)):
        assert copy.copy(component) is copy.deepcopy(component) is component


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("pipeline") / "small.arbora"
    small_pipeline().save(path)
    return path


def test_the_members_of_a_file_are_pickled_by_it(file):
    nlp: Pipeline = arbora.load(file)
    for name, component in nlp.components.items():
        assert len(pickle.dumps(component)) < 400
        assert again(component) is nlp[name]
    assert again(nlp) is nlp


def test_an_exchanged_member_goes_with_the_pipeline(file):
    for change in (lambda own: own.update(tagger=small_pipeline().tagger), lambda own: own.pop("parser")):
        nlp = Pipeline.load(file)
        change(nlp.components)
        found = again(nlp)
        assert list(found.components) == list(nlp.components)
        assert len(pickle.dumps(nlp)) > 10_000
    assert len(again(Pipeline([("only", arbora.load(file).tokenizer)]))(TEXT)) == 2


def test_documents_keep_their_parser(file):
    for nlp in (small_pipeline(), arbora.load(file)):
        document = nlp(TEXT)
        found = again(document)
        assert found.to_dict(probabilities=True) == document.to_dict(probabilities=True)
        assert found[0].kbest(2)[1] == document[0].kbest(2)[1]
        assert found[0]._parser is found[1]._parser
    assert len(pickle.dumps(document)) < 7_000


def test_another_process_opens_the_file(file, tmp_path):
    document = arbora.load(file)(TEXT)
    (tmp_path / "d").write_bytes(pickle.dumps(document))
    program = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb'))[0][1].probability)"
    found = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "d")], capture_output=True, text=True, check=True
    )
    assert float(found.stdout) == document[0][1].probability


@pytest.mark.parametrize("way", [again, copy.copy, copy.deepcopy, Sentence.copy])
def test_sentences(way):
    sentence = full()
    twin = way(sentence)
    assert twin == sentence
    assert twin.findings == sentence.findings
    twin.forms[0], twin.multiwords[0].form, twin.findings["new"] = "x", "y", 1
    twin.comments.append("# more")
    assert sentence == full()
    assert sentence.findings == full().findings


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy])
def test_copies_of_parsed_sentences_are_such(way):
    sentence = small_pipeline()(TEXT)[0]
    twin = way(sentence)
    assert type(twin) is type(sentence)
    assert twin[1].probability == sentence[1].probability
    twin[1].head = None
    assert sentence[1].head is not None
    document: Document = copy.deepcopy(small_pipeline()(TEXT))
    assert document[0]._parser is small_pipeline().parser


def test_words_come_with_their_sentence():
    word = again(full()[3])
    assert (word.form, word.sentence) == ("See", full())
