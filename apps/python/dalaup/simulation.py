"""Simulated active learning, and networks to try it on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from . import _dalaup
from .control import Progress, make_control
from .labels import label_array, networks_of
from .network import Network
from .registry import own_methods, own_strategies
from .tables import label_table

if TYPE_CHECKING:
    import pandas


class Generated(NamedTuple):
    """Two noisy views of one hidden society."""

    a: Network
    b: Network
    truth: "pandas.DataFrame"
    labels: "pandas.DataFrame"  # with labels_share


def generate(*, seed: int = 1, threads: Optional[int] = None, **settings: Any) -> Generated:
    """As ``dalaup generate``; settings are its options: users_a, users_b, anchors, edges_a, edges_b, overlap, ..."""
    networks, truth, labels = _dalaup.generate(settings, make_control(seed, threads, False))
    a, b = Network(networks.a), Network(networks.b)
    return Generated(a, b, label_table(truth, a, b), label_table(labels, a, b))


def simulate(
    a: Any,
    b: Any,
    truth: Any,
    *,
    strategy: str = "dalaup",
    method: str = "propagation",
    method_settings: "Optional[dict[str, Any]]" = None,
    attributes_a: Any = None,
    attributes_b: Any = None,
    compare: str = "",
    similarity: Any = None,
    seed: int = 1,
    threads: Optional[int] = None,
    progress: Progress = None,
    folder: str = "",
    **settings: Any,
) -> "pandas.DataFrame":
    """Active learning with the truth answering, as ``dalaup simulate``; a row for each round.

    ``strategy``: one or several names separated by commas, registered ones too. ``settings``: initial, validation, test,
    label_budget (or budget), batch_size (or batch), repeats, ... as ``dalaup simulate --help`` lists them. ``folder``: where
    to write the program's files, so that a stopped run continues."""
    import pandas

    networks = networks_of(a, b, attributes_a, attributes_b, compare, similarity)
    short = {"budget": "label_budget", "batch": "batch_size", "candidates": "candidates_per_question"}
    given = {short.get(name, name): value for name, value in settings.items()}
    columns = _dalaup.simulate(
        networks,
        label_array(truth, networks),
        method,
        method_settings or {},
        own_methods(),
        {"strategy": strategy, **given},
        own_strategies(),
        str(folder),
        make_control(seed, threads, progress),
    )
    return pandas.DataFrame(columns)
