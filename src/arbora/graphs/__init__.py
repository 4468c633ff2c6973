"""Factor graphs: a model as variables and factors, solved by any algorithm of `arbora.inference`."""

from arbora.graphs.graph import FactorGraph

__all__ = ["FactorGraph"]
