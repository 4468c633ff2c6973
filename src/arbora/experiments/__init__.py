"""Experiments of the papers, on data that is made on the spot: each is one module with three functions.

``run(...)`` gives plain data, ``table(result)`` a table, ``figure(result)`` an SVG picture.
"""
