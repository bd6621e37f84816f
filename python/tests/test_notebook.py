"""The notebook of the documents."""

import os
import pathlib

import pytest

nbformat = pytest.importorskip("nbformat")
matplotlib = pytest.importorskip("matplotlib")

PATH = pathlib.Path(__file__).parents[2] / "docs/python.ipynb"


def test_it_is_small_and_was_run():
    assert PATH.stat().st_size < 200_000
    notebook = nbformat.read(PATH, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(
        range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert not any(output.output_type == "error" for output in outputs)
    assert sum("image/png" in output.get("data", {})
               for output in outputs) == 3


def test_every_cell_runs(monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.setitem(os.environ, "KEXPR_SECONDS", "0.001")
    names = {"__name__": "__main__"}
    for cell in nbformat.read(PATH, as_version=4).cells:
        if cell.cell_type == "code":
            exec(compile(cell.source, str(PATH), "exec"), names)
    matplotlib.pyplot.close("all")
