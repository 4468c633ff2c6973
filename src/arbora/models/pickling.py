"""Components in pickles: by the file that they came from and its hash, or by the bytes of a model file.

This is for what goes from process to process (multiprocessing, joblib) or is put aside for a while. It is no
format for models, which are saved to files of their own.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from arbora.errors import FileError
from arbora.models.file import decode_model, encode_model

if TYPE_CHECKING:
    from arbora.models.component import Component


class Origin(NamedTuple):
    """The file of a model, its hash, the names that lead to a component in it, and those of its members."""

    path: str
    digest: str
    names: tuple[str, ...] = ()
    members: tuple[str, ...] = ()

    def below(self, name: str) -> Origin:
        """That of a member."""
        return Origin(self.path, self.digest, (*self.names, name))


def remember(component: Component, origin: Origin) -> None:
    """Note where a component and its members came from."""
    component.origin = origin._replace(members=tuple(component.members))
    for name, member in component.members.items():
        remember(member, origin.below(name))


def reduced(component: Component) -> tuple[Any, ...]:
    """What a pickle keeps of a component, as ``__reduce__`` gives it."""
    origin = component.origin
    if origin is not None and _has_all(component, origin):
        return reopened, (origin.path, origin.digest, origin.names)
    return restored, (encode_model(*component.to_parts()),)


def reopened(path: str, digest: str, names: tuple[str, ...]) -> Any:
    """The component of a file that must be the one that was pickled; FileError if it is not."""
    from arbora.models.registry import shared_component

    if not os.path.exists(path):
        raise FileError(
            "a model that was pickled by its file is no longer there: put the file back", file=path
        )
    found = shared_component(path)
    if found.origin.digest != digest:
        raise FileError(
            "this is not the model that was pickled, its hash differs: put the old file back, or pickle anew",
            file=path,
        )
    for name in names:
        found = found.members[name]
    return found


def restored(data: bytes) -> Any:
    """The component of the bytes of a model file."""
    from arbora.models.registry import find_architecture

    model = decode_model(data, "a pickle")
    return (
        find_architecture(model.header["architecture"]).load_class().from_parts(model.header, model.tensors)
    )


def _has_all(component: Component, origin: Origin) -> bool:
    """Whether it has the members that its file gave it: those of a pipeline can be exchanged."""
    if origin.members != tuple(component.members):
        return False
    return all(
        member.origin is not None
        and member.origin[:3] == origin.below(name)[:3]
        and _has_all(member, member.origin)
        for name, member in component.members.items()
    )
