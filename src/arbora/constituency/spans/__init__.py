"""The span parser: a conditional random field over binarised trees, with features of spans and splits.

Score(tree) = sum over its nodes of score(start, end, symbol) + sum over its rules of score(start, split, end,
rule), both linear in hashed features of the surface (Hall, Durrett & Klein 2014). A small model of nodes
alone chooses the nodes that charts are made of.
"""
