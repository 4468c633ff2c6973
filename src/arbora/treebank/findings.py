"""What models have said of a sentence beside its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from arbora.errors import ArboraError

if TYPE_CHECKING:
    from arbora.treebank.sentence import Sentence

CERTAINTY = "certainty"
"""The key in findings of a sentence that was cut out of a text: by what the probabilities of its heads are
multiplied, for its words and ends may be others."""
HEAD_PROBABILITY, LABEL_PROBABILITY = "HeadProbability", "LabelProbability"
"""The keys in findings and in MISC under which a parse keeps the probabilities of a word's head, and of its
label given the tree."""


def head_probabilities(sentence: Sentence) -> list[float] | None:
    """The probabilities of a sentence's heads, as they were found, or from MISC; None if a word has none.

    >>> from arbora.treebank import Sentence
    >>> head_probabilities(Sentence(["a"], misc=["SpaceAfter=No|HeadProbability=0.75"]))
    [0.75]
    """
    return probabilities_of(sentence, HEAD_PROBABILITY)


def drawn_probability(misc: str) -> float | None:
    """The probability of a word's head that MISC tells, for a picture; None without such a number.

    >>> drawn_probability("SpaceAfter=No|HeadProbability=0.75"), drawn_probability("HeadProbability=high")
    (0.75, None)
    """
    text = dict(part.partition("=")[::2] for part in misc.split("|")).get(HEAD_PROBABILITY)
    try:
        value = float(text or "nan")
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


def probabilities_of(sentence: Sentence, key: str) -> list[float] | None:
    """What was found for each word under this key, or what MISC says; None if a word has none.

    >>> from arbora.treebank import Sentence
    >>> probabilities_of(Sentence(["a"], misc=["LabelProbability=0.5"]), LABEL_PROBABILITY)
    [0.5]
    """
    if key in (sentence.findings or {}):
        return [float(value) for value in (sentence.findings or {})[key]]
    found = []
    for misc in sentence.misc:
        values = dict(part.partition("=")[::2] for part in misc.split("|"))
        try:
            found.append(float(values[key]))
        except KeyError:
            return None
        except ValueError:
            raise ArboraError(f"{key}={values[key]} is no number") from None
    return found
