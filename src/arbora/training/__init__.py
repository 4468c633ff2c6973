"""One way to train all models: a run of a task, with reports, checkpoints and the best epoch on dev.

A task supplies what differs (`arbora.training.Task`); `run` does the rest, `train_file` from file to file.
"""

from arbora.training.checkpoints import CHECKPOINT, Checkpoint, checkpoint_name
from arbora.training.dev_data import DEV_FRACTION, divide, make_task
from arbora.training.files import StoppedError, TrainedFile, train_file
from arbora.training.folds import make_folds
from arbora.training.reports import EpochReport, Watcher
from arbora.training.run import run
from arbora.training.task import Candidate, FileTask, History, Options, Stage, Step, Task, Trained

__all__ = [
    "CHECKPOINT",
    "DEV_FRACTION",
    "Candidate",
    "Checkpoint",
    "EpochReport",
    "FileTask",
    "History",
    "Options",
    "Stage",
    "Step",
    "StoppedError",
    "Task",
    "Trained",
    "TrainedFile",
    "Watcher",
    "checkpoint_name",
    "divide",
    "make_folds",
    "make_task",
    "run",
    "train_file",
]
