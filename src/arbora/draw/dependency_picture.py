"""Dependency trees as SVG: the sentence in one line, arcs above it."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

from arbora.draw.characters import is_right_to_left
from arbora.draw.dependencies import Dependencies
from arbora.draw.picture import FORM_SIZE, SMALL_SIZE, Picture, faded, number, text_element, text_width

_WORD_GAP = 20.0  # between two words
_LEVEL = 25.0  # between two arcs, one above the other
_LOWEST = 9.0  # what the lowest arc's level adds to
_CORNER = 9.0  # radius of the corners of an arc
_TIP = 6.0  # length of an arrowhead
_SLOT = 8.0  # between two arcs at one word
_WIDEST_SLOTS = 160.0  # what all arcs of one word may take
_LABEL_HEIGHT = 14.0


@dataclass(frozen=True)
class _Arc:
    head: int  # -1 for the root's
    dependent: int

    @property
    def first(self) -> int:
        return min(self.head, self.dependent)

    @property
    def last(self) -> int:
        return max(self.head, self.dependent)

    @property
    def length(self) -> int:
        return self.last - self.first


def dependency_picture(tree: Dependencies) -> Picture:
    """Draw a checked tree; `arbora.draw.dependency_svg` is the public way to it.

    >>> picture = dependency_picture(Dependencies.of(["Tom", "sleeps"], [2, 0], ["nsubj", "root"]))
    >>> sum('class="arc' in element for element in picture.elements)
    2
    """
    arcs = [_Arc(head, word) for word, head in enumerate(tree.heads) if head is not None]
    levels = _levels(arcs, len(tree))
    slots = _slots(arcs, len(tree))
    centres, width = _centres(tree, arcs, slots)
    if is_right_to_left("".join(tree.forms)):
        centres = [width - centre for centre in centres]
        slots = {end: -offset for end, offset in slots.items()}
    floor = _LABEL_HEIGHT + _LOWEST + _LEVEL * max(levels.values(), default=0)
    elements = []
    labels = []
    for arc in arcs:
        top = floor - _LOWEST - _LEVEL * levels[arc]
        dependent_x = centres[arc.dependent] + slots[arc, arc.dependent]
        head_x = centres[arc.head] + slots[arc, arc.head] if arc.head >= 0 else dependent_x
        elements.append(_drawn_arc(tree, arc, head_x, dependent_x, top, floor))
        labels += _drawn_label(tree, arc, (head_x + dependent_x) / 2, top)
    # Labels come after all arcs, so that no line runs over them.
    return Picture(width, floor + _words_height(tree), elements + labels + _drawn_words(tree, centres, floor))


def _levels(arcs: list[_Arc], words: int) -> dict[_Arc, int]:
    """Put each arc just above the shorter arcs over any gap between words that it spans."""
    highest = [0] * (words + 1)  # highest[i]: the highest arc so far over the gap before word i
    levels = {}
    for arc in sorted((arc for arc in arcs if arc.head >= 0), key=lambda arc: (arc.length, arc.first)):
        gaps = slice(arc.first + 1, arc.last + 1)
        levels[arc] = 1 + max(highest[gaps])
        highest[gaps] = [levels[arc]] * arc.length
    for arc in arcs:
        if arc.head < 0:
            levels[arc] = 1 + max(highest[arc.dependent], highest[arc.dependent + 1])
    return levels


def _slots(arcs: list[_Arc], words: int) -> dict[tuple[_Arc, int], float]:
    """Say how far from a word's centre each of its arcs stands, so that they neither touch nor cross.

    From left to right: arcs to the left, shortest first; the root's; arcs to the right, longest first.
    """
    at_word: list[list[tuple[int, _Arc]]] = [[] for _ in range(words)]
    for arc in arcs:
        if arc.head < 0:
            at_word[arc.dependent].append((0, arc))
        else:
            # Negative keys: arcs to the left, shortest first. Positive: to the right, longest first.
            at_word[arc.first].append((words - arc.length, arc))
            at_word[arc.last].append((arc.length - words, arc))
    slots = {}
    for word, here in enumerate(at_word):
        here.sort(key=lambda pair: pair[0])
        apart = min(_SLOT, _WIDEST_SLOTS / max(1, len(here)))
        for place, (_, arc) in enumerate(here):
            slots[arc, word] = (place - (len(here) - 1) / 2) * apart
    return slots


def _centres(
    tree: Dependencies, arcs: list[_Arc], slots: dict[tuple[_Arc, int], float]
) -> tuple[list[float], float]:
    """Place the words from left to right, far enough apart for words, arcs and the labels on the arcs."""
    half = [
        max(text_width(form, FORM_SIZE), _tag_width(tree, word)) / 2 for word, form in enumerate(tree.forms)
    ]
    ending: list[list[_Arc]] = [[] for _ in tree.forms]
    for arc in arcs:
        if arc.head < 0:
            half[arc.dependent] = max(half[arc.dependent], _label_width(tree, arc) / 2)
        else:
            ending[arc.last].append(arc)
    for (_, word), offset in slots.items():
        half[word] = max(half[word], abs(offset) + 2)
    centres: list[float] = []
    for word in range(len(tree)):
        centre = centres[-1] + half[word - 1] + _WORD_GAP + half[word] if centres else half[0]
        for arc in ending[word]:
            start = centres[arc.first] + slots[arc, arc.first]
            centre = max(centre, start + _label_width(tree, arc) + 2 * _CORNER - slots[arc, word])
        centres.append(centre)
    return centres, centres[-1] + half[-1] if centres else 0.0


def _tag_width(tree: Dependencies, word: int) -> float:
    return text_width(tree.tags[word], SMALL_SIZE) if tree.tags else 0.0


def _label(tree: Dependencies, word: int) -> str:
    return " ".join(filter(None, [tree.labels[word], tree.probability_text(word)]))


def _label_width(tree: Dependencies, arc: _Arc) -> float:
    return text_width(_label(tree, arc.dependent), SMALL_SIZE)


def _drawn_arc(
    tree: Dependencies, arc: _Arc, head_x: float, dependent_x: float, top: float, floor: float
) -> str:
    head = tree.forms[arc.head] if arc.head >= 0 else "root"
    says = f"{head} → {tree.forms[arc.dependent]}: {_label(tree, arc.dependent)}".removesuffix(": ")
    tip = number(dependent_x)
    sides = f"{number(dependent_x - _TIP / 2)} {number(floor - _TIP)}", number(dependent_x + _TIP / 2)
    kind = "arc root" if arc.head < 0 else "arc"
    return (
        f'<g class="{kind}"{_opacity(tree, arc.dependent)}><title>{escape(says)}</title>'
        f'<path class="line" d="{_path(head_x, dependent_x, top, floor)}"/>'
        f'<path class="tip" d="M{tip} {number(floor)}L{sides[0]}H{sides[1]}Z"/></g>'
    )


def _opacity(tree: Dependencies, word: int) -> str:
    probability = tree.probabilities[word] if tree.probabilities else None
    return "" if probability is None else faded(probability)


def _path(head_x: float, dependent_x: float, top: float, floor: float) -> str:
    """Return an arc that leaves its head upwards, turns twice and comes down on its dependent."""
    end = number(floor - _TIP)
    if head_x == dependent_x:
        return f"M{number(head_x)} {number(top)}V{end}"
    corner = min(_CORNER, abs(head_x - dependent_x) / 2)
    turn = corner if dependent_x > head_x else -corner
    return (
        f"M{number(head_x)} {number(floor)}V{number(top + corner)}"
        f"Q{number(head_x)} {number(top)} {number(head_x + turn)} {number(top)}H{number(dependent_x - turn)}"
        f"Q{number(dependent_x)} {number(top)} {number(dependent_x)} {number(top + corner)}V{end}"
    )


def _drawn_label(tree: Dependencies, arc: _Arc, x: float, y: float) -> list[str]:
    """Return the label on a small patch of paper, which interrupts the line behind it."""
    says = _label(tree, arc.dependent)
    if not says:
        return []
    if arc.head < 0:
        y -= _LABEL_HEIGHT / 2  # a root's label stands on top of its line
    width = text_width(says, SMALL_SIZE) + 4
    patch = f'x="{number(x - width / 2)}" y="{number(y - _LABEL_HEIGHT / 2)}" width="{number(width)}"'
    return [
        f'<g class="{"name root" if arc.head < 0 else "name"}">'
        f'<rect class="paper" {patch} height="{number(_LABEL_HEIGHT)}"/>'
        f"{text_element('label', x, y + 0.34 * SMALL_SIZE, says)}</g>"
    ]


def _words_height(tree: Dependencies) -> float:
    return FORM_SIZE * 1.5 + (SMALL_SIZE * 1.6 if tree.tags else 0.0)


def _drawn_words(tree: Dependencies, centres: list[float], floor: float) -> list[str]:
    words = []
    for word, (form, centre) in enumerate(zip(tree.forms, centres, strict=True)):
        words.append(text_element("form", centre, floor + FORM_SIZE * 1.1, form))
        if tree.tags and tree.tags[word]:
            words.append(
                text_element("tag", centre, floor + FORM_SIZE * 1.1 + SMALL_SIZE * 1.5, tree.tags[word])
            )
    return words
