"""``arbora draw``."""


def draw() -> None:
    """Not written yet."""
