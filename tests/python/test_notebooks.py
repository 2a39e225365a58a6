"""The example notebooks run from top to bottom, as scripts."""

import json
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "notebooks"


def run(name):
    cells = json.loads((FOLDER / name).read_text(encoding="utf-8"))["cells"]
    variables = {"__name__": "__main__"}
    for place, cell in enumerate(cells):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{name}, cell {place}", "exec"), variables)
    return variables


class Notebooks(unittest.TestCase):
    def test_first_alignment(self):
        variables = run("first_alignment.ipynb")
        self.assertGreater(len(variables["right"]), 0.8 * len(variables["matching"]))
        self.assertGreater(variables["model"].evaluate(variables["truth"])["precision@30"], 0.8)

    def test_own_strategy(self):
        curves = run("own_strategy.ipynb")["curves"]
        self.assertEqual(set(curves.strategy), {"likely_hubs", "cs", "random", "control"})

    def test_there_is_no_other(self):
        self.assertEqual(
            sorted(path.name for path in FOLDER.glob("*.ipynb")), ["first_alignment.ipynb", "own_strategy.ipynb"]
        )


if __name__ == "__main__":
    unittest.main(warnings="ignore")
