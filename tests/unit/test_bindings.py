"""Every binding checks what it is given before the core reads it.

`tests/binding_cases.py` has a sound call of each; here arrays become too short, and numbers too large. The
same runs under the address sanitizer (`test_core_sanitized.py`), which sees what is read beside them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Any

import numpy as np
import pytest
from binding_cases import CASES, Case

from arbora import _core
from arbora.errors import ArboraError

CHECKED = (ValueError, IndexError, KeyError, TypeError, OverflowError, ArboraError)
WITHOUT_ARRAYS = {
    # Texts, single numbers, options, or nothing at all.
    *(
        "Arcs.of",
        "Batch.add_count",
        "Batch.add_measure",
        "Batch.append",
        "Batch.columns",
        "Batch.constituents",
    ),
    *("Batch.forbidden", "Batch.is_refused", "Batch.place", "Batch.read_forbidden", "Batch.remove"),
    *("Batch.refuse", "Batch.set_gap", "Batch.tagged_words", "Batch.to_conllu", "Batch.to_sentences"),
    *("Batch.words", "ConlluDecoder.decode", "Encoded.checksum", "Encoded.first", "Encoded.lengths"),
    *("Encoded.tag_counts", "FactorGraph.clamp", "FactorGraph.copy", "FactorGraph.evidence"),
    *("FactorGraph.group", "FactorGraph.layout", "FactorGraph.linear_program", "FactorGraph.part_scores"),
    *("FactorGraph.polytope", "FactorGraph.ports", "FactorGraph.release", "FactorGraph.scores"),
    *("FactorGraph.set_score", "Multiwords.split", "Scorer.may_have_label", "Scorer.time_stages"),
    *("SpanForest.kbest", "SpanForest.minimum_risk", "SpanForest.probabilities", "SpanForest.samples"),
    *("NeuralModel.read", "NeuralModel.tag", "NeuralScorer.arcs", "neural_sequences"),
    *("Stop.ask", "Stop.obey", "encoder_kernels", "is_stopped"),
    *(f"SubwordNormalizer.{name}" for name in ("add_prefix", "add_replacement", "add_strip", "apply")),
    *("SubwordSplitter.add_marks", "SubwordSplitter.add_spaces"),
    *("SpanText.checksum", "TagText.atoms", "TagText.checksum", "TagText.keys", "TagText.lengths"),
    *("TagText.set_classes", "Tagger.annotate", "Tagger.kbest", "Tagger.probabilities", "TextBatch.to_batch"),
    *("TextScanner.feed", "TrainingText.features", "TrainingText.train_sentence_ends"),
    *("TrainingText.train_token_ends", "ad3", "anneal", "apply_script", "arc_atom_names"),
    *(
        "belief_propagation",
        "char_class_names",
        "dual_decomposition",
        "enumerate",
        "find_script",
        "hash_text",
        "escape_spaces",
    ),
    *("letter_kind", "lower_case", "max_product", "projective_chart", "read_batch", "replay_propagation"),
    *("rule_view_names", "run_atom_names", "section_names", "upper_case", "word_atom_names", "word_atoms"),
    # Made of single numbers, texts and objects of the core.
    *(f"{name}.__init__" for name in ("ConlluDecoder", "IsbnLearner", "LinearScorer")),
    *(
        f"{name}.__init__"
        for name in ("OnlineLearner", "SpanParser", "TextCounts", "TextScanner", "TreeOptions")
    ),
}


def bindings() -> Iterator[str]:
    """All that can be called in the core; constructors without arguments are none."""
    for name, found in vars(_core).items():
        if isinstance(found, type) and issubclass(found, Enum):
            continue
        if isinstance(found, type):
            for method, own in vars(found).items():
                is_public = not method.startswith("__") or method in ("__init__", "__getitem__")
                signatures = getattr(own, "__nb_signature__", ())
                is_made = method != "__init__" or any("self, " in one[0] for one in signatures)
                if callable(own) and is_public and is_made:
                    yield f"{name}.{method}"
        elif callable(found) and not name.startswith("__"):
            yield name


def test_every_binding_has_a_case():
    """A new one needs a call in `binding_cases.py`, or takes no arrays."""
    assert sorted(bindings()) == sorted({*CASES, *WITHOUT_ARRAYS})
    assert not set(CASES) & WITHOUT_ARRAYS


@pytest.mark.parametrize("name", CASES)
def test_a_sound_call_works(name):
    CASES[name].function(**CASES[name].arguments)


def shorter(value: Any) -> Iterator[Any]:
    """The value with one array in it shorter by one, or empty: one at a time.

    They are copies, since a slice has the memory of the whole behind it, where the sanitizer sees nothing.
    """
    if isinstance(value, np.ndarray) and len(value):
        yield value[:-1].copy()
        if len(value) > 1:
            yield value[:0].copy()
    elif isinstance(value, dict):
        for name, inner in value.items():
            for changed in shorter(inner):
                yield {**value, name: changed}
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            for changed in shorter(inner):
                yield type(value)([*value[:place], changed, *value[place + 1 :]])


def unsound(value: Any) -> Iterator[Any]:
    """The value with a list in it shorter, or with numbers that are too large or too small: one at a time."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "iu" and value.size:
        for number in (np.iinfo(value.dtype).max, -1, np.iinfo(value.dtype).min):
            for place in (0, -1, value.size // 2):
                changed = value.copy()
                changed.reshape(-1)[place] = np.array(number).astype(value.dtype)
                yield changed
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield {own: kept for own, kept in value.items() if own != name}
            for changed in unsound(inner):
                yield {**value, name: changed}
    elif isinstance(value, list | tuple):
        if isinstance(value, list) and value:
            yield from (value[:-1], [])
        for place, inner in enumerate(value):
            for changed in unsound(inner):
                yield type(value)([*value[:place], changed, *value[place + 1 :]])
    elif type(value) is int:
        yield from (-1, 2**31 - 1, -(2**31))


def changed_calls(case: Case, change: Any, skipped: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
    for name, value in case.arguments.items():
        if name not in skipped:
            yield from ({**case.arguments, name: changed} for changed in change(value))


@pytest.mark.parametrize("name", CASES)
def test_an_array_that_is_too_short_is_refused(name):
    case = CASES[name]
    for arguments in changed_calls(case, shorter, case.free):
        if any(isinstance(arguments[own], np.ndarray) and not arguments[own].size for own in case.optional):
            continue
        with pytest.raises((ValueError, IndexError, ArboraError)) as caught:
            case.function(**arguments)
        message = str(caught.value)
        assert message
        assert "\n" not in message
        # The library's own words, such as vector::_M_default_append, say nothing to anybody.
        assert not re.search(r"\bvector\b", message)


NOT_ASKED = {"k", "count", "seed", "threads", "most", "width", "n", "piece_count", "arity", "words", "beam"}
"""Single numbers that say how much is asked for: 2^31 of them is a wish, not a mistake."""
NOT_ASKED |= {"counts", "sizes", "candidates", "branching", "most_steps", "batch", "words_of_tags", "states"}
NOT_ASKED |= {"limits", "labels_count", "tags_count", "longest_chain", "complete"}


@pytest.mark.parametrize("name", CASES)
def test_whatever_is_given_is_refused_or_works(name):
    case = CASES[name]
    skipped = tuple(
        name
        for name, value in case.arguments.items()
        if name in NOT_ASKED and not isinstance(value, np.ndarray)
    )
    for arguments in changed_calls(case, unsound, skipped):
        try:
            case.function(**arguments)
        except CHECKED as error:
            assert str(error)  # noqa: PT017 - it need not be raised
