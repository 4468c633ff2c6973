"""Learning on top of encoders: torch scores as the core does, and gradients are those of differences."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from oracles.neural import SlowHeads
from small_neural import OPTIONS, SHAPE, encoder_folder, states_of
from small_training import treebank

from arbora.errors import ArboraError
from arbora.models import below
from arbora.neural import NeuralOptions, NeuralParser, train_neural
from arbora.neural.data import _padded, make_examples
from arbora.neural.learning import Learner
from arbora.neural.task import NeuralTask
from arbora.treebank import Sentence

TREEBANK = treebank()


@pytest.fixture(scope="module", params=[False, True], ids=["last layer", "mix"])
def floats(request) -> NeuralParser:
    options = NeuralOptions(
        **{**OPTIONS.as_dict(), "precision": "float32", "epochs": 1, "mix": request.param}
    )
    return train_neural(TREEBANK, TREEBANK[:8], options, encoder=encoder_folder())


def make_learner(loss: str, **changes) -> tuple[NeuralTask, Learner]:
    """In float64, without dropout."""
    options = NeuralOptions(
        **{**OPTIONS.as_dict(), "loss": loss, "dropout": 0.0, "head_dropout": 0.0, **changes}
    )
    task = NeuralTask(TREEBANK, None, options, encoder=encoder_folder())
    task.begin(task.stages[0])
    task.network.double()
    return task, task.learner


def test_the_core_scores_as_torch_does(floats):
    """All of it: sub-words, layers, their mix, heads and tags."""
    options = NeuralOptions(**floats.header["options"])
    task = NeuralTask(TREEBANK, None, options, encoder=encoder_folder())
    task.begin(task.stages[0])
    network = task.network.eval()
    network.load({name: own for name, own in floats.tensors.items() if name in network.names})
    sentences = [own for own in TREEBANK if len(own) > 0]
    longest = SHAPE.longest
    examples = make_examples(sentences, task.subwords, floats.labels, floats.inventory, 10_000)
    fitting = [place for place, example in enumerate(examples) if len(example.ids) <= longest][:20]
    batch = _padded([examples[place] for place in fitting])
    with torch.no_grad():
        scores = network(batch.words)
        gold = torch.from_numpy(np.maximum(batch.heads, 0)).long()
        of_heads = scores.heads.gather(1, gold[..., None].expand(-1, -1, scores.heads.shape[-1]))
        labels = network.score_labels(scores.modifiers, of_heads).numpy()
    scales = [floats.header[name] for name in ("tree_scale", "label_scale")]
    for row, place in enumerate(fitting):
        sentence, n = sentences[place], len(sentences[place])
        expected = scores.arcs[row, : n + 1, : n + 1].numpy().astype(float)
        real = [(h, m) for h in range(n + 1) for m in range(1, n + 1) if h != m]
        found = floats.arc_scores(sentence) / scales[0]
        assert [found[arc] for arc in real] == pytest.approx([expected[arc] for arc in real], abs=1e-4)
        arcs = [(head, m) for m, head in enumerate(sentence.heads, 1)]
        own = floats._scorer([sentence]).label_scores(0, arcs) / scales[1]
        for m, each in enumerate(own):
            allowed = np.isfinite(each)
            assert allowed.any()
            assert each[allowed] == pytest.approx(labels[row, m + 1, allowed], abs=1e-4)
        tags = SlowHeads(
            states_of(floats, sentence), below(floats.tensors, "heads/"), OPTIONS.arc_size, OPTIONS.label_size
        ).tags()
        assert tags == pytest.approx(scores.tags[row, 1 : n + 1].numpy(), abs=1e-4)


@pytest.mark.parametrize(
    ("loss", "changes"),
    [
        ("crf", {}),
        ("crf", {"projective": True, "mix": True}),
        ("softmax-margin", {}),
        ("svm", {}),
        ("svm", {"gamma": 0.5, "projective": True}),
    ],
)
def test_gradients_are_those_of_differences(loss, changes):
    task, learner = make_learner(loss, **changes)
    examples = sorted(task.examples, key=lambda example: len(example.ids))[:3]
    batch = _padded(examples)

    def objective() -> torch.Tensor:
        return learner.objective(batch)[1]

    def value() -> float:
        return learner.objective(batch)[0]

    objective().backward()
    rng = np.random.default_rng(1)
    for name, parameter in task.network.learned().items():
        flat, gradient = parameter.data.view(-1), parameter.grad.view(-1)
        for place in rng.choice(len(flat), min(3, len(flat)), replace=False).tolist():
            before, found = float(flat[place]), []
            for step in (1e-5, -1e-5):
                flat[place] = before + step
                with torch.no_grad():
                    found.append(value())
            flat[place] = before
            assert float(gradient[place]) == pytest.approx((found[0] - found[1]) / 2e-5, abs=1e-5), name


def test_partial_trees_are_learned_from():
    partial = [
        Sentence(own.forms, upos=own.upos, heads=list(own.heads), deprels=list(own.deprels))
        for own in TREEBANK
    ]
    for sentence in partial:
        sentence.heads = [None if word % 3 == 1 else head for word, head in enumerate(sentence.heads)]
        sentence.deprels = ["_" if word % 3 == 1 else label for word, label in enumerate(sentence.deprels)]
    parser = train_neural(partial, TREEBANK[:8], OPTIONS, encoder=encoder_folder())
    assert "obl" in parser.labels
    assert parser.header["report"]["epochs"][-1]["loss"] < parser.header["report"]["epochs"][0]["loss"]


def test_examples_have_what_treebanks_have():
    task = NeuralTask(TREEBANK, None, OPTIONS, encoder=encoder_folder())
    fitting = [own for own in TREEBANK if len(own)]
    examples = make_examples(fitting, task.subwords, task.header["labels"], task.tags, 10_000)
    for sentence, example in zip(fitting, examples, strict=True):
        assert example.heads[1:].tolist() == sentence.heads
        assert [task.header["labels"][label] for label in example.labels[1:]] == sentence.deprels
        assert [task.tags.upos[row[0]] for row in example.tags[1:]] == sentence.upos
        assert len(example.firsts) == len(sentence) + 1
        assert (example.ids[0], example.ids[-1]) == (task.subwords.cls, task.subwords.sep)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"layers": 0}, "layers must be at least 1"),
        ({"rate": 0.0}, "rate must be above 0, and at most 1000"),
        ({"head_rate": 1e38}, "head_rate must be above 0, and at most 1000"),
        ({"dropout": 1.0}, "dropout must be at least 0, and below 1"),
        ({"precision": "int4"}, "there is no precision 'int4'"),
        ({"loss": "love"}, "love"),
    ],
)
def test_options_that_make_no_sense(change, message):
    with pytest.raises(ArboraError, match=message):
        NeuralOptions(**change).check()
