"""What a generative model is made of, and how it is learned: one settings object, documented once."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Self

from arbora.errors import ArboraError
from arbora.models.options import check_types

MODELS = {
    "bigram": "arbora.generative.bigram:BigramModel",
    "valence": "arbora.generative.valence:ValenceModel",
}
"""The kinds of model, and where each is."""
UNITS = ("tags", "words", "tags-and-words")
TAGS = ("upos", "xpos")
SMOOTHINGS = ("additive", "interpolated")
STARTS = ("harmonic", "uniform", "random", "supervised")
EXPECTATIONS = ("sum", "best")
PUNCTUATION = "PUNCT"
"""The UPOS of what can be left out."""


@dataclass(frozen=True, slots=True)
class GenerativeOptions:
    """Everything that a generative model depends on, besides its data.

    ``model``: ``bigram`` is p(modifier, label | head), all trees of n words being alike beforehand (Paskin
    2001; McDonald & Satta 2007, section 4.4); ``valence`` generates modifiers from the head outward until it
    stops (Klein & Manning 2004). ``units``: what words are to the model, ``tags``, ``words`` or
    ``tags-and-words``; ``tags`` says which tags, upos or xpos. ``labels``: whether arcs have labels.
    ``direction``: modifiers depend on the side of the head they are on, and with ``distance`` on how far (1,
    2, 3 to 6, more).
    ``projective`` and ``single_root``: which trees there are; a valence model has projective ones only.

    ``smoothing``: ``additive`` adds ``addend`` to every count; ``interpolated`` mixes in what is known of
    shorter contexts, by weights that are fitted on held-out trees. ``least_count``: rarer words are known by
    their signature only, that is by suffix and shape; ``suffix`` is its length.

    ``iterations`` of EM, at most; 0 counts trees, and that is all. EM begins with ``start``: ``harmonic``
    (near words are likelier heads), ``uniform`` (all trees alike), ``random`` (by the ``seed``) or
    ``supervised`` (the trees that are given). ``expectations``: ``sum`` over all trees, or the ``best`` tree
    alone (hard EM). ``temperature`` below 1 anneals: trees count by p^temperature, and the exponent is
    multiplied by ``cooling`` after each iteration until it is 1. EM ends when the objective rises by less
    than ``tolerance`` times its size. Sentences of more than ``longest`` words are left out.
    ``constraints``: heads and labels that the data has bind. ``punctuation``: whether it belongs to trees; if
    not, it is left out of training, and hangs from the word before it in parsing.

    >>> GenerativeOptions(model="valence").projective
    False
    >>> GenerativeOptions(model="valence").trees
    (True, True)
    """

    model: str = "bigram"
    units: str = "tags"
    tags: str = "upos"
    labels: bool = False
    direction: bool = True
    distance: bool = False
    projective: bool = False
    single_root: bool = True
    smoothing: str = "additive"
    addend: float = 0.1
    least_count: int = 2
    suffix: int = 3
    iterations: int = 40
    start: str = "harmonic"
    expectations: str = "sum"
    temperature: float = 1.0
    cooling: float = 1.5
    tolerance: float = 1e-5
    longest: int = 40
    constraints: bool = False
    punctuation: bool = False
    seed: int = 1

    @property
    def trees(self) -> tuple[bool, bool]:
        """Whether trees have a single root, and whether they are projective."""
        return self.single_root, self.projective or self.model == "valence"

    def check(self) -> Self:
        """Raise ArboraError if an option makes no sense; returns itself."""
        check_types(self)
        for name, known in (
            ("model", tuple(MODELS)),
            ("units", UNITS),
            ("tags", TAGS),
            ("smoothing", SMOOTHINGS),
            ("start", STARTS),
            ("expectations", EXPECTATIONS),
        ):
            if getattr(self, name) not in known:
                raise ArboraError(f"there is no {name} {getattr(self, name)!r}; there are {', '.join(known)}")
        wrong = {
            "addend must not be negative": not 0 <= self.addend < float("inf"),
            "least_count must be at least 1": self.least_count < 1,
            "suffix must not be negative": self.suffix < 0,
            "iterations must not be negative": self.iterations < 0,
            "temperature must be above 0 and at most 1": not 0 < self.temperature <= 1,
            "cooling must be above 1": not 1 < self.cooling < float("inf"),
            "tolerance must not be negative": not self.tolerance >= 0,
            "longest must be at least 1": self.longest < 1,
            "seed must not be negative": self.seed < 0,
            "EM needs additive smoothing: its update is no closed form with another": self.iterations > 0
            and self.smoothing != "additive",
            "hard EM has no temperature": self.expectations == "best" and self.temperature < 1,
        }
        for message, is_wrong in wrong.items():
            if is_wrong:
                raise ArboraError(message)
        return self

    def as_dict(self) -> dict[str, Any]:
        """The options as plain data."""
        return asdict(self)
