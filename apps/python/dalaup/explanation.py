"""Why a pair scores as it does."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Explanation:
    """``parts``: matched neighbour pairs with their shares of the score; ``fields``: what attributes add to the
    logarithm of the odds."""

    a: str
    b: str
    score: float
    probability: float
    words: str
    parts: "pandas.DataFrame"
    fields: "pandas.DataFrame"

    def __str__(self) -> str:
        return f"{self.a} and {self.b}: probability {self.probability:.4f}. {self.words}"

    def _repr_html_(self) -> str:
        tables = "".join(table.to_html(index=False) for table in (self.parts, self.fields) if len(table))
        return f"<p>{escape(str(self))}</p>{tables}"
