"""Columns of ids as tables of names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

    from .network import Network


def label_table(labels: Any, a: "Network", b: "Network") -> "pandas.DataFrame":
    """Columns a, b, label; the partner of a user without one is "*"."""
    import numpy
    import pandas

    def names(network: "Network", ids: Any) -> Any:
        return numpy.append(network.names, "*")[ids]  # -1 is the last

    return pandas.DataFrame({"a": names(a, labels[:, 0]), "b": names(b, labels[:, 1]), "label": labels[:, 2]})
