"""What is in a model file, as plain data."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arbora.errors import FileError
from arbora.models.compact import expand, is_compact
from arbora.models.file import read_model


def inspect_model(path: str | os.PathLike[str]) -> dict[str, Any]:
    """A model's header, the sizes of the file and of its tensors, and whether its weights are compact.

    ``weights`` is there for compact weights, and describes them expanded.

    >>> import tempfile
    >>> from arbora.models import write_model
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     weights = np.array([0, -2, 1, 0], np.float32)
    ...     write_model(f"{folder}/m", {"architecture": "tagger"}, {"weights": weights})
    ...     facts = inspect_model(f"{folder}/m")
    >>> facts["header"], facts["compact"]
    ({'architecture': 'tagger', 'version': 2}, False)
    >>> facts["tensors"]
    [{'name': 'weights', 'dtype': 'float32', 'shape': [4], 'bytes': 16, 'nonzero': 0.5, 'greatest': 2.0}]
    """
    model = read_model(path)
    packed = is_compact(model.tensors)
    facts = {
        "file": model.path,
        "bytes": os.path.getsize(path),
        "compact": packed,
        "header": model.header,
        "tensors": [_facts(name, tensor) for name, tensor in model.tensors.items()],
    }
    if packed:
        try:
            facts["weights"] = _facts("weights", expand(model.tensors))
        except ValueError as error:
            raise FileError(str(error), file=model.path) from None
    return facts


def _facts(name: str, tensor: NDArray[Any]) -> dict[str, Any]:
    # From both ends, for the absolute value of -128 is no int8.
    greatest = max(abs(float(tensor.min())), abs(float(tensor.max()))) if tensor.size else 0.0
    return {
        "name": name,
        "dtype": str(tensor.dtype),
        "shape": list(tensor.shape),
        "bytes": tensor.nbytes,
        "nonzero": int(np.count_nonzero(tensor)) / max(tensor.size, 1),
        "greatest": greatest if np.isfinite(greatest) else None,  # JSON has no infinity
    }
