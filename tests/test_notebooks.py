"""Run notebooks in a real kernel and look at what they show."""

import base64
import io

import nbformat
import numpy as np
import pytest
from matplotlib.image import imread
from nbclient import NotebookClient

SETUP = """
import time
import mauve
from mauve.lm.reference import split_reference

texts = ["".join(passage) for passage in split_reference(160).passages]
human, model = texts[:80], texts[80:]
bundled = mauve.get_embedder("bundled")

def slowly(texts):
    time.sleep(2.6)  # the bar appears after one second, and says another number after two
    return bundled.embed(texts).features

@mauve.register_measure("pauses")
def pauses(texts):
    time.sleep(1)  # ten times what the bar waits before it is drawn again
    return [len(text) for text in texts]
"""
CELLS = {
    "quick": "comparison = mauve.compare(human, {'a': model, 'b': human[::-1]}, embedder=bundled)",
    "slow": "mauve.compare(human, {'a': model}, embedder=slowly)",
    "silent": "mauve.compare(human, {'a': model}, embedder=slowly, progress=False)",
    "failed": "def failing(texts):\n    time.sleep(2.6)\n    1 / 0\n"
    "try:\n    mauve.compare(human, {'a': model}, embedder=failing)\n"
    "except Exception as error:\n    name = type(error).__name__\nname",
    "plot": "comparison.plot()",
    "plots": "ax = comparison.plot_ranking()\nax.set_title('two')\ncomparison.plot_errors();",
    "axes": "from matplotlib import pyplot\n_, ax = pyplot.subplots()\ncomparison['a'].plot(ax);",
    "explained": "explanation = mauve.explain(comparison, progress=False)\n"
    "explanation['a'].plot()\nexplanation.plot('b');",
    "ladder": "ladder = comparison.ladder()\nladder.plot()\nladder",
    "rungs": "ladder['a']",
    "report": "report = mauve.report(\n"
    "    human, {'a': model}, 'report.html', embedder=slowly, measures='pauses')",
    "saved": "import os\n"
    "comparison.plot().figure.savefig('curves.png'); os.path.getsize('curves.png')",
    "left": "import sys; 'ipywidgets' in sys.modules, pyplot.get_fignums()",
}


class RecordingClient(NotebookClient):
    """Keeps the messages of the kernel, of which a notebook keeps only the last states."""

    def process_message(self, message, cell, index):
        self.messages = getattr(self, "messages", {})
        self.messages.setdefault(index, []).append(message)
        return super().process_message(message, cell, index)


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """Return the outputs and the messages of each cell."""
    sources = [SETUP, *CELLS.values()]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in sources])
    client = RecordingClient(
        book,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path_factory.mktemp("notebook"))}},
    )
    client.execute()
    outputs = dict(zip(CELLS, [cell.outputs for cell in book.cells[1:]], strict=True))
    messages = {name: client.messages.get(i, []) for i, name in enumerate(CELLS, start=1)}
    return outputs, messages


def shown_bars(messages):
    """Return the HTML of all states of the bars of a cell."""
    return [
        message["content"]["data"]["text/html"]
        for message in messages
        if message["msg_type"] in ("display_data", "update_display_data")
        and "text/html" in message["content"]["data"]
    ]


def pictures(outputs):
    return [
        imread(io.BytesIO(base64.b64decode(output["data"]["image/png"])))
        for output in outputs
        if "image/png" in output.get("data", {})
    ]


@pytest.mark.slow
def test_slow_work_shows_a_bar_and_removes_it(notebook):
    outputs, messages = notebook
    bars = shown_bars(messages["slow"])
    assert len(bars) > 2
    assert all(bar.startswith("<div><progress") for bar in bars[:-1])
    assert any("embedding · " in bar for bar in bars)
    kinds = [message["msg_type"] for message in messages["slow"]]
    assert kinds.count("display_data") == 1, "one bar, updated in place"
    assert bars[-1] == ""
    assert outputs["slow"][0]["data"] == {"text/html": "", "text/plain": ""}


@pytest.mark.slow
def test_no_bar_if_none_is_wanted(notebook):
    assert shown_bars(notebook[1]["silent"]) == []


@pytest.mark.slow
def test_an_error_removes_the_bar(notebook):
    bars = shown_bars(notebook[1]["failed"])
    assert "<progress" in bars[0]
    assert bars[-1] == ""
    assert notebook[0]["failed"][-1]["data"]["text/plain"] == "'ZeroDivisionError'"


@pytest.mark.slow
def test_the_steps_of_a_report_share_one_bar(notebook):
    bars = shown_bars(notebook[1]["report"])
    kinds = [message["msg_type"] for message in notebook[1]["report"]]
    assert kinds.count("display_data") == 1
    assert all(any(step in bar for bar in bars) for step in ("embedding", "measuring pauses"))
    assert pictures(notebook[0]["report"]) == [], "its pictures are for the page alone"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cell", "n"), [("plot", 1), ("plots", 2), ("axes", 1), ("explained", 2), ("ladder", 1)]
)
def test_plots_are_shown(notebook, cell, n):
    images = pictures(notebook[0][cell])
    assert len(images) == n
    for image in images:
        assert min(image.shape[:2]) > 100
        assert np.ptp(image[..., :3]) > 0.5, "something is drawn"


@pytest.mark.slow
def test_a_ladder_is_a_table(notebook):
    for cell in ("ladder", "rungs"):
        [table] = [out["data"]["text/html"] for out in notebook[0][cell] if "data" in out
                   and out["output_type"] == "execute_result"]  # fmt: skip
        assert table.startswith("<table>")
        assert ">as given<" in table


@pytest.mark.slow
def test_figures_are_saved_and_none_is_left(notebook):
    saved, left = (notebook[0][cell] for cell in ("saved", "left"))
    assert int(saved[0]["data"]["text/plain"]) > 5000
    assert left[0]["data"]["text/plain"] == "(False, [])"


@pytest.mark.slow
def test_stderr_has_only_warnings_of_ours(notebook):
    for cell, outputs in notebook[0].items():
        for output in outputs:
            if output["output_type"] == "stream":
                assert output["name"] == "stderr", cell
                assert "MauveWarning: " in output["text"], cell
                assert output["text"].count("Warning: ") == output["text"].count("MauveWarning: ")
