"""Draw the trees of a treebank file; the command ``arbora draw`` is a thin wrapper of this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby, islice
from typing import NamedTuple

from arbora.draw import api
from arbora.draw.carried import Asked
from arbora.draw.characters import visible
from arbora.draw.constituents import ConstituentLike
from arbora.draw.errors import DrawingError
from arbora.draw.paint import Painter
from arbora.treebank.files import open_output


class Exhibit(NamedTuple):
    """A tree with its place in the file, counted from 1, a name to show, and its probabilities.

    These are as `arbora.draw.text` takes them: None are those that the tree carries.

    >>> from arbora.treebank import Sentence
    >>> Exhibit(3, "#3", Sentence(["Go"], heads=[0])).number
    3
    """

    number: int
    name: str
    tree: api.SentenceLike | ConstituentLike
    probabilities: Asked = None


def exhibits(
    trees: Iterable[api.SentenceLike | ConstituentLike],
    sentence: str | None = None,
    first: int | None = None,
    *,
    probabilities: bool = True,
) -> Iterator[Exhibit]:
    """Number and name trees as they come; choose one by its sent_id or number, or the first so many.

    Their probabilities are those that they carry, or none are shown.

    A sent_id goes before a number, since ids can look like numbers. No such sentence is a `DrawingError`.

    >>> from arbora.treebank import Sentence
    >>> trees = [Sentence(["Go"], heads=[0]), Sentence(["Stop"], heads=[0], comments=["# sent_id = s2"])]
    >>> [shown.name for shown in exhibits(trees)], [shown.number for shown in exhibits(trees, "s2")]
    (['#1', 's2'], [2])
    """
    shown: Asked = None if probabilities else False
    named = (
        Exhibit(number, visible(getattr(tree, "sent_id", None) or f"#{number}"), tree, shown)
        for number, tree in enumerate(trees, start=1)
    )
    return islice(named, first) if sentence is None else iter([_found(named, sentence)])


def _found(named: Iterable[Exhibit], wanted: str) -> Exhibit:
    by_number = None
    count = 0
    for shown in named:
        count = shown.number
        if getattr(shown.tree, "sent_id", None) == wanted:
            return shown
        if str(shown.number) == wanted:
            by_number = shown
    if by_number is None:
        raise DrawingError(f"there is no sentence {wanted!r}, by sent_id or by number, among {count}")
    return by_number


def write_text(output: str, shown: Iterable[Exhibit], style: str = "arcs", *, coloured: bool = False) -> None:
    """Write trees as text, each below its name and its sentence, as they come; ``-`` is standard output.

    >>> from arbora.treebank import Sentence
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "go.txt")
    >>> write_text(path, exhibits([Sentence(["Go"], heads=[0], deprels=["root"])]))
    >>> print(open(path, encoding="utf-8").read(), end="")
    [#1] Go
    ─▶ Go  root
    """
    painter = Painter(coloured)

    def block(item: Exhibit) -> str:
        heading = f"{painter.label(f'[{item.name}]')} {visible(api.title_of(item.tree))}"
        return f"{heading}\n{api.text(item.tree, style, item.probabilities, coloured=coloured)}\n"

    if "{}" in output:
        for item in shown:
            _write(_numbered(output, item), block(item))
        return
    with open_output(output) as stream:
        for place, item in enumerate(shown):
            stream.write((("\n" if place else "") + block(item)).encode())


def write_svg(output: str, shown: Iterable[Exhibit], title: str = "Trees") -> None:
    """Write trees as SVG: one below the other, or a file each if the name has a ``{}`` for the number.

    >>> from arbora.treebank import Sentence
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> write_svg(os.path.join(folder, "tree-{}.svg"), exhibits([Sentence(["Go"], heads=[0])] * 2))
    >>> sorted(os.listdir(folder))
    ['tree-1.svg', 'tree-2.svg']
    """
    if "{}" in output:
        for item in shown:
            _write(_numbered(output, item), api.svg(item.tree, item.probabilities))
        return
    items = list(shown)
    trees, names = [item.tree for item in items], [item.name for item in items]
    _write(output, api.stacked_svg(trees, names, title, [item.probabilities for item in items]))


def write_html(output: str, shown: Iterable[Exhibit]) -> None:
    """Write trees as a page, each below its name: all of them, or a file each as `write_svg` does.

    >>> from arbora.treebank import Sentence
    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "go.html")
    >>> write_html(path, exhibits([Sentence(["Go"], heads=[0])]))
    >>> open(path, encoding="utf-8").read().count("<svg")
    1
    """
    if "{}" in output:
        for item in shown:
            _write(_numbered(output, item), "".join(_page([item])))
        return
    with open_output(output) as stream:
        for part in _page(shown):
            stream.write(part.encode())


def _page(shown: Iterable[Exhibit]) -> Iterator[str]:
    yield '<!doctype html>\n<meta charset="utf-8">\n<title>Trees</title>\n'
    for _, items in groupby(shown, key=lambda item: item.number):
        for place, item in enumerate(items):
            heading = "" if place else f"<h3>{escape(item.name)}</h3>\n"
            yield f"{heading}{api.svg(item.tree, item.probabilities)}\n"


def _numbered(output: str, item: Exhibit) -> str:
    return output.replace("{}", str(item.number))


def _write(path: str, content: str) -> None:
    with open_output(path) as stream:
        stream.write(content.encode())
