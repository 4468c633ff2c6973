"""Taggers, for the registry of architectures."""

from arbora.models import Architecture, TrainCommand

ARCHITECTURE = Architecture(
    name="tagger",
    title="tagger",
    component="arbora.text.tagging.tagger:Tagger",
    adds=("upos", "xpos", "feats", "lemmas"),
    needs=("words",),
    reads=("conllu",),
    writes=("conllu",),
    task="arbora.text.tagging.training:TaggerTask",
    command=TrainCommand(
        "tagger",
        "arbora.cli.train_tagger:train_tagger",
        "Train a tagger: UPOS, XPOS, FEATS and lemmas.",
    ),
)
