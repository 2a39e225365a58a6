"""Labels and attributes in whatever form they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Optional

from . import _dalaup
from .control import make_control
from .errors import InputError, warn
from .network import Network, as_network

if TYPE_CHECKING:
    import numpy
    import pandas


def label_array(
    labels: Any, networks: _dalaup.Networks, *, skip_unknown: bool = False, ignore_case: bool = False
) -> "numpy.ndarray":
    """Rows of ids (a, b, label); -1 is nobody. ``labels``: a file, a table with columns a, b and maybe label (or in
    this order), a dictionary from A to B, or pairs and triples. The partner None or "*" means that there is none."""
    import numpy

    if labels is None:
        return numpy.empty((0, 3), numpy.int64)
    if isinstance(labels, str) or hasattr(labels, "__fspath__"):
        return _dalaup.read_labels(str(labels), networks, skip_unknown, ignore_case, make_control())
    rows = list(_rows(labels))
    first = _ids([row[0] for row in rows], networks.a, "A", skip_unknown)
    second = _ids([row[1] for row in rows], networks.b, "B", skip_unknown)
    values = numpy.array([int(row[2]) for row in rows], numpy.int64)
    nobody = (first == -1) | (second == -1)
    array = numpy.column_stack([first, second, numpy.where(nobody, 0, values)])
    known = (first > -2) & (second > -2)
    if not known.all():
        unknown = int((~known).sum())
        pairs, were = ("pair", "was") if unknown == 1 else ("pairs", "were")
        warn(f"labels: {unknown} {pairs} with users the networks do not have {were} left out")
    return array[known]


def _rows(labels: Any) -> Iterable[tuple[Any, Any, Any]]:
    if isinstance(labels, dict):
        return ((a, b, 1) for a, b in labels.items())
    if hasattr(labels, "columns"):
        names = ["a", "b"] if {"a", "b"} <= set(labels.columns) else list(labels.columns[:2])
        values = labels["label"] if "label" in labels.columns else [1] * len(labels)
        return zip(labels[names[0]], labels[names[1]], values)
    return (_triple(row) for row in labels)


def _triple(row: Any) -> tuple[Any, Any, Any]:
    if isinstance(row, str) or len(row) not in (2, 3):
        raise InputError(f"labels: found {row!r}, expected a user of A, a user of B and maybe 1 or 0")
    return (row[0], row[1], row[2] if len(row) == 3 else 1)


def _is_nobody(name: Any) -> bool:
    return name is None or name == "*" or name != name  # NaN


def _ids(
    names: list[Any], core: _dalaup.Network, side: str, skip_unknown: bool, what: str = "labels"
) -> "numpy.ndarray":
    """-1: nobody is meant; -2: nobody has that name."""
    import numpy

    nobody = numpy.array([_is_nobody(name) for name in names], bool)
    ids = core.find(["" if none else str(name) for name, none in zip(names, nobody)])
    unknown = (ids < 0) & ~nobody
    if unknown.any() and not skip_unknown:
        name = str(names[int(unknown.argmax())])
        try:
            core.at(name)
        except InputError as error:
            raise InputError(f"{what}: found {name!r}, expected a user of network {side}", error.hint) from None
    return numpy.where(unknown, -2, ids)


def attributes_of(given: Any, network: Network, side: str) -> Optional[_dalaup.Attributes]:
    """Attributes from a CSV file or a table. A table's index is the user when it has a name or is no range of
    numbers, else its first column is; empty and missing values are unknown."""
    if given is None:
        return None
    if isinstance(given, str) or hasattr(given, "__fspath__"):
        return _dalaup.Attributes.read(str(given), network._core, make_control())
    table = _by_user(given)
    ids = network._core.find(table.index.tolist())
    if (ids < 0).any():
        warn(f"attributes of {side}: {int((ids < 0).sum())} users are not in the network")
    columns = []
    for field in table.columns:
        values = [""] * len(network)
        for user, value in zip(ids.tolist(), table[field].tolist()):
            if user >= 0 and value is not None and value == value:
                values[user] = str(value)
        columns.append(values)
    return _dalaup.Attributes([str(field) for field in table.columns], columns)


def networks_of(
    a: Any, b: Any, attributes_a: Any, attributes_b: Any, compare: str, similarity: Any = None
) -> _dalaup.Networks:
    """The pair of networks with what is known of their users."""
    first, second = as_network(a, "a"), as_network(b, "b")
    networks = _dalaup.Networks(
        first._core,
        second._core,
        attributes_of(attributes_a, first, "A"),
        attributes_of(attributes_b, second, "B"),
        compare,
    )
    _enter_similarity(similarity, networks)
    return networks


def _enter_similarity(given: Any, networks: _dalaup.Networks) -> None:
    """``given``: a file; a table with columns a, b and value (or in this order); a dense array or a sparse matrix with a row
    for each user of A and a column for each of B, whose zeros say nothing; or triples."""
    import numpy

    if given is None:
        return
    if isinstance(given, str) or hasattr(given, "__fspath__"):
        networks.read_similarities(str(given), make_control())
        return
    if hasattr(given, "tocoo") or isinstance(given, numpy.ndarray):
        wanted = (networks.a.user_count(), networks.b.user_count())
        if given.shape != wanted:
            raise InputError(f"similarity: found a matrix of shape {given.shape}, expected {wanted}")
        if hasattr(given, "tocoo"):
            sparse = given.tocoo()
            networks.set_similarities(sparse.row, sparse.col, sparse.data)
        else:
            rows, columns = given.nonzero()
            networks.set_similarities(rows, columns, given[rows, columns])
        return
    if hasattr(given, "columns"):
        names = ["a", "b", "value"] if {"a", "b", "value"} <= set(given.columns) else list(given.columns[:3])
        given = zip(*(given[name] for name in names))
    rows = [tuple(row) for row in given]
    if any(len(row) != 3 for row in rows):
        raise InputError("similarity: expected a user of A, a user of B and a value in every row")
    first = _ids([row[0] for row in rows], networks.a, "A", False, "similarity")
    second = _ids([row[1] for row in rows], networks.b, "B", False, "similarity")
    if (first < 0).any() or (second < 0).any():
        raise InputError("similarity: found a missing user, expected one in every row")
    networks.set_similarities(first, second, numpy.array([float(row[2]) for row in rows], numpy.float32))


def _by_user(table: "pandas.DataFrame") -> "pandas.DataFrame":
    import pandas

    if isinstance(table.index, pandas.RangeIndex) and table.index.name is None:
        table = table.set_index(table.columns[0])
    table = table.set_axis(table.index.map(str), axis=0)
    if table.index.has_duplicates:
        raise InputError(f"attributes: found {table.index[table.index.duplicated()][0]!r} twice, expected each user once")
    return table
