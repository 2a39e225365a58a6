"""The model: fitted on two networks and labels, it ranks, matches, explains and asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Optional

from . import _dalaup
from .asking import Batch, Question
from .control import Progress, make_control
from .errors import StateError
from .explanation import Explanation
from .labels import label_array, networks_of
from .network import Network, html_table
from .registry import own_methods, own_strategies
from .tables import label_table

if TYPE_CHECKING:
    import os

    import numpy
    import pandas


class Aligner:
    """Finds the same people in two networks.

    ``method`` is one of ``dalaup.methods()``; its settings are further keyword arguments, as the options of
    ``dalaup train --method``. The same seed gives the same result at any number of ``threads`` (None: all cores).
    ``progress``: True shows bars of tqdm, None shows them where somebody sees them, a callable gets (task, done, total,
    note).
    """

    def __init__(
        self,
        method: str = "propagation",
        *,
        seed: int = 1,
        threads: Optional[int] = None,
        progress: Progress = None,
        **settings: Any,
    ) -> None:
        self.method = method
        self.seed = seed
        self.threads = threads
        self.progress = progress
        self.settings = settings
        self._model: Optional[_dalaup.Model] = None
        self._asking: Optional[_dalaup.Asking] = None

    # scikit-learn's manners

    def get_params(self, deep: bool = True) -> "dict[str, Any]":
        """The arguments it was made with."""
        common = {"method": self.method, "seed": self.seed, "threads": self.threads, "progress": self.progress}
        return {**common, **self.settings}

    def set_params(self, **params: Any) -> "Aligner":
        """Changes arguments; takes effect with the next fit."""
        for name, value in params.items():
            if name in ("method", "seed", "threads", "progress"):
                setattr(self, name, value)
            else:
                self.settings[name] = value
        return self

    def clone(self) -> "Aligner":
        """An aligner of the same arguments that has not learned anything."""
        return type(self)(**self.get_params())

    # learning

    def fit(
        self,
        a: Any,
        b: Any,
        labels: Any = None,
        *,
        attributes_a: Any = None,
        attributes_b: Any = None,
        compare: str = "",
        similarity: Any = None,
        skip_unknown: bool = False,
        ignore_case: bool = False,
    ) -> "Aligner":
        """Learns from labelled pairs.

        ``a``, ``b``: networks, or whatever one can be made from. ``labels``: a file, a table with columns a, b and maybe
        label, a dictionary from A to B, or pairs; the partner None means that there is none. ``attributes_a``,
        ``attributes_b``: CSV files or tables of what is known of users; with them labels may be left out. ``compare``:
        fields that belong together, such as "name=full_name,city=location:category". ``similarity``: pairs compared
        elsewhere, as a file, a table or triples of a, b and value, or a matrix of A by B whose zeros say nothing."""
        networks = networks_of(a, b, attributes_a, attributes_b, compare, similarity)
        known = label_array(labels, networks, skip_unknown=skip_unknown, ignore_case=ignore_case)
        self._asking = None
        self._model = None
        self._model = _dalaup.Model.fit(
            networks, known, self.method, self.settings, own_methods(), self._control()
        )
        self._take_networks()
        return self

    def refit(self, labels: Any, *, skip_unknown: bool = False, ignore_case: bool = False) -> "Aligner":
        """Learns on with further labels."""
        model = self._fitted()
        networks = _dalaup.Networks(model.a(), model.b(), None, None, "")
        more = label_array(labels, networks, skip_unknown=skip_unknown, ignore_case=ignore_case)
        self._asking = None
        model.refit(more, self._control())
        return self

    # results

    def rank(self, top: int = 30, *, direction: str = "ab", users: Any = None) -> "pandas.DataFrame":
        """Candidates of every user without a known partner: a, rank, b, score, probability; with direction "ba"
        candidates in A of users of B. ``users``: only these."""
        import pandas

        model = self._fitted()
        a, b = (self.a, self.b) if direction == "ab" else (self.b, self.a)
        ids = [] if users is None else [a._core.at(str(user)) for user in users]
        table = model.rank(top, direction, ids, self._control())
        first, second = ("a", "b") if direction == "ab" else ("b", "a")
        return pandas.DataFrame(
            {
                first: a.names[table["user"]],
                "rank": table["rank"],
                second: b.names[table["candidate"]],
                "score": table["score"],
                "probability": table["probability"],
            }
        )

    def match(self, least_probability: float = 0.5, *, top: int = 30) -> "pandas.DataFrame":
        """The one-to-one matching, surest first: a, b, probability, margin, rank_a, rank_b."""
        import pandas

        table = self._fitted().match(least_probability, top, self._control())
        names = {"a": self.a.names[table["a"]], "b": self.b.names[table["b"]]}
        return pandas.DataFrame({**table, **names})

    def probability(self, a: str, b: str) -> float:
        """Probability that the two are one person."""
        return self._fitted().probability(self.a._core.at(a), self.b._core.at(b))

    def explain(self, a: str, b: str, *, parts: int = 10) -> Explanation:
        """Why the pair scores as it does."""
        import pandas

        why = self._fitted().explain(self.a._core.at(a), self.b._core.at(b), parts)
        rows = [(self.a._core.name(first), self.b._core.name(second), *rest) for first, second, *rest in why["parts"]]
        return Explanation(
            a,
            b,
            why["score"],
            why["probability"],
            why["words"],
            pandas.DataFrame(rows, columns=["a", "b", "contribution", "known"]),
            pandas.DataFrame(why["fields"], columns=["field", "a", "b", "ratio"]),
        )

    def unmatched(self) -> "pandas.DataFrame":
        """Probability of having no partner, likeliest first: side, user, probability."""
        import numpy
        import pandas

        sides, users, probability = self._fitted().unmatched()
        is_a = numpy.array(sides, dtype=object) == "A"
        names = numpy.empty(len(users), dtype=object)
        names[is_a] = self.a.names[users[is_a]]
        names[~is_a] = self.b.names[users[~is_a]]
        return pandas.DataFrame({"side": sides, "user": names, "probability": probability})

    def vectors(self) -> "Optional[tuple[numpy.ndarray, numpy.ndarray]]":
        """A row for each user of A and of B, where the method has them."""
        return self._fitted().vectors()

    def evaluate(self, truth: Any) -> "dict[str, float]":
        """precision@30, map@30, hits@1, hits@10, mrr and map-linear@30 over the true pairs that are not labels."""
        model = self._fitted()
        networks = _dalaup.Networks(model.a(), model.b(), None, None, "")
        return dict(model.evaluate(label_array(truth, networks), self._control()))

    @property
    def labels(self) -> "pandas.DataFrame":
        """What it has learned from: a, b, label."""
        return label_table(self._fitted().labels(), self.a, self.b)

    # asking people

    def ask(
        self,
        strategy: str = "dalaup",
        batch_size: int = 20,
        *,
        questions: str = "pair",
        candidates: int = 5,
        arms: str = "saie,cs,eer",
    ) -> "Iterator[list[Question]]":
        """Batches of questions, chosen by the strategy; the model learns from the answers to one before it chooses the
        next, and from those to the last one before it is asked for results. Ends when nothing is left to ask; stop
        whenever you like."""
        model = self._fitted()
        asking = _dalaup.Asking(
            model, strategy, arms, batch_size, questions, candidates, own_strategies()
        )
        self._asking = asking
        while True:
            if self._asking is not asking:
                raise StateError("the model was fitted anew while it asked", "call ask again")
            found = asking.next(self._control())
            if not found:
                return
            batch = Batch(asking)
            yield [self._question(place, one, batch) for place, one in enumerate(found)]
            batch.is_open = False

    def answer(self, question: Question, answer: Any) -> None:
        """``answer``: True, False or None (skip); to a question with several candidates the name of the right one, or
        False for none."""
        if question._batch is None or not question._batch.is_open:
            raise StateError("the question is of an earlier batch", "answer before the next batch is taken")
        question._batch.answer(question, answer)

    def _question(self, place: int, found: "tuple[Any, ...]", batch: Batch) -> Question:
        side, user, candidates, probabilities, strategy, words = found
        own, other = (self.a, self.b) if side == "A" else (self.b, self.a)
        names = [other._core.name(one) for one in candidates]
        return Question(side, own._core.name(user), names, probabilities, strategy, words, place, batch)

    # files

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the model file of the program."""
        self._fitted().save(str(path))

    def __getstate__(self) -> "dict[str, Any]":
        if self._asking is not None:
            self._fitted()
        state = {**self.__dict__, "_asking": None}
        for name in ("a", "b"):
            state.pop(name, None)
        state["_model"] = None if self._model is None else self._model.to_bytes()
        return state

    def __setstate__(self, state: "dict[str, Any]") -> None:
        self.__dict__.update(state)
        if state["_model"] is not None:
            self._model = _dalaup.Model.from_bytes(state["_model"], own_methods())
            self._take_networks()

    # display

    def __repr__(self) -> str:
        arguments = [repr(self.method), f"seed={self.seed}", *(f"{k}={v!r}" for k, v in self.settings.items())]
        return f"dalaup.Aligner({', '.join(arguments)})"

    def _repr_html_(self) -> str:
        rows = {"method": self.method, "seed": str(self.seed)}
        rows.update({name: str(value) for name, value in self.settings.items()})
        if self._model is not None:
            labels = self._model.labels()
            rows["network A"] = f"{len(self.a):,} users, {self.a.edge_count:,} edges"
            rows["network B"] = f"{len(self.b):,} users, {self.b.edge_count:,} edges"
            rows["known pairs"] = f"{int(labels[:, 2].sum()):,}"
        else:
            rows["state"] = "not fitted"
        return html_table("Aligner", rows)

    def _control(self) -> _dalaup.Control:
        return make_control(self.seed, self.threads, self.progress)

    def _fitted(self) -> _dalaup.Model:
        if self._model is None:
            raise StateError("the aligner has not learned yet", "call fit first")
        if self._asking is not None:
            self._asking.learn(self._control())
        return self._model

    def _take_networks(self) -> None:
        assert self._model is not None
        self.a = Network(self._model.a())
        self.b = Network(self._model.b())


def load(path: "str | os.PathLike[str]") -> Aligner:
    """The model of a file that ``save`` or ``dalaup train`` wrote."""
    model = _dalaup.Model.load(str(path), own_methods())
    aligner = Aligner(model.method(), **model.settings())
    aligner._model = model
    aligner._take_networks()
    return aligner
