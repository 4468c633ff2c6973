"""``arbora bench``."""


def bench() -> None:
    """Not written yet."""
