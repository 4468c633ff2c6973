"""A sound call of every binding that takes arrays or lists, to be made unsound.

`CASES` has for every name (``Class.method`` or ``function``) what makes a call: the function, and its
arguments by name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from binding_calls import CASES, Case, add, floats, golden, ints
from neural_binding_cases import add_encoders, add_neural, add_subwords

from arbora import _core
from arbora.constituency.spans import SpanParser
from arbora.constituency.spans.parser import make_models
from arbora.constituency.spans.templates import SpanTemplates
from arbora.dependency import DependencyParser
from arbora.dependency.linear_model import encode
from arbora.dependency.options import tree_options
from arbora.features import PARTS
from arbora.models import below
from arbora.text import Tagger, Tokenizer
from arbora.text.tagging.core_objects import labels_of, make_stage
from arbora.text.tagging.options import STAGES
from arbora.text.tagging.templates import TaggerTemplates
from arbora.text.tokenizing.templates import parse_templates
from arbora.treebank import Sentence
from arbora.treebank.batches import _columns, make_batch

__all__ = ["CASES", "Case"]

SENTENCES = [
    Sentence(["a", "b", "c"], heads=[2, 0, 2], deprels=["det", "root", "obj"], upos=["DET", "VERB", "NOUN"]),
    Sentence(["d", "e"], heads=[2, 0], deprels=["nsubj", "root"], upos=["NOUN", "VERB"]),
]
HEADS = np.array([2, 0, 2, 2, 0], np.int32)
WITH_ROOTS = np.array([-1, 2, 0, 2, -1, 2, 0], np.int32)


def add_trees() -> None:
    scores = [floats(3, 3, 2), floats(4, 4, 2)]
    trees = {"single_root": True, "projective": False, "threads": 1}
    places = {"heads": np.zeros(7, np.int32), "labels": np.zeros(7, np.int32)}
    add("mst", _core.mst, scores=scores, **places, **trees)
    add("mbr", _core.mbr, scores=scores, **places, **trees, labelled=True)
    for name in ("log_partition", "entropy"):
        add(name, getattr(_core, name), scores=scores, **trees)
    results = [np.zeros_like(own) for own in scores]
    add("marginals", _core.marginals, scores=scores, results=results, **trees, complement=False)
    add("kbest", _core.kbest, scores=scores, **trees, k=2)
    add("sample", _core.sample, scores=scores, **trees, count=2, seed=1)
    arcs, valences = [floats(3, 3), floats(4, 4)], [floats(3, 2, 2, 2), floats(4, 2, 2, 2)]
    plain = {"arcs": arcs, "valences": valences, "single_root": True, "threads": 1}
    add("valence_log_partition", _core.valence_log_partition, **plain)
    add("valence_kbest", _core.valence_kbest, **plain, k=2)
    add("valence_sample", _core.valence_sample, **plain, count=2, seed=1)
    places = {"arc_results": [floats(3, 3), floats(4, 4)], "valence_results": [np.copy(v) for v in valences]}
    add("valence_expectations", _core.valence_expectations, **plain, **places, best=False)


def add_learning() -> None:
    beta = {"beta": 1.0, "gamma": 0.0}
    gold = {"heads": ints(-1, 2, 0), "labels": ints(-1, 0, 1)}
    trees = {"single_root": True, "projective": False}
    add(
        "tree_loss",
        _core.tree_loss,
        scores=floats(3, 3, 2),
        **gold,
        **beta,
        **trees,
        gradient=floats(3, 3, 2),
    )
    chain = {"unary": floats(3, 2), "siblings": floats(3, 3)}
    places = {"unary_gradient": floats(3, 2), "sibling_gradient": floats(3, 3)}
    add("chain_loss", _core.chain_loss, **chain, labels=ints(0, 1, 0), **beta, **places)
    add("best_chain", _core.best_chain, **chain, labels=ints(0, 0, 0))
    add("sum_chain", _core.sum_chain, **chain, probabilities=floats(3, 2), pairs=floats(3, 3))
    add("best_chains", _core.best_chains, **chain, k=2, free=("unary",))
    lattice = {"sizes": [2, 1, 2], "local": floats(5), "triples": floats(4)}
    lattice["triples"] = floats(
        sum(a * b * c for a, b, c in zip([1, 1, 2], [1, 2, 1], [2, 1, 2], strict=True))
    )
    unchained = {"optional": ("triples",)}
    add("best_path", _core.best_path, **lattice, **unchained)
    add("best_paths", _core.best_paths, **lattice, k=2, **unchained)
    add("sum_paths", _core.sum_paths, **lattice, **unchained)
    add("path_loss", _core.path_loss, **lattice, gold=[1, 0, 1], **beta, **unchained)
    learner = _core.OnlineLearner(3, 1, "sgd", 0.1)
    add("OnlineLearner.step", learner.step, gradient=[(0, 1.0), (8, 1.0)], loss=1.0)
    add("OnlineLearner.average", learner.average, result=np.zeros(9, np.float32))
    any_length = {"free": ("values",)}
    add("ShortWeights.__init__", _core.ShortWeights, values=np.zeros(16, np.int16), step=1.0, **any_length)
    add(
        "ShortWeights.rounded", _core.ShortWeights.rounded, weights=np.zeros(9, np.float32), free=("weights",)
    )
    codes = {
        "codes": np.zeros(300, np.int8),
        "peaks": np.ones(2, np.float32),
        "is_kept": np.ones(300, np.uint8),
    }
    add("ShortWeights.expanded", _core.ShortWeights.expanded, **codes)


def a_graph() -> _core.FactorGraph:
    graph = _core.FactorGraph()
    graph.add_binary(floats(6))
    graph.add_categories(floats(3, 2))
    return graph


def add_graphs() -> None:
    def of(name: str) -> Callable[..., Any]:
        return lambda **arguments: getattr(a_graph(), name)(**arguments)

    def group(name: str, **arguments: Any) -> None:
        add(f"FactorGraph.{name}", of(name), **arguments)

    group("add_binary", scores=floats(3), free=("scores",))
    group("add_categories", scores=floats(3, 2), free=("scores",))
    two = {"inputs": ints(0, 1, 2, 3, 4), "begins": ints(0, 3, 5, dtype=np.int64)}
    for name, own in (("one_of", {"or_none": False}), ("or", {}), ("or_with_output", {})):
        group(f"add_{name}", kind="a", **two, **own)
    group("add_at_most", kind="a", **two, limits=ints(1, 1))
    group("add_choices", kind="a", inputs=ints(0, 1, 2), begins=ints(0, 3, dtype=np.int64), or_none=False)
    group("add_pairs", inputs=ints(0, 1, 2, 3), scores=floats(2))
    group("add_and_any", **two, scores=floats(2))
    group("add_tables", inputs=ints(0, 1, 2, 3), arity=2, scores=floats(8))
    group("add_counts", **two, width=3, scores=floats(6))
    group("add_tag_chain", tags=ints(6, 7, 8), bigrams=floats(8), trigrams=floats(8), optional=("trigrams",))
    group("add_tag_links", inputs=ints(0, 6, 7), scores=floats(4))
    tree = {"heads": ints(0, 0, 1, 2), "modifiers": ints(1, 2, 2, 1)}
    group("add_no_cross", arcs=ints(0, 1, 2, 3), **tree, words=2, scores=floats(9))
    for name in ("add_tree", "add_projective_tree"):
        group(name, arcs=ints(0, 1, 2, 3), words=2, **tree, single_root=True)
    one = {"inputs": ints(0, 1, 2), "begins": ints(0, 3, dtype=np.int64)}
    group("add_child_sequences", **one, scores=floats(10))
    group("add_child_trigrams", **one, scores=floats(10))
    group("add_head_automata", **one, states=ints(2), scores=floats(*automaton_scores(3, 2)))
    both = {"grandparents": ints(1), "left": ints(1)}
    group("add_grand_siblings", **one, **both, scores=floats(6))
    group("add_custom", inputs=ints(0, 1), factor=NamedFactor(), free=("inputs",))
    graph = a_graph()
    graph.add_pairs(ints(0, 1, 2, 3), floats(2))
    for name in ("sum", "max", "best"):
        add(f"FactorGraph.{name}", getattr(graph, name), group=0, factor=0, given=floats(2))
    add("FactorGraph.project", graph.project, group=0, factor=0, a=floats(2), penalty=1.0)
    add("FactorGraph.configuration", graph.configuration, group=0, factor=0, active=[0, 1])
    add("FactorGraph.value", graph.value, assignment=np.zeros(12, np.uint8))
    add("FactorGraph.violated_rows", graph.violated_rows, values=floats(12))


class NamedFactor:
    """What a custom factor has before it is asked anything."""

    name = "custom"


def automaton_scores(modifiers: int, states: int) -> tuple[int, ...]:
    """How many scores one automaton has."""
    for count in range(1, 200):
        graph = a_graph()
        try:
            graph.add_head_automata(
                ints(*range(modifiers)), ints(0, modifiers, dtype=np.int64), ints(states), floats(count)
            )
        except ValueError:
            continue
        return (count,)
    raise AssertionError("no number of scores fits an automaton")


def add_parsing() -> None:
    model = golden("dependency-parser")
    parser = DependencyParser.from_parts(model.header, model.tensors)
    core, weights, pruner = parser._core, parser._weights, parser._pruner_weights
    encoded, trees = encode(SENTENCES), tree_options(model.header["options"])
    labels = ints(*(parser.labels.index(label) for s in SENTENCES for label in s.deprels))
    both = {"weights": weights, "pruner_weights": pruner}
    arcs = core.choose(pruner, encoded, HEADS, trees, 1)
    learner = _core.OnlineLearner(10, core.padding, "sgd", 0.1)
    gold = {"heads": HEADS, "labels": labels}

    def batch(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda **arguments: function(batch=make_batch(SENTENCES), **arguments)

    add("encode", _core.encode, sentences=[(s.forms, s.lemmas, s.upos, s.xpos, s.feats) for s in SENTENCES])
    add("make_batch", _core.make_batch, sentences=[_columns(s) for s in SENTENCES])
    add("candidate_tags", _core.candidate_tags, names=["A"], upos=["A", "_"], misc=["_", "_"])
    tags = {"counts": ints(1, 2, 0, 0, 0), "tags": ints(0, 0, 1), "scores": floats(3)}
    add("Encoded.set_tags", encode(SENTENCES).set_tags, **tags)
    add("head_cycles", _core.head_cycles, heads=[2, 1, 0])
    add("nonprojective_words", _core.nonprojective_words, heads=[0, 1, 1])
    add("ParserNames.__init__", _core.ParserNames, labels=["a"], tags=[])
    flags = {"at_root": [True, False], "below_words": [True, True]}
    templates = {"arcs": [(1, [("head", 0, "form")], ["alone"])]}
    add("LinearModel.__init__", _core.LinearModel, sections=templates, threshold=0.1, most=4, **flags)
    also = {"also": HEADS, "optional": ("also",)}
    add("LinearModel.choose", core.choose, weights=pruner, encoded=encoded, trees=trees, threads=1, **also)
    how = {"trees": trees, "least_risk": False, "probabilities": True, "constraints": False, "threads": 1}
    given = {"given_heads": HEADS, "given_labels": labels}
    add("LinearModel.annotate", batch(core.annotate), **both, names=parser._names, **how, **given)
    k = {"trees": trees, "constraints": True, "threads": 1, "k": 2}
    add("LinearModel.annotate_kbest", batch(core.annotate_kbest), **both, names=parser._names, **k)
    add("LinearModel.parse", core.parse, **both, encoded=encoded, trees=trees, threads=1)
    scales = {"tree_scales": [1.0], "label_scales": [1.0], "joint_scales": [1.0]}
    costs = {"trees": trees, "threads": 1, **scales, "joint": 1.0}
    add("LinearModel.gold_costs", core.gold_costs, **both, encoded=encoded, **gold, **costs)
    add("LinearModel.count_features", core.count_features, encoded=encoded, heads=HEADS, arcs=arcs)
    own = {"weights": weights, "encoded": encoded}
    add("LinearModel.template_masses", core.template_masses, section="arcs", **own, **gold)
    learned = {"learner": learner, "encoded": encoded}
    some = {"sentences": [0, 1]}
    pruned = {"learner": _core.OnlineLearner(10, 0, "sgd", 0.1), "encoded": encoded, "heads": HEADS}
    add("LinearModel.train_pruner", core.train_pruner, **pruned, **some, trees=trees, threads=1)
    loss = {"beta": 1.0, "gamma": 0.0, "trees": trees}
    add("LinearModel.train", core.train, **learned, **gold, arcs=arcs, **some, **loss, threads=1)
    add("LinearModel.break_symmetry", core.break_symmetry, **learned, heads=HEADS, seed=1)
    add("LinearModel.support", core.support, **learned, **gold, **some)
    one = {"encoded": encoded, "sentence": 0, "arcs": [(2, 1), (0, 2), (2, 3)]}
    add("LinearModel.arc_scores", core.arc_scores, of_pruner=False, weights=weights, **one)
    add(
        "LinearModel.label_scores",
        core.label_scores,
        of_labeler=False,
        weights=weights,
        heads=[2, 0, 2],
        **one,
    )
    for name in ("role_scores", "tag_scores", "part_scores"):
        add(f"LinearModel.{name}", getattr(core, name), weights=weights, **one)
    add("LinearModel.sibling_scores", core.sibling_scores, **own, sentence=0, heads=[2, 0, 2], head=0)
    floated = np.zeros((1 << 10) + core.padding, np.float32)
    first = {"heads": HEADS[:3].copy(), "labels": labels[:3].copy()}
    add("LinearModel.loss", core.loss, weights=floated, **one, **first, **loss, free=("weights",))
    add_scorers(_core.LinearScorer(core, weights, pruner, encoded), trees, parser._names, batch, labels)
    add(
        "Batch.set_tree",
        make_batch(SENTENCES).set_tree,
        sentence=1,
        heads=[2, 0],
        labels=["a", "root"],
        deps=["_", "_"],
    )
    spans = {"spans": [("S", 0, 2), ("N", 0, 1)], "probabilities": [1.0, 0.5]}
    add("Batch.set_constituents", make_batch(SENTENCES).set_constituents, sentence=1, **spans)
    add("Batch.split", make_batch(SENTENCES).split, counts=[1, 1])
    add("Batch.repeated", make_batch(SENTENCES).repeated, counts=[1, 2])


def add_scorers(scorer: Any, trees: Any, names: Any, batch: Callable[..., Any], labels: Any) -> None:
    with_labels = ints(-1, *labels[:3], -1, *labels[3:])
    given = {"given_heads": WITH_ROOTS, "given_labels": with_labels}
    one = {"given_heads": WITH_ROOTS[:4].copy(), "given_labels": with_labels[:4].copy()}
    how = {"trees": trees, "least_risk": False, "probabilities": True, "threads": 1}
    forbidden = [[(1, 2), (0, 3)], [(2, 1)]]
    add("Scorer.parse", scorer.parse, **how, **given, forbidden=forbidden)
    add("Scorer.kbest", scorer.kbest, trees=trees, threads=1, k=2, **given, forbidden=forbidden)
    own = {**one, "forbidden": forbidden[0]}
    add("Scorer.distributions", scorer.distributions, sentence=0, trees=trees, **own)
    add("Scorer.choose", scorer.choose, sentence=0, trees=trees, **one, forbidden=forbidden[0])
    judged = {"heads": WITH_ROOTS, "labels": with_labels}
    add("Scorer.judge", scorer.judge, trees=trees, least_risk=False, threads=1, **judged, least=0.1)
    arcs = {"sentence": 0, "arcs": [(0, 1), (2, 3)]}
    add("Scorer.arc_totals", scorer.arc_totals, **arcs, sums=True, given_labels=one["given_labels"])
    for name in ("label_scores", "part_scores", "tag_scores"):
        add(f"Scorer.{name}", getattr(scorer, name), **arcs)
    flat = {"given_heads": HEADS, "given_labels": labels}
    add("Scorer.annotate", batch(scorer.annotate), names=names, **how, constraints=False, **flat)
    k = {"names": names, "trees": trees, "constraints": True, "threads": 1, "k": 2}
    add("Scorer.annotate_kbest", batch(scorer.annotate_kbest), **k)
    arrays, parts = scores_of_arrays()
    size = {"labels": 2, "tags": 2, "threshold": 0.0, "most_heads": 0, "root_label": -1}
    everything = {"lengths": [3, 2], "arrays": arrays, "parts": parts}
    add("ArrayScorer.__init__", _core.ArrayScorer, **everything, **size)
    made = _core.ArrayScorer(**everything, **size)
    gold = {"heads": WITH_ROOTS, "labels": ints(-1, 0, 1, 0, -1, 1, 0), "tags": ints(-1, 0, 1, 0, -1, 1, 0)}
    options = tree_options({"single_root": True, "projective": False, "solver": "bp"})
    rest = {"beta": 1.0, "gamma": 0.0, "trees": options, "threads": 1}
    gradients = [[np.zeros_like(array) for array in own] for own in arrays]
    add("ArrayScorer.losses", made.losses, **gold, **rest, gradients=gradients)


def scores_of_arrays() -> tuple[list[Any], list[Any]]:
    """Arrays of all kinds for sentences of 3 and 2 words, with 2 labels and 2 tags; parts of one kind."""
    shapes: list[Callable[[int], tuple[int, ...]]] = [
        lambda w: (w, w),
        lambda w: (w, w, 2),
        lambda w: (w, 2),
        lambda w: (w, w, 2, 2),
        lambda w: (w, 2, 2),
        lambda w: (w, 2, 2, 2),
    ]
    arrays: list[Any] = [[floats(*shape(width)) for width in (4, 3)] for shape in shapes]
    parts: list[Any] = [[] for _ in PARTS]
    words = [np.array([[2, 1, 3, 0]], np.int32), np.array([[0, 1, 2, 0]], np.int32)]
    parts[0] = [(own, ints(0)) for own in words]
    arrays += [[floats(1), floats(1)], *([] for _ in list(PARTS)[1:])]
    return arrays, parts


def add_tagging() -> None:
    model = golden("tagger")
    labels = labels_of(model.header)
    templates = TaggerTemplates.parse(model.header["templates"])
    stage = make_stage(
        "upos", labels, templates, below(model.tensors, "upos."), list(range(len(labels.upos))), 12
    )
    text = _core.TagText([s.forms for s in SENTENCES])
    gold = ints(0, 1, 2, 3, 4)
    learner = _core.OnlineLearner(10, stage.padding, "sgd", 0.1)
    weights = _core.ShortWeights(np.zeros(1024 + stage.padding, np.int16), 1.0)
    add("TagText.__init__", _core.TagText, sentences=[s.forms for s in SENTENCES])
    add(
        "TagText.set_given",
        text.set_given,
        tags=[(*tags,) for s in SENTENCES for tags in zip(s.upos, s.xpos, s.feats, strict=True)],
    )
    add("TagText.set_upos", text.set_upos, upos=labels.upos, numbers=gold)
    add("TagText.set_morph", text.set_morph, upos=labels.upos, morph=labels.morph, numbers=gold)
    lists = {"keys": ints(3, 5, dtype=np.uint64), "starts": ints(0, 1, 3, dtype=np.uint32)}
    labelled = {"lists": ints(0, 1, 0, dtype=np.uint16), "labels": 2}
    add("TagDictionary.__init__", _core.TagDictionary, **lists, **labelled)
    pieces = {"pieces": [[0], [1]], "piece_count": 2}
    small = _core.TagDictionary(*lists.values(), *labelled.values())
    rest = {"dictionary": small, "open": [0, 1], "most": 2, "scripts": ["=a", "=b"]}
    add("TagStage.__init__", _core.TagStage, templates=templates.compile("upos"), **pieces, **rest)
    loss = {"beta": 1.0, "gamma": 0.0}
    learned = {"learner": learner, "text": text, "gold": gold}
    add("TagStage.train", stage.train, **learned, sentences=[0, 1], **loss, threads=1)
    add("TagStage.differentiate", stage.differentiate, **learned, sentence=0, **loss)
    add(
        "TagStage.gold_costs",
        stage.gold_costs,
        weights=weights,
        text=text,
        gold=gold,
        scales=[1.0],
        threads=1,
    )
    add("TagStage.choose", stage.choose, weights=weights, text=text, threads=1, labels=np.zeros(5, np.int32))
    add("TagStage.lattice", stage.lattice, weights=weights, text=text, sentence=1)
    tagger = Tagger.from_parts(model.header, model.tensors)
    add("Tagger.lattice", tagger._core.lattice, text=text, sentence=1)
    stages = [
        make_stage(name, labels, templates, below(model.tensors, f"{name}."), [0], 12) for name in STAGES
    ]
    tables = [_core.ShortWeights(np.zeros(1024 + own.padding, np.int16), 1.0) for own in stages]
    everything = {"weights": tables, "scales": [1.0] * 3, "upos": labels.upos, "morph": labels.morph}
    add("Tagger.__init__", _core.Tagger, classes_and_stages=(small, *stages), **everything)


def add_tokenizing() -> None:
    model = golden("tokenizer")
    tokenizer = Tokenizer.from_parts(model.header, model.tensors)
    tables = {name: model.tensors[f"tokenizer.{name}"] for name in ("pages", "blocks")}
    add("TrainingText.__init__", _core.TrainingText, data=b"a b.", boundary=np.ones(4, np.uint8), **tables)
    weights = {
        f"{kind}_weights": _core.ShortWeights(np.zeros(16, np.int16), 1.0) for kind in ("token", "sentence")
    }
    templates = {
        f"{kind}_templates": parse_templates(model.header[f"{kind}s"]["templates"])
        for kind in ("token", "sentence")
    }
    rest = {"sentence_threshold": 0.0, "spaces_in_tokens": [(7, 7)]}
    add("TextModel.__init__", _core.TextModel, **tables, **templates, **weights, **rest)
    rules = {"patterns": [([2], 0, "", [])], "forms": [("abc", 0)], "endings": [("c", 0)]}
    add("Multiwords.__init__", _core.Multiwords, **rules)
    assert tokenizer.tokenize("a b.")


def add_constituents() -> None:
    model = golden("span-parser")
    parser = SpanParser.from_parts(model.header, model.tensors)
    symbols = parser.symbols
    grammar = symbols.grammar()
    templates = SpanTemplates.parse(model.header["templates"])
    coarse, fine = make_models(symbols, templates)
    text = _core.SpanText([(["a", "b"], ["A", "B"]), (["c"], ["A"])])
    gold = np.array([(0, 2, 1), (0, 1, 0), (1, 2, 0), (0, 1, 1)], np.int32)
    learners = [_core.OnlineLearner(10, own.padding, "sgd", 0.1) for own in (coarse, fine)]
    weights = _core.ShortWeights(np.zeros(1024 + coarse.padding, np.int16), 1.0)
    add("SpanText.__init__", _core.SpanText, sentences=[(["a", "b"], ["A", "B"])])
    chains = {"names": ["", "S", "@S"], "chains": [[], [0], [0]], "complete": 1, "grows_right": True}
    add("SpanGrammar.__init__", _core.SpanGrammar, **chains)
    some = {name: templates.compile(name)[:4] for name in ("coarse", "nodes", "rules")}
    add("CoarseSpans.__init__", _core.CoarseSpans, grammar=grammar, templates=some["coarse"])
    add("SpanModel.__init__", _core.SpanModel, grammar=grammar, nodes=some["nodes"], rules=some["rules"])
    own = {"learner": learners[0], "text": text, "gold": gold}
    add("CoarseSpans.train", coarse.train, **own, sentences=[0, 1], threads=1)
    add("CoarseSpans.differentiate", coarse.differentiate, **own, sentence=0)
    pruning = {"weights": weights, "pruning": (0.1, 4), "text": text}
    add("CoarseSpans.pruning", coarse.pruning, **pruning, gold=gold, threads=1)
    add("CoarseSpans.scores", coarse.scores, weights=weights, text=text, sentence=0)
    add("CoarseSpans.probable_nodes", coarse.probable_nodes, **pruning, sentence=0)
    nodes = _core.SpanNodes()
    find = {"sentences": [0, 1], "nodes": nodes, "threads": 1}
    add("CoarseSpans.find_nodes", coarse.find_nodes, **pruning, gold=gold, **find)
    coarse.find_nodes(**pruning, gold=gold, **find)
    add("SpanNodes.__getitem__", lambda place: nodes[place], place=0)
    own = {"learner": learners[1], "text": text, "gold": gold}
    loss = {"beta": 1.0, "gamma": 0.0}
    add("SpanModel.train", fine.train, **own, nodes=nodes, sentences=[0, 1], **loss, threads=1)
    own_nodes = np.array(nodes[0], np.int32)
    add(
        "SpanModel.differentiate",
        fine.differentiate,
        **own,
        nodes=own_nodes,
        sentence=0,
        **loss,
        free=("nodes",),
    )
    add("SpanForest.__init__", _core.SpanForest, grammar=grammar, n=2, nodes=gold[:3].copy(), free=("nodes",))
    forest = _core.SpanForest(grammar, 2, gold[:3].copy())
    scores = floats(len(forest.nodes) + len(forest.rules))
    add("SpanForest.set_scores", forest.set_scores, scores=scores)
    add("SpanForest.loss", forest.loss, scores=scores, gold=gold[:3].copy(), **loss)
    constraints = {"constraints": [[(0, 2, True, [1] * len(symbols))], []], "threads": 1}
    core = parser._core
    add("SpanParser.tree_costs", core.tree_costs, text=text, gold=gold, scales=[1.0], threads=1)
    add("SpanParser.kbest", core.kbest, text=text, k=2, probabilities=True, **constraints)
    add("SpanParser.minimum_risk", core.minimum_risk, text=text, probabilities=True, **constraints)
    add("SpanParser.samples", core.samples, text=text, count=2, seed=1, **constraints)


def add_networks() -> None:
    words = {"words_of_tags": [2, 1], "states": ["top"], "inputs": [("top", "label")]}
    shape = {"inference": "mean-field", "width": 3, "labels": 2, "longest_chain": 2, "root_takes_many": False}
    add("IsbnNetwork.__init__", _core.IsbnNetwork, **shape, **words)
    network = _core.IsbnNetwork(**shape, **words)
    weights = floats(network.weight_count)
    spans = {"spans": [(0, 0, 2)], "tags": [0, 1], "words": [1, 2]}
    add("isbn_decisions", _core.isbn_decisions, **spans)
    decisions = _core.isbn_decisions(**spans)
    add("isbn_spans", _core.isbn_spans, decisions=decisions)
    corpus = _core.IsbnCorpus()
    add("IsbnCorpus.add", _core.IsbnCorpus().add, network=network, decisions=decisions)
    corpus.add(network, decisions)
    add("IsbnNetwork.log_probabilities", network.log_probabilities, weights=weights, corpus=corpus, threads=1)
    add("IsbnNetwork.gradient", network.gradient, weights=weights, corpus=corpus, number=0)
    beam = {"beam": 2, "branching": 2, "candidates": 2, "most_steps": 50, "threads": 1}
    add("IsbnNetwork.parse", network.parse, weights=weights, tags=[[0, 1], [0]], words=[[1, 2], [0]], **beam)
    learner = _core.IsbnLearner(network, 1, 0.1)
    rest = {"rate": 0.1, "decay": 0.0, "batch": 1, "threads": 1}
    add("IsbnLearner.train", learner.train, network=network, corpus=corpus, order=[0, 0], **rest)
    choices = [(floats(2, 3), floats(2), 0), (floats(4, 3), floats(4), 3)]
    add("isbn_means", _core.isbn_means, choices=choices, eta=floats(3), by_coordinates=False)


for add_some in (
    add_trees,
    add_learning,
    add_graphs,
    add_parsing,
    add_tagging,
    add_tokenizing,
    add_constituents,
    add_networks,
    add_encoders,
    add_neural,
    add_subwords,
):
    add_some()
