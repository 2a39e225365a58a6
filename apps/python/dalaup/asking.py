"""Questions for people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import _dalaup


@dataclass(frozen=True)
class Question:
    """Are ``user`` and ``candidates[0]`` one person? With several candidates: which of them, or none?"""

    side: str  # A or B: whose user is asked about
    user: str
    candidates: "list[str]"
    probabilities: "list[float]"  # as the model sees it
    strategy: str
    words: str
    place: int = field(repr=False, default=0)
    _batch: Any = field(repr=False, default=None, compare=False)

    @property
    def a(self) -> str:
        return self.user if self.side == "A" else self.candidates[0]

    @property
    def b(self) -> str:
        return self.candidates[0] if self.side == "A" else self.user

    def __str__(self) -> str:
        return self.words


class Batch:
    """Hands answers to the questions of one batch on."""

    def __init__(self, asking: "_dalaup.Asking") -> None:
        self.asking = asking
        self.is_open = True

    def answer(self, question: Question, answer: Any) -> None:
        if answer is None:
            self.asking.skip(question.place)
        elif answer is False:
            self.asking.answer_no(question.place)
        else:
            candidate = 0 if answer is True else question.candidates.index(str(answer))
            self.asking.answer_yes(question.place, candidate)
