"""Tokenizers, for the registry of architectures."""

from arbora.models import Architecture, TrainCommand

ARCHITECTURE = Architecture(
    name="tokenizer",
    title="tokenizer",
    component="arbora.text.tokenizing.tokenizer:Tokenizer",
    adds=("words",),
    needs=("text",),
    reads=("text", "horizontal", "vertical", "conllu"),
    writes=("conllu",),
    task="arbora.text.tokenizing.training:TokenizerTask",
    command=TrainCommand(
        "tokenizer",
        "arbora.cli.train_tokenizer:train_tokenizer_command",
        "Train a tokenizer: where sentences and tokens end, and which tokens hold several words.",
    ),
)
