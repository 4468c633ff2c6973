"""``arbora validate``."""


def validate() -> None:
    """Not written yet."""
