"""Trees as parsers learn and give them: without traces, with bare categories, under one root."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from arbora.errors import FileError, WrongTypeError, shown
from arbora.models.checking import a_list, a_name
from arbora.treebank import Constituent, read
from arbora.treebank.formats import find_format

NO_LABEL = " \t\r\n()"
"""Characters that no label or tag has: brackets could not write it."""


class TaggedWords(NamedTuple):
    """A sentence as a constituency parser sees it: its words, and a tag for each of them."""

    words: Sequence[str]
    tags: Sequence[str]


def prepared(tree: Constituent, *, keep_functions: bool = False) -> Constituent | None:
    """The tree without traces and, unless they are kept, function tags; None if nothing is left.

    >>> tree = Constituent.from_string("((S (NP-SBJ (-NONE- *)) (VP (VB go))))")
    >>> print(prepared(tree))
    ((S (VP (VB go))))
    """
    bare = tree.without_traces()
    return bare if bare is None or keep_functions else bare.without_functions()


def prepared_trees(trees: Iterable[Constituent], *, keep_functions: bool = False) -> list[Constituent]:
    """What `prepared` leaves of trees."""
    found = (prepared(tree, keep_functions=keep_functions) for tree in trees)
    return [tree for tree in found if tree is not None]


def some_labels(value: Any, name: str, *, twice: bool = False) -> list[str]:
    """The labels of a header: the empty one, too, which treebanks put on top; ValueError if they are none.

    >>> some_labels(["", "N P"], "labels")
    Traceback (most recent call last):
    ValueError: one of labels has characters that no column holds: 'N P'
    """
    found = [each if each == "" else a_name(each, f"one of {name}", NO_LABEL) for each in a_list(value, name)]
    if len(set(found)) < len(found) and not twice:
        raise ValueError(f"{name} has a label twice")
    return found


def checked_words(sentences: Any) -> list[TaggedWords]:
    """The sentences; WrongTypeError if one is not made of words and their tags.

    >>> checked_words([["Dogs", "bark"]])
    Traceback (most recent call last):
    arbora.errors.WrongTypeError: sentence 1 is no TaggedWords, lists of words and of their tags: ['Dogs', ...
    """
    if not isinstance(sentences, Sequence) or isinstance(sentences, (str, bytes, TaggedWords)):
        raise WrongTypeError(f"a list of TaggedWords is needed, not {shown(sentences)}")
    for number, one in enumerate(sentences, 1):
        sides = one if isinstance(one, TaggedWords) else ()
        are_lists = sides and all(isinstance(side, (list, tuple)) for side in sides)
        if not are_lists or not all(isinstance(text, str) for side in sides for text in side):
            raise WrongTypeError(
                f"sentence {number} is no TaggedWords, lists of words and of their tags: {shown(one)}"
            )
    return list(sentences)


def tagged_words(tree: Constituent) -> TaggedWords:
    """The words of a tree and their tags.

    >>> tagged_words(Constituent.from_string("(S (NP (NNS Dogs)) (VP (VBP bark)))"))
    TaggedWords(words=['Dogs', 'bark'], tags=['NNS', 'VBP'])
    """
    leaves = list(tree.preterminals())
    return TaggedWords([str(leaf.children[0]) for leaf in leaves], [leaf.label for leaf in leaves])


def tree_of_spans(spans: Sequence[tuple[str, int, int]], sentence: TaggedWords) -> Constituent:
    """The tree with these constituents, parents first, as `Constituent.spans` lists them.

    >>> tree = Constituent.from_string("(S (NP (NNS Dogs)) (VP (VBP bark)))")
    >>> tree_of_spans(tree.spans(), tagged_words(tree)) == tree
    True
    """
    return Constituent.from_spans(spans, sentence.words, sentence.tags)


def read_trees(path: str) -> list[Constituent]:
    """The trees of a file in brackets; FileError if there are none, or if it holds something else."""
    found = list(read(path, find_format(path).name))
    if not found or not all(isinstance(tree, Constituent) for tree in found):
        raise FileError("there are no bracketed trees in this file", file=path)
    return found
