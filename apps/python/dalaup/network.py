"""Networks: users with names, and edges between them."""

from __future__ import annotations

from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Iterable, Optional, Sequence, Union

from . import _dalaup
from .control import make_control
from .errors import InputError

if TYPE_CHECKING:
    import os

    import numpy
    import pandas
    import scipy.sparse


class Network:
    """One of the two networks. Make one with ``read`` or a ``from_`` function; it does not change afterwards.

    Edges are undirected unless ``directed``; names are text, and numbers become text.
    """

    def __init__(self, core: _dalaup.Network) -> None:
        self._core = core

    @classmethod
    def read(
        cls,
        path: "str | os.PathLike[str]",
        *,
        directed: bool = False,
        delimiter: str = "auto",
        header: str = "auto",
        quotes: str = "auto",
        columns: str = "",
    ) -> "Network":
        """Reads any form of docs/use/files.md, told apart by the file's name."""
        table = _dalaup.TableForm(delimiter, header, quotes, columns)
        return cls(_dalaup.Network.read(str(path), directed, table, make_control()))

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[Sequence[Any]],
        *,
        weights: Optional[Iterable[float]] = None,
        users: Iterable[Any] = (),
        directed: bool = False,
    ) -> "Network":
        """From pairs of names, or triples with a weight. Users come in order of first appearance, as from a file;
        ``users`` names some to begin with, such as those without edges."""
        ids: dict[str, int] = {}
        for user in users:
            ids.setdefault(str(user), len(ids))
        source: list[int] = []
        target: list[int] = []
        values: list[float] = []
        for edge in edges:
            if len(edge) not in (2, 3):
                raise InputError(f"edges: found {edge!r}, expected two names or two names and a weight")
            source.append(ids.setdefault(str(edge[0]), len(ids)))
            target.append(ids.setdefault(str(edge[1]), len(ids)))
            values.append(float(edge[2]) if len(edge) == 3 else 1.0)
        if weights is not None:
            values = [float(weight) for weight in weights]
        return cls._build(list(ids), source, target, values, directed)

    @classmethod
    def from_networkx(cls, graph: Any, *, weight: Optional[str] = "weight") -> "Network":
        """From a networkx graph; a directed one stays so. ``weight`` names the edge attribute, None ignores it."""
        edges = (
            (source, target, 1.0 if weight is None else data.get(weight, 1.0))
            for source, target, data in graph.edges(data=True)
        )
        return cls.from_edges(edges, users=graph.nodes, directed=graph.is_directed())

    @classmethod
    def from_igraph(cls, graph: Any, *, name: str = "name", weight: Optional[str] = "weight") -> "Network":
        """From an igraph graph; users without the attribute ``name`` are called by their number."""
        names = graph.vs[name] if name in graph.vs.attributes() else range(graph.vcount())
        has_weight = weight is not None and weight in graph.es.attributes()
        values = graph.es[weight] if has_weight else [1.0] * graph.ecount()
        pairs = graph.get_edgelist()
        source, target = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        return cls._build([str(one) for one in names], source, target, values, graph.is_directed())

    @classmethod
    def from_scipy(
        cls, matrix: Any, names: Optional[Iterable[Any]] = None, *, directed: bool = False
    ) -> "Network":
        """From a square sparse matrix whose entries are weights; without ``names`` users are called 0, 1, and so on."""
        import numpy

        entries = matrix.tocoo()
        if entries.shape[0] != entries.shape[1]:
            raise InputError(f"matrix: found the shape {entries.shape}, expected a square")
        source, target, values = entries.row, entries.col, entries.data
        if not directed:  # both halves say the same
            low, high = numpy.minimum(source, target), numpy.maximum(source, target)
            keep = low.astype(numpy.int64) * entries.shape[0] + high
            first = numpy.sort(numpy.unique(keep, return_index=True)[1])
            source, target, values = source[first], target[first], values[first]
        everyone = range(entries.shape[0]) if names is None else names
        return cls._build([str(one) for one in everyone], source, target, values, directed)

    @classmethod
    def from_pandas(
        cls,
        edges: "pandas.DataFrame",
        source: Optional[str] = None,
        target: Optional[str] = None,
        weight: Optional[str] = None,
        *,
        users: Iterable[Any] = (),
        directed: bool = False,
    ) -> "Network":
        """From a table of edges; ``source`` and ``target`` are its first two columns unless named."""
        first = edges[edges.columns[0] if source is None else source]
        second = edges[edges.columns[1] if target is None else target]
        return cls.from_edges(
            zip(first, second), weights=None if weight is None else edges[weight], users=users, directed=directed
        )

    @classmethod
    def _build(cls, names: list[str], source: Any, target: Any, weights: Any, directed: bool) -> "Network":
        core = _dalaup.Network.build(names, source, target, weights, directed, make_control())
        return cls(core)

    def __len__(self) -> int:
        return self._core.user_count()

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and int(self._core.find([name])[0]) >= 0

    @property
    def edge_count(self) -> int:
        """Undirected edges."""
        return self._core.edge_count()

    @property
    def directed(self) -> bool:
        return self._core.is_directed()

    @cached_property
    def names(self) -> "numpy.ndarray":
        """Names of the users in the order of their ids."""
        import numpy

        return numpy.array(self._core.names(), dtype=object)

    @property
    def degrees(self) -> "numpy.ndarray":
        """Neighbours of each user, without direction."""
        import numpy

        return numpy.diff(self._core.neighbours()[0])

    def neighbours(self, name: str) -> list[str]:
        """Names of the user's neighbours, without direction."""
        begins, users, _ = self._core.neighbours()
        user = self._core.at(name)
        return [self._core.name(int(one)) for one in users[begins[user] : begins[user + 1]]]

    def to_scipy(self) -> "scipy.sparse.csr_array":
        """The adjacency matrix without direction; it shares the network's memory where it can."""
        import numpy
        from scipy.sparse import csr_array

        begins, users, weights = self._core.neighbours()
        values = numpy.ones(len(users), numpy.float32) if weights is None else weights
        return csr_array((values, users.view(numpy.int32), begins.view(numpy.int64)), shape=(len(self), len(self)))

    def to_networkx(self) -> Any:
        """A networkx Graph or DiGraph with the same users, edges and weights."""
        import networkx

        graph = networkx.DiGraph() if self.directed else networkx.Graph()
        graph.add_nodes_from(self.names)
        source, target, weights = self._arcs()
        for first, second, weight in zip(self.names[source], self.names[target], weights):
            graph.add_edge(first, second, weight=float(weight))
        return graph

    def _arcs(self) -> "tuple[numpy.ndarray, numpy.ndarray, numpy.ndarray]":
        import numpy

        begins, users, weights = self._core.followed() if self.directed else self._core.neighbours()
        source = numpy.repeat(numpy.arange(len(self), dtype=numpy.uint32), numpy.diff(begins).astype(numpy.int64))
        values = numpy.ones(len(users), numpy.float32) if weights is None else weights
        if self.directed:
            return source, users, values
        once = source < users
        return source[once], users[once], values[once]

    def __reduce__(self) -> Any:
        return _rebuild, (self._core.names(), *self._arcs(), self.directed)

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"<dalaup.Network: {len(self):,} users, {self.edge_count:,} edges, {kind}>"

    def _repr_html_(self) -> str:
        degrees = self.degrees
        rows = {
            "users": f"{len(self):,}",
            "edges": f"{self.edge_count:,}" + (", directed" if self.directed else ""),
            "neighbours": f"{degrees.mean():.1f} on average, {degrees.max():,} at most" if len(self) else "",
            "first users": ", ".join(self.names[:5]),
        }
        return html_table("Network", rows)


def html_table(title: str, rows: "dict[str, str]") -> str:
    """A small table for notebooks; all text is escaped."""
    body = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows.items())
    return f"<table><caption>{escape(title)}</caption>{body}</table>"


def _rebuild(names: list[str], source: Any, target: Any, weights: Any, directed: bool) -> Network:
    return Network._build(names, source, target, weights, directed)


NetworkLike = Union[Network, Any]


def as_network(given: NetworkLike, what: str) -> Network:
    """A Network, or what one can be made from: a path, a networkx or igraph graph, a sparse matrix, a table of edges."""
    if isinstance(given, Network):
        return given
    if isinstance(given, str) or hasattr(given, "__fspath__"):
        return Network.read(given)
    module = type(given).__module__.split(".")[0]
    makers = {
        "networkx": Network.from_networkx,
        "igraph": Network.from_igraph,
        "scipy": Network.from_scipy,
        "pandas": Network.from_pandas,
    }
    if module in makers:
        return makers[module](given)
    raise InputError(f"{what}: found {type(given).__name__}, expected a Network", "Network.from_edges makes one from pairs")
