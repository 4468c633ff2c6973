"""The registry of architectures: any model file is opened by it, and says what it is for."""

from __future__ import annotations

import importlib.metadata
from pkgutil import resolve_name
from typing import Any

import numpy as np
import pytest
from small_pipeline import small_pipeline
from small_runs import BRACKETS, OPTIONS
from small_tagger import small_tagger
from small_tokenizer import trained
from small_training import changed, treebank

import arbora
from arbora.constituency.spans.parser import SpanParser
from arbora.constituency.spans.training import train_span_parser
from arbora.dependency import DependencyParser, train
from arbora.errors import FileError
from arbora.models import (
    Architecture,
    Component,
    Parts,
    Tensors,
    architectures,
    find_architecture,
    load_component,
    read_model,
    write_model,
)
from arbora.models.registry import GROUP, PLACES
from arbora.pipeline import Pipeline, find_component
from arbora.text import Tagger, Tokenizer
from arbora.training import FileTask
from arbora.treebank import read

CLASSES = {
    "pipeline": Pipeline,
    "tokenizer": Tokenizer,
    "tagger": Tagger,
    "dependency-parser": DependencyParser,
    "span-parser": SpanParser,
}


@pytest.fixture(scope="module", params=PLACES)
def model(request, tmp_path_factory) -> tuple[str, Component, str]:
    """The name of each architecture, a model of it, and its file."""
    made = {
        "pipeline": small_pipeline,
        "tokenizer": lambda: trained("en"),
        "tagger": small_tagger,
        "dependency-parser": lambda: train(treebank(), options=changed(epochs=1)),
        "span-parser": lambda: train_span_parser(list(read(BRACKETS)), options=OPTIONS["span-parser"]),
    }[request.param]()
    path = tmp_path_factory.mktemp("models") / "m"
    made.save(path)
    return request.param, made, str(path)


def test_anything_is_opened(model):
    name, made, path = model
    for opened in (arbora.load(path), load_component(path)):
        assert type(opened) is type(made) is CLASSES[name]
        assert opened.adds == made.adds
    assert arbora.load(path) is arbora.load(path)
    assert read_model(path).header["architecture"] == name == made.architecture


def test_parts_make_the_same_model(model, tmp_path):
    _, made, path = model
    for compact in (False, True):
        again = type(made).from_parts(*made.to_parts(compact_weights=compact))
        again.save(tmp_path / "again", compact_weights=compact)
        made.save(tmp_path / "first", compact_weights=compact)
        assert (tmp_path / "again").read_bytes() == (tmp_path / "first").read_bytes()
    load_component(path).save(tmp_path / "loaded")
    made.save(tmp_path / "first")
    assert (tmp_path / "loaded").read_bytes() == (tmp_path / "first").read_bytes()


def test_a_file_without_anything_is_refused_alike(model, tmp_path):
    name, made, _ = model
    write_model(tmp_path / "m", {"architecture": name}, {"x": np.zeros(1, np.float32)})
    title = find_architecture(name).title
    for load in (load_component, type(made).load, arbora.load):
        with pytest.raises(FileError, match=f"this is no {title} that Arbora can use: it lacks '"):
            load(tmp_path / "m")


def test_the_wrong_class_says_what_the_file_is(model):
    name, _, path = model
    other = next(kind for kind in CLASSES if kind != name)
    words = name.replace("-", " ")
    with pytest.raises(FileError, match=f"this model is a {words}, not a {other.replace('-', ' ')}"):
        CLASSES[other].load(path)


@pytest.mark.parametrize("name", PLACES)
def test_declarations_are_true(name):
    one = find_architecture(name)
    assert one.name == name
    assert one.load_class().architecture == name
    assert one.load_class() is CLASSES[name]
    task = resolve_name(one.task)
    assert issubclass(task, FileTask)
    assert task.architecture == name
    assert task.default_options().check() == task.default_options()
    assert one.adds
    assert one.reads
    assert one.writes
    assert one.command is not None
    assert callable(resolve_name(one.command.place))


def test_names_differ():
    found = architectures()
    assert [one.name for one in found] == list(PLACES)
    assert len({one.command for one in found}) == len({one.title for one in found}) == len(found)


def test_components_are_found_by_what_they_add(model):
    _, made, path = model
    for adds in ("words", "upos", "heads"):
        if adds in made.adds:
            assert adds in find_component(path, adds=adds).adds
            assert not isinstance(find_component(path, adds=adds), Pipeline)
        else:
            with pytest.raises(FileError, match=f"which adds .*, not {adds}: give another file"):
                find_component(path, adds=adds)


def test_an_unknown_architecture(tmp_path):
    write_model(tmp_path / "m", {"architecture": "oracle"}, {})
    for load in (load_component, arbora.load):
        with pytest.raises(
            FileError, match="there is no architecture 'oracle' in this Arbora; upgrade"
        ) as caught:
            load(tmp_path / "m")
        assert caught.value.file == str(tmp_path / "m")


class Echo(Component):
    """A component of another package."""

    architecture = "echo"

    def __init__(self, header: dict[str, Any]) -> None:
        self.header = header

    @classmethod
    def from_parts(cls, header: dict[str, Any], tensors: Tensors) -> Echo:
        return cls({"architecture": "echo", "words": header["words"]})

    def to_parts(self, *, compact_weights: bool = False) -> Parts:
        return self.header, {}


ECHO = Architecture("echo", "echo", f"{__name__}:Echo", adds=("misc",))


def test_other_packages_register_theirs(tmp_path, monkeypatch):
    """By an entry point, which is looked at for unknown names only; also within a pipeline."""
    point = importlib.metadata.EntryPoint("echo", f"{__name__}:ECHO", GROUP)
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda **by: [point] if by["name"] == "echo" else []
    )
    Pipeline([("tokenizer", trained("en")), ("last", Echo({"architecture": "echo", "words": 3}))]).save(
        tmp_path / "m"
    )
    loaded = arbora.load(tmp_path / "m")
    assert isinstance(loaded["last"], Echo)
    assert loaded.adds == ("words", "misc")
    write_model(tmp_path / "n", {"architecture": "echo"}, {})
    with pytest.raises(FileError, match="this is no echo that Arbora can use: it lacks 'words'"):
        arbora.load(tmp_path / "n")
