"""The tree of phrases that a sentence may carry: in CoNLL-U, a comment ``# constituents = (S ...)``."""

from __future__ import annotations

from collections.abc import Sequence

from arbora.errors import ArboraError, FileError, WrongTypeError, shown
from arbora.treebank.constituent import Constituent
from arbora.treebank.sentence import UNKNOWN, Sentence

CONSTITUENTS = "constituents"
CONSTITUENT_PROBABILITIES = "constituent_probabilities"
"""Of all constituents above the tags, parents first; also a finding."""
CONSTITUENTS_LOG_PROBABILITY = "constituents_log_probability"
CONSTITUENTS_JOINT_LOG_PROBABILITY = "constituents_joint_log_probability"
"""Of the tree, given the sentence or together with it."""
NOTES = (
    CONSTITUENTS,
    CONSTITUENT_PROBABILITIES,
    CONSTITUENTS_LOG_PROBABILITY,
    CONSTITUENTS_JOINT_LOG_PROBABILITY,
)
"""All that comments say of the tree; the core writes the same."""

_ESCAPES = str.maketrans({"(": "-LRB-", ")": "-RRB-", " ": "\u00a0"})


def escaped(word: str) -> str:
    """A word or tag as brackets write it, who have no place for brackets and spaces.

    >>> escaped("("), escaped("10 000") == "10\u00a0000"
    ('-LRB-', True)
    """
    return word.translate(_ESCAPES)


def unescaped(word: str) -> str:
    """The word that brackets write so; no-break spaces stay.

    >>> unescaped("-LRB-")
    '('
    """
    return word.replace("-LRB-", "(").replace("-RRB-", ")")


def sentence_of_tree(tree: Constituent) -> Sentence | None:
    """The words of a tree with their tags as XPOS, without traces; None if it has only these.

    >>> sentence_of_tree(Constituent.from_string("(S (NP (-NONE- *)) (VP (VB Go)))")).xpos
    ['VB']
    """
    bare = tree.without_traces()
    if bare is None:
        return None
    return Sentence(
        [unescaped(word) for word in bare.words()], xpos=[leaf.label for leaf in bare.preterminals()]
    )


def tag_of(xpos: str, upos: str) -> str:
    """The tag that a word has in trees: XPOS, or UPOS where there is none.

    >>> tag_of("_", "NOUN")
    'NOUN'
    """
    return upos if xpos == UNKNOWN else xpos


def get_constituents(sentence: Sentence) -> Constituent | None:
    """The tree that the comment tells; None if there is none, ArboraError if it is no tree of these words."""
    text = sentence.metadata(CONSTITUENTS)
    if text is None:
        return None
    try:
        tree = Constituent.from_string(text)
    except FileError as error:
        raise ArboraError(f"the comment {CONSTITUENTS} holds no tree: {error.reason}") from None
    _check_words(sentence, tree)
    return tree


def set_constituents(sentence: Sentence, tree: Constituent | None) -> None:
    """Write the tree into the comments; what they said of another one is gone."""
    if tree is not None:
        if not isinstance(tree, Constituent):
            raise WrongTypeError(f"a tree of phrases is an arbora.treebank.Constituent, not {shown(tree)}")
        _check_words(sentence, tree)
    sentence.comments = [comment for comment in sentence.comments if _name(comment) not in NOTES]
    sentence.findings = {k: v for k, v in (sentence.findings or {}).items() if k not in NOTES} or None
    if tree is not None:
        sentence.comments.append(f"# {CONSTITUENTS} = {tree}")


def get_probabilities(sentence: Sentence) -> list[float] | None:
    """Those of the constituents, as they were found, or from the comment; None if there are none."""
    found: Sequence[float] | None = (sentence.findings or {}).get(CONSTITUENT_PROBABILITIES)
    if found is not None:
        return [float(value) for value in found]
    text = sentence.metadata(CONSTITUENT_PROBABILITIES)
    try:
        return None if text is None else [float(value) for value in text.split()]
    except ValueError:
        raise ArboraError(f"the comment {CONSTITUENT_PROBABILITIES} holds something else") from None


def _check_words(sentence: Sentence, tree: Constituent) -> None:
    words, forms = tree.words(), [escaped(form) for form in sentence.forms]
    if words == forms:
        return
    if len(words) != len(forms):
        raise ArboraError(f"the tree has {len(words)} words, the sentence {len(forms)}")
    place = next(i for i, word in enumerate(words) if word != forms[i])
    raise ArboraError(
        f"word {place + 1} is {words[place]!r} in the tree and {forms[place]!r} in the sentence"
    )


def _name(comment: str) -> str:
    return comment[1:].partition("=")[0].strip()
