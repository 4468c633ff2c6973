"""What several tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture
def treebank_folder() -> Path:
    """The folder of public treebanks, which are not part of the project; the test is skipped without it."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ARBORA_TREEBANKS", beside))
    if not folder.is_dir():
        pytest.skip("no treebanks here: set ARBORA_TREEBANKS to their folder")
    return folder
