"""``arbora convert``."""


def convert() -> None:
    """Not written yet."""
