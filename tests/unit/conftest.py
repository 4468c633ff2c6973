"""What several tests of units share."""

from __future__ import annotations

import pytest
from small_training import changed, treebank

from arbora.dependency import DependencyParser, train


@pytest.fixture(scope="session")
def parser() -> DependencyParser:
    """Trained on the English example; nobody changes it."""
    return train(treebank(), options=changed(epochs=3))
