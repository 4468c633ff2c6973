"""An executor for tests, without processes."""

from __future__ import annotations

from arbora.executors import Executor


class Elsewhere(Executor):
    """Does tasks here as workers would, the last one first; with ``contents``, as those of a cluster do."""

    def __init__(self, contents: bool = False) -> None:
        super().__init__(1)
        self.contents, self.begun = contents, []

    def _open(self) -> None:
        pass

    def _close(self) -> None:
        pass

    def _run(self, function, tasks, on_start, files):
        def content(path):
            with open(path, "rb") as stream:
                return stream.read()

        contents = [content(path) if self.contents else None for path in files]
        for task in reversed(list(tasks)):
            self.begun.append(task.number)
            yield function(task, *contents)
