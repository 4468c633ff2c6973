"""Constituent trees as SVG: phrases in layers from the top, tags and words in a line at the bottom."""

from __future__ import annotations

from arbora.draw.characters import is_right_to_left
from arbora.draw.constituents import Constituents
from arbora.draw.picture import FORM_SIZE, Picture, faded, number, text_element, text_width

_PHRASE_SIZE = 14.0
_GAP = 18.0  # between two words or phrases side by side
_LAYER = 46.0  # from one layer to the next
_ABOVE = 14.0  # from the top of a layer to the baseline of its labels
_BELOW = 5.0  # from that baseline to the line that leaves the label
_BRANCHING = 12.0  # from there to the line along which the children branch off
_CORNER = 7.0
_WORD_BELOW_TAG = 20.0  # from the baseline of a tag to that of its word


def constituency_picture(tree: Constituents) -> Picture:
    """Draw a flattened tree; `arbora.draw.constituency_svg` is the public way to it.

    >>> from types import SimpleNamespace as Tree
    >>> picture = constituency_picture(Constituents.of(Tree(label="NN", children=["tree"])))
    >>> [element for element in picture.elements if "tree" in element]
    ['<text class="form" x="29.5" y="34">tree</text>']
    """
    layers = _layers(tree)
    lefts, widths = _boxes(tree)
    centres = _centres(tree, lefts, widths)
    if is_right_to_left(
        "".join(label for label, word in zip(tree.labels, tree.is_word, strict=True) if word)
    ):
        centres = [widths[0] - centre for centre in centres]
    elements = []
    for node in range(len(tree)):
        elements += _drawn_branches(tree, node, centres, layers)
    tagged = {tree.only_word(node) for node in range(len(tree))}
    for node in range(len(tree)):
        if node not in tagged:  # a word with a tag is drawn with it
            elements += _drawn_node(tree, node, centres, layers[node])
    height = _ABOVE + max(layers) * _LAYER + FORM_SIZE * 1.8
    return Picture(widths[0], height, elements)


def _layers(tree: Constituents) -> list[int]:
    """Return the layer of each node: its depth for phrases, the lowest for tags and words."""
    layers = [0] * len(tree)
    for node, children in enumerate(tree.children):
        for child in children:
            layers[child] = layers[node] + 1
    at_bottom = [tree.is_word[node] or tree.only_word(node) is not None for node in range(len(tree))]
    phrases = [layer for layer, bottom in zip(layers, at_bottom, strict=True) if not bottom]
    lowest = max(phrases, default=-1) + 1
    return [lowest if bottom else layer for layer, bottom in zip(layers, at_bottom, strict=True)]


def _boxes(tree: Constituents) -> tuple[list[float], list[float]]:
    """Return left edge and width of the room that belongs to each node and all below it."""
    widths = [_label_width(tree, node) + _GAP for node in range(len(tree))]
    for node in reversed(range(len(tree))):  # children come after their parent, so they are done first
        widths[node] = max(widths[node], sum(widths[child] for child in tree.children[node]))
    lefts = [0.0] * len(tree)
    for node, children in enumerate(tree.children):
        left = lefts[node] + (widths[node] - sum(widths[child] for child in children)) / 2
        for child in children:
            lefts[child] = left
            left += widths[child]
    return lefts, widths


def _label_width(tree: Constituents, node: int) -> float:
    return text_width(tree.described(node), FORM_SIZE if tree.is_word[node] else _PHRASE_SIZE)


def _centres(tree: Constituents, lefts: list[float], widths: list[float]) -> list[float]:
    """Put each node in the middle of its children, as far as its label stays in its room."""
    centres = [0.0] * len(tree)
    for node in reversed(range(len(tree))):
        children = tree.children[node]
        middle = lefts[node] + widths[node] / 2
        if children:
            middle = (centres[children[0]] + centres[children[-1]]) / 2
        half = (_label_width(tree, node) + _GAP) / 2
        centres[node] = min(max(middle, lefts[node] + half), lefts[node] + widths[node] - half)
    return centres


def _baseline(layer: int) -> float:
    return _ABOVE + layer * _LAYER


def _drawn_branches(tree: Constituents, node: int, centres: list[float], layers: list[int]) -> list[str]:
    """Return a line to each child: down, along below the parent, and down on the child.

    Lines run only below the parent and above the child, so they meet no other part of the tree.
    """
    if tree.only_word(node) is not None:
        return []  # a word stands right below its tag
    x, y = centres[node], _baseline(layers[node]) + _BELOW
    return [
        f'<path class="line"{_opacity(tree, child)} '
        f'd="{_branch(x, y, centres[child], _baseline(layers[child]) - _ABOVE)}"/>'
        for child in tree.children[node]
    ]


def _opacity(tree: Constituents, node: int) -> str:
    probability = tree.probabilities.get(node)
    return "" if probability is None else faded(probability)


def _branch(x: float, y: float, child_x: float, child_y: float) -> str:
    start = f"M{number(x)} {number(y)}"
    if abs(x - child_x) < 1:
        return f"{start}L{number(child_x)} {number(child_y)}"
    along = y + _BRANCHING
    corner = min(_CORNER, abs(x - child_x) / 2)
    turn = corner if child_x > x else -corner
    return (
        f"{start}V{number(along - corner)}Q{number(x)} {number(along)} {number(x + turn)} {number(along)}"
        f"H{number(child_x - turn)}"
        f"Q{number(child_x)} {number(along)} {number(child_x)} {number(along + corner)}V{number(child_y)}"
    )


def _drawn_node(tree: Constituents, node: int, centres: list[float], layer: int) -> list[str]:
    """Return the label of a phrase, or a tag and the word below it, or a word that has no tag."""
    label, x, y = tree.labels[node], centres[node], _baseline(layer)
    word = node if tree.is_word[node] else tree.only_word(node)
    if word is None:
        return [f"<g{_opacity(tree, node)}>{text_element('phrase', x, y, tree.described(node))}</g>"]
    kind = "trace" if label == "-NONE-" else "form"
    drawn = [text_element(kind, centres[word], y + _WORD_BELOW_TAG, tree.labels[word])]
    return drawn if word == node else [text_element("tag", x, y, label), *drawn]
