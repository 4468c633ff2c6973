"""What requests wish for that a model cannot do, or not together: it is refused, not left out."""

from __future__ import annotations

from arbora.server.json_types import ParseRequest
from arbora.server.limits import RequestError
from arbora.server.models import ServedModel

OF_DEPENDENCIES = ("constraints", "constraints_from_input", "alternatives", "kbest", "rules")
"""What a request may have besides its sentences and options that means nothing to constituents."""
LISTS = ("alternatives", "kbest")


def check_wishes(model: ServedModel, asked: ParseRequest) -> None:
    """RequestError with the first wish that cannot be granted."""
    if "heads" not in model.adds:
        for wish in _wishes(asked):
            raise RequestError(
                400, f"{wish} goes with dependencies, and the model '{model.name}' finds constituents."
            )
    if asked.rules is not None:
        for wish in LISTS:
            if getattr(asked, wish) is not None:
                raise RequestError(400, f"rules go with the best tree: no {wish} with them.")


def _wishes(asked: ParseRequest) -> list[str]:
    """What is asked for that only parsers of dependencies do; all options are theirs."""
    plain = ParseRequest()
    return [
        *(name for name in OF_DEPENDENCIES if getattr(asked, name) != getattr(plain, name)),
        *(
            f"options.{name}"
            for name in asked.options.__struct_fields__
            if getattr(asked.options, name) != getattr(plain.options, name)
        ),
    ]
