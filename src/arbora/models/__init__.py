"""Model files, and the registry of what they can hold: architectures, of which every model is a component.

A file is one safetensors file with a JSON header. Nothing here knows a parser: rooms declare what they have.
"""

from arbora.models.compact import compact, expand, expand_short, is_compact
from arbora.models.component import (
    Architecture,
    Component,
    Parts,
    Tensors,
    TrainCommand,
    below,
    refusing,
    under,
)
from arbora.models.file import (
    FORMAT_VERSION,
    Model,
    check_model_name,
    read_model,
    remove_leftovers,
    write_model,
)
from arbora.models.inspection import inspect_model
from arbora.models.pickling import restored
from arbora.models.registry import architectures, find_architecture, load_component, shared_component

__all__ = [
    "FORMAT_VERSION",
    "Architecture",
    "Component",
    "Model",
    "Parts",
    "Tensors",
    "TrainCommand",
    "architectures",
    "below",
    "check_model_name",
    "compact",
    "expand",
    "expand_short",
    "find_architecture",
    "inspect_model",
    "is_compact",
    "load_component",
    "read_model",
    "refusing",
    "remove_leftovers",
    "restored",
    "shared_component",
    "under",
    "write_model",
]
