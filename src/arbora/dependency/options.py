"""What a parser is trained with, and what it parses with: two settings objects, documented once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from arbora import _core
from arbora.errors import ArboraError
from arbora.models.options import check_types

LABELS = ("joint", "second-stage", "both")
DECODERS = ("best", "mbr")
SOLVERS = ("dual-decomposition", "ad3", "hill-climbing", "bp")
"""What finds the best tree where parts of several arcs have scores, in the core."""
GRAPH_SOLVERS = ("max-product", "annealing", "lp", "ilp", "projective-chart", "enumerate")
"""What does so on a graph of Python, sentence by sentence, which takes its time."""
CONSTRAINTS = ("not2", "atmost1", "exactly1", "exactly1-no2cycle", "tree")
"""Which arcs make a parse, the weakest first; the core counts them so."""
OUTER_SETS = ("none", "relaxation", "automata")
"""What a parser learns from where that need not be a tree, the tightest first; the core counts them so."""
CERTIFYING_ITERATIONS = 5000
"""How many a solver may take if certificates are wanted and nothing else is said."""
EXACT_LENGTH = 300
"""How many words a sentence may have to be parsed at once; longer ones are parsed in pieces."""
LEAST_EXACT_LENGTH = 10
"""Pieces of fewer words would say nothing."""
CERTIFYING_NODES = 20
"""How many nodes branch and bound may take then, where the solver proves nothing."""
AUTOMATA_PARTS = ("consecutive-siblings", "grandparents", "grand-siblings")
"""The parts that head automata see: all others take a solver."""
MOST_ROLES = 64
"""How many hidden roles an arc can have."""
MOST_TAGS = 16
"""How many hidden tags, or tags to choose among, a word can have."""
MOST_NAMED_TAGS = 64
"""How many UPOS tags there can be for a parser that chooses among them."""
CUSTOM = "custom"
"""The preset of a model whose templates are nobody's preset."""


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """Everything that the weights of a parser depend on, besides the treebank.

    ``preset`` names the templates; a model that was given others says ``custom`` here, and holds them.
    ``labels``: ``joint`` scores every arc with every label; ``second-stage`` finds labels after the tree,
    along the words below each head; ``both`` does the former for the tree and the latter for its labels.
    ``loss`` and ``learner`` are names of `arbora.learning`; ``beta`` and ``gamma`` override the loss's own.
    ``rate`` is the greatest step (algorithm 1's 1 / (lambda m)), or the step of sgd.
    ``batch`` sentences share one weight vector while their gradients are computed, in parallel.
    ``features``: ``complete`` gives a weight to features of any arc, ``supported`` to those of gold trees.
    ``pruning``: the greatest share of gold arcs that the pruner may lose, on dev if there is one; it keeps
    the arcs above the highest threshold that respects this, at most ``most_heads`` for a word. Should a word
    have more than ``mean_heads`` on average then, more is lost. 0: no pruning.
    ``projective``: only trees whose arcs do not cross; None lets the treebank decide (`choose_projective`).
    ``bits``: the weight table has 2^bits weights.
    ``shards``: an epoch is done on so many parts of the treebank apart, and the mean of their weights is what
    the next epoch begins with (McDonald, Hall & Mann 2010).
    Where parts of several arcs have scores, ``solver`` finds the tree that a loss without probabilities needs
    (``iterations`` at most), and belief propagation the probabilities of other losses (``propagations`` at
    most); ``constraint`` says which arcs make a parse. ``outer``: the set that a loss without probabilities
    searches for what to learn from. ``none``: trees. ``relaxation``: where dual decomposition proves no tree,
    the fractions that it found; more trees can be proved by such a model. ``automata``: whatever each head's
    automaton takes by itself, words without a head and words with several heads included, without any solver;
    it takes parts that head automata see (`AUTOMATA_PARTS`) and no others.
    ``parts``: names of the kinds of part that count; None is those of the preset. One that the preset lacks
    comes with templates of its own.
    ``latent_roles``: every arc has one of so many hidden roles, which are summed out, in training and in
    parsing. This takes a loss with probabilities (a finite beta) and ``second-stage`` labels. The features
    of roles are those of ``[roles]``, or else of ``[labels]``. ``latent_tags``: every word has one of so many
    hidden tags, and arcs have scores for the tags of their two words; they are summed out by belief
    propagation (the ``solver`` must be bp), for losses with probabilities.
    ``joint_tags``: the parser chooses the UPOS tags of words together with the tree, by belief propagation,
    each among at most so many that a tagger lists in MISC, none less probable than ``tag_threshold`` but the
    tagger's own; it learns from gold tags. 0: tags are given.

    >>> TrainingOptions(epochs=3).loss
    'svm'
    """

    preset: str = "first-order"
    labels: str = "joint"
    loss: str = "svm"
    beta: float | None = None
    gamma: float | None = None
    learner: str = "aggressive"
    rate: float | None = None
    epochs: int = 10
    batch: int = 8
    seed: int = 1
    bits: int = 22
    features: str = "complete"
    pruning: float = 0.01
    most_heads: int = 16
    mean_heads: float = 8.0
    pruner_epochs: int = 3
    pruner_bits: int = 18
    single_root: bool = True
    projective: bool | None = None
    solver: str = "dual-decomposition"
    iterations: int = 200
    propagations: int = 10
    constraint: str = "tree"
    outer: str = "none"
    parts: tuple[str, ...] | None = None
    latent_roles: int = 0
    latent_tags: int = 0
    joint_tags: int = 0
    tag_threshold: float = 0.01
    shards: int = 1

    def check(self) -> Self:
        """Raise ArboraError if an option makes no sense; returns itself."""
        check_types(self)
        _check_graph(self.solver, self.iterations, self.propagations, self.constraint)
        wrong = {
            f"labels must be one of {', '.join(LABELS)}": self.labels not in LABELS,
            "features must be complete or supported": self.features not in ("complete", "supported"),
            "epochs must be at least 1": self.epochs < 1,
            "pruner_epochs must be at least 1": self.pruner_epochs < 1,
            "batch must be at least 1": self.batch < 1,
            "shards must be at least 1": self.shards < 1,
            "bits must be between 10 and 28": not 10 <= self.bits <= 28,
            "pruner_bits must be between 10 and 28": not 10 <= self.pruner_bits <= 28,
            "pruning must be at least 0 and below 1": not 0 <= self.pruning < 1,
            "most_heads must be at least 1": self.most_heads < 1,
            "mean_heads must be at least 1": not self.mean_heads >= 1,
            "seed must not be negative": self.seed < 0,
            f"latent_roles must be between 0 and {MOST_ROLES}": not 0 <= self.latent_roles <= MOST_ROLES,
            f"latent_tags must be between 0 and {MOST_TAGS}": not 0 <= self.latent_tags <= MOST_TAGS,
            f"outer must be one of {', '.join(OUTER_SETS)}": self.outer not in OUTER_SETS,
            "automata alone know no constraint: no constraint goes with outer automata": self.outer
            == "automata"
            and self.constraint != "tree",
            "latent_tags are summed out by belief propagation: they need the solver bp": self.latent_tags > 0
            and self.solver != "bp",
            f"joint_tags must be between 0 and {MOST_TAGS}": not 0 <= self.joint_tags <= MOST_TAGS,
            "joint_tags are chosen by belief propagation: they need the solver bp": self.joint_tags > 0
            and self.solver != "bp",
            "words have latent_tags or joint_tags, not both": self.latent_tags > 0 and self.joint_tags > 0,
            "tag_threshold must be at least 0 and below 1": not 0 <= self.tag_threshold < 1,
            "latent_roles need second-stage labels": self.latent_roles > 0 and self.labels != "second-stage",
            "rate must be greater than 0": self.rate is not None and not self.rate > 0,
        }
        for message, is_wrong in wrong.items():
            if is_wrong:
                raise ArboraError(message)
        return self

    def as_dict(self) -> dict[str, Any]:
        """The options as plain data, for a model's header: JSON has no tuples, and no infinite beta."""
        parts = None if self.parts is None else list(self.parts)
        return {**asdict(self), "parts": parts, **({"beta": "inf"} if self.beta == math.inf else {})}


@dataclass(frozen=True, slots=True)
class ParseOptions:
    """How to parse.

    ``decoder``: ``best`` is the tree of the highest score, ``mbr`` the one with the most expected right arcs,
    which is always taken where words have tags, hidden ones or ones to choose.
    ``single_root`` and ``projective``: which trees count; None is what the model was trained with.
    ``probabilities``: say how sure each head and label is. ``constraints``: heads and labels that the input
    has (not ``_``) are kept, heads that its MISC forbids (``ForbiddenHeads=2,5``) are
    none, and the rest is the best that goes with that. ``solver``, ``iterations``,
    ``propagations`` and ``constraint`` are for parsers with parts of several arcs; None is what the model was
    trained with. ``certificates``: a comment says whether the tree is proved to be the best, or how far its
    score may be from the best. ``nodes``: where the solver leaves that open, branch and bound with AD3 goes
    on, with at most so many nodes; 0 takes what the solver says. ``exact_length``: sentences of more words
    are parsed in pieces, and a comment (``parsed_in_pieces``) says in how many. No result depends on
    ``threads`` or on ``batch``, the number of words that are worked on together.

    >>> ParseOptions(decoder="mbr").probabilities
    False
    """

    decoder: str = "best"
    single_root: bool | None = None
    projective: bool | None = None
    probabilities: bool = False
    constraints: bool = False
    solver: str | None = None
    iterations: int | None = None
    propagations: int | None = None
    constraint: str | None = None
    certificates: bool = False
    nodes: int | None = None
    exact_length: int = EXACT_LENGTH
    threads: int = 1
    batch: int = 8192

    def check(self) -> Self:
        """Raise ArboraError if an option makes no sense; returns itself."""
        check_types(self)
        if self.decoder not in DECODERS:
            raise ArboraError(f"there is no decoder {self.decoder!r}; there are {', '.join(DECODERS)}")
        if self.threads < 1:
            raise ArboraError("threads must be at least 1")
        if self.batch < 1:
            raise ArboraError("batch must be at least 1")
        if self.exact_length < LEAST_EXACT_LENGTH:
            raise ArboraError(f"exact_length must be at least {LEAST_EXACT_LENGTH}")
        if self.solver in GRAPH_SOLVERS and (self.decoder != "best" or self.probabilities):
            raise ArboraError(
                f"the solver {self.solver} finds best trees: no mbr and no probabilities with it"
            )
        if self.certificates and self.decoder != "best":
            raise ArboraError("certificates say whether a tree is the best: they go with the decoder best")
        if self.nodes is not None and not (self.certificates and self.nodes >= 0):
            raise ArboraError("nodes are a count, and go with certificates")
        native = None if self.solver in GRAPH_SOLVERS else self.solver
        _check_graph(native, self.iterations, self.propagations, self.constraint)
        return self

    @property
    def goes_ahead(self) -> bool:
        """Whether a thread of its own parses the next batch while one is used.

        Not with solvers of Python, which would gain nothing, and are interrupted in the main thread only.
        """
        return self.threads > 1 and self.solver not in GRAPH_SOLVERS


def _check_graph(
    solver: str | None, iterations: int | None, propagations: int | None, constraint: str | None
) -> None:
    if solver is not None and solver not in SOLVERS:
        known = ", ".join(SOLVERS + GRAPH_SOLVERS)
        raise ArboraError(f"there is no solver {solver!r} for parsers; there are {known}")
    if constraint is not None and constraint not in CONSTRAINTS:
        raise ArboraError(f"there is no constraint {constraint!r}; there are {', '.join(CONSTRAINTS)}")
    if iterations is not None and iterations < 1:
        raise ArboraError("iterations must be at least 1")
    if propagations is not None and propagations < 1:
        raise ArboraError("propagations must be at least 1")


def tree_options(
    options: Mapping[str, Any], changes: ParseOptions | None = None, *, outer: str = "none"
) -> _core.TreeOptions:
    """Which trees count and how they are found, for the core: as trained, or as parsing changes it.

    ``outer`` is for losses.
    """

    def chosen(name: str, default: Any = None) -> Any:
        changed = getattr(changes, name, None)
        return options.get(name, default) if changed is None else changed

    certify = changes is not None and changes.certificates
    return _core.TreeOptions(
        chosen("single_root"),
        chosen("projective"),
        SOLVERS[0] if chosen("solver") in GRAPH_SOLVERS else chosen("solver", SOLVERS[0]),
        CERTIFYING_ITERATIONS
        if changes is not None and certify and changes.iterations is None
        else chosen("iterations", 1),
        chosen("propagations", 1),
        CONSTRAINTS.index(chosen("constraint", "tree")),
        certify,
        OUTER_SETS.index(outer),
        _nodes(changes),
        EXACT_LENGTH if changes is None else changes.exact_length,
    )


def _nodes(changes: ParseOptions | None) -> int:
    if changes is None or not changes.certificates:
        return 0
    return CERTIFYING_NODES if changes.nodes is None else changes.nodes
