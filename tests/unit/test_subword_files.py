"""`tokenizer.json`: what is read from it, and one clear line for what is wrong with it or not known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_subwords import make

from arbora.errors import FileError
from arbora.neural import read_subwords

Json = dict[str, Any]


@pytest.fixture(scope="module")
def contents(tmp_path_factory) -> dict[str, str]:
    found = {}
    for name in ("wordpiece", "byte-level", "unigram"):
        folder = tmp_path_factory.mktemp(name)
        make(name, folder)
        found[name] = (folder / "tokenizer.json").read_text("utf-8")
    return found


def message(folder: Path, text: str) -> str:
    (folder / "tokenizer.json").write_text(text, "utf-8")
    with pytest.raises(FileError) as caught:
        read_subwords(folder)
    assert "\n" not in str(caught.value)
    beginning = f"{folder / 'tokenizer.json'}: "
    assert str(caught.value).startswith(beginning)
    return str(caught.value).removeprefix(beginning)


def test_no_file(tmp_path):
    with pytest.raises(FileError, match=r"tokenizer\.json: there is no such file$"):
        read_subwords(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "\ufeff", "[" * 100000, '{"a": 1'])
def test_no_json(tmp_path, text):
    assert message(tmp_path, text) == "this is no JSON"


def test_no_text(tmp_path):
    (tmp_path / "tokenizer.json").write_bytes(b"\xff\x00\x80")
    with pytest.raises(FileError, match="this is no JSON"):
        read_subwords(tmp_path)


@pytest.mark.parametrize("text", ["[]", "1", '"a"', "null", "{}", '{"model": []}', '{"model": {}}'])
def test_another_json(tmp_path, text):
    assert message(tmp_path, text)


def in_model(**changes: Any) -> Callable[[Json], None]:
    return lambda content: content["model"].update(changes)


def without(*path: str) -> Callable[[Json], None]:
    def change(content: Json) -> None:
        for key in path[:-1]:
            content = content[key]
        del content[path[-1]]

    return change


def beside(**changes: Any) -> Callable[[Json], None]:
    return lambda content: content.update(changes)


BROKEN: dict[str, tuple[str, Callable[[Json], None], str]] = {
    "model": ("wordpiece", in_model(type="WordLevel"), "the model WordLevel is not known"),
    "no-model": ("wordpiece", without("model"), "it lacks 'model'"),
    "normalizer": ("wordpiece", beside(normalizer={"type": "Nmt"}), "the normalizer Nmt is not known"),
    "inner-normalizer": (
        "unigram",
        beside(normalizer={"type": "Sequence", "normalizers": [{"type": "ByteLevel"}]}),
        "the normalizer ByteLevel is not known",
    ),
    "pattern": (
        "unigram",
        beside(normalizer={"type": "Replace", "pattern": {"Regex": "a+"}, "content": ""}),
        "the pattern 'a+' of the normalizer Replace is not known",
    ),
    "pre-tokenizer": (
        "wordpiece",
        beside(pre_tokenizer={"type": "Split", "pattern": {"Regex": "x"}}),
        "the pre-tokenizer Split is not known",
    ),
    "scheme": (
        "unigram",
        beside(pre_tokenizer={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}),
        "Metaspace with prepend_scheme first behind a normalizer is not known",
    ),
    "other-scheme": (
        "byte-level",
        beside(pre_tokenizer={"type": "Metaspace", "replacement": "▁", "prepend_scheme": "x"}),
        "a mark is put before always, first, or never",
    ),
    "suffix": (
        "byte-level",
        in_model(end_of_word_suffix="</w>"),
        "byte pairs with end_of_word_suffix are not known",
    ),
    "dropout": ("byte-level", in_model(dropout=0.1), "byte pairs with dropout are not known"),
    "merge": ("byte-level", in_model(merges=["a b c"]), "a merge is no pair: 'a b c'"),
    "merged": (
        "byte-level",
        in_model(merges=[["a", "nowhere"]]),
        "its vocabulary lacks 'nowhere', which its merges have",
    ),
    "unknown": (
        "wordpiece",
        in_model(unk_token="?!"),
        "its vocabulary lacks '?!', the sub-word for what is unknown",
    ),
    "no-unknown": ("unigram", in_model(unk_id=None), "the model has no sub-word for what is unknown"),
    "unknown-id": ("unigram", in_model(unk_id=10**6), "unknown is not from 0 to 302: 1000000"),
    "no-vocabulary": (
        "wordpiece",
        in_model(vocab={}),
        "its vocabulary is empty, or has ids far beyond its size",
    ),
    "far-id": (
        "wordpiece",
        in_model(vocab={"a": 2**30}),
        "its vocabulary is empty, or has ids far beyond its size",
    ),
    "id": ("wordpiece", in_model(vocab={"a": -1}), "an id is not from 0 to 2147483646: -1"),
    "score": ("unigram", in_model(vocab=[["a", "b"]]), "a score is no number: 'b'"),
    "charsmap": (
        "unigram",
        beside(normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"}),
        "the map of characters of SentencePiece is not whole",
    ),
    "base64": (
        "unigram",
        beside(normalizer={"type": "Precompiled", "precompiled_charsmap": "?"}),
        "precompiled_charsmap is no base64",
    ),
    "single-word": (
        "wordpiece",
        lambda content: content["added_tokens"][0].update(single_word=True),
        "the added token '[UNK]' that must be a single word is not known",
    ),
    "no-cls": (
        "wordpiece",
        lambda content: (content["model"]["vocab"].pop("[PAD]"), content["added_tokens"].pop(3)),
        "it has no token for pad, such as [PAD]",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_tokenizers(contents, tmp_path, name):
    kind, change, expected = BROKEN[name]
    content = json.loads(contents[kind])
    change(content)
    assert message(tmp_path, json.dumps(content)) == expected


@pytest.mark.parametrize("name", ["wordpiece", "byte-level", "unigram"])
def test_whatever_is_in_the_file_is_refused_or_works(contents, tmp_path, name):
    """Every value of the file but those of its lists becomes another."""
    whole = json.loads(contents[name])

    def change(value: Any, path: tuple[Any, ...]) -> None:
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, own in [*inner][:6]:
            for other in (None, {}, "x", 2**40):
                value[key] = other
                (tmp_path / "tokenizer.json").write_text(json.dumps(whole), "utf-8")
                try:
                    read_subwords(tmp_path).cut(["a b\u0301 [MASK]"])
                except FileError as error:
                    assert "\n" not in str(error)  # noqa: PT017
            value[key] = own
            if isinstance(own, dict | list):
                change(own, (*path, key))

    change(whole, ())


def test_special_tokens_are_those_of_the_post_processor(contents, tmp_path):
    content = json.loads(contents["byte-level"])
    content["post_processor"] = {"type": "RobertaProcessing", "cls": ["a", 0], "sep": ["b", 0]}
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), "utf-8")
    found = read_subwords(tmp_path)
    assert (found.cls, found.sep) == (content["model"]["vocab"]["a"], content["model"]["vocab"]["b"])
    content["post_processor"] = {"type": "Sequence", "processors": [{"type": "ByteLevel"}]}
    (tmp_path / "tokenizer.json").write_text(json.dumps(content), "utf-8")
    assert (read_subwords(tmp_path).cls, read_subwords(tmp_path).sep) == (1, 2)


def test_old_files_do_not_say_their_kind(contents, tmp_path):
    for name, kind in (("wordpiece", "wordpiece"), ("byte-level", "byte-pairs"), ("unigram", "unigram")):
        content = json.loads(contents[name])
        del content["model"]["type"]
        if kind == "byte-pairs":
            content["model"]["merges"] = [" ".join(pair) for pair in content["model"]["merges"]]
        (tmp_path / "tokenizer.json").write_text(json.dumps(content), "utf-8")
        assert read_subwords(tmp_path).kind == kind
