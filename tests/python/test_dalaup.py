"""The package as its users see it. Runs with Debian's numpy, scipy, pandas, networkx and igraph.

    PYTHONPATH=build/python python3 -m unittest discover -s tests/python
"""

import ast
import copy
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import networkx
import numpy
import pandas
import scipy.sparse

import dalaup

PROGRAM = os.environ.get("DALAUP_PROGRAM", "")
SIZES = dict(users_a=300, users_b=300, anchors=250, edges_a=2500, edges_b=2500, overlap=0.7, labels_share=0.15)


def small_pair(**more):
    return dalaup.generate(**{**SIZES, **more})


def write_edges(network, path):
    source, target, _ = network._arcs()
    lines = [f"{name}\n" for name in network.names]  # the order of the users
    lines += [f"{a}\t{b}\n" for a, b in zip(network.names[source], network.names[target])]
    Path(path).write_text("".join(lines))


class Networks(unittest.TestCase):
    # alice - bob - carol      dave
    def check(self, network, directed=False):
        self.assertEqual(sorted(network.names), ["alice", "bob", "carol", "dave"])
        self.assertEqual((len(network), network.edge_count, network.directed), (4, 2, directed))
        self.assertEqual(sorted(network.neighbours("bob")), ["alice", "carol"])
        self.assertEqual(network.neighbours("dave"), [])
        self.assertIn("dave", network)
        self.assertNotIn("eve", network)

    def graph(self, kind=networkx.Graph):
        graph = kind([("alice", "bob"), ("bob", "carol")])
        graph.add_node("dave")
        return graph

    def test_every_source_gives_the_same_network(self):
        edges = [("alice", "bob"), ("bob", "carol")]
        self.check(dalaup.Network.from_edges(edges, users=["dave"]))
        self.check(dalaup.Network.from_networkx(self.graph()))
        self.check(dalaup.Network.from_networkx(self.graph(networkx.DiGraph)), directed=True)
        table = pandas.DataFrame(edges, columns=["source", "target"])
        self.check(dalaup.Network.from_pandas(table, users=["dave"]))
        matrix = networkx.to_scipy_sparse_array(self.graph())
        self.check(dalaup.Network.from_scipy(matrix, list(self.graph().nodes)))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "net.edges"
            path.write_text("alice bob\nbob carol\ndave\n")
            self.check(dalaup.Network.read(path))

    def test_igraph(self):
        try:
            import igraph
        except ImportError:
            self.skipTest("python3-igraph is not installed")
        graph = igraph.Graph(edges=[(0, 1), (1, 2)], n=4)
        graph.vs["name"] = ["alice", "bob", "carol", "dave"]
        self.check(dalaup.Network.from_igraph(graph))

    def test_matrices_share_the_memory_and_networkx_comes_back(self):
        network = dalaup.Network.from_edges([("a", "b", 2.0), ("b", "c", 0.5)])
        matrix = network.to_scipy()
        self.assertTrue(numpy.shares_memory(matrix.indices, network._core.neighbours()[1]))
        numpy.testing.assert_array_equal(matrix.toarray(), [[0, 2, 0], [2, 0, 0.5], [0, 0.5, 0]])
        graph = network.to_networkx()
        self.assertEqual(graph["a"]["b"]["weight"], 2.0)
        again = pickle.loads(pickle.dumps(network))
        numpy.testing.assert_array_equal(again.to_scipy().toarray(), matrix.toarray())

    def test_arrays_outlive_their_network_and_cannot_be_written(self):
        begins, users, _ = dalaup.Network.from_edges([("a", "b"), ("b", "c")])._core.neighbours()
        self.assertEqual(users.tolist(), [1, 0, 2, 1])
        with self.assertRaises(ValueError):
            users[0] = 7

    def test_what_is_dropped_is_said(self):
        with self.assertWarnsRegex(dalaup.DalaupWarning, "1 self-loop and 1 duplicate edge"):
            dalaup.Network.from_edges([("a", "b"), ("b", "a"), ("a", "a")])

    def test_errors_have_types_and_hints(self):
        with self.assertRaises(dalaup.InputError) as caught:
            dalaup.Network.read("no such file")
        self.assertIsInstance(caught.exception, (dalaup.Error, ValueError))
        network = dalaup.Network.from_edges([("alice", "bob")])
        with self.assertRaises(dalaup.InputError) as caught:
            network.neighbours("alise")
        self.assertIn("alice", caught.exception.hint)
        self.assertIn("alice", str(pickle.loads(pickle.dumps(caught.exception))))

    def test_html_is_escaped(self):
        network = dalaup.Network.from_edges([("<script>", "b")])
        self.assertNotIn("<script>", network._repr_html_())
        self.assertIn("2", network._repr_html_())


class Labels(unittest.TestCase):
    def test_every_form_gives_the_same_model(self):
        pair = small_pair()
        wanted = dalaup.Aligner().fit(pair.a, pair.b, pair.labels)._model.to_bytes()
        triples = list(pair.labels.itertuples(index=False, name=None))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "labels.tsv"
            pair.labels.to_csv(path, sep="\t", header=False, index=False)
            forms = [triples, [row[:2] for row in triples], dict(row[:2] for row in triples), path, str(path)]
            for labels in forms:
                self.assertEqual(dalaup.Aligner().fit(pair.a, pair.b, labels)._model.to_bytes(), wanted)

    def test_nobody_and_no(self):
        pair = small_pair()
        unlabelled = [name for name in pair.truth.a if name not in set(pair.labels.a)]
        user, other = unlabelled[0], pair.truth.b.iloc[0]
        model = dalaup.Aligner().fit(pair.a, pair.b, list(pair.labels.itertuples(index=False)) + [(user, None)])
        self.assertIn((user, "*", 0), list(model.labels.itertuples(index=False, name=None)))
        self.assertNotIn(user, set(model.match(0.0).a))
        model.refit([(unlabelled[1], other, 0)])
        self.assertIn((unlabelled[1], other, 0), list(model.labels.itertuples(index=False, name=None)))

    def test_unknown_users_are_named(self):
        pair = small_pair()
        name = pair.a.names[0]
        with self.assertRaisesRegex(dalaup.InputError, "network A"):
            dalaup.Aligner().fit(pair.a, pair.b, [(name + "x", pair.b.names[0])])
        with self.assertWarnsRegex(dalaup.DalaupWarning, "1 pair with users"):
            labels = list(pair.labels.itertuples(index=False)) + [(name + "x", pair.b.names[0])]
            dalaup.Aligner().fit(pair.a, pair.b, labels, skip_unknown=True)


class Models(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pair = small_pair()
        cls.model = dalaup.Aligner(seed=1, threads=1).fit(cls.pair.a, cls.pair.b, cls.pair.labels)

    def test_tables_have_the_columns_of_the_files(self):
        ranked = self.model.rank(top=3)
        self.assertEqual(list(ranked.columns), ["a", "rank", "b", "score", "probability"])
        self.assertEqual(ranked["rank"].iloc[:3].tolist(), [1, 2, 3])
        self.assertEqual(list(self.model.rank(top=1, direction="ba").columns)[:3], ["b", "rank", "a"])
        some = self.model.rank(top=2, users=[ranked.a.iloc[0]])
        pandas.testing.assert_frame_equal(some, ranked[ranked.a == ranked.a.iloc[0]].head(2))
        matching = self.model.match(least_probability=0.5)
        self.assertEqual(list(matching.columns)[:4], ["a", "b", "probability", "margin"])
        self.assertTrue(matching.a.is_unique and matching.b.is_unique)
        self.assertGreaterEqual(matching.probability.min(), 0.5)
        self.assertEqual(list(self.model.unmatched().columns), ["side", "user", "probability"])

    def test_it_is_right(self):
        self.assertGreater(self.model.evaluate(self.pair.truth)["precision@30"], 0.9)
        matching = self.model.match(0.5)
        right = matching.merge(self.pair.truth, on=["a", "b"])
        self.assertGreater(len(right), 0.8 * len(matching))

    def test_explanations(self):
        best = self.model.match().iloc[0]
        why = self.model.explain(best.a, best.b)
        self.assertEqual(why.probability, self.model.probability(best.a, best.b))
        self.assertGreater(len(why.parts), 0)
        self.assertIn("<table", why._repr_html_())

    def test_manners_of_scikit_learn(self):
        model = dalaup.Aligner(seed=3, threads=1).set_params(seed=4, rounds=2)
        self.assertEqual(model.get_params()["rounds"], 2)
        self.assertEqual(model.clone().get_params(), model.get_params())
        with self.assertRaises(dalaup.StateError):
            model.rank()
        self.assertIn("not fitted", model._repr_html_())
        self.assertIn("known pairs", self.model._repr_html_())

    def test_wrong_settings_are_refused(self):
        with self.assertRaisesRegex(dalaup.ParameterError, "nonsense"):
            dalaup.Aligner(nonsense=1).fit(self.pair.a, self.pair.b, self.pair.labels)
        with self.assertRaises(dalaup.ParameterError):
            dalaup.Aligner("propagatoin").fit(self.pair.a, self.pair.b, self.pair.labels)

    def test_copies_and_pickles_predict_the_same(self):
        wanted = self.model.match()
        for other in (pickle.loads(pickle.dumps(self.model)), copy.deepcopy(self.model)):
            pandas.testing.assert_frame_equal(other.match(), wanted)

    def test_networks_in_any_form(self):
        other = dalaup.Aligner().fit(self.pair.a.to_networkx(), self.pair.b, self.pair.labels)
        self.assertEqual(set(other.match().a), set(self.model.match().a))
        with self.assertRaisesRegex(dalaup.InputError, "expected a Network"):
            dalaup.Aligner().fit(7, self.pair.b, self.pair.labels)

    def test_attributes_as_tables(self):
        people = small_pair()
        names_a = pandas.DataFrame({"user": people.a.names, "name": [f"person {i}" for i in range(len(people.a))]})
        number = {a: i for i, a in enumerate(people.a.names)}
        names_b = pandas.DataFrame(
            {"name": [f"person {number[a]}" for a in people.truth.a]}, index=pandas.Index(people.truth.b, name="user")
        )
        model = dalaup.Aligner().fit(people.a, people.b, attributes_a=names_a, attributes_b=names_b)
        self.assertGreater(model.evaluate(people.truth)["hits@1"], 0.9)
        row = people.truth.iloc[0]
        self.assertEqual(model.explain(row.a, row.b).fields.field.tolist(), ["name"])

    def test_similarity_in_any_form_and_from_a_file(self):
        people = small_pair()
        rows = [(a, b, 0.9) for a, b in zip(people.truth.a, people.truth.b)]
        rows += [(a, b, 0.2) for a, b in zip(people.truth.a, people.truth.b[1:])]
        table = pandas.DataFrame(rows, columns=["a", "b", "value"])
        place_a = {name: i for i, name in enumerate(people.a.names)}
        place_b = {name: i for i, name in enumerate(people.b.names)}
        matrix = scipy.sparse.coo_matrix(
            (table.value.astype("float32"), (table.a.map(place_a), table.b.map(place_b))), shape=(len(people.a), len(people.b))
        )
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "similarity.tsv")
            table.to_csv(path, sep="\t", index=False, header=False)
            wanted = dalaup.Aligner().fit(people.a, people.b, similarity=path)
        self.assertGreater(wanted.evaluate(people.truth)["hits@1"], 0.9)
        for form in (table, rows, matrix, matrix.toarray()):
            model = dalaup.Aligner().fit(people.a, people.b, similarity=form)
            pandas.testing.assert_frame_equal(model.match(), wanted.match())
        with self.assertRaisesRegex(dalaup.InputError, "similarity: found 'nobody', expected a user of network A"):
            dalaup.Aligner().fit(people.a, people.b, similarity=[("nobody", rows[0][1], 1.0)])
        with self.assertRaisesRegex(dalaup.InputError, "expected \\(" + str(len(people.a))):
            dalaup.Aligner().fit(people.a, people.b, similarity=matrix.tocsr()[1:])

    def test_threads_share_a_model(self):
        wanted = self.model.rank(top=5)
        results = [None] * 4

        def work(place):
            results[place] = self.model.rank(top=5)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        for result in results:
            pandas.testing.assert_frame_equal(result, wanted)

    def test_progress_comes_from_the_calling_thread(self):
        seen = []
        me = threading.get_ident()
        model = dalaup.Aligner(progress=lambda *now: seen.append((threading.get_ident(), *now)))
        model.fit(self.pair.a, self.pair.b, self.pair.labels)
        self.assertTrue(seen)
        self.assertEqual({now[0] for now in seen}, {me})

        def fail(*now):
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            dalaup.Aligner(progress=fail).fit(self.pair.a, self.pair.b, self.pair.labels)

    def test_ctrl_c_stops_a_simulation(self):
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        begun = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            dalaup.simulate(self.pair.a, self.pair.b, self.pair.truth, repeats=1000, initial=20, validation=20,
                            test=20, budget=100, batch=1)  # fmt: skip
        self.assertLess(time.monotonic() - begun, 30)
        timer.join()


class Asking(unittest.TestCase):
    def test_answers_teach_the_model(self):
        pair = small_pair()
        truth = set(zip(pair.truth.a, pair.truth.b))
        model = dalaup.Aligner().fit(pair.a, pair.b, pair.truth.head(30))
        batches = 0
        for batch in model.ask(strategy="dalaup", batch_size=5):
            for question in batch:
                self.assertIn(question.a, str(question))
                model.answer(question, (question.a, question.b) in truth)
            batches += 1
            if batches == 3:
                break
        self.assertEqual(len(model.labels), 45)
        with self.assertRaises(dalaup.StateError):  # answered twice, otherwise
            model.answer(batch[0], not (batch[0].a, batch[0].b) in truth)

    def test_picks_are_answered_with_a_name(self):
        pair = small_pair()
        partner = dict(zip(pair.truth.a, pair.truth.b))
        model = dalaup.Aligner().fit(pair.a, pair.b, pair.truth.head(30))
        batch = next(model.ask("saie", 5, questions="pick"))
        self.assertGreater(max(len(question.candidates) for question in batch), 1)
        for question in batch:
            right = partner.get(question.user) if question.side == "A" else None
            model.answer(question, right if right in question.candidates else None)
        self.assertGreaterEqual(len(model.labels), 30)


class Own(unittest.TestCase):
    def test_a_method_in_python_is_used_by_simulate_and_saved(self):
        pair = small_pair()
        order = {name: i for i, name in enumerate(pair.a.names)}

        def cheat(a, b, labels, seed, sharp=1.0):
            """Knows the truth."""
            self.assertEqual(list(labels.columns), ["a", "b", "label"])
            vectors_a = numpy.eye(len(a))
            vectors_b = numpy.full((len(b), len(a)), 0.01)
            ids = {name: i for i, name in enumerate(b.names)}
            for one in pair.truth.itertuples():
                vectors_b[ids[one.b], order[one.a]] = sharp
            return vectors_a, vectors_b

        dalaup.register_method("cheat", cheat)
        self.assertEqual(dalaup.methods()["cheat"], "Knows the truth.")
        model = dalaup.Aligner("cheat", sharp=2.0).fit(pair.a, pair.b, pair.labels)
        self.assertEqual(model.evaluate(pair.truth)["hits@1"], 1.0)
        with tempfile.TemporaryDirectory() as folder:
            model.save(Path(folder) / "m.dalaup")
            again = dalaup.load(Path(folder) / "m.dalaup")
        self.assertEqual(again.get_params()["sharp"], 2.0)
        pandas.testing.assert_frame_equal(again.match(), model.match())
        curve = self.simulate(pair, method="cheat", strategy="cs")
        self.assertEqual(curve["hits@1"].min(), 1.0)
        with self.assertRaisesRegex(dalaup.ParameterError, "belongs to dalaup"):
            dalaup.register_method("ione", cheat)

    def test_a_strategy_in_python_competes_with_the_others(self):
        pair = small_pair()
        dalaup.register_strategy("unlikely", lambda pairs: -pairs.probability)
        curve = self.simulate(pair, strategy="unlikely,cs")
        last = curve[curve["round"] == 2].set_index("strategy")
        self.assertEqual(last.positives["unlikely"], 0)
        self.assertGreater(last.positives["cs"], 5)

    def test_failures_inside_reach_the_caller(self):
        pair = small_pair()

        def broken(pairs):
            raise ZeroDivisionError("mine")

        dalaup.register_strategy("broken", broken)
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            self.simulate(pair, strategy="broken")
        dalaup.register_strategy("short", lambda pairs: [1.0])
        with self.assertRaisesRegex(dalaup.StateError, "expected one for each"):
            self.simulate(pair, strategy="short")

    def simulate(self, pair, **settings):
        return dalaup.simulate(pair.a, pair.b, pair.truth, repeats=1, initial=40, validation=20, test=40, budget=10,
                               batch=5, no_control=True, **settings)  # fmt: skip


@unittest.skipUnless(PROGRAM, "DALAUP_PROGRAM does not name the program")
class Program(unittest.TestCase):
    """The same bits as the command line."""

    def run_program(self, *arguments):
        subprocess.run([PROGRAM, *map(str, arguments), "--quiet"], check=True, stdout=subprocess.DEVNULL)

    def test_models_lists_and_matchings_are_equal(self):
        pair = small_pair()
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_edges(pair.a, folder / "a.edges")
            write_edges(pair.b, folder / "b.edges")
            pair.labels.to_csv(folder / "known.tsv", sep="\t", header=False, index=False)
            self.run_program("train", "--a", folder / "a.edges", "--b", folder / "b.edges", "--labels",
                             folder / "known.tsv", "--model", folder / "program.dalaup", "--seed", 7)  # fmt: skip
            self.run_program("predict", "--model", folder / "program.dalaup", "--out", folder / "ranked.tsv",
                             "--matching", folder / "matching.tsv", "--seed", 7)  # fmt: skip
            model = dalaup.Aligner(seed=7).fit(pair.a, pair.b, pair.labels)
            model.save(folder / "python.dalaup")
            self.assertEqual((folder / "python.dalaup").read_bytes(), (folder / "program.dalaup").read_bytes())
            for one in (model, dalaup.load(folder / "program.dalaup")):
                lines = [f"{row.a}\t{row.rank}\t{row.b}\t{row.probability:.6g}" for row in one.rank(30).itertuples()]
                file = [line.split("\t") for line in (folder / "ranked.tsv").read_text().splitlines()[1:]]
                self.assertEqual(lines, ["\t".join(row[:3] + row[4:5]) for row in file])
                scores = numpy.array([row[3] for row in file], numpy.float32)
                numpy.testing.assert_array_equal(one.rank(30).score, scores)
                lines = [f"{row.a}\t{row.b}\t{row.probability:.6g}\t{row.margin:.6g}" for row in one.match().itertuples()]
                file = (folder / "matching.tsv").read_text().splitlines()[1:]
                self.assertEqual(lines, ["\t".join(line.split("\t")[:4]) for line in file])

    def test_simulations_are_equal(self):
        pair = small_pair()
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_edges(pair.a, folder / "a.edges")
            write_edges(pair.b, folder / "b.edges")
            pair.truth.to_csv(folder / "truth.tsv", sep="\t", header=False, index=False)
            sizes = dict(initial=30, validation=20, test=40, budget=20, batch=10, repeats=1)
            options = [text for item in sizes.items() for text in (f"--{item[0]}", item[1])]
            self.run_program("simulate", "--a", folder / "a.edges", "--b", folder / "b.edges", "--truth",
                             folder / "truth.tsv", "--strategy", "dalaup", "--out", folder / "out", *options)  # fmt: skip
            program = pandas.read_csv(folder / "out" / "curves.csv")
            python = dalaup.simulate(pair.a, pair.b, folder / "truth.tsv", strategy="dalaup", **sizes)
            columns = [name for name in python.columns if name != "seconds"]
            pandas.testing.assert_frame_equal(python[columns], program[columns], check_dtype=False, atol=1e-6)


class Importing(unittest.TestCase):
    def test_it_is_quick_and_loads_neither_numpy_nor_pandas(self):
        code = "import dalaup, sys; print([m for m in ('numpy', 'pandas', 'networkx', 'scipy') if m in sys.modules])"
        times = []
        for _ in range(5):
            begun = time.monotonic()
            done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
            times.append(time.monotonic() - begun)
        self.assertEqual(done.stdout.strip(), "[]")
        self.assertLess(min(times), 0.3)

    def test_versions_agree(self):
        self.assertRegex(dalaup.__version__, r"^\d+\.\d+\.\d+$")
        if PROGRAM:
            shown = subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, text=True).stdout
            self.assertEqual(shown.split()[-1], dalaup.__version__)


class Stubs(unittest.TestCase):
    def test_stubs_name_what_the_module_has(self):
        def declared(body):
            named = {node.name for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
            return public(named | {node.target.id for node in body if isinstance(node, ast.AnnAssign)})

        def public(names):
            return {name for name in names if not name.startswith("_")}

        tree = ast.parse(Path(dalaup.__file__).with_name("_dalaup.pyi").read_text())
        self.assertEqual(declared(tree.body), public(dir(dalaup._dalaup)))
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                with self.subTest(node.name):
                    self.assertEqual(declared(node.body), public(vars(getattr(dalaup._dalaup, node.name))))


if __name__ == "__main__":
    unittest.main(warnings="ignore")  # few labels are warned about
