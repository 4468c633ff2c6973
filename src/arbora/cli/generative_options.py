"""Options that the commands of generative models share, and what they say in the end."""

from __future__ import annotations

from typing import Annotated

import typer

from arbora.generative.options import MODELS, TAGS, UNITS
from arbora.training import TrainedFile

GenerativeModelName = Annotated[str, typer.Option("--model", metavar="NAME", help=f"{', '.join(MODELS)}.")]
UnitsName = Annotated[
    str, typer.Option("--units", metavar="NAME", help=f"What words are to the model: {', '.join(UNITS)}.")
]
TagKind = Annotated[str, typer.Option("--tags", metavar="NAME", help=f"Which tags: {', '.join(TAGS)}.")]
Direction = Annotated[
    bool,
    typer.Option("--direction/--no-direction", help="Modifiers depend on the side of the head they are on."),
]
Distance = Annotated[
    bool,
    typer.Option("--distance/--no-distance", help="Modifiers depend on how far they are from the head."),
]
Projective = Annotated[
    bool,
    typer.Option(
        "--projective/--non-projective", help="Whether arcs may cross; in a valence model they never do."
    ),
]
GenerativeMultiRoot = Annotated[
    bool, typer.Option("--multi-root/--single-root", help="Whether a tree may have several roots.")
]
Addend = Annotated[float, typer.Option(metavar="A", help="What additive smoothing adds to every count.")]
LeastCount = Annotated[
    int, typer.Option(metavar="N", help="Rarer words are known by their shape and ending only.")
]
Longest = Annotated[int, typer.Option(metavar="N", help="Longer sentences are left out.")]


def summary(trained: TrainedFile) -> str:
    """What was learned from what."""
    on = trained.component.header["trained_on"]
    said = [f"{on['sentences']:,} sentences", f"{on['words']:,} words", f"{on['trees']:,} whole trees"]
    reasons = {"empty": "empty", "longer": "too long", "no tree": "with no tree that fits what is given"}
    said += [
        f"left out {on['left_out'][name]:,} {why}" for name, why in reasons.items() if on["left_out"][name]
    ]
    return f"{trained.file}: {', '.join(said)}, {trained.bytes:,} bytes"
