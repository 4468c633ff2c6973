"""The public functions of the drawing room: they check, choose and hand on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from arbora.draw.arcs import arcs_text
from arbora.draw.carried import Asked, Known, of_constituents, of_heads
from arbora.draw.constituency_picture import constituency_picture
from arbora.draw.constituents import ConstituentLike, Constituents
from arbora.draw.dependencies import Dependencies
from arbora.draw.dependency_picture import dependency_picture
from arbora.draw.errors import DrawingError
from arbora.draw.indented import indented_constituents, indented_dependencies
from arbora.draw.paint import Painter
from arbora.draw.picture import Picture, document
from arbora.errors import shown

DEPENDENCY_STYLES = {"arcs": arcs_text, "indented": indented_dependencies}


class SentenceLike(Protocol):
    """What is read of an `arbora.treebank.Sentence`: columns over its words, None where a value is unknown.

    >>> from types import SimpleNamespace
    >>> go: SentenceLike = SimpleNamespace(
    ...     forms=["Go"], heads=[0], deprels=["root"], upos=["VERB"], xpos=["VB"], sent_id="s1", text="Go"
    ... )
    """

    @property
    def forms(self) -> Sequence[str]:
        """The words."""

    @property
    def heads(self) -> Sequence[int | None]:
        """Their heads, counted from 1; 0 is the root."""

    @property
    def deprels(self) -> Sequence[str | None]:
        """The labels of their arcs."""

    @property
    def upos(self) -> Sequence[str | None]:
        """Their universal tags."""

    @property
    def xpos(self) -> Sequence[str | None]:
        """Their language's own tags."""

    @property
    def sent_id(self) -> str | None:
        """The sentence's name."""

    @property
    def text(self) -> str | None:
        """The sentence as running text."""


def dependency_text(
    forms: Sequence[str],
    heads: Sequence[int | None],
    labels: Sequence[str | None],
    tags: Sequence[str | None] | None = None,
    style: str = "arcs",
    probabilities: Sequence[float | None] | None = None,
    *,
    coloured: bool = False,
) -> str:
    """Draw a dependency tree for the terminal.

    `heads` count from 1, 0 is the root, None is unknown and gets no arc. `style` is "arcs" (one word a line,
    arcs at the left) or "indented" (dependents below their head). `probabilities` are printed after the
    labels. `coloured` adds the terminal's colour codes.

    >>> forms = ["A", "vote", "was", "held", "on", "it"]
    >>> labels = ["det", "nsubj:pass", "aux:pass", "root", "case", "nmod"]
    >>> print(dependency_text(forms, [2, 4, 4, 0, 6, 2], labels))
       ╭───▶ A     det
     ╭─┼───▶ vote  nsubj:pass
     ├─│───▶ was   aux:pass
    ─┴─│───▶ held  root
       │ ╭─▶ on    case
       ╰─┴─▶ it    nmod
    >>> print(dependency_text(forms[:4], [2, 4, 4, 0], labels[:4], style="indented"))
    4 held  root
    ├─ 2 vote  nsubj:pass
    │  └─ 1 A  det
    └─ 3 was  aux:pass
    """
    if not isinstance(style, str) or style not in DEPENDENCY_STYLES:
        raise DrawingError(f"there is no style {style!r}; the styles are {', '.join(DEPENDENCY_STYLES)}")
    tree = Dependencies.of(forms, heads, labels, tags, probabilities)
    return DEPENDENCY_STYLES[style](tree, Painter(coloured))


def dependency_svg(
    forms: Sequence[str],
    heads: Sequence[int | None],
    labels: Sequence[str | None],
    tags: Sequence[str | None] | None = None,
    probabilities: Sequence[float | None] | None = None,
    *,
    title: str | None = None,
) -> str:
    """Draw a dependency tree as a standalone SVG document: arcs with arrowheads from heads to dependents.

    An arc fades with its probability, which is also written beside the label. A sentence in a script that
    runs from right to left is drawn from right to left. The title is the sentence unless another is given.

    >>> picture = dependency_svg(["Tom", "sleeps"], [2, 0], ["nsubj", "root"], probabilities=[0.9, 1.0])
    >>> picture[:4], "<title>Tom sleeps</title>" in picture, picture.count('<g class="arc')
    ('<svg', True, 2)
    """
    picture = dependency_picture(Dependencies.of(forms, heads, labels, tags, probabilities))
    return document([picture], [""], " ".join(forms) if title is None else title)


def constituency_text(
    tree: ConstituentLike, probabilities: Sequence[float | None] | None = None, *, coloured: bool = False
) -> str:
    """Draw a constituent tree for the terminal; `tree` is anything with a `label` and `children`.

    `probabilities` are those of the constituents above the tags, parents first; they follow the labels.

    >>> from types import SimpleNamespace as Tree
    >>> noun, verb = Tree(label="NNS", children=["Birds"]), Tree(label="VBP", children=["sing"])
    >>> print(constituency_text(Tree(label="S", children=[Tree(label="NP", children=[noun]), verb])))
    S
    ├─ NP
    │  └─ NNS Birds
    └─ VBP sing
    """
    return indented_constituents(Constituents.of(tree, probabilities), Painter(coloured))


def constituency_svg(
    tree: ConstituentLike, probabilities: Sequence[float | None] | None = None, *, title: str | None = None
) -> str:
    """Draw a constituent tree as a standalone SVG document; `tree` is anything with a `label` and `children`.

    A constituent fades with its probability, which is also written beside its label: those above the tags,
    parents first.

    >>> from types import SimpleNamespace as Tree
    >>> "<title>sing</title>" in constituency_svg(Tree(label="VBP", children=["sing"]))
    True
    """
    nodes = Constituents.of(tree, probabilities)
    return document([constituency_picture(nodes)], [""], _words(nodes) if title is None else title)


def _words(nodes: Constituents) -> str:
    return " ".join(label for label, word in zip(nodes.labels, nodes.is_word, strict=True) if word)


def text(
    tree: SentenceLike | ConstituentLike,
    style: str = "arcs",
    probabilities: Asked = None,
    *,
    coloured: bool = False,
) -> str:
    """Draw a sentence or a constituent tree of a treebank for the terminal.

    A sentence without heads that carries constituents is drawn by them. `probabilities` are those of what is
    drawn; without them, those that it carries are shown, as MISC or comments have them, and with False none.

    >>> from types import SimpleNamespace as Tree
    >>> print(text(Tree(label="VP", children=[Tree(label="VB", children=["Go"])])))
    VP
    └─ VB Go
    """
    drawn, odds = _drawn(tree, probabilities)
    if isinstance(drawn, ConstituentLike):
        return constituency_text(drawn, odds, coloured=coloured)
    return dependency_text(
        drawn.forms, drawn.heads, _labels(drawn), _tags(drawn), style, odds, coloured=coloured
    )


def svg(
    tree: SentenceLike | ConstituentLike,
    probabilities: Asked = None,
    *,
    title: str | None = None,
) -> str:
    """Draw a sentence or a constituent tree of a treebank as a standalone SVG document.

    `probabilities` are as in `text`.

    >>> from types import SimpleNamespace as Tree
    >>> svg(Tree(label="VB", children=["Go"]), title="An order").count("<title>An order</title>")
    1
    """
    title = title_of(tree) if title is None else title
    return document([_picture(tree, probabilities)], [""], title)


def stacked_svg(
    trees: Iterable[SentenceLike | ConstituentLike],
    captions: Sequence[str],
    title: str = "Trees",
    probabilities: Sequence[Asked] | None = None,
) -> str:
    """Draw many trees as one standalone SVG document, one below the other, each under its caption.

    `probabilities` has for each tree what `text` takes.

    >>> from types import SimpleNamespace as Tree
    >>> go, stop = Tree(label="VB", children=["Go"]), Tree(label="VB", children=["Stop"])
    >>> picture = stacked_svg([go, stop], captions=["first", "second"])
    >>> picture.index("first") < picture.index("Go") < picture.index("second") < picture.index("Stop")
    True
    """
    shown = list(trees)
    own = [None] * len(shown) if probabilities is None else probabilities
    pictures = [_picture(tree, odds) for tree, odds in zip(shown, own, strict=True)]
    return document(pictures, captions, title)


def _picture(tree: SentenceLike | ConstituentLike, probabilities: Asked) -> Picture:
    drawn, odds = _drawn(tree, probabilities)
    if isinstance(drawn, ConstituentLike):
        return constituency_picture(Constituents.of(drawn, odds))
    return dependency_picture(Dependencies.of(drawn.forms, drawn.heads, _labels(drawn), _tags(drawn), odds))


def _drawn(
    tree: SentenceLike | ConstituentLike, probabilities: Asked
) -> tuple[SentenceLike | ConstituentLike, Known]:
    """Return what is drawn (the constituents of a sentence that has no other tree), and how sure it is."""
    if isinstance(tree, ConstituentLike):
        return tree, of_constituents(tree, probabilities)
    if not hasattr(tree, "forms"):
        raise DrawingError(f"a sentence or a tree is drawn, not {shown(tree)}")
    constituents: ConstituentLike | None = None
    if all(head is None for head in tree.heads):
        constituents = getattr(tree, "constituents", None)
    if constituents is None:
        return tree, of_heads(tree, probabilities)
    return constituents, of_constituents(tree, probabilities)


def title_of(tree: SentenceLike | ConstituentLike) -> str:
    """Return the sentence of a tree as running text, or its words when there is none.

    >>> from types import SimpleNamespace as Tree
    >>> title_of(Tree(label="VB", children=["Go"]))
    'Go'
    """
    if isinstance(tree, ConstituentLike):
        return _words(Constituents.of(tree))
    if not hasattr(tree, "forms"):
        raise DrawingError(f"a sentence or a tree is drawn, not {shown(tree)}")
    return tree.text or " ".join(tree.forms)


def _labels(sentence: SentenceLike) -> list[str | None]:
    return _known(sentence.deprels)


def _known(column: Sequence[str | None]) -> list[str | None]:
    """Return a column in which nothing stands for what treebank files write as `_`."""
    return [None if value == "_" else value for value in column]


def _tags(sentence: SentenceLike) -> Sequence[str | None] | None:
    """Return the universal tags, or else the language's own, or None when there are neither."""
    for tags in (_known(sentence.upos), _known(sentence.xpos)):
        if any(tags):
            return tags
    return None
