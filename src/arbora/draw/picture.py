"""What all SVG pictures share: numbers, text, colours for light and dark pages, the document around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from arbora.draw.characters import em_width, visible

FORM_SIZE = 16.0
SMALL_SIZE = 11.0
MARGIN = 14.0
_CAPTION_HEIGHT = 22.0

# Plain class rules for every viewer; a viewer that knows about dark pages also reads the rules at the end.
_STYLE = """
.arbora text { font-family: "Helvetica Neue", Helvetica, Arial, "Noto Sans", "DejaVu Sans", sans-serif; }
.arbora text { text-anchor: middle; fill: #1f2328; font-size: 16px; }
.arbora .tag, .arbora .caption { fill: #6a737d; font-size: 11px; }
.arbora .caption { text-anchor: start; }
.arbora .label { fill: #0550ae; font-size: 11px; }
.arbora .phrase { fill: #0550ae; font-size: 14px; }
.arbora .root .label { fill: #b3440a; font-weight: bold; }
.arbora .trace { fill: #6a737d; font-style: italic; }
.arbora .paper { fill: #ffffff; }
.arbora .line { fill: none; stroke: #8c959f; stroke-width: 1.4px; }
.arbora .tip { fill: #57606a; }
.arbora .root .line { stroke: #d1682e; }
.arbora .root .tip { fill: #b3440a; }
@media (prefers-color-scheme: dark) {
.arbora text { fill: #e6edf3; }
.arbora .tag, .arbora .caption, .arbora .trace { fill: #8d96a0; }
.arbora .label, .arbora .phrase { fill: #79c0ff; }
.arbora .root .label { fill: #ffa657; }
.arbora .paper { fill: #0d1117; }
.arbora .line { stroke: #6e7681; }
.arbora .tip { fill: #9ea7b3; }
.arbora .root .line { stroke: #db8a45; }
.arbora .root .tip { fill: #ffa657; }
}
"""


@dataclass(frozen=True)
class Picture:
    """A drawing without its document: its size in pixels and its SVG elements.

    >>> Picture(10.0, 20.0, ["<g/>"]).height
    20.0
    """

    width: float
    height: float
    elements: list[str]


def number(value: float) -> str:
    """Write a coordinate with one digit at most.

    >>> number(3.0), number(2.46)
    ('3', '2.5')
    """
    written = f"{value:.1f}".removesuffix(".0")
    return "0" if written == "-0" else written


def text_element(kind: str, x: float, y: float, text: str) -> str:
    """Write a text, escaped.

    >>> text_element("tag", 1, 2, "a<b")
    '<text class="tag" x="1" y="2">a&lt;b</text>'
    """
    return f'<text class="{kind}" x="{number(x)}" y="{number(y)}">{escape(text)}</text>'


def faded(probability: float) -> str:
    """Write how pale an element of this probability is; even an unlikely one stays visible.

    >>> faded(1.0), faded(0.0)
    (' opacity="1.00"', ' opacity="0.30"')
    """
    return f' opacity="{0.3 + 0.7 * min(1.0, max(0.0, probability)):.2f}"'


def text_width(text: str, size: float) -> float:
    """Estimate the width of a text in pixels; rather too wide than too narrow.

    >>> text_width("tree", 16.0) > text_width("tree", 11.0)
    True
    """
    return em_width(text) * size


def document(pictures: Sequence[Picture], captions: Sequence[str], title: str) -> str:
    """Stack pictures into one standalone SVG document, each below its caption if it has one.

    >>> print(document([Picture(10.0, 20.0, ["<g/>"])], [""], "A tree").splitlines()[-1])
    </svg>
    """
    width = max((picture.width for picture in pictures), default=0.0)
    width = max([width] + [text_width(caption, SMALL_SIZE) for caption in captions]) + 2 * MARGIN
    body = []
    y = MARGIN
    for picture, caption in zip(pictures, captions, strict=True):
        if caption:
            body.append(text_element("caption", MARGIN, y + SMALL_SIZE, visible(caption)))
            y += _CAPTION_HEIGHT
        body += [f'<g transform="translate({number(MARGIN)} {number(y)})">', *picture.elements, "</g>"]
        y += picture.height + MARGIN
    size = f"{number(width)} {number(y)}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="arbora" role="img" width="{number(width)}" '
            f'height="{number(y)}" viewBox="0 0 {size}">',
            f"<title>{escape(visible(title))}</title>",
            f"<style>{_STYLE}</style>",
            '<rect class="paper" width="100%" height="100%"/>',
            *body,
            "</svg>\n",
        ]
    )
