"""Options of neural parsers, which the commands that train one share."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from arbora.learning import LOSSES
from arbora.neural.options import PRECISIONS, NeuralOptions

DEFAULTS = NeuralOptions()
PANEL = "The encoder, and learning on top of it"


def _option(help: str, *names: str, default: object = None, metavar: str | None = None) -> Any:
    """An option whose default, if it has one, is named in its help: the commands have None for it."""
    told = help if default is None else f"{help} {default} if nothing is said."
    return typer.Option(*names, metavar=metavar, help=told, rich_help_panel=PANEL)


Layers = Annotated[
    int | None, _option("Of the encoder: its first so many. All of them if this is not given.")
]
Patience = Annotated[
    int | None,
    _option("Training ends when dev has not become better for so many epochs.", default=DEFAULTS.patience),
]
Loss = Annotated[
    str | None,
    _option(f"What is made small, of trees: {', '.join(LOSSES)}.", default=DEFAULTS.loss, metavar="NAME"),
]
Beta = Annotated[
    float | None, _option("Another beta of the loss: small counts all trees, `inf` the worst one.")
]
Gamma = Annotated[float | None, _option("The gamma of the loss: how much a wrong head costs.")]
Rate = Annotated[
    float | None,
    _option("The encoder's greatest learning rate: less for large encoders.", default=DEFAULTS.rate),
]
HeadRate = Annotated[
    float | None,
    _option("The greatest learning rate of all that begins at random.", default=DEFAULTS.head_rate),
]
StepSize = Annotated[int | None, _option("Sub-words of a step.", default=DEFAULTS.batch)]
Mix = Annotated[
    bool | None, _option("A learned sum of all layers, in place of what the last one gives.", "--mix")
]
Precision = Annotated[
    str | None,
    _option(f"Of the weights: {', '.join(PRECISIONS)}.", default=DEFAULTS.precision, metavar="NAME"),
]
NeuralThreads = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="By default one for each CPU. Neural parsers come to the same bytes with as many alone.",
    ),
]


def given_only(**options: object) -> dict[str, Any]:
    """Those that were given, for `NeuralOptions`; it knows the others.

    >>> given_only(rate=None, mix=True)
    {'mix': True}
    """
    return {name: value for name, value in options.items() if value is not None}
