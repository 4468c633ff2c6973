"""What comments of sentences tell of the text around them."""

from __future__ import annotations

from arbora.treebank.sentence import Sentence


def begins(sentence: Sentence, *marks: str) -> bool:
    """Whether a document (``newdoc``) or a paragraph (``newpar``) begins with it, by its comments.

    >>> begins(Sentence(comments=["# newdoc id = d1"]), "newdoc"), begins(Sentence(), "newdoc", "newpar")
    (True, False)
    """
    return any(
        comment[1:].replace("=", " ").split()[:1] in ([mark] for mark in marks)
        for comment in sentence.comments
    )
