"""Methods and query strategies: those that ship and those written in Python."""

from __future__ import annotations

from typing import Any, Callable

from . import _dalaup
from .errors import ParameterError

_own_methods: "dict[str, Callable[..., Any]]" = {}
_own_strategies: "dict[str, Callable[..., Any]]" = {}


def methods() -> "dict[str, str]":
    """Names and summaries of all methods."""
    own = {name: (function.__doc__ or "your own").strip().splitlines()[0] for name, function in _own_methods.items()}
    return {**{name: summary for name, (summary, _) in _dalaup.methods().items()}, **own}


def settings_of(method: str) -> "list[dict[str, Any]]":
    """Settings of a method that ships: name, default, range or choices, help."""
    known = _dalaup.methods()
    if method not in known:
        raise ParameterError(f"unknown method {method!r}; known: {', '.join(known)}")
    return known[method][1]


def strategies() -> "dict[str, str]":
    """Names and summaries of all query strategies; ``dalaup`` is the bandit that chooses among some of them."""
    own = {name: (function.__doc__ or "your own").strip().splitlines()[0] for name, function in _own_strategies.items()}
    bandit = {"dalaup": "the bandit over arms", "study": "what people are asked in a study"}
    return {**bandit, **_dalaup.strategies(), **own}


def register_method(name: str, learn: "Callable[..., Any]") -> None:
    """Makes ``learn`` a method: ``Aligner(method=name)`` and ``simulate(method=name)`` then use it.

    ``learn(a, b, labels, seed, **settings)`` gets the networks and a DataFrame a, b, label, and returns two matrices
    with a row for each user of A and of B; users are compared by the cosine of their rows. It is called twice a fit:
    first with some labels hidden, on which probabilities are calibrated."""
    _require_free(name, _dalaup.methods())
    _own_methods[name] = learn


def register_strategy(name: str, values: "Callable[[Any], Any]") -> None:
    """Makes ``values`` a query strategy for ``simulate`` and ``ask``.

    ``values(pairs)`` gets a DataFrame of the pairs that may be asked about, with the columns a, b, score and probability
    (a and b are ids), and returns what an answer to each would be worth; the highest are asked."""
    _require_free(name, _dalaup.strategies())
    _own_strategies[name] = values


def _require_free(name: str, taken: "dict[str, Any]") -> None:
    if name in taken:
        raise ParameterError(f"found the name {name!r}, which belongs to dalaup; expected another")


def own_methods() -> "dict[str, Callable[..., Any]]":
    """As the library calls them."""
    return {name: _learner(function) for name, function in _own_methods.items()}


def own_strategies() -> "dict[str, Callable[..., Any]]":
    return {name: _valuer(function) for name, function in _own_strategies.items()}


def _learner(function: "Callable[..., Any]") -> "Callable[..., Any]":
    def learn(a: Any, b: Any, labels: Any, settings: "dict[str, Any]", seed: int) -> Any:
        from .network import Network
        from .tables import label_table

        first, second = Network(a), Network(b)
        return function(first, second, label_table(labels, first, second), seed=seed, **settings)

    return learn


def _valuer(function: "Callable[[Any], Any]") -> "Callable[..., Any]":
    def values(a: Any, b: Any, score: Any, probability: Any) -> Any:
        import pandas

        return function(pandas.DataFrame({"a": a, "b": b, "score": score, "probability": probability}))

    return values
