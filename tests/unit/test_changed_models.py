"""Model files that somebody changed: refused with one line when they are opened, or they run."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from fuzz_models import run

import arbora
from arbora.errors import FileError
from arbora.models import read_model, write_model

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


def test_some_hundred_files_changed_at_random():
    """`tests/fuzz_models.py` makes as many as one likes."""
    assert "wrong" not in run(0, 300)


def refusal(tmp_path, name, *changes):
    """Why a golden model is refused if these places of its header (path of keys, value) are changed."""
    model = read_model(GOLDEN / f"{name}.v2.arbora")
    header = copy.deepcopy(model.header)
    for keys, value in changes:
        inner = header
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value
    path = tmp_path / "changed.arbora"
    write_model(path, header, model.tensors)
    with pytest.raises(FileError) as caught:
        arbora.load(path)
    assert caught.value.file == str(path)
    assert "\n" not in str(caught.value)
    return caught.value.reason


@pytest.mark.parametrize(
    ("keys", "value", "reason"),
    [
        (("options", "most_heads"), -3, "most_heads must be at least 1"),
        (("options", "iterations"), 0.5, "the option iterations is no whole number: 0.5"),
        (("options", "constraint"), "forest", "there is no constraint 'forest'"),
        (("options", "solver"), "oracle", "there is no solver 'oracle'"),
        (("options", "learner"), "oracle", "no learner"),
        (("options", "projective"), None, "the option projective is neither true nor false: None"),
        (("confidence",), {"heads": [1.0, -1.0, 0.0, 1.0]}, "one of confidence is not from 0 to"),
        (("confidence",), {"labels": [1.0, 1.0, 0.0, 1.5]}, "the ceiling of confidence is not from 0 to 1"),
        (("confidence",), {"labels": [1.0, 1.0]}, "confidence has 2 values, where 4 are needed"),
        (("confidence",), [1.0, 1.0], "confidence has 3 values, where 4 are needed"),
        (("confidence",), 1.0, "confidence has no fields: 1.0"),
        (("options", "taste"), 1, "there is no option 'taste' in this Arbora"),
        (("labels", 0), "a\tb", r"one of labels has characters that no column holds: 'a\tb'"),
        (("labels", 0), "a\nb", r"one of labels has characters that no column holds: 'a\nb'"),
        (("labels", 0), "", "one of labels is empty"),
        (("labels", 1), "acl:relcl", "labels has 'acl:relcl' twice"),
        (("tree_scale",), 1e300, "tree_scale is not above 0"),
        (("pruner_step",), 1e6, "the weights of the pruner are too large"),
    ],
)
def test_parsers(tmp_path, keys, value, reason):
    assert reason in refusal(tmp_path, "dependency-parser", (keys, value))


@pytest.mark.parametrize(
    ("name", "keys", "value", "reason"),
    [
        ("tokenizer", ("multiwords", "patterns", 1), [[7], 0, "", []], "the token 'gonna' has no room"),
        ("tokenizer", ("multiwords", "patterns", 0), [[0], 0, "", []], "the length of a word is not from 1"),
        ("tokenizer", ("options", "epochs"), 0.5, "the option epochs is no whole number"),
        ("tokenizer", ("spaces_in_tokens",), [[7, 99]], "there is no such class of characters"),
        ("tokenizer", ("certainty",), {"words": -0.1}, "words of certainty is not from 0 to"),
        ("tokenizer", ("certainty",), {"ends": "all"}, "ends of certainty is no number: 'all'"),
        ("tokenizer", ("certainty",), [0.1], "certainty has no fields: [0.1]"),
        ("tagger", ("morph", 0, 0), 99, "the tag of one of morph is not from 0 to 16: 99"),
        ("tagger", ("upos", 0), "", "one of upos is empty"),
        ("tagger", ("scripts", 1), "=", "this edit script makes no lemma"),
        ("tagger", ("stages", "upos", "open"), [99], "an open label that there is not"),
        ("generative-parser-of-trees", ("labels", 0), "\t", "one of labels has characters"),
        ("generative-parser-by-em", ("options", "model"), "oracle", "there is no model 'oracle'"),
        ("isbn-parser", ("vocabulary", "labels", 1), "A B", "one of labels has characters"),
        ("isbn-parser", ("options", "beam"), 2**31, "the option beam is not from"),
        ("span-parser", ("symbols", "chains", 0), ["("], "one of a chain has characters"),
        ("span-parser", ("options", "epochs"), None, "the option epochs is no whole number: None"),
        ("pipeline", ("components", 0, "name"), "other", "it lacks 'tokenizer.pages'"),
    ],
)
def test_all_architectures(tmp_path, name, keys, value, reason):
    assert reason in refusal(tmp_path, name, (keys, value))
