"""Model files, read and written: one safetensors file with a JSON header each. Knows no parser."""

from arbora.models.compact import compact, expand, expand_short, is_compact
from arbora.models.file import (
    FORMAT_VERSION,
    Model,
    check_model_name,
    read_model,
    remove_leftovers,
    write_model,
)
from arbora.models.inspection import inspect_model

__all__ = [
    "FORMAT_VERSION",
    "Model",
    "check_model_name",
    "compact",
    "expand",
    "expand_short",
    "inspect_model",
    "is_compact",
    "read_model",
    "remove_leftovers",
    "write_model",
]
