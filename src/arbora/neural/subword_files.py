"""`tokenizer.json` of an encoder's folder, as a header and tensors that a model file holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arbora.errors import FileError
from arbora.models.checking import LARGEST, a_flag, a_list, a_mapping, a_number, a_text, a_whole
from arbora.neural.subword_steps import Step, UnknownPartError, normalizing, splitting

Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]
ROLES = {
    "cls": ("[CLS]", "<s>"),
    "sep": ("[SEP]", "</s>"),
    "pad": ("[PAD]", "<pad>"),
    "unknown": ("[UNK]", "<unk>"),
}
"""What special tokens are called where nothing else says which is which."""


def read_parts(folder: Path | str) -> Parts:
    """Header and tensors of a folder's `tokenizer.json`; `FileError` if it is none, or has unknown parts."""
    path = Path(folder) / "tokenizer.json"
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise FileError("there is no such file", file=str(path)) from None
    except OSError as error:
        raise FileError(f"it cannot be read: {error.strerror}", file=str(path)) from None
    except (ValueError, RecursionError):
        raise FileError("this is no JSON", file=str(path)) from None
    try:
        return _parts(a_mapping(content, "the tokenizer"))
    except KeyError as error:
        raise FileError(f"it lacks {error}", file=str(path)) from None
    except (ValueError, UnknownPartError) as error:
        raise FileError(str(error), file=str(path)) from None


def _parts(content: Mapping[str, Any]) -> Parts:
    model = a_mapping(content["model"], "the model")
    kind = _kind(model)
    words, scores = _vocabulary(kind, model)
    ids = {word: number for number, word in enumerate(words) if word}
    added = [_added(own, ids) for own in a_list(content.get("added_tokens") or [], "added_tokens")]
    ids |= {word: number for word, number, *_ in added}
    size = max([len(words), *(number + 1 for _, number, *_ in added)])
    header = {
        "kind": kind,
        "vocabulary": size,
        **_roles(content.get("post_processor"), ids, _unknown(kind, model, ids)),
        "model": _model_options(kind, model, ids),
        "added": added,
    }
    tensors: dict[str, NDArray[Any]] = {**_joined(words), **scores}
    if kind == "byte-pairs":
        tensors["merges"] = _merges(model, ids)
    for name, steps in (
        ("normalizing", normalizing(content.get("normalizer"))),
        ("splitting", splitting(content.get("pre_tokenizer"))),
    ):
        header[name] = [*_named(name, steps, tensors)]
    if header["normalizing"] and any(step.get("prefix") == "first" for step in header["splitting"]):
        # It asks whether anything was dropped before a text, which nobody knows after normalising.
        raise UnknownPartError("Metaspace with prepend_scheme first behind a normalizer is not known")
    return header, tensors


def _kind(model: Mapping[str, Any]) -> str:
    """The kind of a model; old files do not say it."""
    found = model.get("type")
    if found is None:
        found = "BPE" if "merges" in model else "Unigram" if isinstance(model["vocab"], list) else "WordPiece"
    kinds = {"WordPiece": "wordpiece", "BPE": "byte-pairs", "Unigram": "unigram"}
    if a_text(found, "the type of the model") not in kinds:
        raise UnknownPartError(f"the model {found} is not known")
    return kinds[found]


def _vocabulary(kind: str, model: Mapping[str, Any]) -> tuple[list[str], dict[str, NDArray[Any]]]:
    """The sub-words by their ids, empty where there is none; and the scores of a unigram model."""
    if kind == "unigram":
        rows = [a_list(row, "a sub-word with its score", 2) for row in a_list(model["vocab"], "vocab")]
        scores = np.array([a_number(score, "a score") for _, score in rows], np.float64)
        return [a_text(word, "a sub-word") for word, _ in rows], {"scores": scores}
    numbers = {
        a_text(word, "a sub-word"): a_whole(number, "an id", most=LARGEST - 1)
        for word, number in a_mapping(model["vocab"], "vocab").items()
    }
    if not numbers or max(numbers.values()) > 4 * len(numbers) + 1000:
        raise ValueError("its vocabulary is empty, or has ids far beyond its size")
    words = [""] * (max(numbers.values()) + 1)
    for word, number in numbers.items():
        words[number] = word
    return words, {}


def _joined(words: list[str]) -> dict[str, NDArray[Any]]:
    encoded = [word.encode() for word in words]
    ends = np.cumsum([len(word) for word in encoded], dtype=np.int32)
    return {"vocabulary": np.frombuffer(b"".join(encoded), np.uint8), "ends": ends}


def _added(found: Any, ids: Mapping[str, int]) -> list[Any]:
    """An added token: text, id, whether it takes white space on its left and right, and is normalised."""
    own = a_mapping(found, "an added token")
    text = a_text(own["content"], "an added token")
    if a_flag(own.get("single_word", False), "single_word"):
        raise UnknownPartError(f"the added token {text!r} that must be a single word is not known")
    flags = [a_flag(own.get(name, False), name) for name in ("lstrip", "rstrip", "normalized")]
    return [text, ids.get(text, a_whole(own["id"], "the id of an added token", most=LARGEST - 1)), *flags]


def _unknown(kind: str, model: Mapping[str, Any], ids: Mapping[str, int]) -> int | None:
    """The id of what the model does not know, if it has one."""
    if kind == "unigram":
        found = model.get("unk_id")
        return None if found is None else a_whole(found, "unk_id")
    name = model.get("unk_token")
    if not name:
        return None
    if name not in ids:
        raise ValueError(f"its vocabulary lacks {name!r}, the sub-word for what is unknown")
    return ids[name]


def _model_options(kind: str, model: Mapping[str, Any], ids: Mapping[str, int]) -> dict[str, Any]:
    def flag(name: str) -> bool:
        return a_flag(model.get(name) or False, name)

    unknown = _unknown(kind, model, ids)
    if kind == "byte-pairs":
        for name in ("dropout", "continuing_subword_prefix", "end_of_word_suffix"):
            if model.get(name):
                raise UnknownPartError(f"byte pairs with {name} are not known")
        names = {
            "fuse_unknown": "fuse_unk",
            "byte_fallback": "byte_fallback",
            "whole_words_first": "ignore_merges",
        }
        own = {ours: flag(theirs) for ours, theirs in names.items()}
        return {"unknown": -1 if unknown is None else unknown, **own}
    if unknown is None:
        raise ValueError("the model has no sub-word for what is unknown")
    if kind == "unigram":
        return {"unknown": unknown, "byte_fallback": flag("byte_fallback")}
    prefix = a_text(model.get("continuing_subword_prefix", "##"), "continuing_subword_prefix")
    longest = a_whole(model.get("max_input_chars_per_word", 100), "max_input_chars_per_word")
    return {"unknown": unknown, "prefix": prefix, "longest": longest}


def _merges(model: Mapping[str, Any], ids: Mapping[str, int]) -> NDArray[np.int32]:
    """Left, right, and both together of each merge, one after the other."""
    rows: list[int] = []
    for found in a_list(model["merges"], "merges"):
        pair = found.split(" ") if isinstance(found, str) else a_list(found, "a merge", 2)
        if len(pair) != 2:
            raise ValueError(f"a merge is no pair: {found!r}")
        left, right = (a_text(word, "a part of a merge") for word in pair)
        for word in (left, right, left + right):
            if word not in ids:
                raise ValueError(f"its vocabulary lacks {word!r}, which its merges have")
            rows.append(ids[word])
    return np.array(rows, np.int32)


def _roles(processor: Any, ids: Mapping[str, int], unknown: int | None) -> dict[str, int]:
    """The ids of the special tokens, as the post-processor has them, or by their usual names."""
    found = {"unknown": unknown} | dict(_processed(processor, ids))
    for role, names in ROLES.items():
        if found.get(role) is None:
            found[role] = next((ids[name] for name in names if name in ids), None)
        if found[role] is None:
            raise ValueError(f"it has no token for {role}, such as {names[0]}")
    return {role: number for role in ROLES if (number := found[role]) is not None}


def _processed(processor: Any, ids: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    if processor is None:
        return
    own = a_mapping(processor, "the post-processor")
    if own.get("type") in ("BertProcessing", "RobertaProcessing"):
        for role in ("cls", "sep"):
            yield role, ids[a_text(a_list(own[role], role, 2)[0], role)]
    if own.get("type") == "Sequence":
        for part in a_list(own.get("processors"), "the post-processors"):
            yield from _processed(part, ids)
    if own.get("type") == "TemplateProcessing":
        row = [a_mapping(part, "a part of the template") for part in a_list(own["single"], "the template")]
        special = [a_mapping(part.get("SpecialToken", {}), "a special token").get("id") for part in row]
        if len(special) == 3 and special[1] is None:
            for role, name in (("cls", special[0]), ("sep", special[2])):
                yield role, ids[a_text(name, role)]


def _named(name: str, steps: Iterator[Step], tensors: dict[str, NDArray[Any]]) -> Iterator[dict[str, Any]]:
    """The steps, whose tables go among the tensors by their place."""
    for place, (step, own) in enumerate(steps):
        tensors |= {f"{name}.{place}.{table}": values for table, values in own.items()}
        yield step
