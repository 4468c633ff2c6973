"""A sentence that has something of everything."""

from __future__ import annotations

from arbora.treebank import EmptyNode, Multiword, Sentence


def full() -> Sentence:
    """A new one each time."""
    sentence = Sentence(
        ["zu", "dem", "See"],
        deps=["3:case", "_", "0:root"],
        misc=["a=1", "_", "SpaceAfter=No"],
        comments=["# sent_id = s", "# note"],
        multiwords=[Multiword(1, 2, "zum", misc="x=y")],
        empty_nodes=[EmptyNode(3, 1, "fahren", deps="0:root"), EmptyNode(0, 1, inside=True)],
        newline="\r\n",
        closing="\r\n",
    )
    sentence.findings = {"spans": [(0, 3), (0, 3), (4, 7)], "certificate": float("inf"), "other": [1.5, 2, 3]}
    return sentence
