"""Graphs from tables: `read_tables`, `read_network` and `graphsurgeon data import`."""

from __future__ import annotations

from .graph import TableGraph, read_tables
from .networks import read_network
from .recipe import Recipe, recipe_of

__all__ = ["Recipe", "TableGraph", "read_network", "read_tables", "recipe_of"]
