"""dalaup finds the same people in two networks while asking a human as few questions as possible.

    import dalaup

    a = dalaup.Network.read("a.edges")
    b = dalaup.Network.read("b.edges")
    model = dalaup.Aligner(seed=1).fit(a, b, "known.tsv")
    model.match(least_probability=0.5)

Results are those of the program ``dalaup``, to the bit. Tables are pandas DataFrames with the columns of the
program's files. docs/use/python.md walks through it.
"""

from ._dalaup import version as _version
from .aligner import Aligner, load
from .asking import Question
from .errors import Cancelled, DalaupWarning, Error, InputError, ParameterError, StateError
from .explanation import Explanation
from .network import Network
from .registry import methods, register_method, register_strategy, strategies
from .simulation import Generated, generate, simulate

__version__: str = _version()
__all__ = [
    "Aligner",
    "Cancelled",
    "DalaupWarning",
    "Error",
    "Explanation",
    "Generated",
    "InputError",
    "Network",
    "ParameterError",
    "Question",
    "StateError",
    "generate",
    "load",
    "methods",
    "register_method",
    "register_strategy",
    "simulate",
    "strategies",
]
